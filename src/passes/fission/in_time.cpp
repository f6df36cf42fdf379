// Several parts for each device, one after the other. Parts of a device are equally long until its
// share ends, so that the rows that a part reads near its own are in the neighbouring parts;
// carries (a fold so far, a histogram so far) pass from one part to the next.
#include "passes/fission/rewriter.hpp"

#include "support/overloaded.hpp"

#include <algorithm>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

// -- where axes are cut ---------------------------------------------------------------------------

// The least number of rows of a part: rows near its own are in the next part, not in those behind
// it.
std::int64_t Rewriter::rows_near(const Block& block) const {
  std::int64_t most = 0;
  for (const Binding& binding : block.bindings) {
    visit_blocks(binding.op, [&](const Block& inner) { most = std::max(most, rows_near(inner)); });
    if (!is_one_of<Generate, GenerateSegments, Backpermute>(binding.op) || binding.results.empty())
      continue;
    const auto extents = shapes_.of(binding.results[0]);
    if (extents.empty()) continue;
    const Region& fn = *region_of(binding.op);
    RowReads reads(from_, shapes_, from_.value_types.size(), extents[0]);
    reads.walk(fn, {fn.params[std::holds_alternative<GenerateSegments>(binding.op) ? 1 : 0]});
    const auto note = [&](const std::vector<Value>& index) {
      const auto range = index.empty() ? std::nullopt : reads.of(index[0]);
      if (range) most = std::max({most, -range->first, range->last});
    };
    if (std::holds_alternative<Backpermute>(binding.op)) note(fn.results);
    const auto visit = [&](const auto& self, const Region& region) -> void {
      for (const Stmt& stmt : region.body) {
        if (const auto* load = std::get_if<Load>(&stmt.op)) note(load->index);
        visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
      }
    };
    visit(visit, fn);
  }
  return most;
}

bool Rewriter::can_be_near(Cut cut, const RowRange& range) const {
  if (!in_time() || (range.first == 0 && range.last == 0)) return true;
  return cuts_[cut].is_even && std::max(-range.first, range.last) <= rows_near_;
}

// Cuts each device's rows into parts; multiples of 64 rows where that is little compared with a
// part. No sum wraps, whatever the extent.
std::vector<Value> Rewriter::points_in_time(const std::vector<Value>& of_devices) {
  BlockWriter code = writer();
  const Value one = code.number(1), count = code.number(static_cast<std::int64_t>(in_time_));
  std::vector<Value> at;
  for (std::size_t d = 0; d + 1 < of_devices.size(); ++d) {
    const Value end = of_devices[d + 1];
    const Value rows = code.host(ScalarOp::sub, end, of_devices[d]);
    const Value less = code.host(ScalarOp::quot, code.host(ScalarOp::sub, rows, one), count);
    const Value even = code.host(ScalarOp::add, less, one);
    const Value least = code.host(ScalarOp::max, even, code.number(rows_near_));
    const Value little = code.host(ScalarOp::quot, least, code.number(16));
    const Value unit =
        code.host(ScalarOp::max, one, code.host(ScalarOp::min, code.number(64), little));
    const Value above = code.host(ScalarOp::add, least, code.host(ScalarOp::sub, unit, one));
    const Value length = code.host(ScalarOp::mul, code.host(ScalarOp::quot, above, unit), unit);
    Value next = of_devices[d];
    for (std::size_t p = 0; p < in_time_; ++p) {
      at.push_back(next);
      const Value left = code.host(ScalarOp::sub, end, next);
      next = code.host(ScalarOp::add, next, code.host(ScalarOp::min, length, left));
    }
  }
  at.push_back(of_devices.back());
  return at;
}

// Any part of a device before may be its last one with rows: a device's first part looks at all
// parts before it.
std::vector<std::size_t> Rewriter::parts_before(std::size_t part) const {
  std::vector<std::size_t> result;
  const std::size_t first = part % in_time_ > 0 ? part - 1 : 0;
  for (std::size_t k = first; k < part; ++k) result.push_back(k);
  return result;
}

std::vector<std::size_t> Rewriter::parts_after(std::size_t part) const {
  std::vector<std::size_t> result;
  if ((part + 1) % in_time_ > 0) result.push_back(part + 1);
  for (std::size_t k = (part / in_time_ + 1) * in_time_; k < parts(); k += in_time_)
    result.push_back(k);
  return result;
}

// -- what goes from part to part ------------------------------------------------------------------

// By the numbers so far, which the host reads; for operators without an identity, and for folds in
// order.
bool Rewriter::fold_in_time(const Binding& binding, const Fold& fold) {
  if (!in_time() || devices() > 1) return false;
  const ArrayType type = to_.array_types[binding.results[0]];
  check_before(binding);
  const Parts sources = parts_in(fold.source, cut_of(fold.source));
  std::vector<Value> seed = mapped(fold.seed);
  ArrayId so_far = none;
  for (std::size_t k = 0; k < parts(); ++k) {
    so_far = make(binding, type,
                  Fold{copy(fold.fn), std::move(seed), sources[k], fold.axes, fold.in_order}, k);
    if (k + 1 == parts()) break;
    seed.clear();
    for (std::uint32_t leaf = 0; leaf < type.leaves.size(); ++leaf)
      seed.push_back(writer().host(type.leaves[leaf], Load{so_far, leaf, {}, 0, false}));
  }
  scopes_.back().out->back().results = {binding.results[0]};
  define_whole(binding.results[0]);
  return true;
}

// For columns: rows that come through a transposition, of which no part has all. Each part folds
// the rows it has, and the results are combined element by element.
bool Rewriter::fold_columns_in_time(const Binding& binding, const Fold& fold) {
  const Binding* const producer = producers_[fold.source];
  if (!in_time() || fold.in_order || fold.axes != 1 || !producer) return false;
  const auto* const read = std::get_if<Backpermute>(&producer->op);
  if (!read || read->fn.results.empty()) return false;
  const Value row = read->fn.params.back();
  std::size_t uses = 0;
  for_each_use(read->fn, [&](Value v) { uses += v == row ? 1 : 0; }, [](ArrayId) {});
  const Symbol folded = symbol(fold.source, to_.array_types[fold.source].rank - 1);
  if (uses != 1 || read->fn.results[0] != row || !contains(read->inside, 0) ||
      known(folded) != known(symbol(read->source)))
    return false;
  const ArrayType type = to_.array_types[binding.results[0]];
  const std::vector<Value> nothing = identity(fold.fn, type);
  if (nothing.empty()) return false;
  check_before(binding);
  const Cut cut = cut_of(read->source);
  const Parts sources = parts_in(read->source, cut);
  ArrayId all = none;
  for (std::size_t k = 0; k < parts(); ++k) {
    Backpermute columns = *read;
    columns.fn = copy(read->fn);
    columns.source = sources[k];
    columns.extent = mapped(read->extent);
    columns.extent.back() = cuts_[cut].lengths[k];
    const ArrayId rows = make(*producer, to_.array_types[fold.source], std::move(columns), k);
    std::vector<Value> seed = k == 0 && !fold.seed.empty() ? mapped(fold.seed) : nothing;
    const ArrayId part =
        make(binding, type, Fold{copy(fold.fn), std::move(seed), rows, fold.axes}, k);
    all = k == 0 ? part : in_memory(combined(fold.fn, all, part), k);
  }
  scopes_.back().out->back().results = {binding.results[0]};
  define_whole(binding.results[0]);
  return true;
}

// The carry into the next part: the last element of the part's scan combined with the carry before
// it, or that carry alone if the part is empty. The first part is empty only if all are.
ArrayId Rewriter::carried(const Binding& binding, ArrayId before, ArrayId scanned,
                          std::size_t part) {
  const std::vector<ScalarType>& leaves = to_.array_types[scanned].leaves;
  BlockWriter host = writer();
  const Value rows = host.host(ScalarType::i64, Extent{scanned, 0}), zero = host.number(0);
  const Value any = host.host(ScalarType::boolean, Prim{ScalarOp::lt, {zero, rows}});
  const Value last = host.host(ScalarOp::sub, rows, host.number(1));
  RegionWriter some(to_), nothing(to_), code(to_);
  std::vector<Value> element = some.load(scanned, {last});
  std::vector<Value> otherwise;
  if (before == none) {
    otherwise = nothing.constants(leaves, std::vector<Bits>(leaves.size()));
  } else {
    std::vector<Value> sides = some.load(before, {});
    sides.insert(sides.end(), element.begin(), element.end());
    element = some.call(std::get<Scan>(binding.op).fn, sides);
    otherwise = nothing.load(before, {});
  }
  std::vector<Value> results =
      code.branch(any, some.take(std::move(element)), nothing.take(std::move(otherwise)));
  Region fn = code.take(std::move(results));
  use_wholes(fn);
  return in_memory(make(binding, {0, leaves}, Generate{{}, std::move(fn)}, part), part);
}

// Not inlined: a chain of many parts would become one kernel.
ArrayId Rewriter::in_memory(ArrayId array, std::size_t part) {
  if (!in_time()) return array;
  return make(*like_, to_.array_types[array], Compute{array}, part);
}

}  // namespace hasten::passes::fission
