// Makes extents agree: repeats arrays along new axes, after comparing their extents.
#include <hasten/detail/terms/product.hpp>

#include "surface/derived.hpp"

#include <mutex>
#include <set>
#include <string>

namespace hasten::detail {
namespace {

/// Nodes keep the addresses of their messages; distinct messages are few.
const char* kept(std::string message) {
  static std::mutex mutex;
  static std::set<std::string> all;
  const std::lock_guard lock(mutex);
  return all.insert(std::move(message)).first->c_str();
}

/// A placeholder for each extent of a shape.
std::string shape_places(std::size_t rank) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < rank; ++axis) text += axis == 0 ? "{}" : ", {}";
  return text + ")";
}

Term either(const Term& a, const Term& b) {
  return prim_of(ScalarOp::or_, ScalarType::boolean, {a, b});
}

/// The array, if each of its extents is 1 or that of the shape.
Term fitting(const std::vector<Term>& extent, const Term& array, const Call& call) {
  const std::vector<Term> own = extents_of(array);
  if (own.empty()) return array;
  const std::size_t added = extent.size() - own.size();
  Term fits;
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    const Term here =
        either(i64::equal(own[axis], i64::literal(1)), i64::equal(own[axis], extent[added + axis]));
    fits = fits ? both(fits, here) : here;
  }
  std::vector<Term> shown = own;
  shown.insert(shown.end(), extent.begin(), extent.end());
  const std::string message =
      "an array of shape " + shape_places(own.size()) + " does not fit into the shape " +
      shape_places(extent.size()) +
      ": from the innermost axis on, each extent of the array must be 1 or that of the shape (take "
      "some of the array, replicate it along a new axis, or give another shape)";
  return demand(fits, kept(message), std::move(shown), array, call.operation, call.where);
}

/// Repeats axes of extent 1.
Term stretched(const std::vector<Term>& extent, const Term& array, const Call& call) {
  std::vector<Term> steps;
  for (const Term& own : extents_of(array))
    steps.push_back(choose(i64::equal(own, i64::literal(1)), i64::literal(0), i64::literal(1)));
  return reindexed(array, extent, call, [&](std::vector<Term> index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] = i64::mul(index[axis], steps[axis]);
    return index;
  });
}

}  // namespace

Term broadcast_array(std::vector<Term> extent, const Term& array, const Call& call) {
  for (Term& e : extent) e = i64::not_negative(e);
  const auto added = static_cast<std::ptrdiff_t>(extent.size() - rank_of(array));
  const Term fits = fitting(extent, array, call);
  const std::vector<Term> inner(extent.begin() + added, extent.end());
  const Term wide = inner.empty() ? fits : stretched(inner, fits, call);
  if (added == 0) return wide;
  std::vector<Term> axes(extent.begin(), extent.begin() + added);
  axes.resize(extent.size());
  return replicate(std::move(axes), wide, call.operation, call.where);
}

Term along_rows(const Term& rows, const Term& extent, const Call& call) {
  std::vector<Term> axes(rank_of(rows));
  axes.push_back(extent);
  return replicate(std::move(axes), rows, call.operation, call.where);
}

std::pair<Term, Term> product_factors(const Term& a, const Term& b, const Call& call) {
  const unsigned rows = rank_of(a) - 1, columns = rank_of(b) - 1;  // 0 of a vector
  const Term last = extent_of(a, rows), first = extent_of(b, 0);
  std::vector<Term> shown = extents_of(a);
  for (const Term& extent : extents_of(b)) shown.push_back(extent);
  const std::string message =
      "arrays of shapes " + shape_places(rows + 1) + " and " + shape_places(columns + 1) +
      " cannot be multiplied: the last extent of the first must be the first extent of the second "
      "(transpose one, or take some of the larger one)";
  Term x = demand(i64::equal(last, first), kept(message), std::move(shown), a, call.operation,
                  call.where);
  Term y = columns == 1 ? swap_axes(b, 0, 1, call) : b;
  if (columns == 1) {
    std::vector<Term> axes(rows + 2);
    axes[rows] = extent_of(b, 1);
    x = replicate(std::move(axes), x, call.operation, call.where);
  }
  if (rows == 1) {
    std::vector<Term> axes(columns + 2);
    axes[0] = extent_of(a, 0);
    y = replicate(std::move(axes), y, call.operation, call.where);
  }
  return {x, y};
}

std::pair<Term, Term> outer_factors(const Term& a, const Term& b, const Call& call) {
  return {replicate({Term{}, extent_of(b, 0)}, a, call.operation, call.where),
          replicate({extent_of(a, 0), Term{}}, b, call.operation, call.where)};
}

}  // namespace hasten::detail
