// before: folds, scans, segmented folds and scatters whose operators may be grouped in any way
// after:  those whose result depends on the grouping run in order: rows from left to right.
//         An array of one axis is first cut into blocks, of an odd length L that follows from its
//         extent n:
//           parts  = fold1 f of each whole block, and of the rest
//           result = fold f [z] parts
//         and a scan's blocks are scanned, then their totals, and the results combined
// why:    the same bits from every target, vector width and number of threads. Blocks give them all
//         enough work; an odd L keeps lanes that walk along blocks apart in caches
// needs:  to run before everything else, and for the interpreter too
// provides: folds and scans with `in_order`, whose sources have at least two axes
#include "passes/fix_order.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"
#include "passes/writing.hpp"

#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

constexpr std::int64_t blocks_max = 4095;
constexpr std::int64_t block_elements_min = 1023;

/// How an axis is cut: `count` blocks of `length`, then one of `rest` elements if `rests` is 1.
struct Blocks {
  Value length, count, rest, rests;
};

/// The bindings that replace one fold or scan of an array with one axis.
class BlockedOperation {
 public:
  BlockedOperation(Program& program, const Binding& binding, std::vector<Binding>& out)
      : program_(program),
        binding_(binding),
        out_(out),
        writer_(program, binding, out) {}

  void fold(Fold op) {
    if (op.seed.empty()) op.source = demand_some(op.source);
    cut(op.source);
    const ArrayId whole = fold_rows(op, whole_blocks(op.source));
    const ArrayId last = fold_rows(op, last_block(op.source));
    const ArrayId total =
        writer_.add({1, leaves(op.source)}, Fold{op.fn, op.seed, parts(whole, last), 1, true});
    end(Reshape{{}, total});
  }

  void scan(const Scan& op) {
    cut(op.source);
    const ArrayId whole = scan_rows(op, whole_blocks(op.source));
    const ArrayId last = scan_rows(op, last_block(op.source));
    const ArrayId before =
        writer_.add({2, leaves(op.source)}, Scan{op.fn, op.seed, last_of_each(whole), true});
    const Value length =
        writer_.host(ScalarOp::add, size_, writer_.number(op.seed.empty() ? 0 : 1));
    end(Generate{{length}, element(op, whole, last, before)});
  }

 private:
  static constexpr ScalarType i64 = ScalarType::i64;

  [[nodiscard]] const std::vector<ScalarType>& leaves(ArrayId a) const {
    return program_.array_types[a].leaves;
  }

  void end(ArrayOp op) {
    out_.push_back(binding_);
    out_.back().op = std::move(op);
  }

  ArrayId demand_some(ArrayId source) {
    const Value n = writer_.host(i64, Extent{source, 0}), none_of_it = writer_.number(0);
    const Value some = writer_.host(ScalarType::boolean, Prim{ScalarOp::lt, {none_of_it, n}});
    constexpr const char* message =
        "the innermost axis of an array of shape (0) is empty, and without a seed there is no "
        "result; fold with a seed, or test the extent first (acond)";
    const ArrayType type = program_.array_types[source];
    return writer_.add(type, Demand{some, message, {}, source});
  }

  void cut(ArrayId source) {
    size_ = writer_.host(i64, Extent{source, 0});
    one_ = writer_.number(1);
    const Value least = writer_.number(block_elements_min);
    const Value share = writer_.host(ScalarOp::quot, size_, writer_.number(blocks_max));
    blocks_.length = writer_.host(ScalarOp::or_, writer_.host(ScalarOp::max, share, least), one_);
    blocks_.count = writer_.host(ScalarOp::quot, size_, blocks_.length);
    first_ = writer_.host(ScalarOp::mul, blocks_.count, blocks_.length);
    blocks_.rest = writer_.host(ScalarOp::sub, size_, first_);
    blocks_.rests = writer_.host(ScalarOp::min, blocks_.rest, one_);
  }

  ArrayId whole_blocks(ArrayId source) {
    RegionWriter code(program_);
    const std::vector<Value> index = code.parameters({i64, i64});
    const Value before = code.prim(ScalarOp::mul, i64, {index[0], blocks_.length});
    const Value at = code.prim(ScalarOp::add, i64, {before, index[1]});
    return rows(source, {blocks_.count, blocks_.length}, code.take({at}));
  }

  ArrayId last_block(ArrayId source) {
    RegionWriter code(program_);
    const std::vector<Value> index = code.parameters({i64, i64});
    const Value at = code.prim(ScalarOp::add, i64, {first_, index[1]});
    return rows(source, {blocks_.rests, blocks_.rest}, code.take({at}));
  }

  ArrayId rows(ArrayId source, std::vector<Value> extent, Region fn) {
    const std::vector<ScalarType> types = leaves(source);
    return writer_.add({2, types},
                       Backpermute{std::move(extent), std::move(fn), source, all_axes(1), true});
  }

  Region copy(const Region& fn) {
    Renaming renaming;
    return clone(fn, renaming, program_);
  }

  ArrayId fold_rows(const Fold& op, ArrayId source) {
    const std::vector<ScalarType> types = leaves(source);
    return writer_.add({1, types}, Fold{copy(op.fn), {}, source, 1, true});
  }

  ArrayId scan_rows(const Scan& op, ArrayId source) {
    const std::vector<ScalarType> types = leaves(source);
    return writer_.add({2, types}, Scan{copy(op.fn), {}, source, true});
  }

  // One row: the results of the whole blocks, then that of the last one.
  ArrayId parts(ArrayId whole, ArrayId last) {
    RegionWriter code(program_), of_whole(program_), of_last(program_);
    const std::vector<Value> index = code.parameters({i64, i64});
    const Value is_whole = code.prim(ScalarOp::lt, ScalarType::boolean, {index[1], blocks_.count});
    std::vector<Value> a = of_whole.load(whole, {index[1]});
    std::vector<Value> b = of_last.load(last, {index[0]});
    Region fn = code_of(code, is_whole, of_whole.take(std::move(a)), of_last.take(std::move(b)));
    const Value count = writer_.host(ScalarOp::add, blocks_.count, blocks_.rests);
    const std::vector<ScalarType> types = leaves(whole);
    return writer_.add({2, types}, Generate{{one_, count}, std::move(fn)});
  }

  static Region code_of(RegionWriter& code, Value condition, Region then_, Region else_) {
    std::vector<Value> results = code.branch(condition, std::move(then_), std::move(else_));
    return code.take(std::move(results));
  }

  // One row: the totals of the whole blocks.
  ArrayId last_of_each(ArrayId whole) {
    const Value last = writer_.host(ScalarOp::sub, blocks_.length, one_);
    RegionWriter code(program_);
    const std::vector<Value> index = code.parameters({i64, i64});
    std::vector<Value> total = code.load(whole, {index[1], last});
    const std::vector<ScalarType> types = leaves(whole);
    return writer_.add({2, types}, Generate{{one_, blocks_.count}, code.take(std::move(total))});
  }

  // -- the scan's elements ----------------------------------------------------------------------

  struct Scanned {
    ArrayId whole, last;  // blocks, each by itself
    ArrayId before;       // with a seed, the total before each block; else before the next one
  };

  Region element(const Scan& op, ArrayId whole, ArrayId last, ArrayId before) {
    const Scanned scanned{whole, last, before};
    RegionWriter code(program_);
    const Value index = code.parameter(i64);
    if (op.seed.empty()) return without_seed(op, scanned, std::move(code), index);
    RegionWriter first(program_), later(program_);
    const Value zero = code.constant(i64, {0, 0});
    const Value is_first = code.prim(ScalarOp::eq, ScalarType::boolean, {index, zero});
    const Value one = later.constant(i64, {1, 0});
    const Value at = later.prim(ScalarOp::sub, i64, {index, one});
    const auto [block, place] = place_of(later, at);
    std::vector<Value> sides = later.load(scanned.before, {zero, block});
    append(sides, in_block(later, scanned, zero, block, place));
    std::vector<Value> results = later.call(op.fn, sides);
    return code_of(code, is_first, first.take(op.seed), later.take(std::move(results)));
  }

  Region without_seed(const Scan& op, const Scanned& scanned, RegionWriter code, Value index) {
    RegionWriter first(program_), later(program_);
    const Value zero = code.constant(i64, {0, 0});
    const auto [block, place] = place_of(code, index);
    const std::vector<Value> x = in_block(code, scanned, zero, block, place);
    const Value is_first = code.prim(ScalarOp::eq, ScalarType::boolean, {block, zero});
    const Value one = later.constant(i64, {1, 0});
    const Value before = later.prim(ScalarOp::sub, i64, {block, one});
    std::vector<Value> sides = later.load(scanned.before, {zero, before});
    append(sides, x);
    std::vector<Value> results = later.call(op.fn, sides);
    return code_of(code, is_first, first.take(x), later.take(std::move(results)));
  }

  std::pair<Value, Value> place_of(RegionWriter& code, Value at) const {
    const Value block = code.prim(ScalarOp::quot, i64, {at, blocks_.length});
    const Value before = code.prim(ScalarOp::mul, i64, {block, blocks_.length});
    return {block, code.prim(ScalarOp::sub, i64, {at, before})};
  }

  std::vector<Value> in_block(RegionWriter& code, const Scanned& scanned, Value zero, Value block,
                              Value place) {
    RegionWriter of_whole(program_), of_last(program_);
    const Value is_whole = code.prim(ScalarOp::lt, ScalarType::boolean, {block, blocks_.count});
    std::vector<Value> a = of_whole.load(scanned.whole, {block, place});
    std::vector<Value> b = of_last.load(scanned.last, {zero, place});
    return code.branch(is_whole, of_whole.take(std::move(a)), of_last.take(std::move(b)));
  }

  static void append(std::vector<Value>& to, const std::vector<Value>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  Program& program_;
  const Binding& binding_;
  std::vector<Binding>& out_;
  BlockWriter writer_;
  Blocks blocks_{};
  Value size_ = none, one_ = none, first_ = none;  // elements, 1, those in whole blocks
};

class OrderFixer {
 public:
  explicit OrderFixer(Program& program) : program_(program) {}

  void run(Block& block) {
    std::vector<Binding> before = std::exchange(block.bindings, {});
    for (Binding& binding : before) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      fix(std::move(binding), block.bindings);
    }
  }

 private:
  [[nodiscard]] bool shows(const Region& fn, ArrayId source) const {
    return !is_exact(fn, program_.array_types[source].leaves);
  }

  void fix(Binding binding, std::vector<Binding>& out) {
    if (auto* op = std::get_if<FoldSegments>(&binding.op)) op->in_order = shows(op->fn, op->source);
    if (auto* op = std::get_if<Permute>(&binding.op))
      op->in_order = op->mode == detail::PermuteMode::combine && shows(op->fn, op->defaults);
    if (auto* op = std::get_if<Fold>(&binding.op); op && shows(op->fn, op->source))
      return fold(binding, *op, out);
    if (auto* op = std::get_if<Scan>(&binding.op); op && shows(op->fn, op->source)) {
      op->in_order = program_.array_types[op->source].rank > 1;
      if (!op->in_order) return BlockedOperation(program_, binding, out).scan(*op);
    }
    out.push_back(std::move(binding));
  }

  // Several axes are first joined into one.
  void fold(Binding& binding, Fold& op, std::vector<Binding>& out) {
    if (op.axes > 1) join_axes(binding, op, out);
    if (program_.array_types[op.source].rank == 1)
      return BlockedOperation(program_, binding, out).fold(op);
    op.in_order = true;
    out.push_back(std::move(binding));
  }

  void join_axes(const Binding& binding, Fold& op, std::vector<Binding>& out) {
    BlockWriter writer(program_, binding, out);
    const ArrayType type = program_.array_types[op.source];
    const std::uint32_t outer = type.rank - op.axes;
    std::vector<Value> extent;
    for (std::uint32_t axis = 0; axis < type.rank; ++axis) {
      const Value n = writer.host(ScalarType::i64, Extent{op.source, axis});
      if (axis <= outer)
        extent.push_back(n);
      else
        extent.back() = writer.host(ScalarOp::mul, extent.back(), n);
    }
    op.source = writer.add({outer + 1, type.leaves}, Reshape{std::move(extent), op.source});
    op.axes = 1;
  }

  Program& program_;
};

}  // namespace

Program fix_order(Program program) {
  OrderFixer(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
