// Updates of a scatter whose elements may meet: one after the other, in the order of the space.
#pragma once

#include "backends/cpu/emit/loops.hpp"

#include <vector>

namespace hasten::backends::cpu {

class Updates {
 public:
  using V = llvm::Value*;

  /// `part` is the task's part of the outputs: the `scratch` of RunFunction. Emits, in the entry
  /// block, what does not change from element to element.
  Updates(LaneCode& code, V part);

  /// Whether the task has all outputs, and so makes every update.
  [[nodiscard]] V is_whole() const { return is_whole_; }
  /// What comes, in scalar code, is for tasks that have all outputs, or for all tasks.
  void take(bool whole);
  /// What comes, in scalar code, is the k-th of elements that are taken together.
  void take_copy(std::size_t k);

  /// Those of the element, or vector of elements, that was emitted before.
  void emit();

 private:
  // Targets from `first` on, so many.
  struct Bounds {
    V first = nullptr, size = nullptr;
  };
  Bounds narrowed(V first, V end);
  V uniform(kernels::Value v);
  void find_copies(V distance);
  void make_places_for_none();
  V lanes_in_memory(llvm::Type* element);
  void emit_lanes();
  void emit_one();
  V applies_to(V target);
  Values new_leaves();
  void update_where(V applies, V at);
  void update_lanes(V bits);
  void each_lane(V bits, llvm::function_ref<void(V)> body);
  V spilled(std::size_t slot, core::ScalarType type, V lane);
  void update_lane(V lane);
  void update(V at, const Values& news);

  LaneCode& code_;
  V is_whole_ = nullptr;
  Bounds part_, whole_, bounds_;            // bounds_: of what comes
  std::vector<kernels::Value> conditions_;  // of an update, beside lying there
  std::vector<Values> copies_;              // of all outputs, by copy; empty if there are none
  Values none_;                             // by output: where updates go that do not apply
  bool without_branch_ = false;
  Values spilled_;  // targets and leaves of a vector, in memory
};

}  // namespace hasten::backends::cpu
