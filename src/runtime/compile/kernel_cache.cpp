// Memory holds kernels, compiled or not, so that programs share compilations.
#include "runtime/compile/kernel_cache.hpp"

#include "kernels/analysis/loops/long_loops.hpp"
#include "runtime/compile/disk_cache.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/trace.hpp"
#include "support/counters.hpp"
#include "support/hash.hpp"
#include "support/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

namespace hasten::runtime {
namespace {

using support::Digest;
using CodeRef = std::shared_ptr<const backends::Code>;

constexpr std::size_t most_in_memory = 1024;

class MemoryCache {
 public:
  /// Returns the entry, or the result of `create` if there is none, and whether it was created.
  std::pair<KernelCodeRef, bool> find(const Digest& key,
                                      const std::function<KernelCodeRef()>& create) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end() && !found->second.code->has_failed()) {
      found->second.last_use = ++uses_;
      return {found->second.code, false};
    }
    if (entries_.size() >= most_in_memory) drop_oldest();
    return {(entries_[key] = {create(), ++uses_}).code, true};
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  struct Entry {
    KernelCodeRef code;
    std::uint64_t last_use;
  };

  // Drops a quarter at once, so that the search costs little. Kernels in use live on.
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

// Never destroyed: code must outlive calls that are in flight when the process ends.
MemoryCache& memory_cache() {
  static MemoryCache& instance = *new MemoryCache;
  return instance;
}

Digest digest_of(const Digest& key, const Device& device, const backends::CompileOptions& options) {
  return support::Hasher()
      .add(key)
      .add(device.fingerprint)
      .add(options.contract)
      .add(options.fast_math)
      .add(options.own_math)
      .add(options.polls)
      .finish();
}

// In memory a kernel is loaded code, which belongs to one device; equal devices share the bytes on
// disk.
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

KernelCode::Made make(const Device& device, const kernels::Kernel& kernel, const Digest& digest,
                      const backends::CompileOptions& options, const DiskCache& disk) {
  const TraceSpan span("kernel", "make a kernel");
  if (CodeRef code = load_from_disk(disk, digest, device, kernel)) {
    log(2, [&] {
      return fmt::format("kernel {}: loaded in {:.2f} ms", support::to_hex(digest),
                         span.milliseconds());
    });
    ++support::counters().kernels_from_cache;
    return {std::move(code), false};
  }
  support::check_room_to_compile();
  const std::vector<std::byte> bytes = device.backend->compile(kernel, options);
  CodeRef code = device.backend->load(kernel, bytes);
  log(2, [&] {
    return fmt::format("kernel {}: compiled in {:.2f} ms, {} bytes", support::to_hex(digest),
                       span.milliseconds(), bytes.size());
  });
  disk.store(digest, device.fingerprint, bytes);
  ++support::counters().kernels_compiled;
  return {std::move(code), true};
}

}  // namespace

KernelsToLoad find_kernels(const std::shared_ptr<const Device>& device,
                           std::span<const kernels::Kernel> kernels, std::span<const Digest> keys,
                           const backends::CompileOptions& options) {
  const DiskCache disk(cache_folder());  // as the environment is now
  KernelsToLoad result;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    backends::CompileOptions own = options;
    own.polls = options.polls && kernels::LongLoops(kernels[i]).any();
    const Digest digest = digest_of(keys[i], *device, own);
    const auto create = [&] {
      return std::make_shared<KernelCode>([device, kernel = kernels[i], digest, own, disk] {
        return make(*device, kernel, digest, own, disk);
      });
    };
    auto [code, is_ours] = memory_cache().find(loaded_on(*device, digest), create);
    if (is_ours) result.ours.push_back(code);
    result.code.push_back(std::move(code));
  }
  support::counters().kernels_from_cache +=
      static_cast<std::int64_t>(result.code.size() - result.ours.size());
  return result;
}

void forget_kernels() { memory_cache().clear(); }

}  // namespace hasten::runtime
