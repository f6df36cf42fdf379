// The steps of a plan that several processes walk together, each running those of its own rank.
//
// in:  a plan cut into a part for each rank (passes/fission), walked step by step on all ranks
// out: every array: its extents on all ranks, its bytes where they were made or read
// invariants: all ranks pass the same steps in one order, since control flow (extents, numbers that
// the host reads) is the same everywhere; so no rank has to announce what will be sent
#pragma once

#include "runtime/execute/run_state.hpp"
#include "runtime/ranks/readers.hpp"
#include "runtime/ranks/shards.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace hasten::runtime {

/// For one call.
class Exchange final : public RankedSteps {
 public:
  Exchange(std::shared_ptr<World> world, const Readers& readers)
      : world_(std::move(world)),
        readers_(readers) {}

  std::size_t run(RunState& state, const kernels::Steps& steps, std::size_t at,
                  core::FunctionRef<void(const kernels::Step&)> here) override;
  const std::byte* read(const BufferRef& component, std::size_t offset, std::size_t bytes) override;

 private:
  using Element = std::array<std::byte, 16>;
  using Here = core::FunctionRef<void(const kernels::Step&)>;

  void bring(RunState& state, const kernels::Step& step);
  void do_own(RunState& state, const kernels::Step& step, Here here);
  void work(RunState& state, const kernels::Step& step, Here here);
  void work_of_unknown(RunState& state, std::span<const kernels::Step> steps, Here here);
  void tell_extents(RunState& state, const kernels::Step& step);
  void make_known(RunState& state, const kernels::Step& step);
  void define(RunState& state, core::ArrayId array, std::vector<std::int64_t> shape, int owner);
  void send_ahead(RunState& state, core::ArrayId array);
  void rows(RunState& state, const kernels::RowsStep& op);
  void join(RunState& state, const kernels::Step& step, Here here);

  const std::shared_ptr<World> world_;
  const Readers& readers_;
  std::shared_ptr<Element> element_;  // read last
};

}  // namespace hasten::runtime
