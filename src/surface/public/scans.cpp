// Scans from the right are scans from the left of the reversed array with the flipped operator.
#include <hasten/detail/terms/scan.hpp>

#include "surface/derived.hpp"
#include "surface/i64.hpp"

namespace hasten::detail {
namespace {

Term kept_of(const Term& scanned, Prefixes kept, const Call& call) {
  const unsigned innermost = rank_of(scanned) - 1;
  switch (kept) {
    case Prefixes::before: return init_axis(scanned, innermost, call);
    case Prefixes::with: return tail_axis(scanned, innermost, call);
    case Prefixes::all: break;
  }
  return scanned;
}

/// The elements at one position of the innermost axis.
Term slice_innermost(const Term& array, const Term& position, const Call& call) {
  std::vector<Term> axes(rank_of(array));  // null: kept
  axes.back() = position;
  return slice(std::move(axes), array, call.where);
}

}  // namespace

Term scan_axis(Function fn, const Term& seed, const Term& array, unsigned axis, ScanForm form,
               const Call& call) {
  const Term source = seen_from(form.from, move_innermost(array, axis, call), call);
  const Term scanned = scan(std::move(fn), seed, source, call.operation, call.where);
  const Term kept = seen_from(form.from, kept_of(scanned, form.kept, call), call);
  return move_from_innermost(kept, axis, call);
}

SplitScan scan_split(Function fn, const Term& seed, const Term& array, Side from,
                     const Call& call) {
  const unsigned innermost = rank_of(array) - 1;
  const Term source = seen_from(from, array, call);
  const Term scanned = scan(std::move(fn), seed, source, call.operation, call.where);
  const Term before = kept_of(scanned, Prefixes::before, call);
  return {seen_from(from, before, call),
          slice_innermost(scanned, extent_of(array, innermost), call)};
}

}  // namespace hasten::detail
