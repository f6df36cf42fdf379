// Neighbours of an element. The index arithmetic has few, fixed forms, which a later pass can split
// into an interior, where no border is met, and the rest:
//   clamp          max(min(i + c, n - 1), 0)
//   all others     if (i + c >= 0) & (i + c < n) then ... else ..., for axes with an offset
#include <hasten/detail/terms/pull_push.hpp>
#include <hasten/detail/terms/stencil.hpp>

#include "surface/derived.hpp"

namespace hasten::detail {
namespace {

Term in_extent(const Term& position, const Term& extent) {
  return both(i64::compare(ScalarOp::ge, position, i64::literal(0)),
              i64::compare(ScalarOp::lt, position, extent));
}

/// Reflected at both edges, each visited once: 0 1 2 1 0 1 2 ... for an extent of 3.
Term mirrored(const Term& position, const Term& extent) {
  const Term twice = i64::mul(i64::literal(2), i64::sub(extent, i64::literal(1)));
  const Term period = i64::max(twice, i64::literal(1));  // of one element: 0 everywhere
  const Term there = i64::mod(position, period);
  return i64::min(there, i64::sub(period, there));
}

Term corrected(const Term& position, const Term& extent, Border border) {
  if (border == Border::clamp) {
    const Term last = i64::sub(extent, i64::literal(1));
    return i64::max(i64::min(position, last), i64::literal(0));
  }
  const Term beyond =
      border == Border::wrap ? i64::mod(position, extent) : mirrored(position, extent);
  return conditional(in_extent(position, extent), position, beyond);
}

// For an array that is read only at indices in range.
PullTerms pull_inside(const Term& array) {
  return {extents_of(array), type_of(array), [&array](std::span<const Term> index) {
            return index_array(array, index, Reads::inside);
          }};
}

}  // namespace

std::vector<Term> moved_index(std::span<const Term> index, std::span<const std::int64_t> offsets) {
  std::vector<Term> moved(index.begin(), index.end());
  for (std::size_t axis = 0; axis < moved.size(); ++axis) {
    if (offsets[axis] != 0) moved[axis] = i64::add(moved[axis], i64::literal(offsets[axis]));
  }
  return moved;
}

Term read_neighbour(const PullTerms& pull, std::span<const Term> index,
                    std::span<const std::int64_t> offsets, Border border) {
  std::vector<Term> place = moved_index(index, offsets);
  for (unsigned axis = 0; axis < place.size(); ++axis) {
    if (offsets[axis] != 0) place[axis] = corrected(place[axis], pull.extent[axis], border);
  }
  return pull.at(place);
}

Term read_inside(const PullTerms& pull, std::span<const Term> moved,
                 std::span<const std::int64_t> offsets, const Term& other) {
  Term inside;
  for (unsigned axis = 0; axis < moved.size(); ++axis) {
    if (offsets[axis] == 0) continue;
    const Term here = in_extent(moved[axis], pull.extent[axis]);
    inside = inside ? both(inside, here) : here;
  }
  const Term element = pull.at(moved);
  return inside ? conditional(inside, element, other) : element;
}

Term read_neighbour(const Term& array, std::span<const Term> index,
                    std::span<const std::int64_t> offsets, Border border) {
  return read_neighbour(pull_inside(array), index, offsets, border);
}

Term read_inside(const Term& array, std::span<const Term> moved,
                 std::span<const std::int64_t> offsets, const Term& other) {
  return read_inside(pull_inside(array), moved, offsets, other);
}

// Zips two arrays and reads only the extents of the result.
std::vector<Term> intersect_extents(const Term& a, const Term& b, const Call& call) {
  return extents_of(zipped(a, b, call, [](const Term& x, const Term&) { return x; }));
}

}  // namespace hasten::detail
