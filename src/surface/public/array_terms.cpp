// The derived array operations that need no C++ types, made from generate, map and backpermute.
#include <hasten/detail/terms/array.hpp>
#include <hasten/detail/terms/complex.hpp>
#include "surface/derived.hpp"
#include "surface/make.hpp"
#include "surface/node.hpp"

#include <algorithm>

namespace hasten::detail {
namespace {

using i64::add;
using i64::not_negative;
using i64::sub;

/// An array with other indices along one axis: its extent and position change.
template <class F>
Term reindex_axis(const Term& source, unsigned axis, const Term& extent, const Call& call, F f) {
  std::vector<Term> extents = extents_of(source);
  extents[axis] = extent;
  return reindexed(source, std::move(extents), call, [&](std::vector<Term> index) {
    index[axis] = f(index[axis]);
    return index;
  });
}

Term same(const Term& position) { return position; }

}  // namespace

Term fill_array(std::vector<Term> extent, const Term& value, const Where& where) {
  const std::vector<Type> types = i64_types(extent.size());
  Scope scope(types);
  Function fn = scope.close({value}, "fill", where);
  return generate(std::move(extent), std::move(fn), type_of(value), "fill", where);
}

Term enumerate(std::vector<Term> extent, const Term& start, const Term& step, const Where& where) {
  const std::vector<Type> types = i64_types(extent.size());
  const Type type = type_of(start);
  Scope scope(types);
  const std::vector<Term> index = params_of(scope, extent.size());
  Term value = cast_term(linear_index(extent, index), type->leaf);
  if (step) value = prim_of(ScalarOp::mul, type->leaf, {value, step});
  value = prim_of(ScalarOp::add, type->leaf, {start, value});
  const bool is_iota = !step && extent.size() == 1 && start.node()->kind == NodeKind::constant &&
                       start.node()->mode == LiteralMode::baked;
  const char* const operation = is_iota ? "iota" : step ? "enum_from_step_n" : "enum_from_n";
  Function fn = scope.close({value}, operation, where);
  return generate(std::move(extent), std::move(fn), type, operation, where);
}

Term index_of_each(const Term& array, const Where& where) {
  std::vector<Term> extent = extents_of(array);
  const std::vector<Type> types = i64_types(extent.size());
  Scope scope(types);
  const Term index = index_term_of(params_of(scope, extent.size()));
  const Type type = type_of(index);
  return generate(std::move(extent), scope.close({index}, "indexed", where), type, "indexed",
                  where);
}

Term cast_each(const Term& array, ScalarType to, const Call& call) {
  const Type from = type_of(array), type = leaf_type(to);
  if (from == type) return array;
  Scope scope(std::span<const Type>(&from, 1));
  const Term element =
      is_complex(to) ? complex_cast(scope.param(0), to) : cast_term(scope.param(0), to);
  Function fn = scope.close({element}, call.operation, call.where);
  return map(std::move(fn), type, array, call.operation, call.where);
}

Term flatten_array(const Term& array, const Call& call) {
  if (rank_of(array) == 1) return array;
  return reshape({product_of(extents_of(array))}, array, call.operation, call.where);
}

Term swap_axes(const Term& array, unsigned a, unsigned b, const Call& call) {
  std::vector<Term> extent = extents_of(array);
  std::swap(extent[a], extent[b]);
  return reindexed(array, std::move(extent), call, [&](std::vector<Term> index) {
    std::swap(index[a], index[b]);
    return index;
  });
}

Term move_innermost(const Term& array, unsigned axis, const Call& call) {
  const unsigned last = rank_of(array) - 1;
  if (axis == last) return array;
  std::vector<Term> extent = extents_of(array);
  std::rotate(extent.begin() + axis, extent.begin() + axis + 1, extent.end());
  return reindexed(array, std::move(extent), call, [&](std::vector<Term> index) {
    std::rotate(index.begin() + axis, index.end() - 1, index.end());
    return index;
  });
}

Term move_from_innermost(const Term& array, unsigned axis, const Call& call) {
  const unsigned last = rank_of(array) - 1;
  if (axis == last) return array;
  std::vector<Term> extent = extents_of(array);
  std::rotate(extent.begin() + axis, extent.end() - 1, extent.end());
  return reindexed(array, std::move(extent), call, [&](std::vector<Term> index) {
    std::rotate(index.begin() + axis, index.begin() + axis + 1, index.end());
    return index;
  });
}

Term reverse_axis(const Term& array, unsigned axis, const Call& call) {
  const Term extent = extent_of(array, axis);
  const Term last = sub(extent, i64::literal(1));
  return reindex_axis(array, axis, extent, call, [&](const Term& i) { return sub(last, i); });
}

Term rotate_axis(const Term& array, unsigned axis, const Term& n, const Call& call) {
  const Term extent = extent_of(array, axis);
  const Term shift = i64::mod(n, extent);  // in 0..extent - 1, once for all
  return reindex_axis(array, axis, extent, call, [&](const Term& i) {
    const Term moved = add(i, shift);
    const Term beyond = prim_of(ScalarOp::ge, ScalarType::boolean, {moved, extent});
    return choose(beyond, sub(moved, extent), moved);
  });
}

Term take_axis(const Term& array, unsigned axis, const Term& n, const Call& call) {
  const Term extent = not_negative(i64::min(n, extent_of(array, axis)));
  return reindex_axis(array, axis, extent, call, same);
}

Term drop_axis(const Term& array, unsigned axis, const Term& n, const Call& call) {
  const Term dropped = not_negative(n);
  const Term extent = not_negative(sub(extent_of(array, axis), dropped));
  return reindex_axis(array, axis, extent, call, [&](const Term& i) { return add(i, dropped); });
}

Term init_axis(const Term& array, unsigned axis, const Call& call) {
  const Term extent = not_negative(sub(extent_of(array, axis), i64::literal(1)));
  return reindex_axis(array, axis, extent, call, same);
}

Term tail_axis(const Term& array, unsigned axis, const Call& call) {
  return drop_axis(array, axis, i64::literal(1), call);
}

Term slit_axis(const Term& array, unsigned axis, const Term& start, const Term& length,
               const Call& call) {
  const Term first = not_negative(start);
  const Term left = sub(extent_of(array, axis), first);
  const Term extent = not_negative(i64::min(length, left));
  return reindex_axis(array, axis, extent, call, [&](const Term& i) { return add(i, first); });
}

}  // namespace hasten::detail
