// A call that several processes make together.
#pragma once

#include "runtime/execute/executor.hpp"
#include "runtime/ranks/world.hpp"

#include <memory>
#include <source_location>

namespace hasten::runtime {

class Readers;

/// The data of a program about the ranks that run it.
struct RankedPlan {
  std::shared_ptr<World> world;
  bool is_cut = false;  // if not, each rank runs the whole program
  support::Digest digest;
  std::shared_ptr<const Readers> readers;
};
[[nodiscard]] std::shared_ptr<const RankedPlan> ranked_plan(const kernels::Plan& plan,
                                                            std::shared_ptr<World> world,
                                                            bool is_cut);

/// Same as run_plan, on all ranks. All ranks have small results; of others each rank has what it
/// made. Arrays are cut as the first argument of which ranks have parts, or by `split`, or by the
/// learned speeds of ranks. `run` is run_plan, with arguments as they are cut.
[[nodiscard]] detail::Results run_on_ranks(
    const LoadedPlan& loaded, const RankedPlan& ranked, Arguments& arguments,
    std::span<const double> split, const std::source_location& where,
    core::FunctionRef<detail::Results(const Arguments&)> run);

}  // namespace hasten::runtime
