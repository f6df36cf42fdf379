// Spaces of launches, by their extents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

inline std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The number of elements of a space with these extents.
inline std::int64_t product(std::span<const std::int64_t> extents) {
  std::int64_t result = 1;
  for (std::int64_t e : extents) result *= e;
  return result;
}

/// The space of a fold with its folded axes as one.
class FoldedSpace {
 public:
  FoldedSpace(std::span<const std::int64_t> extents, std::size_t folded) : extents_(extents) {
    if (folded == 1) return;
    const std::size_t outer = extents.size() - folded;
    joined_.assign(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(outer));
    joined_.push_back(product(extents.last(folded)));
    extents_ = joined_;
  }
  [[nodiscard]] std::span<const std::int64_t> extents() const { return extents_; }

 private:
  std::vector<std::int64_t> joined_;
  std::span<const std::int64_t> extents_;
};

}  // namespace hasten::backends::cpu
