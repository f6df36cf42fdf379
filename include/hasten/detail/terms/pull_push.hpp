// The representation of pull and push arrays, without templates; defined in
// src/surface/public/pulls.cpp and pushes.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>
#include <hasten/detail/terms/stencil.hpp>

#include <functional>
#include <span>
#include <vector>

namespace hasten::detail {

/// A pull array: its extents (i64), and the function from an index (components, i64) to the
/// element.
struct PullTerms {
  std::vector<Term> extent;
  Type type;
  std::function<Term(std::span<const Term>)> at;
};

/// The elements of an array, wherever they are.
PullTerms pull_of(const Term& array);
/// An array of all elements, by one generate.
Term generate_pull(const PullTerms& pull, const Call& call);
/// Likewise, kept in memory.
Term force_pull(const PullTerms& pull, const Call& call);

/// The extents of a user's shape, with negative ones clamped to 0.
std::vector<Term> extents_from(std::vector<Term> shape);
/// The smaller extent of each axis.
std::vector<Term> intersect_extents(std::vector<Term> a, std::span<const Term> b);
/// Likewise, as those of arrays that `call` zips: under Checks::extents they must be equal.
std::vector<Term> intersect_extents(std::vector<Term> a, std::span<const Term> b, const Call& call);
PullTerms swapped(const PullTerms& pull, unsigned a, unsigned b);
PullTerms reversed(const PullTerms& pull, unsigned axis);
PullTerms taken(const PullTerms& pull, unsigned axis, const Term& n);
PullTerms dropped(const PullTerms& pull, unsigned axis, const Term& n);
/// The elements in row-major order. A use of the extents or of the elements throws ShapeError if
/// the sizes differ.
PullTerms reshape(std::vector<Term> extent, const PullTerms& pull, const Call& call);
/// `places` has a number for each axis that is added or fixed, and none for each that is kept.
PullTerms replicate(std::vector<Term> places, const PullTerms& pull);
PullTerms slice(std::vector<Term> places, const PullTerms& pull);

/// The element at `index` moved by `offsets`, as for an array (detail/terms/stencil.hpp).
Term read_neighbour(const PullTerms& pull, std::span<const Term> index,
                    std::span<const std::int64_t> offsets, Border border);
Term read_inside(const PullTerms& pull, std::span<const Term> moved,
                 std::span<const std::int64_t> offsets, const Term& other);

/// One write of an iteration.
struct Write {
  std::vector<Term> index;  // position in the result, i64
  Term value;
};

/// A parallel loop over `space`; each iteration makes the same number of writes. Writes out of
/// range are dropped.
struct PushLoop {
  std::vector<Term> space;
  std::size_t writes;
  std::function<std::vector<Write>(std::span<const Term>)> body;
};

/// A condition that must hold where an array is used; otherwise a ShapeError with this message, a
/// string literal in which each {} is replaced by the next of `shown`.
struct Guard {
  Term condition;
  const char* message;
  std::vector<Term> shown;
  Call call;
};

/// A push array: either pull arrays concatenated along an axis, or loops that write anywhere. Every
/// index is written once.
struct PushTerms {
  std::vector<Term> extent;
  Type type;
  std::vector<PullTerms> parts;
  unsigned axis = 0;
  std::vector<PushLoop> loops;
  std::vector<Guard> guards = {};
};

PushTerms push_of(PullTerms pull);
/// Stores the array in memory. `zero` is any element.
Term force_push(const PushTerms& push, const Term& zero, const Call& call);

/// f(index, element) of each element; the result's elements have this type.
PushTerms map_push(const PushTerms& push, Type type,
                   const std::function<Term(std::span<const Term>, const Term&)>& f);
PushTerms swapped(const PushTerms& push, unsigned a, unsigned b);
PushTerms reversed(const PushTerms& push, unsigned axis);
/// Concatenates along the axis; the other extents must agree (ShapeError at run time).
PushTerms concat(unsigned axis, std::vector<PushTerms> parts, const Call& call);
/// Interleaves even and odd positions along the innermost axis; extents must agree (ShapeError at
/// run time).
PushTerms interleave(const PushTerms& even, const PushTerms& odd, const Call& call);
/// Moves each element to to(index), which is distinct for each.
PushTerms permute_push(std::vector<Term> extent, const PushTerms& push,
                       const std::function<std::vector<Term>(std::span<const Term>)>& to);

}  // namespace hasten::detail
