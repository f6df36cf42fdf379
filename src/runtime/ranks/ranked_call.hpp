// A call that several processes make together.
#pragma once

#include "runtime/execute/executor.hpp"
#include "runtime/ranks/world.hpp"

#include <memory>
#include <source_location>

namespace hasten::runtime {

class Readers;

/// What a program knows of the ranks that run it.
struct RankedPlan {
  std::shared_ptr<World> world;
  bool is_cut = false;  // if not, each rank runs all of it
  support::Digest digest;
  std::shared_ptr<const Readers> readers;
};
[[nodiscard]] std::shared_ptr<const RankedPlan> ranked_plan(const kernels::Plan& plan,
                                                            std::shared_ptr<World> world,
                                                            bool is_cut);

/// As run_plan, on all ranks. Small results are everybody's, of others each rank has what it made.
/// Where arrays are cut follows the first argument that the ranks have parts of, or `split`, or
/// what ranks have learned of how fast they are. `run` is run_plan, with arguments as they are cut.
[[nodiscard]] detail::Results run_on_ranks(
    const LoadedPlan& loaded, const RankedPlan& ranked, Arguments& arguments,
    std::span<const double> split, const std::source_location& where,
    core::FunctionRef<detail::Results(const Arguments&)> run);

}  // namespace hasten::runtime
