// Updates of a scatter with few targets, in vectors: the results of all targets are in registers.
// A vector of elements is compared with each target in turn, and those elements that update it are
// combined with its lanes; the lanes are joined at the end, by a tree. So no update waits for
// another one's memory. Operators must be of the table, and may be applied in any order.
#pragma once

#include "backends/cpu/emit/loops.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace hasten::backends::cpu {

/// How many targets' results registers hold, and the lanes of each.
struct FewTargetsShape {
  unsigned lanes = 0;  // 0: too few targets fit to be worth it
  unsigned targets = 0;
};
/// For a scatter whose updates may meet. `bytes` is the size of the widest value that is read.
[[nodiscard]] FewTargetsShape few_targets_of(const kernels::Kernel& scatter, std::size_t bytes,
                                             const Machine& machine);

class FewTargets {
 public:
  using V = llvm::Value*;

  /// Emits, in the entry block, what does not change from element to element.
  FewTargets(LaneCode& code, unsigned targets);

  /// The results so far, as a loop passes them from vector to vector. Between rows they are in
  /// memory.
  [[nodiscard]] Values begin_row();
  void resume(const Values& results) { results_ = results; }
  [[nodiscard]] const Values& results() const { return results_; }
  void end_row(const Values& results);
  /// The updates of the vector of elements that was emitted before.
  void emit();
  /// After all rows: updates the outputs.
  void finish();

 private:
  void find_bounds();
  [[nodiscard]] V hits(unsigned target);
  [[nodiscard]] V joined(V lanes, std::size_t leaf);
  void update(unsigned target, const Values& mine);

  LaneCode& code_;
  const unsigned targets_;
  V first_ = nullptr, size_ = nullptr;      // the targets that the condition `keep` allows
  std::vector<kernels::Value> conditions_;  // of an update, beside its bounds
  // By leaf: the number that each update adds, if all add the same; then the result is a count of
  // updates, which all such leaves share.
  std::vector<std::optional<core::Bits>> same_;
  bool counts_ = false;
  Values results_;  // target by target: the count, if any, then the lanes of the other leaves
  Values memory_;
};

}  // namespace hasten::backends::cpu
