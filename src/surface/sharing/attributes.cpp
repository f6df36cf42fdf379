// Computes Attributes bottom-up with an explicit stack.
#include "surface/sharing/attributes.hpp"

#include "core/scalar_ops.hpp"

#include <algorithm>

namespace hasten::detail::sharing {
namespace {

// Branches with more expensive operations than this justify a jump.
constexpr int eager_cost_max = 3;

std::vector<const Node*> operands_of(const Node& node) {
  std::vector<const Node*> result;
  for_each_operand(node, [&](const Term& t) { result.push_back(t.node()); });
  return result;
}

// Array operations that cannot fail, whatever their arguments.
bool is_total_array_operation(const Node& node) {
  switch (node.kind) {
    case NodeKind::use:
    case NodeKind::unit:
    case NodeKind::generate:
    case NodeKind::map:
    case NodeKind::replicate:
    case NodeKind::scan:
    case NodeKind::permute:
    case NodeKind::concat:
    case NodeKind::compact:
    case NodeKind::sort:
    case NodeKind::compute: return true;
    case NodeKind::zip_with: return node.number != static_cast<std::uint32_t>(Meet::equal);
    case NodeKind::fold: return static_cast<bool>(node.children[1]);           // with a seed
    case NodeKind::fold_segments: return static_cast<bool>(node.children[2]);  // likewise
    default: return false;
  }
}

// Whether the divisor of a partial operation cannot be 0.
bool is_not_zero(const Term& divisor) {
  return divisor.node()->kind == NodeKind::constant && divisor.node()->bits.lo != 0;
}

bool is_total_scalar(const Node& node) {
  switch (node.kind) {
    case NodeKind::prim: return !core::row(node.op).partial || is_not_zero(node.children[1]);
    case NodeKind::while_loop:
    case NodeKind::foreign_call:
    case NodeKind::index_linear: return false;
    case NodeKind::index:
      return node.children.size() == 1;  // a rank-0 array always has its element
    default: return true;
  }
}

bool depends_on_the_run(const Node& node) {
  return node.kind == NodeKind::param || node.kind == NodeKind::extent || node.is_array ||
         (node.kind == NodeKind::constant && node.mode == LiteralMode::parameter);
}

}  // namespace

AttributeTable::AttributeTable(const std::vector<Term>& roots) {
  std::vector<std::pair<const Node*, bool>> stack;  // node, operands done
  stack.reserve(roots.size());
  for (const Term& root : roots) stack.emplace_back(root.node(), false);
  while (!stack.empty()) {
    auto [node, done] = stack.back();
    if (done) {
      stack.pop_back();
      table_.emplace(node, compute(*node));
      continue;
    }
    if (table_.contains(node)) {
      stack.pop_back();
      continue;
    }
    stack.back().second = true;
    for (const Node* operand : operands_of(*node))
      if (!table_.contains(operand)) stack.emplace_back(operand, false);
  }
}

Attributes AttributeTable::compute(const Node& node) const {
  Attributes result;
  int cost = 0;
  for_each_operand(node, [&](const Term& operand) {
    const Attributes& below = table_.at(operand.node());
    result.arrays_total &= below.arrays_total;
    // An array under an index or extent is bound outside the scalar code.
    if (!node.is_array && operand.node()->is_array) return;
    result.total &= below.total;
    result.reads_array |= below.reads_array;
    result.literal_only &= below.literal_only;
    cost += below.cost;
  });
  if (node.is_array) {
    result.total &= node.kind == NodeKind::param || is_total_array_operation(node);
    result.total &= result.arrays_total;
    result.arrays_total = result.total;
  } else {
    result.total &= is_total_scalar(node);
  }
  result.reads_array |= node.kind == NodeKind::index || node.kind == NodeKind::index_linear;
  result.literal_only &= !depends_on_the_run(node) && !result.reads_array;
  if (node.kind == NodeKind::prim && core::row(node.op).expensive) ++cost;
  if (node.kind == NodeKind::foreign_call) ++cost;
  // An insert always justifies a branch: only one side may change a large array, and a selection
  // would go through all its elements.
  if (node.kind == NodeKind::insert) cost += eager_cost_max + 1;
  result.cost = static_cast<std::uint8_t>(std::min(cost, 255));
  return result;
}

bool AttributeTable::is_lazy(const Node& conditional) const {
  const Attributes& a = table_.at(conditional.children[1].node());
  const Attributes& b = table_.at(conditional.children[2].node());
  return !a.total || !b.total || a.cost + b.cost > eager_cost_max;
}

}  // namespace hasten::detail::sharing
