// Programs that the backend itself caches on disk.
#pragma once

#include "backends/c_like/driver.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace hasten::backends::c_like {

/// The program that `store` has under this name, or else the result of `compile`, which is stored.
/// Without a store nothing is cached.
std::shared_ptr<Program> cached_program(Driver& driver, const CodeStore* store,
                                        std::string_view name,
                                        const std::function<std::vector<std::byte>()>& compile);

/// A program that belongs to no kernel, made on first use.
class CommonProgram {
 public:
  CommonProgram(Driver& driver, std::string name, std::function<std::string(const Dialect&)> text)
      : driver_(driver),
        name_(std::move(name)),
        text_(std::move(text)) {}
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Called before the first use.
  void keep_code_in(std::shared_ptr<const CodeStore> store) { store_ = std::move(store); }
  [[nodiscard]] Program& get();

 private:
  Driver& driver_;
  std::string name_;
  std::function<std::string(const Dialect&)> text_;
  std::shared_ptr<const CodeStore> store_;
  std::mutex mutex_;
  std::shared_ptr<Program> program_;
};

}  // namespace hasten::backends::c_like
