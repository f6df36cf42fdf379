// What pull and push arrays consist of, without templates; in src/surface/public/pulls.cpp and
// pushes.cpp.
#pragma once

#include <hasten/detail/terms/array.hpp>
#include <hasten/detail/terms/stencil.hpp>

#include <functional>
#include <span>
#include <vector>

namespace hasten::detail {

/// A pull array: its extents (i64), and what its element at an index (components, i64) is.
struct PullTerms {
  std::vector<Term> extent;
  Type type;
  std::function<Term(std::span<const Term>)> at;
};

/// The elements of an array, wherever they are.
PullTerms pull_of(const Term& array);
/// An array of every element: one generate.
Term generate_pull(const PullTerms& pull, const Call& call);
/// The same, kept in memory.
Term force_pull(const PullTerms& pull, const Call& call);

/// The extents of a shape that a user gives: none is negative.
std::vector<Term> extents_from(std::vector<Term> shape);
/// The smaller extent of each axis.
std::vector<Term> intersect_extents(std::vector<Term> a, std::span<const Term> b);
PullTerms swapped(const PullTerms& pull, unsigned a, unsigned b);
PullTerms reversed(const PullTerms& pull, unsigned axis);
PullTerms taken(const PullTerms& pull, unsigned axis, const Term& n);
PullTerms dropped(const PullTerms& pull, unsigned axis, const Term& n);
/// The elements in row-major order; who asks for the extents or the elements gets a ShapeError if
/// the sizes differ.
PullTerms reshape(std::vector<Term> extent, const PullTerms& pull, const Call& call);
/// `places`: a number for each axis that is new or fixed, none for each that is kept.
PullTerms replicate(std::vector<Term> places, const PullTerms& pull);
PullTerms slice(std::vector<Term> places, const PullTerms& pull);

/// The element at `index`, moved by `offsets`, as for an array (detail/terms/stencil.hpp).
Term read_neighbour(const PullTerms& pull, std::span<const Term> index,
                    std::span<const std::int64_t> offsets, Border border);
Term read_inside(const PullTerms& pull, std::span<const Term> moved,
                 std::span<const std::int64_t> offsets, const Term& other);

/// One write of an iteration.
struct Write {
  std::vector<Term> index;  // in the result, i64
  Term value;
};

/// A parallel loop over `space`; each iteration writes as often. What is out of range is dropped.
struct PushLoop {
  std::vector<Term> space;
  std::size_t writes;
  std::function<std::vector<Write>(std::span<const Term>)> body;
};

/// What must hold where an array is used: else a ShapeError with this message, a string literal,
/// with each {} replaced by the next of `shown`.
struct Guard {
  Term condition;
  const char* message;
  std::vector<Term> shown;
  Call call;
};

/// A push array: pull arrays one after the other along an axis, or else loops that write anywhere.
/// Every index is written once.
struct PushTerms {
  std::vector<Term> extent;
  Type type;
  std::vector<PullTerms> parts;
  unsigned axis = 0;
  std::vector<PushLoop> loops;
  std::vector<Guard> guards = {};
};

PushTerms push_of(PullTerms pull);
/// Kept in memory. `zero` is any element.
Term force_push(const PushTerms& push, const Term& zero, const Call& call);

/// f(index, element) of each; the result's elements are of this type.
PushTerms map_push(const PushTerms& push, Type type,
                   const std::function<Term(std::span<const Term>, const Term&)>& f);
PushTerms swapped(const PushTerms& push, unsigned a, unsigned b);
PushTerms reversed(const PushTerms& push, unsigned axis);
/// One after the other along the axis; other extents must agree (ShapeError when it runs).
PushTerms concat(unsigned axis, std::vector<PushTerms> parts, const Call& call);
/// Even and odd places along the innermost axis; extents must agree (ShapeError when it runs).
PushTerms interleave(const PushTerms& even, const PushTerms& odd, const Call& call);
/// Each element goes to to(index), which no other one does.
PushTerms permute_push(std::vector<Term> extent, const PushTerms& push,
                       const std::function<std::vector<Term>(std::span<const Term>)>& to);

}  // namespace hasten::detail
