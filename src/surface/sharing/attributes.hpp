// Properties of surface terms that decide where sharing recovery may bind them.
#pragma once

#include "surface/node.hpp"

#include <unordered_map>
#include <vector>

namespace hasten::detail::sharing {

struct Attributes {
  bool total = true;         // may be evaluated where the user's program would not
  bool arrays_total = true;  // as may every array that the term uses
  bool reads_array = false;  // contains a read of an array's element
  bool literal_only = true;  // no parameter, extent or read below
  std::uint8_t cost = 0;     // expensive operations, saturating at 255
};

/// By physical node; holds every node reachable from the roots.
class AttributeTable {
 public:
  explicit AttributeTable(const std::vector<Term>& roots);
  [[nodiscard]] const Attributes& operator[](const Node* node) const { return table_.at(node); }
  /// A conditional of which only the chosen branch is evaluated.
  [[nodiscard]] bool is_lazy(const Node& conditional) const;

 private:
  Attributes compute(const Node& node) const;
  std::unordered_map<const Node*, Attributes> table_;
};

/// All terms directly below a node: children (null ones left out) and results of functions.
template <class F>
void for_each_operand(const Node& node, F&& f) {
  for (const Term& child : node.children)
    if (child) f(child);
  for (const Function& function : node.functions)
    for (const Term& result : function.results) f(result);
}

}  // namespace hasten::detail::sharing
