// One walk over the branches, outermost first: what depends on the row alone goes before the
// outermost branch around it.
#include "kernels/lowering/branch_reads.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace hasten::kernels {
namespace {

using namespace core;

using Code = std::vector<Stmt>;

class BranchReads {
 public:
  explicit BranchReads(KernelBuilder& builder)
      : builder_(builder),
        of_row_(builder.kernel.value_types.size(), false) {
    const Kernel& kernel = builder.kernel;
    for (const Value v : kernel.scalars) of_row_[v] = true;
    for (std::uint32_t axis = 0; axis < outer_axes(kernel); ++axis)
      of_row_[kernel.element.params[axis]] = true;
  }

  /// Whether a read has left a branch.
  bool run(Region& element) {
    Code body;
    for (Stmt& stmt : element.body) {
      if (auto* branch = std::get_if<If>(&stmt.op))
        leave(*branch, body);
      else
        note(stmt.results, is_of_row(stmt));
      body.push_back(std::move(stmt));
    }
    element.body = std::move(body);
    return any_read_;
  }

 private:
  [[nodiscard]] bool is_of_row(const Stmt& stmt) const {
    if (std::holds_alternative<Constant>(stmt.op)) return true;
    const auto* prim = std::get_if<Prim>(&stmt.op);
    if (prim && (row(prim->op).partial || row(prim->op).expensive)) return false;
    if (!prim && !std::holds_alternative<LoadLinear>(stmt.op)) return false;
    bool result = true;
    visit_operands(stmt, [&](Value v) { result = result && of_row_[v]; }, [](ArrayId) {});
    return result;
  }

  void note(const std::vector<Value>& values, bool is_of_row) {
    of_row_.resize(std::max(of_row_.size(), builder_.kernel.value_types.size()));
    for (const Value v : values) of_row_[v] = is_of_row;
  }

  void leave(If& branch, Code& out) {
    for (Region* arm : {&branch.then_, &branch.else_}) {
      Code kept;
      for (Stmt& stmt : arm->body) {
        auto* const inner = std::get_if<If>(&stmt.op);
        if (inner) leave(*inner, out);
        const bool leaves = !inner && is_of_row(stmt);
        note(stmt.results, leaves);
        if (auto* load = std::get_if<LoadLinear>(&stmt.op); load && leaves) limit(*load, out);
        (leaves ? out : kept).push_back(std::move(stmt));
      }
      arm->body = std::move(kept);
    }
  }

  // An array of rank 0 has one element at all times.
  void limit(LoadLinear& load, Code& out) {
    any_read_ = true;
    const ArrayId array = builder_.inputs[load.array].array;
    const std::uint32_t rank = builder_.rank(array);
    if (rank == 0) return;
    builder_.maybe_empty.insert(array);
    Value size = builder_.limit(array, 0);
    for (std::uint32_t axis = 1; axis < rank; ++axis)
      size = add(out, ScalarType::i64, ScalarOp::mul, {size, builder_.limit(array, axis)});
    const Value before = add(out, ScalarType::i64, ScalarOp::sub, {size, number(out, 1)});
    const Value last = add(out, ScalarType::i64, ScalarOp::max, {before, number(out, 0)});
    const Value at = add(out, ScalarType::u64, ScalarOp::cast, {load.index});
    const Value end = add(out, ScalarType::u64, ScalarOp::cast, {last});
    const Value least = add(out, ScalarType::u64, ScalarOp::min, {at, end});
    load.index = add(out, ScalarType::i64, ScalarOp::cast, {least});
  }

  Value add(Code& out, ScalarType type, ScalarOp op, std::vector<Value> args) {
    out.push_back({{builder_.new_value(type)}, Prim{op, std::move(args)}});
    note(out.back().results, true);
    return out.back().results[0];
  }
  Value number(Code& out, std::uint64_t x) {
    out.push_back({{builder_.new_value(ScalarType::i64)}, Constant{{x, 0}, none}});
    note(out.back().results, true);
    return out.back().results[0];
  }

  KernelBuilder& builder_;
  std::vector<bool> of_row_;
  bool any_read_ = false;
};

}  // namespace

void hoist_from_branches(KernelBuilder& builder) {
  const Kernel& kernel = builder.kernel;
  if (kernel.skeleton != Skeleton::fold || kernel.range || outer_axes(kernel) == 0) return;
  Region element = kernel.element;
  if (BranchReads(builder).run(element)) builder.kernel.element = std::move(element);
}

}  // namespace hasten::kernels
