// One walk over a copy of the element function. Where an index plus a number is compared with, or
// limited by, a uniform value, the interior is the range in which the answer is known.
#include "kernels/analysis/interior.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "kernels/analysis/indices/index_period.hpp"
#include "kernels/analysis/loops/loop_counter.hpp"
#include "kernels/analysis/test_outcomes.hpp"
#include "passes/dead_code.hpp"
#include "passes/simplify/simplify.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hasten::kernels {
namespace {

using namespace core;

// Literals up to this number are taken as the low end of an axis, all others as the high end.
constexpr std::int64_t low_end = 64;
// Limits are clamped to far_away, and bases are at most base_max: their distance exceeds any index.
// Offsets are much smaller, so that no sum overflows.
constexpr std::int64_t far_away = std::int64_t{1} << 61, base_max = std::int64_t{1} << 60;
constexpr std::int64_t offset_max = std::int64_t{1} << 40;
constexpr std::int64_t scale_max = 1 << 16;
constexpr unsigned steps_max = 16;  // from the arguments to a limit

/// scale * params[axis] + base + offset; the base, if any, is uniform. `counter`: a state of a loop
/// that counts (analysis/loops/loop_counter.hpp), which is added, too; without an axis it is added
/// alone.
struct Position {
  std::size_t axis;
  Value base;
  std::int64_t offset;
  std::int64_t scale = 1;
  Value counter = none;
};
constexpr std::size_t no_axis = SIZE_MAX;

/// The interior of an axis begins, or ends, at value - base + offset; or, with a scale, at
/// (value - base + offset - 1) / scale + 1, rounded down.
struct Bound {
  std::size_t axis;
  bool is_end;
  Value value, base;
  std::int64_t offset, scale;
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// Counts from 0 to the end, plus an offset, that are to be at most `last`.
struct Count {
  Value end, last;
  std::int64_t offset;
};

Bits bits_of_number(std::int64_t x) { return {static_cast<std::uint64_t>(x), 0}; }

/// x < y as y > x.
ScalarOp flipped(ScalarOp op) {
  switch (op) {
    case ScalarOp::lt: return ScalarOp::gt;
    case ScalarOp::le: return ScalarOp::ge;
    case ScalarOp::gt: return ScalarOp::lt;
    case ScalarOp::ge: return ScalarOp::le;
    default: return op;
  }
}

class InteriorFinder {
 public:
  InteriorFinder(Kernel& kernel, InteriorAxes axes, InteriorTests tests = InteriorTests::all)
      : kernel_(kernel),
        every_axis_(axes == InteriorAxes::all),
        every_test_(tests == InteriorTests::all),
        is_periodic_(index_period(kernel, kernel.element, kernel.element.params.size() - 1) > 1),
        inner_(kernel.element, kernel.value_types.size()),
        reading_(kernel.element) {}

  void run() {
    Program values;  // clone numbers values through a program
    values.value_types = std::move(kernel_.value_types);
    Renaming renaming;
    Region region = clone(kernel_.element, renaming, values);
    kernel_.value_types = std::move(values.value_types);
    for (const auto& [original, copy] : renaming) original_[copy] = original;
    for (Value v : kernel_.scalars) uniform_[v] = 0;
    for (std::size_t axis = 0; axis < region.params.size(); ++axis)
      positions_[region.params[axis]] = {axis, none, 0};
    walk(region);
    if (bounds_.empty() && counts_.empty()) return;
    passes::ScalarSimplifier(kernel_.value_types).run(region);
    passes::remove_dead_code(region, kernel_.value_types.size());
    Region bounds = bounds_region();
    kernel_.interior = Interior{std::move(bounds), std::move(region)};
  }

 private:
  void walk(Region& region) {
    for (Stmt& stmt : region.body) {
      edit_operands(stmt, [&](Value& v) { v = replaced(v); }, [](ArrayId&) {});
      if (auto* constant = std::get_if<Constant>(&stmt.op)) note_constant(stmt, *constant);
      if (auto* prim = std::get_if<Prim>(&stmt.op)) visit(stmt, *prim);
      note_outcome(stmt);
      if (const auto* loop = std::get_if<While>(&stmt.op)) note_counter(*loop);
      if (auto* branch = std::get_if<If>(&stmt.op))
        walk_sides(*branch);
      else
        edit_regions(stmt, [&](Region& inner) { walk(inner); });
    }
    for (Value& v : region.results) v = replaced(v);
  }

  // In a loop's body its counter is in [0, end).
  void note_counter(const While& loop) {
    const auto is_one = [&](Value v) {
      const auto number = numbers_.find(v);
      return number != numbers_.end() && number->second == 1;
    };
    const auto counter = find_loop_counter(loop, is_one);
    if (!counter) return;
    const Value first = loop.init[counter->state], state = loop.body.params[counter->state];
    const Value end = replaced(counter->end);
    const auto zero = numbers_.find(first);
    const bool is_known = zero != numbers_.end() && zero->second == 0 && uniform_.contains(end);
    if (!is_known || type(state) != ScalarType::i64) return;
    positions_[state] = {no_axis, none, 0, 1, state};
    ends_[state] = end;
  }

  // A side that no element of the interior takes bounds nothing. Nor does one that elements take in
  // turns: those that do not take it would be cut off, too, and no longer begin a period.
  void walk_sides(If& branch) {
    const auto outcome = outcomes_.find(branch.condition);
    if (every_test_ && outcome != outcomes_.end())
      return walk(outcome->second ? branch.then_ : branch.else_);
    if (every_test_ && is_periodic_ && of_indices_.contains(branch.condition)) return;
    walk(branch.then_);
    walk(branch.else_);
  }

  // Outcomes that decide() has found, and what follows from them.
  void note_outcome(const Stmt& stmt) {
    if (stmt.results.empty()) return;
    const Value result = stmt.results[0];
    if (const auto* constant = std::get_if<Constant>(&stmt.op);
        constant && detail::is_bool(type(result))) {
      outcomes_[result] = constant->bits.lo != 0;
      return;
    }
    const auto* prim = std::get_if<Prim>(&stmt.op);
    if (!prim) return;
    const bool is_of_indices = std::ranges::all_of(prim->args, [&](Value v) {
      return of_indices_.contains(v) || positions_.contains(v) || uniform_.contains(v);
    });
    if (is_of_indices && !uniform_.contains(result)) of_indices_.insert(result);
    const auto known = [&](Value v) {
      const auto found = outcomes_.find(v);
      return found == outcomes_.end() ? std::nullopt : std::optional(found->second);
    };
    if (prim->op == ScalarOp::not_ && known(prim->args[0]))
      outcomes_[result] = !*known(prim->args[0]);
    if (!joins_outcomes(*prim) || !detail::is_bool(type(result))) return;
    const bool decides = prim->op == ScalarOp::or_;  // one operand alone
    const auto x = known(prim->args[0]), y = known(prim->args[1]);
    if (x == decides || y == decides)
      outcomes_[result] = decides;
    else if (x && y)
      outcomes_[result] = !decides;
  }

  [[nodiscard]] Value replaced(Value v) const {
    const auto it = replacement_.find(v);
    return it == replacement_.end() ? v : it->second;
  }
  [[nodiscard]] ScalarType type(Value v) const { return kernel_.value_types[v]; }

  void note_constant(const Stmt& stmt, const Constant& constant) {
    const Value v = stmt.results[0];
    uniform_[v] = 0;
    code_[v] = stmt;
    if (type(v) == ScalarType::i64) numbers_[v] = static_cast<std::int64_t>(constant.bits.lo);
  }

  void visit(Stmt& stmt, const Prim& prim) {
    note_uniform(stmt, prim);
    if (prim.op == ScalarOp::cast && type(prim.args[0]) == ScalarType::i64 &&
        type(stmt.results[0]) == ScalarType::u64)
      signed_[stmt.results[0]] = prim.args[0];
    if (prim.op == ScalarOp::min && type(stmt.results[0]) == ScalarType::u64)
      return clamped(stmt.results[0], prim);
    if (prim.args.size() != 2 || type(prim.args[0]) != ScalarType::i64) return;
    note_position(stmt.results[0], prim);
    if (!every_test_) return;
    auto position = positions_.find(prim.args[0]);
    Value limit = prim.args[1];
    ScalarOp op = prim.op;
    if (position == positions_.end()) {
      position = positions_.find(prim.args[1]);
      limit = prim.args[0];
      op = flipped(op);
    }
    if (position == positions_.end() || !uniform_.contains(limit)) return;
    if (position->second.counter != none) return;
    const Value original = original_.at(stmt.results[0]);
    const bool inner = every_axis_ || position->second.axis + 1 == kernel_.rank;
    if (is_limit(prim)) {
      if (!inner && !inner_.compares(original)) return;
      bound(op == ScalarOp::min ? ScalarOp::le : ScalarOp::ge, position->second, limit);
      replacement_[stmt.results[0]] = position->first;
    } else if (inner || inner_.wants(original)) {
      if (const auto outcome = decide(op, position->second, limit, reading_.of(original)))
        stmt.op = Constant{{*outcome ? 1u : 0u, 0}, none};
    }
  }

  // The unsigned minimum of an index and a uniform count limits the index at both ends at once.
  void clamped(Value result, const Prim& prim) {
    for (const std::size_t i : {0U, 1U}) {
      const auto index = signed_.find(prim.args[i]), last = signed_.find(prim.args[1 - i]);
      if (index == signed_.end() || last == signed_.end() || !uniform_.contains(last->second))
        continue;
      const auto position = positions_.find(index->second);
      if (position == positions_.end()) continue;
      if (!bounds_reads(position->second, last->second)) return;
      replacement_[result] = prim.args[i];
      return;
    }
  }

  // Where all reads of an index, at all counts of its loop, are in [0, last].
  bool bounds_reads(Position position, Value last) {
    const bool counts_alone = position.axis == no_axis;
    if (counts_alone ? every_test_ : !every_axis_ && position.axis + 1 != kernel_.rank)
      return false;
    if (position.counter == none) {
      bound(ScalarOp::ge, position, zero());
      bound(ScalarOp::le, position, last);
      return true;
    }
    if (position.base != none || (counts_alone && position.offset < 0)) return false;
    const Value end = ends_.at(position.counter);
    if (counts_alone) {
      counts_.push_back({end, last, position.offset});
      return true;
    }
    bound(ScalarOp::ge, position, zero());
    position.base = end;
    --position.offset;
    bound(ScalarOp::le, position, last);
    return true;
  }

  // Used by the bounds alone.
  Value zero() {
    if (zero_ == none) {
      kernel_.value_types.push_back(ScalarType::i64);
      zero_ = static_cast<Value>(kernel_.value_types.size() - 1);
      code_[zero_] = {{zero_}, Constant{bits_of_number(0), none}};
    }
    return zero_;
  }

  void note_uniform(const Stmt& stmt, const Prim& prim) {
    unsigned steps = 0;
    for (Value arg : prim.args) {
      const auto it = uniform_.find(arg);
      if (it == uniform_.end()) return;
      steps = std::max(steps, it->second + 1);
    }
    if (steps > steps_max || row(prim.op).partial) return;
    uniform_[stmt.results[0]] = steps;
    code_[stmt.results[0]] = stmt;
  }

  void note_position(Value result, const Prim& prim) {
    const auto moved = [&](Value base, Value by, int sign) {
      const auto position = positions_.find(base);
      const auto number = numbers_.find(by);
      if (position == positions_.end() || number == numbers_.end()) return;
      if (number->second > offset_max || number->second < -offset_max) return;
      const std::int64_t offset = position->second.offset + sign * number->second;
      if (offset > offset_max || offset < -offset_max) return;
      positions_[result] = position->second;
      positions_[result].offset = offset;
    };
    const auto scaled = [&](Value index, Value by) {
      const auto position = positions_.find(index);
      const auto number = numbers_.find(by);
      if (position == positions_.end() || number == numbers_.end()) return;
      Position product = position->second;
      if (product.base != none || product.counter != none) return;
      if (number->second < 1 || number->second > scale_max) return;
      product.scale *= number->second;
      product.offset *= number->second;
      if (product.scale > scale_max || product.offset > offset_max || product.offset < -offset_max)
        return;
      positions_[result] = product;
    };
    // The index relative to the beginning of a part of an array.
    const auto based = [&](Value index, Value base) {
      const auto position = positions_.find(index);
      if (position == positions_.end() || position->second.base != none) return;
      if (position->second.counter != none) return;
      if (!uniform_.contains(base) || numbers_.contains(base)) return;
      positions_[result] = position->second;
      positions_[result].base = base;
    };
    const auto counted = [&](Value index, Value by) {
      const auto position = positions_.find(index), counter = positions_.find(by);
      if (position == positions_.end() || counter == positions_.end()) return;
      const Position &x = position->second, &y = counter->second;
      if (x.axis == no_axis || x.counter != none || x.base != none) return;
      if (y.axis != no_axis || y.offset < 0) return;
      Position sum = x;
      sum.counter = y.counter;
      sum.offset += y.offset;
      positions_[result] = sum;
    };
    if (prim.op == ScalarOp::mul) {
      scaled(prim.args[0], prim.args[1]);
      scaled(prim.args[1], prim.args[0]);
    }
    if (prim.op == ScalarOp::sub) moved(prim.args[0], prim.args[1], -1);
    if (prim.op != ScalarOp::add) return;
    for (const std::size_t i : {0U, 1U}) {
      moved(prim.args[i], prim.args[1 - i], 1);
      based(prim.args[i], prim.args[1 - i]);
      counted(prim.args[i], prim.args[1 - i]);
    }
  }

  /// The test's result in the interior: tests for the low end hold above it, tests for the high end
  /// below. The beginning of a part is its low end. `reading`: the outcome that reads memory, if
  /// one of them does.
  std::optional<bool> decide(ScalarOp op, const Position& position, Value limit,
                             std::optional<bool> reading) {
    const auto number = numbers_.find(limit);
    bool low = limit == position.base || (number != numbers_.end() && number->second <= low_end);
    if (reading && limit != position.base && (op == ScalarOp::gt || op == ScalarOp::ge))
      low = *reading;
    if (reading && limit != position.base && (op == ScalarOp::lt || op == ScalarOp::le))
      low = !*reading;
    switch (op) {
      case ScalarOp::lt: bound(low ? ScalarOp::ge : op, position, limit); return !low;
      case ScalarOp::le: bound(low ? ScalarOp::gt : op, position, limit); return !low;
      case ScalarOp::gt: bound(low ? op : ScalarOp::le, position, limit); return low;
      case ScalarOp::ge: bound(low ? op : ScalarOp::lt, position, limit); return low;
      case ScalarOp::eq:
      case ScalarOp::ne:
        bound(low ? ScalarOp::gt : ScalarOp::lt, position, limit);
        return op == ScalarOp::ne;
      default: return std::nullopt;
    }
  }

  // The interior is where position op limit.
  void bound(ScalarOp op, const Position& position, Value limit) {
    const bool is_end = op == ScalarOp::lt || op == ScalarOp::le;
    const bool one_more = op == ScalarOp::le || op == ScalarOp::gt;
    const Bound b{position.axis, is_end, limit, position.base, (one_more ? 1 : 0) - position.offset,
                  position.scale};
    if (std::find(bounds_.begin(), bounds_.end(), b) == bounds_.end()) bounds_.push_back(b);
  }

  // -- the bounds as code -----------------------------------------------------------------------

  Value emit(Region& region, decltype(Stmt::op) op) {
    kernel_.value_types.push_back(ScalarType::i64);
    const auto result = static_cast<Value>(kernel_.value_types.size() - 1);
    region.body.push_back({{result}, std::move(op)});
    return result;
  }
  Value number(Region& region, std::int64_t x) {
    return emit(region, Constant{bits_of_number(x), none});
  }

  Region bounds_region() {
    Region region;
    std::map<Value, Value> copies;
    for (std::size_t axis = 0; axis < kernel_.rank; ++axis)
      for (const bool is_end : {false, true}) {
        Value result = number(region, is_end ? far_away : 0);
        for (const Bound& b : bounds_) {
          if (b.axis == axis && b.base != none && !is_end)
            result = emit(region, Prim{ScalarOp::max, {result, wraps(region, b.base, copies)}});
          if (b.axis != axis || b.is_end != is_end) continue;
          Value value = b.value == b.base ? number(region, 0) : limited(region, b.value, copies);
          if (b.base != none && b.base != b.value)
            value = emit(region, Prim{ScalarOp::sub, {value, copy(region, b.base, copies)}});
          const Value at = scaled(region, value, b);
          result = emit(region, Prim{is_end ? ScalarOp::min : ScalarOp::max, {result, at}});
        }
        if (is_end && axis + 1 == kernel_.rank)
          for (const Count& count : counts_)
            result = emit(region, Prim{ScalarOp::min, {result, in_range(region, count, copies)}});
        region.results.push_back(result);
      }
    passes::ScalarSimplifier(kernel_.value_types).run(region);
    passes::remove_dead_code(region, kernel_.value_types.size());
    return region;
  }

  Value scaled(Region& region, Value value, const Bound& b) {
    if (b.scale == 1) return emit(region, Prim{ScalarOp::add, {value, number(region, b.offset)}});
    const Value before = emit(region, Prim{ScalarOp::add, {value, number(region, b.offset - 1)}});
    const Value steps = emit(region, Prim{ScalarOp::idiv, {before, number(region, b.scale)}});
    return emit(region, Prim{ScalarOp::add, {steps, number(region, 1)}});
  }

  Value limited(Region& region, Value v, std::map<Value, Value>& copies) {
    const Value above =
        emit(region, Prim{ScalarOp::max, {copy(region, v, copies), number(region, -far_away)}});
    return emit(region, Prim{ScalarOp::min, {above, number(region, far_away)}});
  }

  /// far_away if all counts below the end are in range, else 0.
  Value in_range(Region& region, const Count& count, std::map<Value, Value>& copies) {
    const Value last = limited(region, count.last, copies),
                end = limited(region, count.end, copies);
    const Value left = emit(region, Prim{ScalarOp::sub, {last, end}});
    const Value slack = emit(region, Prim{ScalarOp::add, {left, number(region, 2 - count.offset)}});
    const Value above = emit(region, Prim{ScalarOp::max, {slack, number(region, 0)}});
    const Value one = emit(region, Prim{ScalarOp::min, {above, number(region, 1)}});
    return emit(region, Prim{ScalarOp::mul, {one, number(region, far_away)}});
  }

  /// An index plus such a base may wrap, and then nothing is interior: returns far_away, else 0.
  Value wraps(Region& region, Value base, std::map<Value, Value>& copies) {
    const Value b = copy(region, base, copies);
    const Value above = emit(region, Prim{ScalarOp::sub, {b, number(region, base_max)}});
    const Value below = emit(region, Prim{ScalarOp::sub, {number(region, -base_max), b}});
    const Value either = emit(region, Prim{ScalarOp::max, {above, below}});
    const Value beyond = emit(region, Prim{ScalarOp::max, {either, number(region, 0)}});
    const Value one = emit(region, Prim{ScalarOp::min, {beyond, number(region, 1)}});
    return emit(region, Prim{ScalarOp::mul, {one, number(region, far_away)}});
  }

  // Recursion ends after steps_max.
  Value copy(Region& region, Value v, std::map<Value, Value>& copies) {
    const auto code = code_.find(v);
    if (code == code_.end()) return v;  // an argument
    if (const auto done = copies.find(v); done != copies.end()) return done->second;
    Stmt stmt = code->second;
    edit_operands(stmt, [&](Value& arg) { arg = copy(region, arg, copies); }, [](ArrayId&) {});
    kernel_.value_types.push_back(type(v));
    stmt.results = {static_cast<Value>(kernel_.value_types.size() - 1)};
    copies[v] = stmt.results[0];
    region.body.push_back(std::move(stmt));
    return copies[v];
  }

  Kernel& kernel_;
  bool every_axis_, every_test_, is_periodic_;
  WantedOutcomes inner_;
  ReadingOutcomes reading_;
  Renaming original_;
  std::unordered_map<Value, Position> positions_;
  std::unordered_map<Value, std::int64_t> numbers_;
  std::unordered_map<Value, unsigned> uniform_;  // steps by which it is computed from arguments
  std::unordered_map<Value, Stmt> code_;         // of values that are no arguments
  std::unordered_map<Value, Value> replacement_;
  std::unordered_map<Value, Value> signed_;  // the operands of casts to u64
  std::unordered_map<Value, bool> outcomes_;
  std::set<Value> of_indices_;  // and of nothing but these and uniform values
  Value zero_ = none;
  std::unordered_map<Value, Value> ends_;  // of loop counters
  std::vector<Bound> bounds_;
  std::vector<Count> counts_;
};

/// The intersection of both.
Region both(Region bounds, Region others, std::vector<ScalarType>& types) {
  bounds.body.insert(bounds.body.end(), others.body.begin(), others.body.end());
  for (std::size_t i = 0; i < bounds.results.size(); ++i) {
    const ScalarOp op = i % 2 == 0 ? ScalarOp::max : ScalarOp::min;
    types.push_back(ScalarType::i64);
    const auto result = static_cast<Value>(types.size() - 1);
    bounds.body.push_back({{result}, Prim{op, {bounds.results[i], others.results[i]}}});
    bounds.results[i] = result;
  }
  passes::ScalarSimplifier(types).run(bounds);
  passes::remove_dead_code(bounds, types.size());
  return bounds;
}

// A value selected by a test becomes an index once the test is known, and may be limited itself.
void find_again(Kernel& kernel, InteriorAxes axes) {
  Kernel inside = kernel;
  inside.element = inside.interior->element;
  inside.interior.reset();
  InteriorFinder(inside, axes).run();
  if (!inside.interior) return;
  kernel.value_types = std::move(inside.value_types);
  kernel.interior->bounds = both(std::move(kernel.interior->bounds),
                                 std::move(inside.interior->bounds), kernel.value_types);
  kernel.interior->element = std::move(inside.interior->element);
}

}  // namespace

void find_interior(Kernel& kernel, InteriorAxes axes) {
  for (std::size_t i = 0; i < kernel.loops.size(); ++i) {
    Kernel alone = kernel_of_loop(kernel, i);
    find_interior(alone, axes);
    kernel.loops[i].interior = std::move(alone.interior);
    kernel.value_types = std::move(alone.value_types);
  }
  if (!kernel.loops.empty()) return;
  const bool folds = kernel.skeleton == Skeleton::fold && !kernel.range &&
                     kernel.lanes == FoldLanes::reduction && kernel.lane_operator.commutative &&
                     !kernel.in_order;
  const bool stores =
      kernel.skeleton == Skeleton::map || (kernel.skeleton == Skeleton::scatter && kernel.unique);
  if (!stores && !folds) return;
  InteriorFinder(kernel, axes).run();
  if (kernel.interior) find_again(kernel, axes);
}

std::optional<Interior> range_of_reads(Kernel& kernel) {
  kernel.interior.reset();
  InteriorFinder(kernel, InteriorAxes::all, InteriorTests::limits_of_reads).run();
  return std::exchange(kernel.interior, std::nullopt);
}

}  // namespace hasten::kernels
