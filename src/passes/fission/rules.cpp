// Rules for operations of which each part follows from parts of the sources: what stands beside it,
//   op (join xs)  =>  join (op x_0, ..., op x_n)
// and the conditions on whole arrays, which are checked before, by shapes alone.
#include "passes/fission/rewriter.hpp"

#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

namespace {

// Operations that are inlined, and so cost nothing where nobody reads them.
bool is_inlined(const ArrayOp& op) {
  return is_one_of<Generate, Map, ZipWith, Replicate, Slice, Backpermute>(op);
}

}  // namespace

bool Rewriter::can_make_again(const ArrayOp& op) { return is_inlined(op); }

bool Rewriter::cut(const Binding& binding) {
  if (binding.results.empty()) return false;
  return match(
      binding.op, [&](const Permute& op) { return cut_scatter(binding, op); },
      [&](const Compact& op) { return cut_compaction(binding, op); },
      [&](const Fold& op) {
        const bool has_rows = to_.array_types[binding.results[0]].rank > 0;
        if (!has_rows) return cut_fold(binding, op);
        return fold_columns_in_time(binding, op) || cut_apart(binding);
      },
      [&](const Scan& op) {
        const bool has_rows = to_.array_types[binding.results[0]].rank > 1;
        return has_rows ? cut_apart(binding) : cut_scan(binding, op);
      },
      [&](const FoldSegments& op) {
        const bool has_rows = to_.array_types[binding.results[0]].rank > 1;
        return has_rows ? cut_apart(binding) : cut_segments(binding, op);
      },
      [&](const SortPositions& op) {
        return to_.array_types[op.source].rank > 1 ? cut_apart(binding) : cut_sort(binding, op);
      },
      [&](const Reshape& op) { return cut_reshaped(binding, op); },
      [&](const Generate& op) { return cut_gather_of_first(binding, op) || cut_apart(binding); },
      [&](const OneOf<GenerateSegments, Map, ZipWith, Replicate, Slice, Backpermute, Concat, Demand,
                      Compute> auto&) { return cut_apart(binding); },
      [](const OneOf<HostScalar, Use, Input, Unit, Rows, ArrayIf, ArrayWhile,
                     ForeignArrays> auto&) { return false; });
}

bool Rewriter::cut_apart(const Binding& binding) {
  const ArrayId result = binding.results[0];
  if (to_.array_types[result].rank == 0) return false;
  const Symbol axis = known(symbol(result));
  std::optional<Cut> cut = named_cut(axis);
  if (!cut) {
    const auto extent = outermost_extent(binding.op);
    if (!extent) return false;
    cut = cut_for(axis, *extent);
  } else if (!outermost_extent(binding.op)) {
    return false;
  }
  check_before(binding);
  check_count(binding);
  define_parts(result, *cut, make_parts(binding, *cut));
  return true;
}

// The reads of neighbouring rows are issued first, for all parts: a device whose part was already
// issued would reach them later, and other devices would wait.
Rewriter::Parts Rewriter::make_parts(const Binding& binding, Cut cut) {
  const ArrayType type = to_.array_types[binding.results[0]];
  std::vector<ArrayOp> ops;
  for (const std::size_t k : order_) ops.push_back(part_of(binding, cut, k));
  Parts parts(this->parts());
  for (std::size_t i = 0; i < order_.size(); ++i)
    parts[order_[i]] = make(binding, type, std::move(ops[i]), order_[i]);
  return parts;
}

// Nothing if the operation has no rule along its outermost axis.
std::optional<Value> Rewriter::outermost_extent(const ArrayOp& op) {
  const auto clamped = [&](Value extent) {
    BlockWriter code = writer();
    return code.host(ScalarOp::max, mapped(extent), code.number(0));
  };
  const auto least = [&](const std::vector<ArrayId>& sources) {
    Value result = extent(sources[0], 0);
    for (std::size_t i = 1; i < sources.size(); ++i)
      result = writer().host(ScalarOp::min, result, extent(sources[i], 0));
    return result;
  };
  using Found = std::optional<Value>;
  return match(
      op,
      [&](const OneOf<Generate, Backpermute, Reshape> auto& x) -> Found {
        return clamped(x.extent[0]);
      },
      [&](const GenerateSegments& x) -> Found { return clamped(x.extent); },
      [&](const OneOf<Map, Demand, Compute, Fold, Scan, SortPositions, FoldSegments> auto& x)
          -> Found { return extent(x.source, 0); },
      [&](const ZipWith& x) -> Found { return least(x.sources); },
      [&](const Replicate& x) -> Found {
        return x.axes[0] == none ? extent(x.source, 0) : clamped(x.axes[0]);
      },
      [&](const Slice& x) -> Found {
        return x.axes[0] == none ? Found(extent(x.source, 0)) : std::nullopt;
      },
      [&](const Concat& x) -> Found {
        if (x.joins) return std::nullopt;
        return x.axis == 0 ? sum_of_rows(x.sources) : least(x.sources);
      },
      [](const OneOf<HostScalar, Use, Input, Unit, Rows, Permute, Compact, ArrayIf, ArrayWhile,
                     ForeignArrays> auto&) -> Found { return std::nullopt; });
}

// -- parts ----------------------------------------------------------------------------------------

ArrayOp Rewriter::part_of(const Binding& binding, Cut cut, std::size_t k) {
  const Value length = cuts_[cut].lengths[k];
  const Symbol axis = known(symbol(binding.results[0]));
  const auto part = [&](ArrayId source) { return parts_in(source, cut)[k]; };
  const auto rows = [&](std::vector<Value> extents) {
    extents = mapped(std::move(extents));
    extents[0] = length;
    return extents;
  };
  return match(
      binding.op,
      [&](const Generate& op) -> ArrayOp {
        return Generate{rows(op.extent), at_part(op.fn, cut, k, axis)};
      },
      [&](const GenerateSegments& op) { return part_of(op, binding, cut, k, axis); },
      [&](const Map& op) -> ArrayOp {
        return Map{of_elements(op.fn, std::span(&op.source, 1), cut, k, axis), part(op.source)};
      },
      [&](const ZipWith& op) -> ArrayOp {
        ZipWith zip{of_elements(op.fn, op.sources, cut, k, axis), {}, op.equal};
        for (const ArrayId source : op.sources) zip.sources.push_back(part(source));
        return zip;
      },
      [&](const Replicate& op) -> ArrayOp {
        std::vector<Value> axes = mapped(op.axes);
        if (axes[0] == none) return Replicate{std::move(axes), part(op.source)};
        axes[0] = length;
        return Replicate{std::move(axes), whole(op.source)};
      },
      [&](const Slice& op) -> ArrayOp {
        Slice slice = op;
        slice.axes = mapped(op.axes);
        slice.source = part(op.source);
        slice.some = false;
        return slice;
      },
      [&](const Backpermute& op) { return part_of(op, cut, k, axis); },
      [&](const Fold& op) -> ArrayOp {
        return Fold{copy(op.fn), mapped(op.seed), part(op.source), op.axes, op.in_order};
      },
      [&](const FoldSegments& op) -> ArrayOp {
        return FoldSegments{copy(op.fn), mapped(op.seed), part(op.source), whole(op.offsets),
                            op.in_order};
      },
      [&](const Scan& op) -> ArrayOp {
        return Scan{copy(op.fn), mapped(op.seed), part(op.source), op.in_order};
      },
      [&](const Concat& op) -> ArrayOp {
        if (op.axis == 0) return concat_of_rows(op, cut, k);
        Concat concat{op.axis, {}, false};
        for (const ArrayId source : op.sources) concat.sources.push_back(part(source));
        return concat;
      },
      [&](const SortPositions& op) -> ArrayOp {
        SortPositions sort{part(op.source), {}, op.at_heads, op.first};
        if (sort.first != none) sort.first = mapped(sort.first);
        return sort;
      },
      [&](const Demand& op) -> ArrayOp {
        return Demand{mapped(op.condition), op.message,     mapped(op.shown),
                      part(op.source),      op.of_elements, op.of_count};
      },
      [&](const Compute& op) -> ArrayOp { return Compute{part(op.source)}; },
      [](const OneOf<HostScalar, Use, Input, Unit, Reshape, Rows, Permute, Compact, ArrayIf,
                     ArrayWhile, ForeignArrays> auto&) -> ArrayOp {
        throw InternalError("fission: an operation without a rule");
      });
}

// Of rows that move together: the rows that move here. As reads in a function if the reads stay
// near; else as a gather from the whole source.
ArrayOp Rewriter::part_of(const Backpermute& op, Cut cut, std::size_t part, Symbol axis) {
  std::vector<Value> extents = mapped(op.extent);
  extents[0] = cuts_[cut].lengths[part];
  if (const auto moved = cut_of_moved(op, cut)) {
    Region fn = at_part(op.fn, cut, part, axis);
    fn.results[0] = fn.params[0];
    return Backpermute{std::move(extents), std::move(fn), parts_in(op.source, *moved)[part],
                       op.inside};
  }
  RowReads reads(to_, shapes_, from_.value_types.size(), axis);
  reads.walk(op.fn, {op.fn.params[0]});
  const Load read{op.source, 0, op.fn.results, op.inside, op.some};
  if (!rows_read(read, cut, reads)) {
    Backpermute permuted = op;
    permuted.extent = std::move(extents);
    permuted.fn = at_part(op.fn, cut, part, axis);
    permuted.source = whole(op.source);
    return permuted;
  }
  Region fn = op.fn;
  std::vector<Value> element;
  const std::vector<ScalarType> leaves = to_.array_types[op.source].leaves;
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    element.push_back(to_.new_value(leaves[leaf]));
    Load load = read;
    load.leaf = leaf;
    fn.body.push_back({{element.back()}, std::move(load)});
  }
  fn.results = std::move(element);
  return Generate{std::move(extents), at_part(fn, cut, part, axis)};
}

// -- rows of several arrays -----------------------------------------------------------------------

Value Rewriter::sum_of_rows(const std::vector<ArrayId>& sources) {
  Value sum = extent(sources[0], 0);
  for (std::size_t i = 1; i < sources.size(); ++i)
    sum = writer().host(ScalarOp::add, sum, extent(sources[i], 0));
  return sum;
}

// Along the outermost axis: the rows of each source that lie in the part.
Concat Rewriter::concat_of_rows(const Concat& op, Cut cut, std::size_t part) {
  Concat concat{0, {}, false};
  BlockWriter code = writer();
  const Value zero = code.number(0);
  Value before = zero;  // rows of the sources so far
  for (const ArrayId source : op.sources) {
    const Value rows = extent(source, 0);
    const auto local = [&](Value point) {
      const Value from = code.host(ScalarOp::sub, point, before);
      return code.host(ScalarOp::min, rows, code.host(ScalarOp::max, from, zero));
    };
    const Value begin = local(cuts_[cut].at[part]), end = local(cuts_[cut].at[part + 1]);
    concat.sources.push_back(code.add(to_.array_types[source], Rows{whole(source), begin, end}));
    before = code.host(ScalarOp::add, before, rows);
  }
  return concat;
}

// -- reshapes -------------------------------------------------------------------------------------

// Rows that stay rows, rows that become elements, and elements that become rows.
bool Rewriter::cut_reshaped(const Binding& binding, const Reshape& op) {
  const ArrayId result = binding.results[0];
  const auto from = shapes_.of(op.source), to = shapes_.of(result);
  if (from.empty() || to.empty()) return false;
  const Symbol axis = known(to[0]);
  Cut cut_result = 0, cut_source = 0;
  if (known(from[0]) == axis) {
    cut_result = cut_source = cut_of(op.source);
  } else if (to.size() == 1 && shapes_.is_product(to[0], from, result)) {
    cut_source = cut_of(op.source);
    std::vector<Value> by;
    for (std::size_t k = 1; k < from.size(); ++k) by.push_back(extent(op.source, k));
    cut_result = scaled(cut_source, by, from.subspan(1));
    if (!named_cut(axis)) name_cut(axis, cut_result);
  } else if (from.size() == 1 && shapes_.is_product(from[0], to, result)) {
    const auto there = named_cut(axis);
    cut_result = there ? *there : cut_for(axis, *outermost_extent(binding.op));
    std::vector<Value> by = mapped(op.extent);
    by.erase(by.begin());
    cut_source = scaled(cut_result, by, to.subspan(1));
  } else {
    return false;
  }
  check_before(binding);
  const Parts sources = parts_in(op.source, cut_source);
  Parts parts(this->parts());
  for (const std::size_t k : order_) {
    std::vector<Value> extents = mapped(op.extent);
    extents[0] = cuts_[cut_result].lengths[k];
    parts[k] = make(binding, to_.array_types[result], Reshape{std::move(extents), sources[k]}, k);
  }
  define_parts(result, cut_result, std::move(parts));
  return true;
}

// -- conditions -----------------------------------------------------------------------------------

// Checks the shapes that the user sees: parts have other shapes, and may agree where wholes do not.
void Rewriter::check_before(const Binding& binding) {
  const auto add = [&](ArrayOp op) {
    add_ghost(to_.array_types[binding.results[0]], std::move(op));
  };
  if (const auto* zip = std::get_if<ZipWith>(&binding.op)) {
    const auto first = shapes_.of(zip->sources[0]);
    const bool is_known = std::ranges::all_of(zip->sources, [&](ArrayId source) {
      return std::ranges::equal(first, shapes_.of(source));
    });
    if (!zip->equal || is_known) return;
    ZipWith same{copy(zip->fn), {}, true};
    for (const ArrayId source : zip->sources) same.sources.push_back(ghost(source));
    add(std::move(same));
  } else if (const auto* fold = std::get_if<Fold>(&binding.op)) {
    if (fold->seed.empty()) add(Fold{copy(fold->fn), {}, ghost(fold->source), fold->axes});
  } else if (const auto* reshape = std::get_if<Reshape>(&binding.op)) {
    add(Reshape{mapped(reshape->extent), ghost(reshape->source)});
  }
}

// Each part may have a countable number of elements although the whole has too many; and arrays
// that nobody reads have no parts. Vectors, and arrays with the extents of an existing array,
// cannot have too many.
void Rewriter::check_count(const Binding& binding) {
  const auto shape = shapes_.of(binding.results[0]);
  if (shape.size() < 2 || counted_.contains({shape.begin(), shape.end()})) return;
  std::vector<Value> extents;
  if (const auto* generate = std::get_if<Generate>(&binding.op)) {
    extents = mapped(generate->extent);
  } else if (const auto* gather = std::get_if<Backpermute>(&binding.op)) {
    extents = mapped(gather->extent);
  } else if (const auto* replicate = std::get_if<Replicate>(&binding.op)) {
    std::size_t next = 0;
    for (const Value axis : replicate->axes)
      extents.push_back(axis == none ? extent(replicate->source, next++) : mapped(axis));
  }
  const ArrayType type{static_cast<std::uint32_t>(extents.size()), {ScalarType::boolean}};
  if (type.rank > 0) static_cast<void>(ghost(type, std::move(extents)));
}

// Only for the outermost block: what other blocks define may never be computed. Operations that
// check the count where they run, if at all, do not count.
void Rewriter::note_counted(const Binding& binding) {
  if (is_one_of<Slice, Fold, FoldSegments, Scan, Concat>(binding.op)) return;
  for (const ArrayId result : binding.results) {
    const auto shape = shapes_.of(result);
    if (shape.size() > 1) counted_.emplace(shape.begin(), shape.end());
  }
}

// An array of the same extents that nobody reads.
ArrayId Rewriter::ghost(ArrayId array) {
  const ArrayType type = to_.array_types[array];
  std::vector<Value> extents;
  for (std::size_t axis = 0; axis < type.rank; ++axis) extents.push_back(extent(array, axis));
  return ghost(type, std::move(extents));
}

ArrayId Rewriter::ghost(const ArrayType& type, std::vector<Value> extents) {
  RegionWriter code(to_);
  static_cast<void>(code.parameters(std::vector<ScalarType>(type.rank, ScalarType::i64)));
  const std::vector<Bits> zeros(type.leaves.size());
  std::vector<Value> element = code.constants(type.leaves, zeros);
  add_ghost(type, Generate{std::move(extents), code.take(std::move(element))});
  return scopes_.back().out->back().results[0];
}

void Rewriter::add_ghost(ArrayType type, ArrayOp op) {
  static_cast<void>(make(*like_, std::move(type), std::move(op), none));
  scopes_.back().out->back().storage = Storage::delayed;
}

}  // namespace hasten::passes::fission
