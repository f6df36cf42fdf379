// Maps whose rows are folded before their elements: 2^shift items of a group share a row. Each
// folds a part of the row, a tree in local memory joins the parts, and then the items compute the
// row's elements. Items beyond the last row repeat the last row without stores, so that all items
// pass every barrier.
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include "kernels/finish.hpp"
#include "kernels/stages.hpp"

#include <fmt/format.h>

#include <map>
#include <span>

namespace hasten::backends::c_like {
namespace {

using core::Reduce;
using core::Stmt;

class RowMapText {
 public:
  explicit RowMapText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        outer_(kernel_.rank - 1),
        varies_(kernels::varies_inside_rows(kernel_, kernel_.element)) {}

  // Extra: rows, and `shift`.
  void run() {
    const Scope function(code_, fmt::format("KERNEL {}{}", entry::row_map,
                                            parameters(code_, "const ix rows, const i32 shift")));
    begin_function(code_);
    declare_arrays();
    code_.line("const i32 item = (i32)ITEM, width = 1 << shift, lane = item & (width - 1);");
    const Scope task(code_, "TASK(task, (rows + (256 >> shift) - 1) >> (8 - shift))");
    code_.line("const ix mine = task * (256 >> shift) + (item >> shift);");
    code_.line("const ix row = mine < rows ? mine : rows - 1;");
    code_.define(std::span(kernel_.element.params).first(outer_), split_row(code_, "row", outer_));
    for (const Stmt& stmt : kernel_.element.body) {
      if (varies_[stmt.results[0]]) continue;
      const auto* reduce = std::get_if<Reduce>(&stmt.op);
      if (reduce && is_shared(*reduce))
        fold(*reduce, stmt);
      else
        code_.run(stmt);
    }
    const Scope inside(code_, "if (mine < rows)");
    elements();
  }

 private:
  using Scope = ScalarCode::Scope;

  [[nodiscard]] ScalarType leaf_type(const Reduce& op, std::size_t leaf) const {
    return kernel_.value_types[op.combine.results[leaf]];
  }

  // A reduction that does not fit into local memory is folded by every item for itself.
  [[nodiscard]] bool is_shared(const Reduce& op) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < op.combine.results.size(); ++i)
      bytes += std::max<std::size_t>(detail::size_in_bytes(leaf_type(op, i)), 4);
    return bytes * static_cast<std::size_t>(group_size) <= local_bytes_max;
  }

  // One array for each leaf; reductions share arrays of the same type.
  [[nodiscard]] Names arrays(const Reduce& op) const {
    std::map<ScalarType, int> used;
    Names names;
    for (std::size_t i = 0; i < op.combine.results.size(); ++i) {
      const ScalarType type = leaf_type(op, i);
      names.push_back(fmt::format("s_{}_{}", detail::name_of(type), used[type]++));
    }
    return names;
  }

  void declare_arrays() {
    std::map<std::string, ScalarType> all;
    for (const Stmt& stmt : kernel_.element.body) {
      const auto* reduce = std::get_if<Reduce>(&stmt.op);
      if (!reduce || varies_[stmt.results[0]] || !is_shared(*reduce)) continue;
      const Names names = arrays(*reduce);
      for (std::size_t i = 0; i < names.size(); ++i) all[names[i]] = leaf_type(*reduce, i);
    }
    for (const auto& [name, type] : all)
      code_.line(fmt::format("LOCAL {} {}[{}];", register_type(type), name, group_size));
  }

  void fold(const Reduce& op, const Stmt& stmt) {
    const kernels::LaneOperator table = kernels::lane_operator(op.combine);
    const Names result = ScalarCode::names(stmt.results), local = arrays(op);
    for (std::size_t i = 0; i < result.size(); ++i)
      code_.line(fmt::format(
          "{} {} = {};", register_type(leaf_type(op, i)), result[i],
          table.commutative ? identity_element(code_, table.leaves[i], leaf_type(op, i)) : "0"));
    const std::string used = fmt::format("u{}", stmt.results[0]);
    if (table.commutative)
      neighbours(op, result);
    else
      run_of_neighbours(op, result, used);
    assign(code_, elements_of(local, "item"), result);
    code_.line("BARRIER;");
    tree(op, result, local, table.commutative ? "width" : used);
    assign(code_, result, elements_of(local, "item - lane"));
    code_.line("BARRIER;");
    if (op.seed.empty()) return;
    const Names seed = ScalarCode::names(op.seed);
    {
      const Scope some(code_, table.commutative ? "" : fmt::format("if ({} > 0)", used));
      combine(op, seed, result, result);
    }
    if (table.commutative) return;
    const Scope nothing(code_, "else");
    assign(code_, result, seed);
  }

  static Names elements_of(const Names& names, const std::string& index) {
    return c_like::elements(names, index);
  }

  void combine(const Reduce& op, const Names& left, const Names& right, const Names& to) {
    Names both = left;
    both.insert(both.end(), right.begin(), right.end());
    code_.run_into(op.combine, both, to);
  }

  struct Steps {
    std::string type, k, begin, end;
  };
  [[nodiscard]] Steps steps_of(const Reduce& op) const {
    const Value k = op.element.params[0];
    return {register_type(code_.held_type(k)), ScalarCode::name(k), ScalarCode::name(op.begin),
            ScalarCode::name(op.end)};
  }

  // Neighbouring items read neighbouring elements.
  void neighbours(const Reduce& op, const Names& acc) {
    const auto [type, k, begin, end] = steps_of(op);
    const Scope step(
        code_, fmt::format("for ({0} {1} = ({0})({2} + lane); {1} < {3}; {1} += width)", type, k,
                           begin, end));
    code_.run(op.element);
    combine(op, acc, ScalarCode::names(op.element.results), acc);
  }

  // In order: each item has a run of neighbours; the first `used` items have some.
  void run_of_neighbours(const Reduce& op, const Names& acc, const std::string& used) {
    const auto [type, k, begin, end] = steps_of(op);
    code_.line(fmt::format("i32 {} = 0;", used));
    const Scope part(code_, "");
    code_.line(fmt::format("const ix count = {1} > {0} ? {1} - {0} : 0;", begin, end));
    code_.line("const ix each = (count + width - 1) >> shift;");
    code_.line(fmt::format("if (each > 0) {} = (i32)((count + each - 1) / each);", used));
    code_.line("const ix first = lane * each < count ? lane * each : count;");
    code_.line("const ix last = count - first < each ? count : first + each;");
    const Scope step(
        code_,
        fmt::format("for ({0} {1} = ({0})({2} + first); {1} < {2} + last; ++{1})", type, k, begin));
    code_.run(op.element);
    const Names right = ScalarCode::names(op.element.results);
    {
      const Scope begins(code_, fmt::format("if ({} == {} + first)", k, begin));
      assign(code_, acc, right);
    }
    const Scope goes_on(code_, "else");
    combine(op, acc, right, acc);
  }

  // Joins neighbours, in order, into the first item of the row.
  void tree(const Reduce& op, const Names& acc, const Names& local, const std::string& used) {
    const Scope step(code_, "ROLLED for (i32 step = 1; step < width; step *= 2)");
    {
      const Scope pair(code_,
                       fmt::format("if ((lane & (2 * step - 1)) == 0 && lane + step < {})", used));
      combine(op, acc, elements_of(local, "item + step"), acc);
      assign(code_, elements_of(local, "item"), acc);
    }
    code_.line("BARRIER;");
  }

  void elements() {
    const Scope each(code_,
                     fmt::format("ROLLED for (ix col = lane; col < e{}; col += width)", outer_));
    code_.define(std::span(kernel_.element.params).last(1), Names{"col"});
    for (const Stmt& stmt : kernel_.element.body)
      if (varies_[stmt.results[0]]) code_.run(stmt);
    for (std::size_t i = 0; i < kernel_.element.results.size(); ++i)
      code_.store(i, fmt::format("row * e{} + col", outer_),
                  ScalarCode::name(kernel_.element.results[i]));
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  std::size_t outer_;
  std::vector<bool> varies_;
};

}  // namespace

void emit_row_map(ScalarCode& code) { RowMapText(code).run(); }

}  // namespace hasten::backends::c_like
