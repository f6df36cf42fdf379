// Updates of a scatter whose elements may meet: one after the other, in the order of the space.
// Those of neighbours, which never meet, are made together.
#pragma once

#include "backends/cpu/emit/loops.hpp"

#include <vector>

namespace hasten::backends::cpu {

class Updates {
 public:
  using V = llvm::Value*;

  /// `part` is the task's part of the outputs: the `scratch` of RunFunction. Emits, in the entry
  /// block, what does not change from element to element. With `collects`, code with lanes makes
  /// updates not at once, but when many are found.
  Updates(LaneCode& code, V part, bool collects = false);

  /// Whether the task has all outputs, and so makes every update.
  [[nodiscard]] V is_whole() const { return is_whole_; }
  /// What comes, in scalar code, is for tasks that have all outputs, or for all tasks.
  void take(bool whole);
  /// What comes, in scalar code, is the k-th of elements that are taken together.
  void take_copy(std::size_t k);

  /// Those of the element, or vector of elements, that was emitted before.
  void emit();
  /// How many are collected and not made, as a loop passes it on from element to element; empty if
  /// none ever are. Between rows it is in memory.
  [[nodiscard]] Values begin_row();
  void resume(const Values& count) { count_ = count; }
  [[nodiscard]] const Values& count() const { return count_; }
  void end_row(const Values& count);
  /// Behind all rows: makes the updates that were collected and not made.
  void finish();

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
  void find_room(std::uint64_t elements);
  void collect(V targets, V applies);
  void make_collected(V count);
  void emit_lanes();
  void emit_neighbours(V first);
  V are_all(V first);
  void update_neighbours(V first);
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
  bool of_neighbours_ = false;  // those of a vector
  Values spilled_;              // targets and leaves in memory: of a vector, or what is collected
  V counted_ = nullptr;         // where the count is between rows; null if nothing is collected
  Values count_;
};

}  // namespace hasten::backends::cpu
