// The three steps of sharing recovery.
#include "surface/sharing.hpp"

#include "surface/sharing/emit.hpp"
#include "surface/sharing/items.hpp"
#include "surface/sharing/placement.hpp"

#include <hasten/run/error.hpp>

namespace hasten::detail {

namespace {

// A program that is run has no parameters but its own.
void check_whole(const Traced& traced) {
  for (const Term& result : traced.fn.results) {
    if (!result.node()->free) continue;
    for (const FreeBinder& binder : *result.node()->free)
      if (binder.id != traced.fn.binder)
        throw BuildError(
            "run: this program depends on a parameter of a function that is being traced, which "
            "has "
            "no value yet; return what it computes from that function, and run the whole",
            traced.where);
  }
}

}  // namespace

core::Program recover_sharing(const Traced& traced) {
  check_whole(traced);
  const sharing::ItemList items = sharing::collect_items(traced.fn);
  const sharing::Placement placement = sharing::place_items(items, traced.fn, traced.where);
  return sharing::emit_program(items, placement, traced);
}

}  // namespace hasten::detail
