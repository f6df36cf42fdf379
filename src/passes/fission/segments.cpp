// Rules for segmented folds of vectors:
//   fold_segments f z (join xs), cut anywhere: a segment belongs to the part in which it ends, and
// there what parts before have of it is combined with what this part has, in order. Without an
// identity of f, or in a fixed order, cut between segments.
#include "passes/fission/rewriter.hpp"

#include <utility>

namespace hasten::passes::fission {

using namespace core;

bool Rewriter::cut_segments(const Binding& binding, const FoldSegments& fold) {
  std::vector<Value> nothing;
  if (!fold.in_order) nothing = identity(fold.fn, to_.array_types[binding.results[0]]);
  return nothing.empty() ? cut_between_segments(binding, fold)
                         : cut_inside_segments(binding, fold, nothing);
}

// -- between segments -----------------------------------------------------------------------------

// As many segments for each device as its share, with the elements of these segments.
bool Rewriter::cut_between_segments(const Binding& binding, const FoldSegments& fold) {
  const ArrayId result = binding.results[0], offsets = whole(fold.offsets);
  const ArrayType type = to_.array_types[result];
  BlockWriter code = writer();
  const Value one = code.number(1), zero = code.number(0);
  const Value count = extent(fold.offsets, 0);
  const Value segments = code.host(ScalarOp::max, code.host(ScalarOp::sub, count, one), zero);
  const Cut cut = cut_for(known(symbol(result)), segments);
  std::vector<Value> at;
  for (const Value point : cuts_[cut].at)
    at.push_back(code.host(ScalarType::i64, Load{offsets, 0, {point}, 0, false}));
  const Cut elements = add_cut(at);
  const Parts sources = parts_in(fold.source, elements);
  Parts parts(this->parts());
  for (const std::size_t k : order_) {
    const Value past = code.host(ScalarOp::add, cuts_[cut].at[k + 1], one);
    const Value end = code.host(ScalarOp::min, past, count);
    const Value begin = code.host(ScalarOp::min, cuts_[cut].at[k], end);
    const ArrayId own = code.add(to_.array_types[offsets], Rows{offsets, begin, end});
    const ArrayId places = moved_offsets(binding, own, at[k], k);
    parts[k] =
        make(binding, type,
             FoldSegments{copy(fold.fn), mapped(fold.seed), sources[k], places, fold.in_order}, k);
  }
  define_parts(result, cut, std::move(parts));
  return true;
}

// Offsets as a part counts them whose first element is `origin`.
ArrayId Rewriter::moved_offsets(const Binding& binding, ArrayId offsets, Value origin,
                                std::size_t part) {
  RegionWriter moved(to_);
  const Value offset = moved.parameter(ScalarType::i64);
  std::vector<Value> local{moved.prim(ScalarOp::sub, ScalarType::i64, {offset, origin})};
  return make(binding, to_.array_types[offsets], Map{moved.take(std::move(local)), offsets}, part);
}

// Each part has all segments: those of other parts are before its first element, or after its last.
ArrayOp Rewriter::part_of(const GenerateSegments& op, const Binding& binding, Cut cut,
                          std::size_t part, Symbol axis) {
  const ArrayId offsets = moved_offsets(binding, whole(op.offsets), cuts_[cut].at[part], part);
  return GenerateSegments{cuts_[cut].lengths[part], offsets, at_part(op.fn, cut, part, axis, 1)};
}

// -- inside a segment -----------------------------------------------------------------------------

/// Numbers of the host about one part.
struct Rewriter::PartOfSegments {
  Value begin, end;           // elements
  Value first, past;          // segments that end in it
  Value crosses;              // a segment that ends in it begins before it
  Value head;                 // how many elements of that segment are before the part's end
  Value tail, tail_elements;  // of the segment that goes on behind it: from here, so many
  Value passes;               // that one begins before it, too
};

bool Rewriter::cut_inside_segments(const Binding& binding, const FoldSegments& fold,
                                   const std::vector<Value>& nothing) {
  const ArrayId result = binding.results[0], offsets = whole(fold.offsets);
  const ArrayType type = to_.array_types[result], total{0, type.leaves};
  const Cut elements = cut_of(fold.source);
  const Parts sources = parts_in(fold.source, elements);
  const std::vector<PartOfSegments> at = parts_of_segments(binding, fold, elements);
  std::vector<Value> points;
  for (const PartOfSegments& part : at) points.push_back(part.first);
  points.push_back(at.back().past);
  const Cut cut = add_cut(std::move(points));
  Parts parts(this->parts()), heads(this->parts()), tails(this->parts());
  const auto folded = [&](std::size_t k, Value begin, Value count) {
    const ArrayId some = rows_of_part(sources[k], k, begin, count);
    return make(binding, total, Fold{copy(fold.fn), nothing, some, 1}, k);
  };
  const Value zero = writer().number(0);
  for (const std::size_t k : order_) {
    const ArrayId places = places_in_part(binding, offsets, extent(fold.offsets, 0), at[k], k);
    std::vector<Value> seed = fold.seed.empty() ? nothing : mapped(fold.seed);
    parts[k] =
        make(binding, type, FoldSegments{copy(fold.fn), std::move(seed), sources[k], places}, k);
    if (k > 0) heads[k] = folded(k, zero, at[k].head);
    if (k + 1 < this->parts()) tails[k] = folded(k, at[k].tail, at[k].tail_elements);
  }
  ArrayId so_far = none;
  for (std::size_t k = 0; k < this->parts(); ++k) {
    if (k > 0) parts[k] = with_first(binding, fold, at[k], so_far, heads[k], parts[k], k);
    if (k + 1 == this->parts()) break;
    so_far = k == 0 ? tails[0] : gone_on(binding, fold, at[k], so_far, tails[k], k);
  }
  if (const Symbol axis = known(symbol(result)); !named_cut(axis)) name_cut(axis, cut);
  define_parts(result, cut, std::move(parts));
  return true;
}

// What the host must know: where the segment begins and ends that goes on from part to part.
std::vector<Rewriter::PartOfSegments> Rewriter::parts_of_segments(const Binding& binding,
                                                                  const FoldSegments& fold,
                                                                  Cut elements) {
  BlockWriter host = writer();
  const auto number = [&](ScalarOp op, Value a, Value b) { return host.host(op, a, b); };
  const auto bit = [&](ScalarOp op, Value a, Value b) {
    return host.host(ScalarType::boolean, Prim{op, {a, b}});
  };
  const auto choose = [&](Value condition, Value a, Value b) {
    return host.host(ScalarType::i64, Prim{ScalarOp::select, {condition, a, b}});
  };
  const Value zero = host.number(0), one = host.number(1);
  const Value count = extent(fold.offsets, 0);
  const Value segments = number(ScalarOp::max, number(ScalarOp::sub, count, one), zero);
  const ArrayId found = segments_at_cuts(binding, whole(fold.offsets), count, elements);
  const auto read = [&](std::size_t k, std::size_t which) {
    const Value index = host.number(static_cast<std::int64_t>(3 * (k - 1) + which));
    return host.host(ScalarType::i64, Load{found, 0, {index}, all_axes(1), true});
  };
  const Value never = bit(ScalarOp::lt, zero, zero);
  std::vector<PartOfSegments> at(parts());
  Value is_open = never, begins = zero, ends = zero;  // the segment at the beginning of the part
  for (std::size_t k = 0; k < parts(); ++k) {
    PartOfSegments& part = at[k];
    part.begin = cuts_[elements].at[k];
    part.end = cuts_[elements].at[k + 1];
    part.first = k == 0 ? zero : at[k - 1].past;
    const bool is_last = k + 1 == parts();
    const Value begun = is_last ? none : read(k + 1, 0);  // offsets not behind the end
    part.past = is_last ? segments : number(ScalarOp::max, number(ScalarOp::sub, begun, one), zero);
    const Value owns = bit(ScalarOp::lt, part.first, part.past);
    const Value before = bit(ScalarOp::and_, is_open, bit(ScalarOp::lt, begins, part.begin));
    part.crosses = bit(ScalarOp::and_, before, owns);
    part.head = choose(part.crosses, number(ScalarOp::sub, ends, part.begin), zero);
    if (is_last) break;
    is_open =
        bit(ScalarOp::and_, bit(ScalarOp::le, one, begun), bit(ScalarOp::le, begun, segments));
    begins = read(k + 1, 1);
    ends = read(k + 1, 2);
    const Value from = choose(is_open, number(ScalarOp::max, begins, part.begin), part.end);
    part.tail = number(ScalarOp::sub, from, part.begin);
    part.tail_elements = number(ScalarOp::sub, part.end, from);
    part.passes = bit(ScalarOp::and_, is_open, bit(ScalarOp::lt, begins, part.begin));
  }
  return at;
}

// For each part but the first: how many offsets are not behind its beginning, the last of them, and
// the one after it.
ArrayId Rewriter::segments_at_cuts(const Binding& binding, ArrayId offsets, Value count,
                                   Cut elements) {
  const ArrayType type{1, {ScalarType::i64}};
  BlockWriter host = writer();
  const Value three = host.number(3), last = host.host(ScalarOp::sub, count, host.number(1));
  const Value any = host.host(ScalarType::boolean, Prim{ScalarOp::lt, {host.number(0), count}});
  Parts found;
  for (std::size_t k = 1; k < parts(); ++k) {
    RegionWriter code(to_);
    const auto number = [&](std::int64_t x) {
      return code.constant(ScalarType::i64, {static_cast<std::uint64_t>(x), 0});
    };
    const auto prim = [&](ScalarOp op, Value a, Value b) {
      return code.prim(op, ScalarType::i64, {a, b});
    };
    const auto chosen = [&](Value index, std::int64_t which, Value a, Value b) {
      const Value is = code.prim(ScalarOp::eq, ScalarType::boolean, {index, number(which)});
      return code.prim(ScalarOp::select, ScalarType::i64, {is, a, b});
    };
    const Value which = code.parameter(ScalarType::i64);
    const Value behind = prim(ScalarOp::add, cuts_[elements].at[k], number(1));
    const Value begun = first_not_below(code, offsets, 0, count, behind);
    RegionWriter some(to_), nothing(to_);
    const auto offset = [&](Value index) {
      const Value least = some.prim(ScalarOp::min, ScalarType::i64, {index, last});
      const Value zero = some.constant(ScalarType::i64, {});
      return some.load(offsets, {some.prim(ScalarOp::max, ScalarType::i64, {least, zero})})[0];
    };
    const Value begins = offset(
        some.prim(ScalarOp::sub, ScalarType::i64, {begun, some.constant(ScalarType::i64, {1, 0})}));
    const Value ends = offset(begun);
    const std::vector<ScalarType> both{ScalarType::i64, ScalarType::i64};
    const std::vector<Value> of_segment =
        code.branch(any, some.take({begins, ends}),
                    nothing.take(nothing.constants(both, std::vector<Bits>(2))));
    const Value result = chosen(which, 0, begun, chosen(which, 1, of_segment[0], of_segment[1]));
    found.push_back(make(binding, type, Generate{{three}, code.take({result})}, none));
  }
  return make(binding, type, Concat{0, std::move(found), true}, none);
}

// Of the segments that end in a part; the one that begins before it is empty here.
ArrayId Rewriter::places_in_part(const Binding& binding, ArrayId offsets, Value count,
                                 const PartOfSegments& at, std::size_t part) {
  BlockWriter host = writer();
  const Value past = host.host(ScalarOp::add, at.past, host.number(1));
  const Value end = host.host(ScalarOp::min, past, count);
  const Value begin = host.host(ScalarOp::min, at.first, end);
  const Value length = host.host(ScalarOp::sub, at.end, at.begin);
  const ArrayId own = host.add(to_.array_types[offsets], Rows{offsets, begin, end});
  RegionWriter code(to_);
  const Value offset = code.parameter(ScalarType::i64);
  const Value local = code.prim(ScalarOp::sub, ScalarType::i64, {offset, at.begin});
  const Value inside = code.prim(ScalarOp::max, ScalarType::i64, {local, at.head});
  const Value place = code.prim(ScalarOp::min, ScalarType::i64, {inside, length});
  return make(binding, to_.array_types[offsets], Map{code.take({place}), own}, part);
}

// The first segment that ends in a part, of all its elements.
ArrayId Rewriter::with_first(const Binding& binding, const FoldSegments& fold,
                             const PartOfSegments& at, ArrayId so_far, ArrayId head, ArrayId rest,
                             std::size_t part) {
  const ArrayType type = to_.array_types[rest];
  const Value length = writer().host(ScalarType::i64, Extent{rest, 0});
  RegionWriter index(to_), code(to_), first(to_), others(to_);
  const Value own = index.parameter(ScalarType::i64);
  const ArrayId number =
      make(binding, {1, {ScalarType::i64}}, Generate{{length}, index.take({own})}, part);
  const std::vector<Value> element = code.parameters(type.leaves);
  const Value place = code.parameter(ScalarType::i64);
  const Value is_first =
      code.prim(ScalarOp::eq, ScalarType::boolean, {place, code.constant(ScalarType::i64, {})});
  const Value crosses = code.prim(ScalarOp::and_, ScalarType::boolean, {is_first, at.crosses});
  std::vector<Value> sides = first.load(so_far, {});
  const std::vector<Value> right = first.load(head, {});
  sides.insert(sides.end(), right.begin(), right.end());
  std::vector<Value> all = first.call(fold.fn, sides);
  if (!fold.seed.empty()) {
    sides = mapped(fold.seed);
    sides.insert(sides.end(), all.begin(), all.end());
    all = first.call(fold.fn, sides);
  }
  std::vector<Value> results =
      code.branch(crosses, first.take(std::move(all)), others.take(element));
  Region fn = code.take(std::move(results));
  use_wholes(fn);
  return make(binding, type, ZipWith{std::move(fn), {rest, number}, false}, part);
}

// Of the segment that goes on behind a part, all elements so far.
ArrayId Rewriter::gone_on(const Binding& binding, const FoldSegments& fold,
                          const PartOfSegments& at, ArrayId so_far, ArrayId tail,
                          std::size_t part) {
  const ArrayType type = to_.array_types[tail];
  RegionWriter code(to_), all(to_), alone(to_);
  std::vector<Value> sides = all.load(so_far, {});
  const std::vector<Value> right = all.load(tail, {});
  sides.insert(sides.end(), right.begin(), right.end());
  std::vector<Value> both = all.call(fold.fn, sides);
  std::vector<Value> one = alone.load(tail, {});
  std::vector<Value> results =
      code.branch(at.passes, all.take(std::move(both)), alone.take(std::move(one)));
  Region fn = code.take(std::move(results));
  use_wholes(fn);
  return make(binding, type, Compute{make(binding, type, Generate{{}, std::move(fn)}, part)}, part);
}

}  // namespace hasten::passes::fission
