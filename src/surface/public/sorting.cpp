// Keys whose unsigned order is the order of the elements. Integers: the sign bit inverted. Floats:
// the bits of the magnitude ascend for positive numbers and descend for negative ones.
#include <hasten/detail/terms/sort.hpp>
#include <hasten/run/error.hpp>

#include "surface/derived.hpp"

#include <algorithm>

namespace hasten::detail {
namespace {

ScalarType unsigned_of_size(std::size_t bytes) {
  switch (bytes) {
    case 1: return ScalarType::u8;
    case 2: return ScalarType::u16;
    case 4: return ScalarType::u32;
    default: return ScalarType::u64;
  }
}

struct Bits {
  ScalarType type;
  Term sign, all;  // constants: the sign bit, all bits
};
Bits bits_like(ScalarType like) {
  const ScalarType type = unsigned_of_size(size_in_bytes(like));
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_in_bytes(like) - 1);
  return {type, constant(type, {sign, 0}, LiteralMode::baked),
          constant(type, {sign | (sign - 1), 0}, LiteralMode::baked)};
}

Term inverted(const Term& key) { return prim_of(ScalarOp::not_, type_of(key)->leaf, {key}); }
Term ordered(const Term& key, Order order) {
  return order == Order::ascending ? key : inverted(key);
}

Term key_of_signed(const Term& number) {
  const auto [type, sign, all] = bits_like(type_of(number)->leaf);
  return prim_of(ScalarOp::xor_, type, {prim_of(ScalarOp::bit_cast, type, {number}), sign});
}

Term key_of_float(const Term& number, Order order) {
  const ScalarType leaf = type_of(number)->leaf;
  const auto [type, sign, all] = bits_like(leaf);
  const Term zero = constant(leaf, {}, LiteralMode::baked);
  const Term is_zero = i64::equal(number, zero);
  const Term bits = prim_of(ScalarOp::bit_cast, type, {choose(is_zero, zero, number)});
  const Term negative = i64::compare(ScalarOp::ge, bits, sign);
  const Term key = choose(negative, inverted(bits), prim_of(ScalarOp::or_, type, {bits, sign}));
  const Term is_nan = i64::compare(ScalarOp::ne, number, number);
  return choose(is_nan, all, ordered(key, order));
}

// The number that an integer key represents.
Term number_of_key(const Term& key, ScalarType leaf, Order order) {
  const Term ascending = ordered(key, order);
  if (!is_signed_int(leaf)) return ascending;
  const auto [type, sign, all] = bits_like(leaf);
  return prim_of(ScalarOp::bit_cast, leaf, {prim_of(ScalarOp::xor_, type, {ascending, sign})});
}

bool may_be_nan(Type type) {
  return std::ranges::any_of(type->leaves, [](ScalarType leaf) { return is_floating(leaf); });
}

/// Whether a leaf is a NaN.
Term is_no_equal_of_itself(const Term& element) {
  if (!type_of(element)->is_leaf) {
    Term any = constant(ScalarType::boolean, {}, LiteralMode::baked);
    for (const Term& member : components_of(element))
      any = prim_of(ScalarOp::or_, ScalarType::boolean, {any, is_no_equal_of_itself(member)});
    return any;
  }
  if (!is_floating(type_of(element)->leaf))
    return constant(ScalarType::boolean, {}, LiteralMode::baked);
  return i64::compare(ScalarOp::ne, element, element);
}

}  // namespace

Term sort_key_of_leaf(const Term& number, Order order) {
  const ScalarType leaf = type_of(number)->leaf;
  if (is_complex(leaf)) throw BuildError("sort: complex numbers have no order; sort by a key");
  if (is_floating(leaf)) return key_of_float(number, order);
  return ordered(is_signed_int(leaf) ? key_of_signed(number) : number, order);
}

Term sort_key(const Term& element, Order order) {
  if (type_of(element)->is_leaf) return sort_key_of_leaf(element, order);
  std::vector<Term> keys;
  for (const Term& member : components_of(element)) keys.push_back(sort_key(member, order));
  return tuple_of(keys);
}

SortedRuns sorted_runs(const Term& keys, const std::vector<Term>& carried, const Call& call) {
  const auto key = [](const Term& element) { return sort_key(element, Order::ascending); };
  const bool has_nans = may_be_nan(type_of(keys));
  std::vector<Term> sorted =
      sort_runs(mapped(keys, call, key), carried,
                has_nans ? Positions::all : Positions::of_run_starts, call.operation, call.where);
  const Term runs = sorted[0];
  sorted.erase(sorted.begin());
  const auto part = [&](std::uint32_t member) {
    return mapped(runs, call, [=](const Term& run) { return project(run, member); });
  };
  const Term positions = part(0);
  if (!has_nans) return {positions, part(1), std::move(sorted)};
  // NaNs have one key.
  const Term heads = zipped(part(1), at_positions(keys, positions, call), call,
                            [](const Term& differs, const Term& element) {
                              return prim_of(ScalarOp::or_, ScalarType::boolean,
                                             {differs, is_no_equal_of_itself(element)});
                            });
  return {positions, heads, std::move(sorted)};
}

// One function reads both arrays: the keys at all positions would be a separate array, and most
// positions are not valid indices.
Term first_of_runs(const SortedRuns& runs, const Term& keys, const Term& offsets,
                   const Call& call) {
  return mapped(init_axis(offsets, 0, call), call, [&](const Term& begin) {
    const Term position = index_array(runs.positions, std::vector{begin}, Reads::inside);
    return index_array(keys, std::vector{position}, Reads::inside);
  });
}

Term at_positions(const Term& array, const Term& positions, const Call& call) {
  return generated(extents_of(positions), call, [&](std::vector<Term> index) {
    const Term position = index_array(positions, index, Reads::inside);
    index.back() = position;
    return index_array(array, index, Reads::inside);
  });
}

// Integer keys are the integers themselves: a sort that needs only them moves nothing else.
Term in_order(const Term& array, const Term& keys, const Term& positions, Order order,
              const Call& call) {
  const Type type = type_of(array);
  if (rank_of(array) != 1 || !type->is_leaf || is_floating(type->leaf))
    return at_positions(array, positions, call);
  return mapped(at_positions(keys, positions, call), call,
                [&](const Term& key) { return number_of_key(key, type->leaf, order); });
}

}  // namespace hasten::detail
