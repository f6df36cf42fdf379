// Code that backends keep between processes.
#pragma once

#include <hasten/run/error.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hasten::backends {

/// Where a backend keeps code of its own between processes: code that belongs to no kernel, such as
/// sorting, and a kernel's code that is compiled when a launch first needs it. Code that is found
/// was stored by a backend of the same fingerprint.
class CodeStore {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Origin { found, made };

  virtual ~CodeStore() = default;
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> find(std::string_view name) const = 0;
  virtual void store(std::string_view name, std::span<const std::byte> code) const = 0;
  /// Code of this name can be called from now on; it took the time since `began`: for logs and
  /// traces.
  virtual void report(std::string_view /*name*/, Origin, Clock::time_point /*began*/) const {}
};

/// Returns what `load` makes of the code stored under this name, or else of the code that `make`
/// returns, which is then stored. Stored code that cannot be loaded (`load` throws an Error) counts
/// as absent. Without a store nothing is kept. Throws what `make` throws.
template <class Load, class Make>
[[nodiscard]] auto load_or_make(const CodeStore* store, std::string_view name, const Load& load,
                                const Make& make) {
  const CodeStore::Clock::time_point began = CodeStore::Clock::now();
  if (const auto kept = store ? store->find(name) : std::nullopt) {
    try {
      auto loaded = load(*kept);
      store->report(name, CodeStore::Origin::found, began);
      return loaded;
    } catch (const Error&) {  // compiled anew
    }
  }
  const std::vector<std::byte> code = make();
  auto loaded = load(code);
  if (!store) return loaded;
  store->store(name, code);
  store->report(name, CodeStore::Origin::made, began);
  return loaded;
}

}  // namespace hasten::backends
