// The range of each element of a sort: the number of splitters that are not above it, by a search
// with the same number of steps for all elements.
#include "passes/fission/rewriter.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

namespace {

Value i64_of(RegionWriter& code, std::int64_t x) {
  return code.constant(ScalarType::i64, {static_cast<std::uint64_t>(x), 0});
}

// Lexicographic; both have the same components.
Value is_less(RegionWriter& code, const std::vector<Value>& a, const std::vector<Value>& b) {
  Value less = none;
  for (std::size_t k = a.size(); k-- > 0;) {
    const Value here = code.prim(ScalarOp::lt, ScalarType::boolean, {a[k], b[k]});
    if (less == none) {
      less = here;
      continue;
    }
    const Value same = code.prim(ScalarOp::eq, ScalarType::boolean, {a[k], b[k]});
    const Value behind = code.prim(ScalarOp::and_, ScalarType::boolean, {same, less});
    less = code.prim(ScalarOp::or_, ScalarType::boolean, {here, behind});
  }
  return less;
}

// A key in the upper half, and the place that breaks ties in the lower half.
Value packed_word(RegionWriter& code, Value key, Value place) {
  const auto prim = [&](ScalarOp op, std::vector<Value> args) {
    return code.prim(op, ScalarType::u64, std::move(args));
  };
  const Value half = code.constant(ScalarType::u64, {32, 0});
  return prim(ScalarOp::or_, {prim(ScalarOp::shl, {prim(ScalarOp::cast, {key}), half}),
                              prim(ScalarOp::cast, {place})});
}

}  // namespace

ArrayId Rewriter::numbers_of_ranges(const Binding& binding, const ToSort& what, ArrayId splitters,
                                    std::size_t part) {
  const std::vector<ScalarType>& keys = to_.array_types[what.keys[part]].leaves;
  const bool fits_word = keys.size() == 1 && detail::size_in_bytes(keys[0]) <= 4;
  const Value shift = fits_word ? shift_of_places(what, part) : none;
  if (fits_word) splitters = words_of_splitters(binding, what, splitters, shift, part);
  RegionWriter code(to_);
  const Value index = code.parameter(ScalarType::i64);
  std::vector<Value> element = code.load(what.keys[part], {index});
  if (fits_word)
    element = {
        packed_word(code, element[0], code.prim(ScalarOp::shr, ScalarType::i64, {index, shift}))};
  else
    element.push_back(code.prim(ScalarOp::add, ScalarType::i64, {index, cuts_[what.cut].at[part]}));
  Value below = i64_of(code, 0);
  for (int step = std::bit_width(std::bit_ceil(parts())) - 1; step-- > 0;) {
    const auto number = [&](ScalarOp op, Value a, Value b) {
      return code.prim(op, ScalarType::i64, {a, b});
    };
    const Value place = number(ScalarOp::add, below, i64_of(code, (std::int64_t{1} << step) - 1));
    const Value less = is_less(code, element, code.load(splitters, {place}));
    // Not a selection: LLVM makes branches of these, half of which are mispredicted.
    const Value goes_on = code.prim(ScalarOp::cast, ScalarType::i64,
                                    {code.prim(ScalarOp::not_, ScalarType::boolean, {less})});
    below = number(ScalarOp::add, below, number(ScalarOp::shl, goes_on, i64_of(code, step)));
  }
  const ScalarType type = type_of_range();
  const Value number = code.prim(ScalarOp::cast, type, {below});
  return make(binding, {1, {type}}, Generate{{cuts_[what.cut].lengths[part]}, code.take({number})},
              part);
}

// The shift that makes places in the part fit in 31 bits: mostly 0.
Value Rewriter::shift_of_places(const ToSort& what, std::size_t part) {
  BlockWriter host = writer();
  const Value zeros =
      host.host(ScalarType::i32, Prim{ScalarOp::clz, {cuts_[what.cut].lengths[part]}});
  const Value wide = host.host(ScalarType::i64, Prim{ScalarOp::cast, {zeros}});
  return host.host(ScalarOp::max, host.number(0), host.host(ScalarOp::sub, host.number(33), wide));
}

// Splitters as 64-bit words, which are loaded and compared at once, for the elements of one part: a
// splitter's place before the part is 0, so that no element of the part with an equal key is below
// the splitter, and a place after the part is above all of them.
ArrayId Rewriter::words_of_splitters(const Binding& binding, const ToSort& what, ArrayId splitters,
                                     Value shift, std::size_t part) {
  const CutAt& cut = cuts_[what.cut];
  const Value length = cut.lengths[part], begin = cut.at[part];
  RegionWriter code(to_);
  const auto number = [&](ScalarOp op, std::vector<Value> args) {
    return code.prim(op, ScalarType::i64, std::move(args));
  };
  const std::vector<Value> splitter = code.load(splitters, {code.parameter(ScalarType::i64)});
  const Value from_begin = number(ScalarOp::sub, {splitter[1], begin});
  const Value place =
      number(ScalarOp::shr, {number(ScalarOp::max, {from_begin, i64_of(code, 0)}), shift});
  const Value is_here = code.prim(ScalarOp::lt, ScalarType::boolean, {from_begin, length});
  const Value after = i64_of(code, std::numeric_limits<std::uint32_t>::max());
  const Value word =
      packed_word(code, splitter[0], number(ScalarOp::select, {is_here, place, after}));
  const auto slots = static_cast<std::int64_t>(std::bit_ceil(parts()) - 1);
  const Value extent = writer().number(slots);
  const ArrayType type{1, {ScalarType::u64}};
  const ArrayId words = make(binding, type, Generate{{extent}, code.take({word})}, part);
  return make(binding, type, Compute{words}, part);
}

}  // namespace hasten::passes::fission
