// Entries are like those of kernels: a digest of their name and of the backend's fingerprint.
#include "runtime/compile/code_store.hpp"

#include "runtime/compile/disk_cache.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/trace.hpp"

#include <fmt/format.h>

#include <chrono>

namespace hasten::runtime {
namespace {

class DiskCodeStore final : public backends::CodeStore {
 public:
  explicit DiskCodeStore(std::string fingerprint) : fingerprint_(std::move(fingerprint)) {}

  [[nodiscard]] std::optional<std::vector<std::byte>> find(std::string_view name) const override {
    return DiskCache(cache_folder()).find(key_of(name), fingerprint_);
  }
  void store(std::string_view name, std::span<const std::byte> code) const override {
    DiskCache(cache_folder()).store(key_of(name), fingerprint_, code);
  }
  void report(std::string_view name, Origin origin, Clock::time_point began) const override {
    const Clock::time_point now = Clock::now();
    if (is_tracing()) trace("kernel", "make code for a launch", began, now);
    log(2, [&] {
      return fmt::format("code \"{}\": {} in {:.2f} ms", name,
                         origin == Origin::made ? "compiled" : "loaded",
                         std::chrono::duration<double, std::milli>(now - began).count());
    });
  }

 private:
  [[nodiscard]] support::Digest key_of(std::string_view name) const {
    return support::Hasher().add("code of a backend").add(name).add(fingerprint_).finish();
  }

  std::string fingerprint_;
};

}  // namespace

std::shared_ptr<const backends::CodeStore> make_code_store(std::string fingerprint) {
  return std::make_shared<DiskCodeStore>(std::move(fingerprint));
}

}  // namespace hasten::runtime
