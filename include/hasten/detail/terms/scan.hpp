// Scans made of the one scan there is, without templates; in src/surface/public/scans.cpp.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// Which results of a scan with a seed are kept: all n + 1, those before each element (the seed
/// first), or those with each element.
enum class Prefixes : std::uint8_t { all, before, with };

struct ScanForm {
  Side from = Side::left;
  Prefixes kept = Prefixes::all;
};

/// A scan along an axis. `fn` is the operator, for Side::right flipped; no seed: scanl1, scanr1.
Term scan_axis(Function fn, const Term& seed, const Term& array, unsigned axis, ScanForm form,
               const Call& call);

/// A scan along the innermost axis: the results before each element, and the last one.
struct SplitScan {
  Term before, total;
};
SplitScan scan_split(Function fn, const Term& seed, const Term& array, Side from, const Call& call);

}  // namespace hasten::detail
