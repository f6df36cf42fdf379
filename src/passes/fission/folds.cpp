// Rules for what is cut along the axis that is folded, scanned, chosen from or scattered:
//   fold f z (join xs)   =>  f (fold f z x_0) (fold f 0 x_1) ..., 0 the identity of f
//   scan f (join xs)     =>  join (scan f x_0, map (f (fold f 0 x_0)) (scan f x_1), ...)
//   permute f d (join xs) => zip_with f (permute f 0 x_1) (permute f d x_0) ...
//   compact (join xs)    =>  join (compact x_0, compact x_1, ...)
//   fold_segments (join xs), cut between segments
// An operator without an identity, and one that goes in order, stays whole: a part may be empty.
#include "passes/fission/rewriter.hpp"

#include "core/operators.hpp"

#include <utility>

namespace hasten::passes::fission {

using namespace core;

std::vector<Value> Rewriter::identity(const Region& fn, const ArrayType& type) {
  std::vector<Value> values;
  const std::vector<Bits> bits = identity_of(fn, type.leaves);
  for (std::size_t leaf = 0; leaf < bits.size(); ++leaf)
    values.push_back(writer().host(type.leaves[leaf], Constant{bits[leaf], none}));
  return values;
}

ArrayId Rewriter::combined(const Region& fn, ArrayId left, ArrayId right) {
  const ArrayType type = to_.array_types[left];
  return make(*like_, type, ZipWith{copy(fn), {left, right}, false}, none);
}

bool Rewriter::cut_fold(const Binding& binding, const Fold& fold) {
  const ArrayType type = to_.array_types[binding.results[0]];
  if (fold.in_order) return fold_in_time(binding, fold);
  const std::vector<Value> nothing = identity(fold.fn, type);
  if (nothing.empty()) return fold_in_time(binding, fold);
  check_before(binding);
  const Parts sources = parts_in(fold.source, cut_of(fold.source));
  Parts parts(this->parts());
  for (const std::size_t k : order_) {
    std::vector<Value> seed = k == 0 && !fold.seed.empty() ? mapped(fold.seed) : nothing;
    parts[k] = make(binding, type, Fold{copy(fold.fn), std::move(seed), sources[k], fold.axes}, k);
  }
  ArrayId all = parts[0];
  for (std::size_t k = 1; k < this->parts(); ++k)
    all = in_memory(combined(fold.fn, all, parts[k]), k);
  scopes_.back().out->back().results = {binding.results[0]};
  define_whole(binding.results[0]);
  return true;
}

// What comes before a part is folded by itself, and so not waited for; or, one part after the
// other, the last element of the part before.
bool Rewriter::cut_scan(const Binding& binding, const Scan& scan) {
  const ArrayType type = to_.array_types[binding.results[0]];
  if (scan.in_order) return false;
  const bool carries = in_time() && devices() == 1;
  const std::vector<Value> nothing = carries ? std::vector<Value>() : identity(scan.fn, type);
  if (nothing.empty() && !carries) return false;
  const Cut cut = cut_of(scan.source);
  const Parts sources = parts_in(scan.source, cut);
  Parts before =
      carries ? Parts(this->parts(), none) : folded_before(binding, scan, sources, nothing);
  Parts parts(this->parts());
  for (const std::size_t k : order_) {
    std::vector<Value> seed = k == 0 ? mapped(scan.seed) : std::vector<Value>();
    parts[k] = make(binding, type, Scan{copy(scan.fn), std::move(seed), sources[k]}, k);
    if (carries && k + 1 < this->parts()) before[k + 1] = carried(binding, before[k], parts[k], k);
    if (k == 0) continue;
    RegionWriter code(to_);
    std::vector<Value> element = code.parameters(type.leaves);
    std::vector<Value> sides = code.load(before[k], {});
    sides.insert(sides.end(), element.begin(), element.end());
    std::vector<Value> results = code.call(scan.fn, sides);
    Region fn = code.take(std::move(results));
    use_wholes(fn);
    parts[k] = make(binding, type, Map{std::move(fn), parts[k]}, k);
  }
  Cut made = cut;
  if (!scan.seed.empty()) {  // the seed is the first element of the first part
    std::vector<Value> at = cuts_[cut].at;
    BlockWriter code = writer();
    for (std::size_t k = 1; k < at.size(); ++k)
      at[k] = code.host(ScalarOp::add, at[k], code.number(1));
    made = add_cut(std::move(at));
    cuts_[made].is_even = cuts_[cut].is_even;
    const Symbol axis = known(symbol(binding.results[0]));
    if (!named_cut(axis)) name_cut(axis, made);
  }
  define_parts(binding.results[0], made, std::move(parts));
  return true;
}

Rewriter::Parts Rewriter::folded_before(const Binding& binding, const Scan& scan,
                                        const Parts& sources, const std::vector<Value>& nothing) {
  const ArrayType total{0, to_.array_types[binding.results[0]].leaves};
  Parts before(parts(), none);
  for (const std::size_t k : order_) {
    if (k + 1 == parts()) continue;
    const bool seeds = k == 0 && !scan.seed.empty();
    before[k + 1] = make(binding, total,
                         Fold{copy(scan.fn), seeds ? mapped(scan.seed) : nothing, sources[k]}, k);
  }
  for (std::size_t k = 2; k < parts(); ++k)
    before[k] = in_memory(combined(scan.fn, before[k - 1], before[k]), k);
  return before;
}

// Each device updates an array of its own: part after part. With one device that is what the whole
// does, in the same order.
bool Rewriter::cut_scatter(const Binding& binding, const Permute& permute) {
  const ArrayId result = binding.results[0];
  const ArrayType type = to_.array_types[result];
  if (permute.loops.size() != 1) return false;
  const PermuteLoop& loop = permute.loops[0];
  if (to_.array_types[loop.source].rank == 0) return false;
  const bool goes_on = in_time() && devices() == 1;
  std::vector<Value> nothing;
  if (!goes_on) {
    if (permute.in_order || permute.mode != detail::PermuteMode::combine) return false;
    if (!is_exact(permute.fn, type.leaves)) return false;
    nothing = identity(permute.fn, type);
    if (nothing.empty()) return false;
  }
  // Extents intersect: of the shorter one.
  const bool same = known(symbol(loop.targets)) == known(symbol(loop.source));
  if (!same) return false;
  const Cut cut = cut_of(loop.source);
  const Parts targets = parts_in(loop.targets, cut), sources = parts_in(loop.source, cut);
  const ArrayId defaults = whole(permute.defaults);
  Parts parts(this->parts());
  for (const std::size_t k : order_) {
    ArrayId start = k % in_time_ > 0 ? parts[k - 1] : defaults;
    if (k > 0 && k % in_time_ == 0)
      start = make(binding, type, nothing_of(permute.defaults, nothing), k);
    Permute part = permute;
    part.fn = copy(permute.fn);
    part.defaults = start;
    if (goes_on && part.mode == detail::PermuteMode::covering)
      part.mode = detail::PermuteMode::unique;
    part.loops[0].targets = targets[k];
    part.loops[0].source = sources[k];
    parts[k] = make(binding, type, std::move(part), k);
  }
  ArrayId all = parts[in_time_ - 1];
  for (std::size_t d = 1; d < devices(); ++d)
    all = combined(permute.fn, parts[(d + 1) * in_time_ - 1], all);
  scopes_.back().out->back().results = {result};
  define_whole(result);
  return true;
}

Generate Rewriter::nothing_of(ArrayId like, const std::vector<Value>& nothing) {
  const std::size_t rank = to_.array_types[like].rank;
  std::vector<Value> extents;
  for (std::size_t axis = 0; axis < rank; ++axis) extents.push_back(extent(like, axis));
  RegionWriter code(to_);
  static_cast<void>(code.parameters(std::vector<ScalarType>(rank, ScalarType::i64)));
  return Generate{std::move(extents), code.take(nothing)};
}

// How much each part keeps is known when it has run: the cut of the results is made of that.
bool Rewriter::cut_compaction(const Binding& binding, const Compact& compact) {
  if (known(symbol(compact.mask)) != known(symbol(compact.source))) return false;
  const Cut cut = cut_of(compact.source);
  const Parts masks = parts_in(compact.mask, cut), sources = parts_in(compact.source, cut);
  const ArrayType type = to_.array_types[compact.source];
  std::vector<Parts> made(binding.results.size(), Parts(this->parts()));
  for (const std::size_t k : order_) {
    made[0][k] = make(binding, type, Compact{masks[k], sources[k]}, k);
    for (std::size_t i = 1; i < made.size(); ++i) {
      made[i][k] = to_.new_array(type);
      scopes_.back().out->back().results.push_back(made[i][k]);
    }
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    BlockWriter code = writer();
    std::vector<Value> at{code.number(0)};
    for (const ArrayId part : made[i])
      at.push_back(
          code.host(ScalarOp::add, at.back(), code.host(ScalarType::i64, Extent{part, 0})));
    const Cut kept = add_cut(std::move(at));
    name_cut(known(symbol(binding.results[i])), kept);
    define_parts(binding.results[i], kept, std::move(made[i]));
  }
  return true;
}

// As many segments for each device as its share is, with the elements of these.
bool Rewriter::cut_segments(const Binding& binding, const FoldSegments& fold) {
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
    RegionWriter moved(to_);
    const Value offset = moved.parameter(ScalarType::i64);
    std::vector<Value> local{moved.prim(ScalarOp::sub, ScalarType::i64, {offset, at[k]})};
    const ArrayId places =
        make(binding, to_.array_types[offsets], Map{moved.take(std::move(local)), own}, k);
    parts[k] =
        make(binding, type,
             FoldSegments{copy(fold.fn), mapped(fold.seed), sources[k], places, fold.in_order}, k);
  }
  define_parts(result, cut, std::move(parts));
  return true;
}

}  // namespace hasten::passes::fission
