// The rule for sorts of vectors, by samples (Frazer and McKellar, "Samplesort", 1970):
//   sort (join xs)         =>  join (sort y_0, ..., sort y_n), y_r all elements of range r, in
//   order sort_first k (join xs) =>  sort_first k (join (first k of sort_first k x_0, ...))
// Ranges lie between splitters: the elements at the beginnings of parts in a sorted sample of all
// elements. An element is its keys and then its position: no two are equal, so that ranges are as
// long as parts whatever the distribution of keys. The choice of splitters changes no result:
// ranges are whole sorts of their elements, which arrive in the order of positions.
#include "passes/fission/rewriter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

namespace {

// For a few parts, ranges differ in length from parts by a few hundredths; for many parts, the
// sample is small beside one of them.
std::int64_t sample_size(std::size_t parts) {
  return std::max<std::int64_t>(64 * static_cast<std::int64_t>(parts), 4096);
}

std::vector<Bits> greatest(const std::vector<ScalarType>& types) {
  std::vector<Bits> bits;
  for (const ScalarType type : types) {
    const std::size_t width = detail::is_bool(type) ? 1 : 8 * detail::size_in_bytes(type);
    bits.push_back({~std::uint64_t{0} >> (64 - width), 0});
  }
  return bits;
}

Value integer(RegionWriter& code, std::int64_t x) {
  return code.constant(ScalarType::i64, {static_cast<std::uint64_t>(x), 0});
}
Value sum(RegionWriter& code, Value a, Value b) {
  return code.prim(ScalarOp::add, ScalarType::i64, {a, b});
}

// Devices may call what the host has no function for.
bool calls_foreign(const Region& fn) {
  bool found = false;
  for (const Stmt& stmt : fn.body) {
    found |= std::holds_alternative<ForeignCall>(stmt.op);
    visit_regions(stmt, [&](const Region& inner) { found |= calls_foreign(inner); });
  }
  return found;
}

// Jitter, so that a sample of periodic data is not a sample of one place in the period.
Value jitter(RegionWriter& code, Value sample, Value stride) {
  const Value mixed =
      code.prim(ScalarOp::mul, ScalarType::i64, {sample, integer(code, 0x5851F42D4C957F2D)});
  const Value high = code.prim(ScalarOp::shr, ScalarType::i64, {mixed, integer(code, 40)});
  const Value bits = code.prim(ScalarOp::and_, ScalarType::i64, {high, integer(code, 0xFFFF)});
  const Value scaled = code.prim(ScalarOp::mul, ScalarType::i64, {bits, stride});
  return code.prim(ScalarOp::shr, ScalarType::i64, {scaled, integer(code, 16)});
}

}  // namespace

bool Rewriter::cut_sort(const Binding& binding, const SortPositions& sort) {
  if (sort.first != none) return cut_sort_for_first(binding, sort);
  ToSort what;
  what.cut = cut_of(sort.source);
  what.keys = parts_in(sort.source, what.cut);
  find_sampled(sort.source, what);
  for (const ArrayId carried : sort.carried) what.carried.push_back(parts_in(carried, what.cut));
  what.wants_heads = to_.array_types[binding.results[0]].leaves.size() > 1;
  what.wants_positions = what.wants_heads || what.carried.empty() || is_read(binding.results[0]);
  std::vector<Value> places;  // in time they are known before ranges are sorted, so that these come
                              // home to where they stay
  std::vector<Parts> made = in_time() ? sorted_by_ranges(binding, sort, what, &places)
                                      : sorted_where_it_is(binding, sort, what);
  const Cut cut = in_time() ? add_cut(std::move(places))
                            : cut_of_made(made.back().empty() ? made.front() : made.back());
  // With parts in time, reads of near rows need parts of equal length.
  const Symbol axis = known(symbol(binding.results[0]));
  const auto named = named_cut(axis);
  if (!in_time() && (!named || cuts_[*named].scope == here())) name_cut(axis, cut);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (!made[i].empty()) define_parts(binding.results[i], cut, std::move(made[i]));
  return true;
}

// The cut at the beginnings of parts whose lengths are known only once they are computed.
Rewriter::Cut Rewriter::cut_of_made(const Parts& parts) {
  BlockWriter code = writer();
  std::vector<Value> at{code.number(0)};
  for (const ArrayId part : parts)
    at.push_back(code.host(ScalarOp::add, at.back(), code.host(ScalarType::i64, Extent{part, 0})));
  return add_cut(std::move(at));
}

bool Rewriter::is_read(ArrayId array) {
  if (read_.empty()) {
    read_.resize(from_.array_types.size());
    for_each_use(from_.body, [](Value) {}, [&](ArrayId a) { read_[a] = true; });
  }
  return read_[array];
}

// -- one device has all ---------------------------------------------------------------------------

// That device sorts everything at once: nothing needs to be exchanged.
std::vector<Rewriter::Parts> Rewriter::sorted_where_it_is(const Binding& binding,
                                                          const SortPositions& sort,
                                                          const ToSort& what) {
  BlockWriter code = writer();
  const CutAt& cut = cuts_[what.cut];
  Value alone = none;
  for (const Value length : cut.lengths) {
    const Value all = code.host(ScalarType::boolean, Prim{ScalarOp::eq, {length, cut.at.back()}});
    alone = alone == none ? all : code.host(ScalarType::boolean, Prim{ScalarOp::or_, {alone, all}});
  }
  ArrayIf branch{alone, {}, {}};
  const auto give = [](const std::vector<Parts>& made, Block& block) {
    for (const Parts& parts : made)
      block.results.insert(block.results.end(), parts.begin(), parts.end());
  };
  begin_block(branch.then_);
  std::vector<Parts> results = sorted_apart(binding, sort, what);
  give(results, branch.then_);
  end_block();
  begin_block(branch.else_);
  give(sorted_by_ranges(binding, sort, what), branch.else_);
  end_block();
  Binding result = binding;
  result.results.clear();
  for (Parts& parts : results)
    for (ArrayId& part : parts) {
      part = to_.new_array(to_.array_types[part]);
      result.results.push_back(part);
    }
  result.op = std::move(branch);
  scopes_.back().out->push_back(std::move(result));
  return results;
}

std::vector<Rewriter::Parts> Rewriter::sorted_apart(const Binding& binding,
                                                    const SortPositions& sort, const ToSort& what) {
  std::vector<Parts> results(1 + what.carried.size(), Parts(parts()));
  for (const std::size_t k : order_) {
    SortPositions part{what.keys[k], {}, sort.at_heads};
    for (const Parts& carried : what.carried) part.carried.push_back(carried[k]);
    part.only_carried = !what.wants_positions;
    const std::vector<ArrayId> made =
        sorted(binding, std::move(part), to_.array_types[binding.results[0]], k);
    for (std::size_t i = 0; i < made.size(); ++i) results[i][k] = made[i];
  }
  if (!what.wants_positions) results[0].clear();
  return results;
}

// The order, and the carried arrays.
std::vector<ArrayId> Rewriter::sorted(const Binding& binding, SortPositions op, ArrayType order,
                                      std::size_t device) {
  const std::vector<ArrayId> carried = op.carried;
  std::vector<ArrayId> results{make(binding, std::move(order), std::move(op), device)};
  for (const ArrayId each : carried) results.push_back(to_.new_array(to_.array_types[each]));
  scopes_.back().out->back().results = results;
  return results;
}

// -- ranges ---------------------------------------------------------------------------------------

std::vector<Rewriter::Parts> Rewriter::sorted_by_ranges(const Binding& binding,
                                                        const SortPositions& sort,
                                                        const ToSort& what,
                                                        std::vector<Value>* places) {
  const ArrayId splitters = splitters_of(binding, what);
  Parts numbers(parts());
  for (const std::size_t k : order_) numbers[k] = numbers_of_ranges(binding, what, splitters, k);
  const std::optional<std::size_t> from = made_of_carried(sort);
  std::vector<Parts> moved = what.carried;
  if (!from) moved.push_back(what.keys);
  moved = exchanged(binding, numbers, std::move(moved), what.wants_positions ? &what.cut : nullptr,
                    places);
  const std::size_t count = what.carried.size();
  std::vector<Parts> results(1 + count, Parts(parts()));
  Parts keys(parts()), sorted_keys(parts()), orders(parts()), positions(parts());
  for (const std::size_t r : order_) {
    keys[r] =
        from ? keys_again(sort.source, sort.carried[*from], moved[*from][r], r) : moved[count][r];
    SortPositions range{keys[r], {}, false};
    for (std::size_t i = 0; i < count; ++i) range.carried.push_back(moved[i][r]);
    if (what.wants_positions) range.carried.push_back(moved.back()[r]);
    if (what.wants_heads) range.carried.push_back(keys[r]);
    range.only_carried = !what.wants_heads;
    const std::vector<ArrayId> made =
        sorted(binding, std::move(range), to_.array_types[binding.results[0]], r);
    orders[r] = made[0];
    for (std::size_t i = 0; i < count; ++i) results[1 + i][r] = made[1 + i];
    if (what.wants_positions) positions[r] = made[1 + count];
    if (what.wants_heads) sorted_keys[r] = made[2 + count];
  }
  if (what.wants_heads)
    results[0] = heads(binding, orders, positions, sorted_keys);
  else
    results[0] = what.wants_positions ? positions : Parts();
  return results;
}

// The array from which keys are computed element by element: then keys need not be exchanged.
std::optional<std::size_t> Rewriter::made_of_carried(const SortPositions& sort) const {
  ArrayId keys = sort.source;
  while (true) {
    for (std::size_t i = 0; i < sort.carried.size(); ++i)
      if (sort.carried[i] == keys) return i;
    const Map* const map = made_alone(keys);
    if (!map) return std::nullopt;
    keys = map->source;
  }
}

// The map whose elements are those of the array, if it reads no other array.
const Map* Rewriter::made_alone(ArrayId array) const {
  const Binding* const producer = producers_[array];
  const auto* const map = producer ? std::get_if<Map>(&producer->op) : nullptr;
  return map && free_names(map->fn).arrays.empty() ? map : nullptr;
}

// Few keys are sampled. If the sample were read from the keys, all keys would have to exist before
// any range is known, and, with parts in time, stay until their part's turn comes again. Elements
// in host memory are sampled there: no device needs all of them for that.
void Rewriter::find_sampled(ArrayId keys, ToSort& what) {
  while (const Map* const map = made_alone(keys)) {
    what.to_keys.push_back(&map->fn);
    keys = map->source;
  }
  std::ranges::reverse(what.to_keys);
  what.sampled = what.to_keys.empty() ? what.keys : parts_in(keys, what.cut);
  what.is_sampled_by_host =
      in_time() && is_in_host_memory(keys) &&
      std::ranges::none_of(what.to_keys, [](const Region* fn) { return calls_foreign(*fn); });
}

ArrayId Rewriter::keys_again(ArrayId keys, ArrayId carried, ArrayId part, std::size_t device) {
  std::vector<ArrayId> path;
  for (ArrayId at = keys; at != carried; at = std::get<Map>(producers_[at]->op).source)
    path.push_back(at);
  for (; !path.empty(); path.pop_back()) {
    const Binding& producer = *producers_[path.back()];
    part = make(producer, to_.array_types[path.back()],
                Map{copy(std::get<Map>(producer.op).fn), part}, device);
  }
  return part;
}

// The elements of the sample at the beginnings of parts, as keys and position; padded to the number
// that a binary search in whole steps needs, with the last ones beyond all elements.
ArrayId Rewriter::splitters_of(const Binding& binding, const ToSort& what) {
  const std::vector<ScalarType> keys = to_.array_types[what.keys[0]].leaves;
  const ArrayId samples = samples_of(binding, what);
  RegionWriter choose(to_);
  std::vector<Value> element = choose.parameters(to_.array_types[samples].leaves);
  element.resize(keys.size());
  const ArrayId sample_keys =
      make(binding, {1, keys}, Map{choose.take(std::move(element)), samples}, none);
  const ArrayId order = make(binding, {1, {ScalarType::i64}}, SortPositions{sample_keys, {}}, none);

  BlockWriter host = writer();
  const Value count = host.host(ScalarType::i64, Extent{samples, 0});
  const auto slots = static_cast<std::int64_t>(std::bit_ceil(parts()) - 1);
  const Value extent = host.number(slots);
  std::vector<ScalarType> types = keys;
  types.push_back(ScalarType::i64);
  RegionWriter code(to_), some(to_), beyond(to_);
  const Value part = sum(code, code.parameter(ScalarType::i64), integer(code, 1));
  const auto number_of_part = static_cast<std::uint32_t>(types.size());
  const Value place = first_not_below(code, samples, number_of_part, count, part);
  const Value is_there = code.prim(ScalarOp::lt, ScalarType::boolean, {place, count});
  std::vector<Value> splitter = some.load(samples, some.load(order, {place}));
  splitter.resize(types.size());
  std::vector<Value> last = beyond.constants(keys, greatest(keys));
  last.push_back(integer(beyond, std::numeric_limits<std::int64_t>::max()));
  std::vector<Value> results =
      code.branch(is_there, some.take(std::move(splitter)), beyond.take(std::move(last)));
  const ArrayType type{1, types};
  const ArrayId splitters =
      make(binding, type, Generate{{extent}, code.take(std::move(results))}, 0);
  return make(binding, type, Compute{splitters}, 0);
}

// From each part a number of samples in its proportion: keys, position, and the number of the part.
ArrayId Rewriter::samples_of(const Binding& binding, const ToSort& what) {
  std::vector<ScalarType> types = to_.array_types[what.keys[0]].leaves;
  types.insert(types.end(), {ScalarType::i64, ScalarType::i32});
  BlockWriter host = writer();
  const Value one = host.number(1);
  const Value wanted = host.number(sample_size(parts()));
  const Value stride =
      host.host(ScalarOp::max, one, host.host(ScalarOp::quot, cuts_[what.cut].at.back(), wanted));
  const Value less = host.host(ScalarOp::sub, stride, one);
  Parts samples(parts());
  for (const std::size_t k : order_) {
    const Value length = cuts_[what.cut].lengths[k], begin = cuts_[what.cut].at[k];
    const Value count = host.host(ScalarOp::quot, host.host(ScalarOp::add, length, less), stride);
    const Value last = host.host(ScalarOp::sub, length, one);
    RegionWriter code(to_);
    const Value sample = code.parameter(ScalarType::i64);
    const Value first = code.prim(ScalarOp::mul, ScalarType::i64, {sample, stride});
    const Value place = sum(code, first, jitter(code, sample, stride));
    const Value index = code.prim(ScalarOp::min, ScalarType::i64, {place, last});
    std::vector<Value> element = code.load(what.sampled[k], {index});
    for (const Region* const fn : what.to_keys) element = code.call(copy(*fn), element);
    element.push_back(sum(code, index, begin));
    element.push_back(code.constant(ScalarType::i32, {k, 0}));
    samples[k] = make(binding, {1, types}, Generate{{count}, code.take(std::move(element))},
                      what.is_sampled_by_host ? on_host : k);
  }
  return make(binding, {1, types}, Concat{0, samples, true}, none);
}

// -- heads ----------------------------------------------------------------------------------------

// Runs of equal keys may continue from one range to the next: a range's first element is a head if
// it differs from the last element before the range.
Rewriter::Parts Rewriter::heads(const Binding& binding, const Parts& orders, const Parts& positions,
                                const Parts& keys) {
  const ArrayType type{1, {ScalarType::i64, ScalarType::boolean}};
  Parts results(parts());
  ArrayId before = none;
  for (std::size_t r = 0; r < parts(); ++r) {
    const Value length = writer().host(ScalarType::i64, Extent{orders[r], 0});
    RegionWriter code(to_), first(to_), others(to_);
    const Value index = code.parameter(ScalarType::i64);
    std::vector<Value> element = code.load(positions[r], {index});
    Value head = code.load(orders[r], {index})[1];
    if (before != none) {
      const Value is_first =
          code.prim(ScalarOp::eq, ScalarType::boolean, {index, integer(code, 0)});
      const Value differs = is_other(first, first.load(keys[r], {integer(first, 0)}), before);
      head = code.branch(is_first, first.take({differs}), others.take({head}))[0];
    }
    element.push_back(head);
    results[r] = make(binding, type, Generate{{length}, code.take(std::move(element))}, r);
    if (r + 1 < parts()) before = last_key(binding, keys[r], length, before, r);
  }
  return results;
}

// Whether a key differs from the one in `before`, if that has one.
Value Rewriter::is_other(RegionWriter& code, const std::vector<Value>& key, ArrayId before) {
  const std::vector<Value> other = code.load(before, {});
  Value differs = code.prim(ScalarOp::not_, ScalarType::boolean, {other.back()});
  for (std::size_t leaf = 0; leaf < key.size(); ++leaf) {
    const Value here = code.prim(ScalarOp::ne, ScalarType::boolean, {key[leaf], other[leaf]});
    differs = code.prim(ScalarOp::or_, ScalarType::boolean, {differs, here});
  }
  return differs;
}

// The last key so far, and whether one exists.
ArrayId Rewriter::last_key(const Binding& binding, ArrayId keys, Value length, ArrayId before,
                           std::size_t part) {
  ArrayType type{0, to_.array_types[keys].leaves};
  type.leaves.push_back(ScalarType::boolean);
  BlockWriter host = writer();
  const Value any = host.host(ScalarType::boolean, Prim{ScalarOp::lt, {host.number(0), length}});
  const Value last = host.host(ScalarOp::sub, length, host.number(1));
  RegionWriter code(to_), some(to_), nothing(to_);
  std::vector<Value> key = some.load(keys, {last});
  key.push_back(some.constant(ScalarType::boolean, {1, 0}));
  std::vector<Value> otherwise =
      before != none ? nothing.load(before, {})
                     : nothing.constants(type.leaves, std::vector<Bits>(type.leaves.size()));
  std::vector<Value> results =
      code.branch(any, some.take(std::move(key)), nothing.take(std::move(otherwise)));
  const ArrayId made = make(binding, type, Generate{{}, code.take(std::move(results))}, part);
  return make(binding, type, Compute{made}, part);
}

}  // namespace hasten::passes::fission
