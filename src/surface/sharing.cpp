// The three steps of sharing recovery.
#include "surface/sharing.hpp"

#include "surface/sharing/emit.hpp"
#include "surface/sharing/items.hpp"
#include "surface/sharing/placement.hpp"

namespace hasten::detail {

core::Program recover_sharing(const Traced& traced) {
  const sharing::ItemList items = sharing::collect_items(traced.fn);
  const sharing::Placement placement = sharing::place_items(items, traced.fn, traced.where);
  return sharing::emit_program(items, placement, traced);
}

}  // namespace hasten::detail
