// Pull arrays: every operation makes a new function of the index. Only generate_pull calls it.
#include <hasten/detail/terms/pull_push.hpp>
#include <hasten/detail/terms/scalar.hpp>
#include <hasten/detail/trace.hpp>

#include "surface/derived.hpp"
#include "surface/guarded.hpp"

#include <algorithm>
#include <utility>

namespace hasten::detail {
namespace {

using Index = std::span<const Term>;

/// The same elements, with the one at f(index) moved to `index`.
template <class F>
PullTerms moved(const PullTerms& pull, std::vector<Term> extent, F f) {
  return {std::move(extent), pull.type,
          [at = pull.at, f = std::move(f)](Index index) { return at(f(copied(index))); }};
}

template <class F>
PullTerms moved_along(const PullTerms& pull, unsigned axis, const Term& extent, F f) {
  std::vector<Term> extents = pull.extent;
  extents[axis] = extent;
  return moved(pull, std::move(extents), [axis, f = std::move(f)](std::vector<Term> index) {
    index[axis] = f(index[axis]);
    return index;
  });
}

}  // namespace

PullTerms pull_of(const Term& array) {
  return {extents_of(array), type_of(array),
          [array](Index index) { return index_array(array, index); }};
}

Term generate_pull(const PullTerms& pull, const Call& call) {
  try {
    return generated(pull.extent, call, pull.at);
  } catch (const BuildError& error) {
    throw_placed(error, call.where);
  }
}

Term force_pull(const PullTerms& pull, const Call& call) {
  return compute(generate_pull(pull, call), call.operation, call.where);
}

std::vector<Term> extents_from(std::vector<Term> shape) {
  for (Term& extent : shape) extent = i64::not_negative(extent);
  return shape;
}

std::vector<Term> intersect_extents(std::vector<Term> a, std::span<const Term> b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) a[axis] = i64::min(a[axis], b[axis]);
  return a;
}

// Zips two arrays of nothing and reads only the extents of the result: the zip_with is what
// Checks::extents looks at. Extents that depend on a scalar function's arguments are those of no
// array.
std::vector<Term> intersect_extents(std::vector<Term> a, std::span<const Term> b,
                                    const Call& call) {
  const auto is_same = [](const Term& x, const Term& y) {
    return x.node()->identity == y.node()->identity;
  };
  if (std::ranges::equal(a, b, is_same)) return a;
  const auto is_of_iteration = [](const Term& x) { return uses_scalar_parameter(*x.node()); };
  if (std::ranges::any_of(a, is_of_iteration) || std::ranges::any_of(b, is_of_iteration))
    return intersect_extents(std::move(a), b);
  const auto array_of = [&call](std::vector<Term> extent) {
    return generated(std::move(extent), call,
                     [](const std::vector<Term>&) { return boolean_literal(false); });
  };
  return extents_of(zipped(array_of(std::move(a)), array_of({b.begin(), b.end()}), call,
                           [](const Term& x, const Term&) { return x; }));
}

PullTerms swapped(const PullTerms& pull, unsigned a, unsigned b) {
  std::vector<Term> extent = pull.extent;
  std::swap(extent[a], extent[b]);
  return moved(pull, std::move(extent), [a, b](std::vector<Term> index) {
    std::swap(index[a], index[b]);
    return index;
  });
}

PullTerms reversed(const PullTerms& pull, unsigned axis) {
  const Term last = i64::sub(pull.extent[axis], i64::literal(1));
  return moved_along(pull, axis, pull.extent[axis],
                     [last](const Term& i) { return i64::sub(last, i); });
}

PullTerms taken(const PullTerms& pull, unsigned axis, const Term& n) {
  return moved_along(pull, axis, i64::not_negative(i64::min(n, pull.extent[axis])),
                     [](const Term& i) { return i; });
}

PullTerms dropped(const PullTerms& pull, unsigned axis, const Term& n) {
  const Term dropped = i64::not_negative(n);
  return moved_along(pull, axis, i64::not_negative(i64::sub(pull.extent[axis], dropped)),
                     [dropped](const Term& i) { return i64::add(i, dropped); });
}

PullTerms reshape(std::vector<Term> extent, const PullTerms& pull, const Call& call) {
  extent = extents_from(std::move(extent));
  const Term size = product_of(extent), old_size = product_of(pull.extent);
  const Guard guard{i64::equal(size, old_size),
                    "the shape has {} elements, the array {}",
                    {size, old_size},
                    call};
  extent = guarded(guard, extent);
  std::vector<Term> old = guarded(guard, pull.extent);
  return moved(pull, extent, [extent, old](const std::vector<Term>& index) {
    return index_at(old, linear_index(extent, index));
  });
}

PullTerms replicate(std::vector<Term> places, const PullTerms& pull) {
  std::vector<Term> extent;
  std::vector<std::size_t> kept;
  for (std::size_t axis = 0; axis < places.size(); ++axis) {
    if (places[axis]) {
      extent.push_back(i64::not_negative(places[axis]));
    } else {
      extent.push_back(pull.extent[kept.size()]);
      kept.push_back(axis);
    }
  }
  return moved(pull, std::move(extent), [kept](const std::vector<Term>& index) {
    std::vector<Term> source;
    for (const std::size_t axis : kept) source.push_back(index[axis]);
    return source;
  });
}

PullTerms slice(std::vector<Term> places, const PullTerms& pull) {
  std::vector<Term> extent;
  for (std::size_t axis = 0; axis < places.size(); ++axis)
    if (!places[axis]) extent.push_back(pull.extent[axis]);
  return moved(pull, std::move(extent), [places = std::move(places)](std::vector<Term> index) {
    std::vector<Term> source = places;
    auto next = index.begin();
    for (Term& place : source)
      if (!place) place = *next++;
    return source;
  });
}

}  // namespace hasten::detail
