// One walk forward through a kernel. A value depends on a set of variables: axes of the space, then
// loops inside an element. A statement that does not depend on a variable runs once for all of its
// steps, as generated code hoists it.
#include "runtime/profile/work.hpp"

#include "core/scalar_ops.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hasten::runtime {
namespace {

using namespace core;
using kernels::Kernel;
using kernels::Skeleton;
using Variables = std::uint64_t;  // by number, at most 64 of them

class Walk {
 public:
  Walk(const Kernel& kernel, const LaunchShapes& shapes)
      : kernel_(kernel),
        known_(kernel.value_types.size()),
        facts_(kernel.value_types.size()),
        inner_axis_(kernel.rank - 1),
        reads_(kernel.inputs.size()) {
    for (std::size_t i = 0; i < kernel.scalars.size() && i < shapes.scalars.size(); ++i)
      if (kernel.value_types[kernel.scalars[i]] == ScalarType::i64)
        known_[kernel.scalars[i]] = static_cast<std::int64_t>(shapes.scalars[i]);
    for (std::size_t axis = 0; axis < kernel.rank; ++axis)
      add_variable(axis < shapes.space.size() ? static_cast<double>(shapes.space[axis]) : 1);
    // Segments share the axis: each has its part of the steps.
    if (kernel.range && kernel.rank >= 2)
      steps_.back() = std::max(1.0, steps_.back() / std::max(1.0, steps_[kernel.rank - 2]));
  }

  Work run(const LaunchShapes& shapes) {
    const Variables all = variables(kernel_.rank);
    if (kernel_.range) walk(*kernel_.range, variables(kernel_.rank - 1));
    walk(kernel_.element, all);
    for (std::size_t i = 0; i < kernel_.loops.size(); ++i) {
      inner_axis_ = kernels::first_axis(kernel_, i) + kernel_.loops[i].rank - 1;
      walk(kernel_.loops[i].element, axes_of_loop(i));
    }
    operators();
    scatters();
    Work result = work_;
    for (std::size_t i = 0; i < reads_.size() && i < shapes.inputs.size(); ++i)
      result.bytes += std::min(reads_[i], static_cast<double>(shapes.inputs[i]));
    result.bytes += static_cast<double>(shapes.written);
    result.has_double = double_flops_ * 2 > result.flops;
    return result;
  }

 private:
  struct Fact {
    Variables on = 0;      // it depends on these
    Variables by_one = 0;  // and grows by one along these
    bool is_data = false;  // not a sum of indices: it was read, or computed in a loop
  };

  static Variables variables(std::size_t count) {
    return count >= 64 ? ~Variables{0} : (Variables{1} << count) - 1;
  }
  Variables add_variable(double steps) {
    if (steps_.size() == 64) return 0;  // nests are not that deep; else it counts as one round
    steps_.push_back(std::max(steps, 0.0));
    return Variables{1} << (steps_.size() - 1);
  }
  [[nodiscard]] double times(Variables on) const {
    double result = 1;
    for (; on != 0; on &= on - 1) result *= steps_[static_cast<std::size_t>(std::countr_zero(on))];
    return result;
  }

  // -- regions ------------------------------------------------------------------------------------

  // Its parameters are the first of the indices, one after the other.
  void walk(const Region& region, Variables indices) {
    for (const Value param : region.params) {
      const Variables own = indices & (~indices + 1);
      indices &= ~own;
      facts_[param] = {own, own, false};
    }
    body(region);
  }

  [[nodiscard]] Variables axes_of_loop(std::size_t loop) const {
    const std::size_t first = kernels::first_axis(kernel_, loop);
    return variables(first + kernel_.loops[loop].rank) & ~variables(first);
  }

  void body(const Region& region) {
    for (const Stmt& stmt : region.body) match(stmt.op, [&](const auto& op) { visit(stmt, op); });
  }

  // The operator of a fold or scan runs for every element, what follows for every result.
  void operators() {
    const Variables all = variables(kernel_.rank);
    // Elements whose targets do not meet are stored unchanged.
    if (kernels::combines(kernel_) && kernel_.loops.empty()) {
      for (const Value v : kernel_.combine.params) facts_[v] = {all, 0, true};
      body(kernel_.combine);
    }
    if (!kernels::accumulates(kernel_)) return;
    const bool folds = kernel_.skeleton == Skeleton::fold;
    const Variables outer = folds ? variables(kernels::outer_axes(kernel_)) : all;
    for (std::size_t i = 0; i < kernel_.epilogue.params.size(); ++i) {
      const Variables own = i < 64 ? (Variables{1} << i) & outer : 0;
      const bool is_index = i < (folds ? kernels::outer_axes(kernel_) : kernel_.rank);
      facts_[kernel_.epilogue.params[i]] = is_index ? Fact{own, own, false} : Fact{outer, 0, true};
    }
    body(kernel_.epilogue);
  }

  void scatters() {
    if (kernel_.skeleton != Skeleton::scatter) return;
    const auto is_data = [&](const auto& of) {
      bool result = false;
      for (std::size_t write = 0; write < of.writes; ++write)
        result |= facts_[kernels::written(of, write)[1]].is_data;
      return result;
    };
    if (kernel_.loops.empty() && is_data(kernel_)) work_.scattered = times(variables(kernel_.rank));
    for (std::size_t i = 0; i < kernel_.loops.size(); ++i)
      if (is_data(kernel_.loops[i])) work_.scattered += times(axes_of_loop(i));
  }

  // -- statements ---------------------------------------------------------------------------------

  void set(const Stmt& stmt, const Fact& fact) {
    for (const Value v : stmt.results) facts_[v] = fact;
  }
  [[nodiscard]] Fact join(std::span<const Value> values) const {
    Fact fact;
    for (const Value v : values) {
      fact.on |= facts_[v].on;
      fact.is_data |= facts_[v].is_data;
    }
    return fact;
  }

  void visit(const Stmt& stmt, const Constant& op) {
    set(stmt, {});
    if (kernel_.value_types[stmt.results[0]] == ScalarType::i64)
      known_[stmt.results[0]] = static_cast<std::int64_t>(op.bits.lo);
  }

  void visit(const Stmt& stmt, const Prim& op) {
    Fact fact = join(op.args);
    const Fact& a = facts_[op.args[0]];
    if (op.op == ScalarOp::cast) fact.by_one = a.by_one;
    if (op.op == ScalarOp::add || op.op == ScalarOp::sub) {
      const Fact& b = facts_[op.args[1]];
      fact.by_one = a.by_one & ~b.on;
      if (op.op == ScalarOp::add) fact.by_one |= b.by_one & ~a.on;
    }
    set(stmt, fact);
    evaluate(stmt.results[0], op);
    count(stmt.results[0], op, fact);
  }

  void count(Value result, const Prim& op, const Fact& fact) {
    const ScalarType type = kernel_.value_types[result];
    const double operations = times(fact.on);
    constexpr double expensive = 20;
    work_.weight += operations * (row(op.op).expensive ? expensive : 1);
    if (row(op.op).signature != Signature::same || !detail::is_floating(type)) return;
    work_.flops += operations;
    if (type == ScalarType::f64) double_flops_ += operations;
  }

  // Covers the bounds of loops, which are computed from extents.
  void evaluate(Value result, const Prim& op) {
    if (op.args.size() != 2 || !known_[op.args[0]] || !known_[op.args[1]]) return;
    const std::int64_t a = *known_[op.args[0]], b = *known_[op.args[1]];
    std::int64_t value = 0;
    if (op.op == ScalarOp::add && !__builtin_add_overflow(a, b, &value)) known_[result] = value;
    if (op.op == ScalarOp::sub && !__builtin_sub_overflow(a, b, &value)) known_[result] = value;
    if (op.op == ScalarOp::mul && !__builtin_mul_overflow(a, b, &value)) known_[result] = value;
    if (op.op == ScalarOp::min) known_[result] = std::min(a, b);
    if (op.op == ScalarOp::max) known_[result] = std::max(a, b);
  }

  void visit(const Stmt& stmt, const LoadLinear& op) {
    const Fact& index = facts_[op.index];
    const double reads = times(index.on);
    const ScalarType type = kernel_.inputs[op.array];
    const std::size_t bytes = detail::size_in_bytes(type) / (detail::is_complex(type) ? 2 : 1);
    reads_[op.array] += reads * static_cast<double>(bytes);
    if (index.is_data)
      work_.gathers += reads;
    else if (is_strided(index))
      work_.strided += reads;
    set(stmt, {index.on, 0, true});
  }

  [[nodiscard]] bool is_strided(const Fact& index) const {
    const Variables innermost = Variables{1} << (steps_.size() - 1);
    const Variables inner =
        depth_ > 0 ? innermost : variables(inner_axis_ + 1) & ~variables(inner_axis_);
    return (index.on & inner) != 0 && (index.by_one & inner) == 0 && times(inner) > 1;
  }

  void visit(const Stmt& stmt, const If& op) {
    body(op.then_);
    body(op.else_);
    Fact fact = join(std::span(&op.condition, 1));
    for (const Region* branch : {&op.then_, &op.else_}) {
      const Fact results = join(branch->results);
      fact.on |= results.on;
      fact.is_data |= results.is_data;
    }
    set(stmt, fact);
  }

  // The number of rounds depends on data; it is counted as one.
  void visit(const Stmt& stmt, const While& op) {
    work_.has_loops = true;
    Fact fact = join(op.init);
    fact.is_data = true;
    for (const Region* region : {&op.condition, &op.body})
      for (const Value v : region->params) facts_[v] = fact;
    body(op.condition);
    body(op.body);
    fact.on |= join(op.body.results).on;
    set(stmt, fact);
  }

  void visit(const Stmt& stmt, const Reduce& op) {
    const auto begin = known_[op.begin], end = known_[op.end];
    const Variables own = add_variable(
        begin && end ? static_cast<double>(std::max(*end - *begin, std::int64_t{0})) : 1);
    ++depth_;
    facts_[op.element.params[0]] = {own, own, false};
    body(op.element);
    Fact fact = join(op.element.results);
    fact.is_data = true;
    for (const Value v : op.combine.params) facts_[v] = fact;
    body(op.combine);
    --depth_;
    const Value bounds[] = {op.begin, op.end};
    fact.on = (fact.on | join(bounds).on) & ~own;
    set(stmt, fact);
  }

  void visit(const Stmt& stmt, const ForeignCall& op) {
    Fact fact = join(op.args);
    fact.is_data = true;
    set(stmt, fact);
  }

  // The element is in memory private to the loop.
  void visit(const Stmt& stmt, const Extract& op) { element(stmt, {op.index}, op.elements); }
  void visit(const Stmt& stmt, const Insert& op) {
    element(stmt, {op.index, op.element}, op.elements);
  }
  void element(const Stmt& stmt, std::vector<Value> values, const std::vector<Value>& elements) {
    values.insert(values.end(), elements.begin(), elements.end());
    Fact fact = join(values);
    fact.is_data = true;
    set(stmt, fact);
    work_.weight += times(fact.on);
  }

  // Not in kernels.
  void visit(const Stmt& stmt, const Load&) { set(stmt, {}); }
  void visit(const Stmt& stmt, const Extent&) { set(stmt, {}); }

  const Kernel& kernel_;
  std::vector<std::optional<std::int64_t>> known_;  // by Value
  std::vector<Fact> facts_;                         // by Value
  std::size_t inner_axis_;                          // of the region that is walked
  std::vector<double> steps_;                       // by variable
  std::vector<double> reads_;                       // bytes, by input
  int depth_ = 0;                                   // of loops inside an element
  double double_flops_ = 0;
  Work work_;
};

}  // namespace

Work work_of(const Kernel& kernel, const LaunchShapes& shapes) {
  return Walk(kernel, shapes).run(shapes);
}

}  // namespace hasten::runtime
