// Brings elements of all parts together by range: each part sorts its elements by the numbers of
// their ranges, and a range is the concatenation of the slices with its number, part after part, so
// that elements of a range keep their order.
#include "passes/fission/rewriter.hpp"

#include <utility>

namespace hasten::passes::fission {

using namespace core;

/// For one number more than there are ranges.
ScalarType Rewriter::type_of_range() const {
  return parts() < 256 ? ScalarType::u8 : ScalarType::u16;
}

// The index of the first element, along the sorted component of a vector, that is not below.
Value Rewriter::first_not_below(RegionWriter& code, ArrayId array, std::uint32_t leaf, Value length,
                                Value wanted) {
  const ScalarType number = ScalarType::i64;
  const Value zero = code.constant(number, {});
  RegionWriter condition(to_), body(to_);
  const std::vector<Value> from = condition.parameters({number, number});
  Region goes_on =
      condition.take({condition.prim(ScalarOp::lt, ScalarType::boolean, {from[0], from[1]})});
  const std::vector<Value> at = body.parameters({number, number});
  const Value both = body.prim(ScalarOp::add, number, {at[0], at[1]});
  const Value middle = body.prim(ScalarOp::shr, number, {both, body.constant(number, {1, 0})});
  const Value element = to_.new_value(to_.array_types[array].leaves[leaf]);
  body.add({{element}, Load{array, leaf, {middle}, all_axes(1), true}});
  const Value as_number = body.prim(ScalarOp::cast, number, {element});
  const Value less = body.prim(ScalarOp::lt, ScalarType::boolean, {as_number, wanted});
  const Value next = body.prim(ScalarOp::add, number, {middle, body.constant(number, {1, 0})});
  const Value begin = body.prim(ScalarOp::select, number, {less, next, at[0]});
  const Value end = body.prim(ScalarOp::select, number, {less, at[1], middle});
  const std::vector<Value> results{to_.new_value(number), to_.new_value(number)};
  code.add({results, While{{zero, length}, std::move(goes_on), body.take({begin, end})}});
  return results[0];
}

// For each array its elements by range; last, if there is a cut, the positions of these elements in
// the parts of this cut. In `places`, where the ranges begin and end in all of them.
std::vector<Rewriter::Parts> Rewriter::exchanged(const Binding& binding, const Parts& numbers,
                                                 std::vector<Parts> arrays, const Cut* positions,
                                                 std::vector<Value>* places) {
  if (positions) arrays.emplace_back(parts());
  Parts ends(parts());
  for (const std::size_t k : order_) {
    SortPositions by_range{numbers[k], {numbers[k]}};
    by_range.only_carried = !positions;
    for (const Parts& array : arrays)
      if (&array != &arrays.back() || !positions) by_range.carried.push_back(array[k]);
    const ArrayType type{1, {ScalarType::i64}};
    const std::vector<ArrayId> made = sorted(binding, std::move(by_range), type, k);
    for (std::size_t i = 2; i < made.size(); ++i) arrays[i - 2][k] = made[i];
    ends[k] = ends_of_ranges(binding, made[1], k);
    if (!positions) continue;
    RegionWriter code(to_);
    const Value local = code.parameter(ScalarType::i64);
    const Value place = code.prim(ScalarOp::add, ScalarType::i64, {local, cuts_[*positions].at[k]});
    arrays.back()[k] = make(binding, type, Map{code.take({place}), made[0]}, k);
  }
  return brought_together(
      binding, arrays, make(binding, {1, {ScalarType::i64}}, Concat{0, ends, true}, none), places);
}

// The end of the elements of each number, for elements sorted by number, relative to its end if all
// numbers were equally frequent. A caller without elements, which takes what it reads for zero
// (runtime/simulate), therefore sees ranges of equal length.
ArrayId Rewriter::ends_of_ranges(const Binding& binding, ArrayId numbers, std::size_t part) {
  const Value length = writer().host(ScalarType::i64, Extent{numbers, 0});
  const Value extent = writer().number(static_cast<std::int64_t>(parts()));
  RegionWriter code(to_);
  const auto number = [&](ScalarOp op, Value a, Value b) {
    return code.prim(op, ScalarType::i64, {a, b});
  };
  const Value one = code.constant(ScalarType::i64, {1, 0});
  const Value next = number(ScalarOp::add, code.parameter(ScalarType::i64), one);
  const Value end = first_not_below(code, numbers, 0, length, next);
  const Value even = number(ScalarOp::quot, number(ScalarOp::mul, length, next), extent);
  const Value more = number(ScalarOp::sub, end, even);
  return make(binding, {1, {ScalarType::i64}}, Generate{{extent}, code.take({more})}, part);
}

std::vector<Rewriter::Parts> Rewriter::brought_together(const Binding& binding,
                                                        const std::vector<Parts>& arrays,
                                                        ArrayId ends, std::vector<Value>* places) {
  BlockWriter code = writer();
  const Value zero = code.number(0), count = code.number(static_cast<std::int64_t>(parts()));
  std::vector<std::vector<Value>> at(parts());  // by part
  for (std::size_t k = 0; k < parts(); ++k) {
    const Value length = code.host(ScalarType::i64, Extent{arrays[0][k], 0});
    at[k].push_back(zero);
    for (std::size_t r = 0; r < parts(); ++r) {
      const Value index = code.number(static_cast<std::int64_t>(k * parts() + r));
      const Value more = code.host(ScalarType::i64, Load{ends, 0, {index}, all_axes(1), true});
      const Value of_all = code.number(static_cast<std::int64_t>(r + 1));
      const Value even = code.host(ScalarOp::quot, code.host(ScalarOp::mul, length, of_all), count);
      at[k].push_back(code.host(ScalarOp::add, even, more));
    }
  }
  for (std::size_t r = 0; places && r <= parts(); ++r) {
    places->push_back(at[0][r]);
    for (std::size_t k = 1; r > 0 && k < parts(); ++k)
      places->back() = code.host(ScalarOp::add, places->back(), at[k][r]);
  }
  std::vector<Parts> ranges(arrays.size(), Parts(parts()));
  for (const std::size_t r : order_)
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const ArrayType type = to_.array_types[arrays[i][0]];
      Parts pieces;
      for (std::size_t k = 0; k < parts(); ++k)
        pieces.push_back(code.add(type, Rows{arrays[i][k], at[k][r], at[k][r + 1]}));
      ranges[i][r] = make(binding, type, Concat{0, std::move(pieces), true}, none);
    }
  return ranges;
}

}  // namespace hasten::passes::fission
