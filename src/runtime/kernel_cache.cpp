// Kernels in memory are futures, so that a second program waits for the first one's compilation.
#include "runtime/kernel_cache.hpp"

#include "runtime/disk_cache.hpp"
#include "runtime/log.hpp"
#include "runtime/trace.hpp"
#include "runtime/workers.hpp"
#include "support/counters.hpp"
#include "support/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <unordered_map>

namespace hasten::runtime {
namespace {

using support::Digest;
using CodeRef = std::shared_ptr<const backends::Code>;

constexpr std::size_t most_in_memory = 1024;

// A kernel that is in memory, or will be.
struct Claim {
  std::shared_future<CodeRef> code;
  std::promise<CodeRef> promise;  // if it is ours to make
  bool is_ours = false;
};

class MemoryCache {
 public:
  Claim claim(const Digest& key) {
    const std::lock_guard lock(mutex_);
    Claim claim;
    if (const auto found = entries_.find(key); found != entries_.end()) {
      found->second.last_use = ++uses_;
      claim.code = found->second.code;
      return claim;
    }
    if (entries_.size() >= most_in_memory) drop_oldest();
    claim.is_ours = true;
    claim.code = claim.promise.get_future().share();
    entries_[key] = {claim.code, ++uses_};
    return claim;
  }

  // What could not be made may be tried again.
  void forget(const Digest& key) {
    const std::lock_guard lock(mutex_);
    entries_.erase(key);
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  struct Entry {
    std::shared_future<CodeRef> code;
    std::uint64_t last_use;
  };

  // A quarter at once, so that looking for them costs little. Waiters keep their futures.
  void drop_oldest() {
    std::vector<std::uint64_t> uses;
    for (const auto& [key, entry] : entries_) uses.push_back(entry.last_use);
    const auto quarter = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 4);
    std::nth_element(uses.begin(), quarter, uses.end());
    std::erase_if(entries_, [&](const auto& item) { return item.second.last_use < *quarter; });
  }

  std::mutex mutex_;
  std::unordered_map<Digest, Entry, support::DigestHash> entries_;
  std::uint64_t uses_ = 0;
};

// Never destroyed: code must outlive whatever is in flight when the process ends.
MemoryCache& memory_cache() {
  static MemoryCache& instance = *new MemoryCache;
  return instance;
}

Digest digest_of(const kernels::Key& key, const Device& device,
                 const backends::CompileOptions& options) {
  return support::Hasher()
      .add(key.lo)
      .add(key.hi)
      .add(device.fingerprint)
      .add(options.contract)
      .add(options.fast_math)
      .add(options.own_math)
      .finish();
}

// In memory a kernel is loaded code, which belongs to one device; devices that are alike share what
// is on disk.
Digest loaded_on(const Device& device, const Digest& digest) {
  return support::Hasher().add(digest).add(device.name).finish();
}

// Bytes that cannot be loaded count as absent, like corrupt ones.
CodeRef load_from_disk(const DiskCache& disk, const Digest& digest, const Device& device,
                       const kernels::Kernel& kernel) {
  const auto bytes = disk.find(digest, device.fingerprint);
  if (!bytes) return nullptr;
  try {
    return device.backend->load(kernel, *bytes);
  } catch (const std::exception&) {
    return nullptr;
  }
}

struct Made {
  CodeRef code;
  bool is_compiled;
};

Made make(const Device& device, const kernels::Kernel& kernel, const Digest& digest,
          const backends::CompileOptions& options) {
  const DiskCache disk(cache_folder());
  const TraceSpan span("kernel", "make a kernel");
  if (CodeRef code = load_from_disk(disk, digest, device, kernel)) {
    log(2, [&] {
      return fmt::format("kernel {}: loaded in {:.2f} ms", support::to_hex(digest),
                         span.milliseconds());
    });
    return {std::move(code), false};
  }
  const std::vector<std::byte> bytes = device.backend->compile(kernel, options);
  CodeRef code = device.backend->load(kernel, bytes);
  log(2, [&] {
    return fmt::format("kernel {}: compiled in {:.2f} ms, {} bytes", support::to_hex(digest),
                       span.milliseconds(), bytes.size());
  });
  disk.store(digest, device.fingerprint, bytes);
  return {std::move(code), true};
}

}  // namespace

LoadedKernels load_kernels(const Device& device, std::span<const kernels::Kernel> kernels,
                           std::span<const kernels::Key> keys,
                           const backends::CompileOptions& options) {
  std::vector<Digest> digests;
  std::vector<Claim> claims;
  std::vector<std::size_t> ours;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    digests.push_back(digest_of(keys[i], device, options));
    claims.push_back(memory_cache().claim(loaded_on(device, digests[i])));
    if (claims[i].is_ours) ours.push_back(i);
  }
  std::atomic<std::int64_t> compiled{0};
  parallel_for(ours.size(), [&](std::size_t n) {
    const std::size_t i = ours[n];
    try {
      Made made = make(device, kernels[i], digests[i], options);
      compiled += made.is_compiled;
      claims[i].promise.set_value(std::move(made.code));
    } catch (...) {
      memory_cache().forget(loaded_on(device, digests[i]));
      claims[i].promise.set_exception(std::current_exception());
    }
  });
  LoadedKernels result;
  for (const Claim& claim : claims) result.code.push_back(claim.code.get());
  result.compiled = compiled;
  result.from_cache = static_cast<std::int64_t>(kernels.size()) - result.compiled;
  support::counters().kernels_compiled += result.compiled;
  support::counters().kernels_from_cache += result.from_cache;
  return result;
}

void forget_kernels() { memory_cache().clear(); }

}  // namespace hasten::runtime
