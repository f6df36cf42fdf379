// Tests in an element's code whose outcomes the search for an interior wants to know.
#pragma once

#include "core/scalar_ops.hpp"
#include "kernels/kernel.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hasten::kernels {

inline bool is_limit(const core::Prim& prim) {
  return prim.op == core::ScalarOp::min || prim.op == core::ScalarOp::max;
}
inline bool joins_outcomes(const core::Prim& prim) {
  return prim.op == core::ScalarOp::and_ || prim.op == core::ScalarOp::or_;
}

/// Which outcomes of tests along outer axes the inner loop needs to know. All other values that are
/// uniform along a row are computed once per row, and may stay.
class WantedOutcomes {
 public:
  /// `values`: the number of the kernel's values.
  WantedOutcomes(const Region& element, std::size_t values);
  [[nodiscard]] bool wants(Value test) const { return wanted_[test]; }
  /// Whether such an outcome depends on this limited index.
  [[nodiscard]] bool compares(Value limited) const { return compared_[limited]; }

 private:
  [[nodiscard]] bool varies(const core::Stmt& stmt) const;
  void spread(const Region& region);
  void want(const Region& region);

  std::vector<bool> varies_, wanted_, compared_;
};

/// Outcomes of tests that choose what reads memory where the alternative does not, as a picture
/// beside its frame: most of the work is there.
class ReadingOutcomes {
 public:
  explicit ReadingOutcomes(const Region& element) { find(element); }
  [[nodiscard]] std::optional<bool> of(Value test) const;

 private:
  void find(const Region& region);

  std::unordered_map<Value, bool> outcomes_;
};

}  // namespace hasten::kernels
