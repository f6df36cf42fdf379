// Tells indices, which are computed once for all vectors, from what is computed for each.
#include "backends/cpu/emit/rows/flat_columns.hpp"

#include "core/traverse.hpp"
#include "kernels/analysis/strides.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

FlatColumns::FlatColumns(const KernelModule& module, LaneCode& code, const Region& element)
    : code_(code),
      element_(element),
      columns_(module.known.number),
      indexed_(module.kernel.value_types.size()) {
  const std::size_t axes = element.params.size();
  indexed_[element.params[axes - 1]] = indexed_[element.params[axes - 2]] = true;
  for (const Stmt& stmt : element.body) look_at(module, stmt);
  is_flat_ &= !reads_.empty() &&
              std::ranges::none_of(element.results, [&](Value v) { return indexed_[v]; });
}

bool FlatColumns::is_indexed(const Stmt& stmt) const {
  bool some = false;
  visit_operands(stmt, [&](Value v) { some |= indexed_[v]; }, [](ArrayId) {});
  return some;
}

// Numbers that are made of a row's or column's index must remain indices. What they read must be
// an array of just these columns; `each_vector` knows whether its rows follow each other.
void FlatColumns::look_at(const KernelModule& module, const Stmt& stmt) {
  const auto* load = std::get_if<LoadLinear>(&stmt.op);
  const bool is_prim = std::holds_alternative<Prim>(stmt.op);
  const bool is_below = code_.hoisting[stmt.results[0]].level > lane_level;
  is_flat_ &= load || is_prim || std::holds_alternative<Constant>(stmt.op);
  if (load && indexed_[load->index]) {
    is_flat_ &= is_below && !detail::is_complex(module.kernel.inputs[load->array]) &&
                kernels::value_stride(module.kernel, element_, element_.params.size() - 2,
                                      load->index) == kernels::Stride::one;
    reads_.push_back(load);
  }
  const bool is_index = is_prim && is_indexed(stmt);
  if (is_index) indexed_[stmt.results[0]] = true;
  if (is_below) (is_index ? indices_ : others_).push_back(&stmt);
}

bool FlatColumns::each_vector(llvm::function_ref<void(std::int64_t)> then) {
  if (!is_flat_) return false;
  code_.set(element_.params[element_.params.size() - 2], Uniform{code_.i64(0)});
  for (const Stmt* stmt : indices_) code_.run(*stmt);
  std::vector<V> first;
  for (const LoadLinear* read : reads_) {
    const auto* index = std::get_if<Affine>(&code_.get(read->index));
    if (!index || known_step(*index) != columns_) return false;
    first.push_back(index->base);
  }
  for (std::int64_t vector = 0; vector < columns_; ++vector) {
    V distance = code_.i64(vector * std::int64_t{code_.lanes()});
    for (std::size_t i = 0; i < reads_.size(); ++i)
      code_.set(reads_[i]->index, Affine{code_.b.CreateAdd(first[i], distance), code_.i64(1)});
    for (const Stmt* stmt : others_) code_.run(*stmt);
    then(vector);
  }
  return true;
}

}  // namespace hasten::backends::cpu
