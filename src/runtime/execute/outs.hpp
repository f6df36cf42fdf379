// The caller's memory for results: which are computed there, and which are copied.
//
// in:  a plan, the places of its results, the arguments of a call
// out: arrays in the places, for launches and sorts that write nothing else, and results there
// invariants: no place is written before all are known to have the shapes of their results, nor
// while its memory is still read
#pragma once

#include "kernels/plan.hpp"
#include "runtime/execute/executor.hpp"

#include <hasten/detail/memory/out_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hasten::runtime {

struct RunState;

/// For one call on a target that works in host memory.
class Outs {
 public:
  Outs(const kernels::Plan& plan, const Arguments& arguments);

  /// Whether the outputs of a launch may be in their places: all results must have the shapes of
  /// their places, which is known for the outputs, for existing results, and for results whose
  /// shapes are foreseen.
  [[nodiscard]] bool fit(const kernels::Launch& op, const RunState& state) const;
  /// The same for what a sort carries, which has the shape of its keys.
  [[nodiscard]] bool fit(const kernels::SortStep& op, std::span<const std::int64_t> keys,
                         const RunState& state) const;
  /// The array in the caller's memory; null: it has no place, or cannot be computed there.
  [[nodiscard]] std::shared_ptr<detail::HostArray> lend(core::ArrayId id) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Place {
    std::size_t out = none, part = 0;
  };

  void place(const kernels::Steps& steps);
  void place(const kernels::Steps& steps, const std::vector<core::ArrayId>& results,
             const std::vector<core::ArrayId>& as);
  void place(const kernels::View& view);
  template <class ForEachOutput>
  [[nodiscard]] bool fit(const RunState& state, ForEachOutput for_each_output) const;
  [[nodiscard]] bool will_fit(std::size_t out, const RunState& state) const;
  [[nodiscard]] const detail::OutMemory::Part& part_of(const Place& place) const {
    return outs_[place.out].parts[place.part];
  }

  const kernels::Plan& plan_;
  std::span<const detail::OutMemory> outs_;
  std::unordered_map<core::ArrayId, std::vector<Place>> places_;  // of each leaf
  std::vector<bool> will_fit_;                                    // of several results, foreseen
};

}  // namespace hasten::runtime
