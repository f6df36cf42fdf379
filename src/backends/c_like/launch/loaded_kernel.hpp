// A kernel on a device, with those of its programs that launches have needed so far.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/c_like/text/launch_facts.hpp"
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace hasten::backends::c_like {

class LoadedKernel final : public Code {
 public:
  /// Compiles a module, or finds it on disk. Called from several threads concurrently.
  using Make = std::function<std::shared_ptr<Program>(IndexWidth, std::string_view module)>;

  /// The first of its modules, narrow.
  struct FirstModule {
    std::string name;  // as returned by modules_of
    std::shared_ptr<Program> program;
  };
  /// `quiet`: a stop word that nobody sets, for code that polls; else null.
  LoadedKernel(const kernels::Kernel& kernel, LaunchFacts facts, const Dialect& dialect,
               FirstModule first, Make make, std::shared_ptr<support::StopWord> quiet);
  [[nodiscard]] const kernels::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const kernels::Schedule& schedule() const { return facts_.schedule; }
  [[nodiscard]] const kernels::NarrowDemands& narrow() const { return facts_.narrow; }
  /// Whether it is a map whose rows are folded before their elements.
  [[nodiscard]] bool folds_rows() const { return folds_rows_; }
  /// Null if the code does not poll.
  [[nodiscard]] const support::StopWord* quiet() const { return quiet_.get(); }
  /// Null if the kernel has none.
  [[nodiscard]] const TiledMap* tiled() const { return facts_.tiled ? &*facts_.tiled : nullptr; }

  /// The program that has the function, one of `entry`; made if necessary.
  [[nodiscard]] Program& program(IndexWidth width, std::string_view function) const;
  /// Makes the missing programs of these functions, concurrently. A program that cannot be made is
  /// skipped; asking for it reports the reason.
  void prepare(IndexWidth width, std::span<const std::string_view> functions) const;

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<Program> program;
  };
  Slot& slot(IndexWidth width, std::string_view module) const;

  kernels::Kernel kernel_;
  const LaunchFacts facts_;
  const Dialect& dialect_;
  bool folds_rows_;
  std::string first_module_;
  Make make_;
  std::shared_ptr<support::StopWord> quiet_;
  mutable std::mutex mutex_;  // guards the map, not its entries
  mutable std::map<std::pair<IndexWidth, std::string_view>, Slot> slots_;
};

}  // namespace hasten::backends::c_like
