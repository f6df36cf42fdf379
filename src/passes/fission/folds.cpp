// Rules for operations cut along the axis that is folded, scanned or filtered:
//   fold f z (join xs)   =>  f (fold f z x_0) (fold f 0 x_1) ..., 0 the identity of f
//   scan f (join xs)     =>  join (scan f x_0, map (f (fold f 0 x_0)) (scan f x_1), ...)
//   compact (join xs)    =>  join (compact x_0, compact x_1, ...)
// Operators without an identity, and those in order, stay whole, because a part may be empty.
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

// The carry into a part is folded by itself, so that no part waits for another; or, one part after
// the other, it is the last element of the part before.
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

// How many elements each part keeps is known once it has run: the cut of the results follows from
// that.
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
  for (std::size_t i = 0; i < made.size(); ++i) define_kept(binding, binding.results[i], made[i]);
  return true;
}

}  // namespace hasten::passes::fission
