// Prints the surface graph: one term per line, operands first.
#include "surface/print.hpp"

#include "surface/node.hpp"

#include "core/labels.hpp"
#include "core/print.hpp"
#include "core/scalar_ops.hpp"

#include <fmt/format.h>

#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hasten::detail {
namespace {

const char* kind_name(NodeKind kind) {
  constexpr const char* names[] = {
      "constant",      "param",   "prim",      "tuple",       "project",         "conditional",
      "while_loop",    "index",   "linear",    "extent",      "foreign_call",    "extract",
      "insert",        "use",     "unit",      "generate",    "segment_numbers", "map",
      "zip_with",      "reshape", "replicate", "slice",       "backpermute",     "fold",
      "fold_segments", "scan",    "permute",   "concat",      "compact",         "sort",
      "demand",        "compute", "array_if",  "array_while", "foreign_arrays",  "result"};
  static_assert(std::size(names) == static_cast<std::size_t>(NodeKind::array_result) + 1);
  return names[static_cast<std::size_t>(kind)];
}

class Printer {
 public:
  std::string print(const Function& program) {
    for (const Term& result : program.results) visit(result.node());
    text_ += "-> " + names(program.results) + "\n";
    return std::move(text_);
  }

 private:
  // Iterative: chains may be long.
  void visit(const Node* root) {
    std::vector<std::pair<const Node*, bool>> open{{root, false}};
    while (!open.empty()) {
      const auto [node, is_ready] = open.back();
      open.pop_back();
      if (!node || numbers_.contains(node)) continue;
      if (is_ready) {
        define(*node);
        continue;
      }
      open.emplace_back(node, true);
      for (const Function& f : node->functions)
        for (const Term& t : f.results) open.emplace_back(t.node(), false);
      for (const Term& child : node->children) open.emplace_back(child.node(), false);
    }
  }

  void define(const Node& node) {
    numbers_.emplace(&node, numbers_.size());
    text_ += fmt::format("t{} = {}", numbers_[&node], head(node));
    if (!node.children.empty()) text_ += " " + names(node.children);
    for (const Function& f : node.functions)
      text_ += fmt::format(" (function {}: -> {})", f.binder, names(f.results));
    if (node.type)
      text_ += node.is_array ? fmt::format(" : [{}; {}]", node.type->name, node.rank)
                             : " : " + node.type->name;
    if (node.is_array && node.where.line() != 0)
      text_ += fmt::format("  // {} {}", core::print(node.where),
                           core::labelled(node.label, node.operation));
    text_ += "\n";
  }

  static std::string head(const Node& node) {
    switch (node.kind) {
      case NodeKind::constant:
        return "constant " + core::print(node.type->leaf, core::Bits{node.bits.lo, node.bits.hi});
      case NodeKind::prim: return core::row(node.op).name;
      case NodeKind::param: return fmt::format("param {} of function {}", node.number, node.binder);
      case NodeKind::project:
      case NodeKind::extent:
      case NodeKind::array_result: return fmt::format("{} {}", kind_name(node.kind), node.number);
      default: return kind_name(node.kind);
    }
  }

  std::string names(const std::vector<Term>& terms) const {
    std::string result;
    for (const Term& term : terms) {
      result += result.empty() ? "" : " ";
      result += term ? fmt::format("t{}", numbers_.at(term.node())) : "_";
    }
    return result;
  }

  std::unordered_map<const Node*, std::size_t> numbers_;
  std::string text_;
};

}  // namespace

std::string print_surface(const Traced& traced) { return Printer().print(traced.fn); }

}  // namespace hasten::detail
