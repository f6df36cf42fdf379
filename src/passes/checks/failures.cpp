// before: x2 = quot x0 x1
//         -> x2
// after:  x3 = const 0 : i64
//         x4 = eq x1 x3
//         x2 = quot x0 x1
//         -> x2, x4
//
// A loop's state gets two more values: whether it continues, and whether anything has failed. A
// condition cannot report its own failure, so it is computed before the loop and after each round.
#include "passes/checks/failures.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "passes/checks/flags.hpp"
#include "passes/writing.hpp"
#include "support/overloaded.hpp"

#include <utility>

namespace hasten::passes {

using namespace core;

namespace {

bool is_open(const Load& load) {
  const AxisSet axes = all_axes(load.index.size());
  return load.index.size() > 32 || (load.inside & axes) != axes;
}

class FailureCarrier {
 public:
  FailureCarrier(Program& program, Checks checks, Value failed)
      : program_(program),
        checks_(checks),
        out_(program),
        failed_(failed) {}

  Region run(Region region) {
    for (Stmt& stmt : region.body) add(std::move(stmt));
    region.results.push_back(failed_or_false());
    Region result = out_.take(std::move(region.results));
    result.params = std::move(region.params);
    return result;
  }

 private:
  void add(Stmt stmt) {
    if (match(
            stmt.op, [&](Prim& op) { return divide(op); }, [&](Load& op) { return read(stmt, op); },
            [&](LoadLinear& op) { return read(stmt, op); },
            [&](If& op) { return branch(stmt, op); }, [&](While& op) { return loop(stmt, op); },
            [](auto&) { return false; }))
      return;
    out_.add(std::move(stmt));
  }

  // Each function returns whether it has replaced the statement.

  bool divide(const Prim& op) {
    if (!has(checks_, Checks::arithmetic) || !row(op.op).partial) return false;
    const Value zero = out_.constant(program_.value_types[op.args[1]], {});
    note(out_.prim(ScalarOp::eq, boolean, {op.args[1], zero}));
    return false;
  }

  bool read(const Stmt& stmt, Load& op) {
    if (!has(checks_, Checks::bounds) || !is_open(op)) return false;
    Value inside = none;
    for (std::uint32_t axis = 0; axis < op.index.size(); ++axis) {
      if (contains(op.inside, axis)) continue;
      inside = both(inside, is_inside(op.index[axis], extent(op.array, axis)));
    }
    op.inside = all_axes(op.index.size());
    op.some = true;
    guard(inside, stmt.results[0], std::move(op));
    return true;
  }

  bool read(const Stmt& stmt, LoadLinear& op) {
    if (!has(checks_, Checks::bounds) || op.inside) return false;
    Value size = out_.constant(ScalarType::i64, {1, 0});
    for (std::uint32_t axis = 0; axis < program_.array_types[op.array].rank; ++axis)
      size = out_.prim(ScalarOp::mul, ScalarType::i64, {size, extent(op.array, axis)});
    op.inside = true;
    const Value inside = is_inside(op.index, size);
    guard(inside, stmt.results[0], op);
    return true;
  }

  bool branch(Stmt& stmt, If& op) {
    if (!can_fail(op.then_, checks_) && !can_fail(op.else_, checks_)) return false;
    op.then_ = with_failures(program_, std::move(op.then_), checks_, failed_);
    op.else_ = with_failures(program_, std::move(op.else_), checks_, failed_);
    failed_ = program_.new_value(boolean);
    stmt.results.push_back(failed_);
    return false;
  }

  bool loop(Stmt& stmt, While& op) {
    if (!can_fail(op.condition, checks_) && !can_fail(op.body, checks_)) return false;
    const Region test = with_failures(program_, std::move(op.condition), checks_);
    const Region round = with_failures(program_, std::move(op.body), checks_);
    const std::vector<Value> first = out_.call(test, op.init);
    note(first[1]);
    std::vector<Value> init = op.init;
    init.push_back(goes_on(out_, first[0], failed_));
    init.push_back(failed_);
    std::vector<ScalarType> types;
    for (const Value v : init) types.push_back(program_.value_types[v]);
    While carried{std::move(init), goes_on_of(types), next_round(types, test, round)};
    stmt.results.push_back(program_.new_value(boolean));
    failed_ = program_.new_value(boolean);
    stmt.results.push_back(failed_);
    out_.add({std::move(stmt.results), std::move(carried)});
    return true;
  }

  static Value goes_on(RegionWriter& code, Value condition, Value failed) {
    const Value sound = code.prim(ScalarOp::not_, boolean, {failed});
    return code.prim(ScalarOp::and_, boolean, {condition, sound});
  }

  Region goes_on_of(const std::vector<ScalarType>& types) {
    RegionWriter code(program_);
    const std::vector<Value> state = code.parameters(types);
    return code.take({state[state.size() - 2]});
  }

  // The state is sound, as the condition guarantees; a failed round's state is not tested.
  Region next_round(const std::vector<ScalarType>& types, const Region& test, const Region& round) {
    RegionWriter code(program_), stop(program_), ask(program_);
    std::vector<Value> state = code.parameters(types);
    state.resize(state.size() - 2);
    std::vector<Value> next = code.call(round, state);
    const Value failed = next.back();
    next.pop_back();
    const std::vector<Value> ended = {stop.constant(boolean, {}), stop.constant(boolean, {1, 0})};
    const std::vector<Value> answer = ask.call(test, next);
    const Value more = goes_on(ask, answer[0], answer[1]);
    for (const Value v : code.branch(failed, stop.take(ended), ask.take({more, answer[1]})))
      next.push_back(v);
    return code.take(std::move(next));
  }

  Value extent(ArrayId array, std::uint32_t axis) {
    const Value result = program_.new_value(ScalarType::i64);
    out_.add({{result}, Extent{array, axis}});
    return result;
  }

  Value is_inside(Value index, Value extent_along) {
    const Value zero = out_.constant(ScalarType::i64, {});
    const Value from_zero = out_.prim(ScalarOp::ge, boolean, {index, zero});
    return both(from_zero, out_.prim(ScalarOp::lt, boolean, {index, extent_along}));
  }

  Value both(Value a, Value b) {
    return a == none ? b : out_.prim(ScalarOp::and_, boolean, {a, b});
  }

  void guard(Value inside, Value result, decltype(Stmt::op) op) {
    note(out_.prim(ScalarOp::not_, boolean, {inside}));
    RegionWriter then_(program_), else_(program_);
    const ScalarType type = program_.value_types[result];
    const Value element = program_.new_value(type);
    then_.add({{element}, std::move(op)});
    const Value zero = else_.constant(type, {});
    out_.add({{result}, If{inside, then_.take({element}), else_.take({zero})}});
  }

  void note(Value bad) {
    failed_ = failed_ == none ? bad : out_.prim(ScalarOp::or_, boolean, {failed_, bad});
  }

  Value failed_or_false() { return failed_ == none ? out_.constant(boolean, {}) : failed_; }

  Program& program_;
  Checks checks_;
  RegionWriter out_;
  Value failed_;
};

}  // namespace

bool can_fail(const Region& region, Checks checks) {
  for (const Stmt& stmt : region.body) {
    bool fails = match(
        stmt.op,
        [&](const Prim& op) { return row(op.op).partial && has(checks, Checks::arithmetic); },
        [&](const Load& op) { return has(checks, Checks::bounds) && is_open(op); },
        [&](const LoadLinear& op) { return has(checks, Checks::bounds) && !op.inside; },
        [](const auto&) { return false; });
    visit_regions(stmt, [&](const Region& inner) { fails |= can_fail(inner, checks); });
    if (fails) return true;
  }
  return false;
}

Region with_failures(Program& program, Region region, Checks checks, Value failed) {
  return FailureCarrier(program, checks, failed).run(std::move(region));
}

}  // namespace hasten::passes
