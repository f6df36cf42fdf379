// Updates of a scatter whose elements may meet: one after the other, in the order of the index
// space. Updates of neighbours, which never meet, are made together.
#pragma once

#include "backends/cpu/emit/loops.hpp"

#include <utility>
#include <vector>

namespace hasten::backends::cpu {

/// A bound of a target or index, in the entry block: a scalar argument, or a constant of the
/// element, which has not been emitted yet.
[[nodiscard]] llvm::Value* bound_of(LaneCode& code, kernels::Value v);

class Updates {
 public:
  using V = llvm::Value*;

  /// `part` is the task's part of the outputs: the `scratch` of RunFunction. Emits, in the entry
  /// block, what does not change from element to element. With `collects`, code with lanes defers
  /// updates until it has found many.
  Updates(LaneCode& code, V part, bool collects = false);

  /// Whether the task has all outputs, and so makes every update.
  [[nodiscard]] V is_whole() const { return is_whole_; }
  /// Scalar code emitted from here on is for tasks that have all outputs, or for all tasks.
  void take(bool whole);
  /// The elements of a row whose own index along it is within bounds that `keep` sets. Scalar code
  /// is for these elements.
  [[nodiscard]] std::pair<V, V> within_bounds(V begin, V end) const;
  /// Scalar code emitted from here on is the k-th copy of elements that are taken together.
  void take_copy(std::size_t k);

  /// The updates of the element, or vector of elements, that was emitted before.
  void emit();
  /// Whether updates of several elements can be made together: an update mostly applies.
  [[nodiscard]] bool are_joint() const { return !without_branch_ && conditions_.empty(); }
  /// Defers the update of the element that was emitted before to make_deferred().
  void defer();
  /// Makes the deferred updates, in order, the k-th one in copy k. If all apply, as they mostly do,
  /// no update waits for a branch.
  void make_deferred();
  /// The number of collected updates that have not been made, as a loop passes it from element to
  /// element; empty if updates are never collected. Between rows it is in memory.
  [[nodiscard]] Values begin_row();
  void resume(const Values& count) { count_ = count; }
  [[nodiscard]] const Values& count() const { return count_; }
  void end_row(const Values& count);
  /// After all rows: makes the collected updates that are left.
  void finish();

 private:
  // `size` targets from `first` on.
  struct Bounds {
    V first = nullptr, size = nullptr;
  };
  Bounds narrowed(V first, V end);
  void find_index_bounds();
  V limit_of(const std::vector<kernels::Value>& limits, llvm::Intrinsic::ID choose);
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
  // A target with the leaves of its update, which applies under all conditions.
  struct Deferred {
    V at;
    Values conditions, news;
  };

  void emit_one();
  Values conditions_for(V target);
  V applies_to(V target);
  void update_under(const Values& conditions, std::size_t first, V at, const Values& news);
  Values new_leaves();
  void update_where(V applies, V at);
  void update_lanes(V bits);
  void each_lane(V bits, llvm::function_ref<void(V)> body);
  V spilled(std::size_t slot, core::ScalarType type, V lane);
  void update_lane(V lane);
  void update(V at, const Values& news);

  LaneCode& code_;
  V is_whole_ = nullptr;
  Bounds part_, whole_, bounds_;  // bounds_: for the code that follows
  bool takes_whole_ = false;
  bool bounds_whole_ = true;  // whether `keep` bounds targets themselves
  // The least index, if any, and what bounds it from above, if anything does.
  struct IndexBounds {
    kernels::Value index;
    V first = nullptr, end = nullptr, size = nullptr;
  };
  std::vector<IndexBounds> indices_;        // of scalar code
  std::vector<kernels::Value> conditions_;  // of an update, beside its bounds
  std::vector<Values> copies_;              // of all outputs, by copy; empty without copies
  Values none_;                             // by output: the places for updates that do not apply
  bool without_branch_ = false;
  bool of_neighbours_ = false;  // whether a vector's targets are neighbours
  Values spilled_;              // targets and leaves in memory: a vector's, or the collected ones
  V counted_ = nullptr;         // holds the count between rows; null without collecting
  Values count_;
  std::vector<Deferred> deferred_;
};

}  // namespace hasten::backends::cpu
