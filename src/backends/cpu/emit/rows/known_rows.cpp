// The columns of a row in registers.
#include "backends/cpu/emit/rows/known_rows.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/strides.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

KnownRows::KnownRows(const KernelModule& module, LaneCode& code, const Region& element,
                     std::size_t column)
    : code_(code),
      element_(element),
      column_(column),
      columns_(module.known.number) {
  std::set<Value> computed_later;  // results of `others_`
  for (const Stmt& stmt : element.body) {
    if (code.hoisting[stmt.results[0]].level <= lane_level) continue;
    bool is_other = !is_of_column(stmt);
    visit_operands(stmt, [&](Value v) { is_other |= computed_later.contains(v); }, [](ArrayId) {});
    (is_other ? others_ : of_columns_).push_back(&stmt);
    if (is_other) computed_later.insert(stmt.results.begin(), stmt.results.end());
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    if (load && !detail::is_complex(module.kernel.inputs[load->array]) &&
        kernels::value_stride(module.kernel, element, column, load->index) == kernels::Stride::one)
      of_rows_.push_back(load);
  }
}

// Whether a value is the same in all lanes, though it depends on the column. Values of private
// arrays in memory are excluded, since each array exists only once.
bool KnownRows::is_of_column(const Stmt& stmt) const {
  const bool is_plain = std::holds_alternative<Prim>(stmt.op) ||
                        std::holds_alternative<Constant>(stmt.op) ||
                        std::holds_alternative<LoadLinear>(stmt.op);
  return is_plain && !code_.hoisting.varying(stmt.results[0]);
}

void KnownRows::set_column(std::int64_t column) {
  code_.set(element_.params[column_], Uniform{code_.i64(column)});
  for (const auto& [value, lanes] : hoisted_[static_cast<std::size_t>(column)])
    code_.set(value, lanes);
}

// The operands at level 1 or above have been emitted.
void KnownRows::hoist() {
  if (!hoisted_.empty()) return;
  hoisted_.resize(static_cast<std::size_t>(columns_));
  const llvm::IRBuilderBase::InsertPointGuard guard(code_.b);
  V mask = std::exchange(code_.mask, nullptr);
  code_.b.SetInsertPoint(code_.level_blocks[1]);
  for (std::int64_t column = 0; column < columns_; ++column) {
    set_column(column);
    for (const Stmt* stmt : of_columns_) {
      code_.run(*stmt);
      const Value result = stmt->results[0];
      hoisted_[static_cast<std::size_t>(column)].insert_or_assign(result, code_.get(result));
    }
  }
  code_.level_blocks[1] = code_.b.GetInsertBlock();
  code_.mask = mask;
}

void KnownRows::each_column(llvm::function_ref<void(std::int64_t)> then) {
  hoist();
  whole_.clear();
  for (std::int64_t column = 0; column < columns_; ++column) {
    set_column(column);
    for (const Stmt* stmt : others_)
      if (!read_whole_rows(*stmt, column)) code_.run(*stmt);
    then(column);
  }
}

// Every column of every lane's row is read, so all of them exist.
bool KnownRows::read_whole_rows(const Stmt& stmt, std::int64_t column) {
  const auto* load = std::get_if<LoadLinear>(&stmt.op);
  if (!load || std::ranges::find(of_rows_, load) == of_rows_.end()) return false;
  const Value result = stmt.results[0];
  if (column == 0) {
    const auto* index = std::get_if<Affine>(&code_.get(load->index));
    if (!index || known_step(*index) != columns_) return false;
    whole_[result] = code_.load_rows(load->array, index->base, columns_);
  }
  const auto found = whole_.find(result);
  if (found == whole_.end()) return false;
  code_.set(result, Varying{found->second[static_cast<std::size_t>(column)]});
  return true;
}

}  // namespace hasten::backends::cpu
