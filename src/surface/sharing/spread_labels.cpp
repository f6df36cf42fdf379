// One walk from users to operands: each item passes its label on; where the labels of users differ
// there is none.
#include "surface/sharing/spread_labels.hpp"

#include <string_view>

namespace hasten::detail::sharing {
namespace {

bool is_inlined(NodeKind kind) {
  switch (kind) {
    case NodeKind::unit:
    case NodeKind::generate:
    case NodeKind::map:
    case NodeKind::zip_with:
    case NodeKind::reshape:
    case NodeKind::replicate:
    case NodeKind::slice:
    case NodeKind::backpermute:
    case NodeKind::demand: return true;
    default: return false;
  }
}

// The label that an item receives from its users; null while it has received none.
void hear(const char*& heard, const char* label) {
  heard = !heard || std::string_view(heard) == label ? label : "";
}

}  // namespace

void spread_labels(ItemList& list) {
  std::vector<const char*> heard(list.items.size(), nullptr);
  for (const ItemId result : list.results) hear(heard[result], "");
  for (std::size_t i = list.items.size(); i-- > 0;) {
    Item& item = list.items[i];
    const NodeKind kind = item.node->kind;
    const bool is_part = !item.node->is_array || is_inlined(kind);
    const bool has_own = *item.label != 0;
    if (!has_own && is_part && heard[i]) item.label = heard[i];
    if (kind == NodeKind::extent) continue;  // needs no element
    for (const Operand& operand : item.operands) hear(heard[operand.item], item.label);
    // An operation with several results goes by the name of the first that has one.
    if (kind == NodeKind::array_result && has_own)
      list.items[item.operands[0].item].label = item.label;
  }
}

}  // namespace hasten::detail::sharing
