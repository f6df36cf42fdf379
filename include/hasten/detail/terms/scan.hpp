// All scans, built from the single scan term, without templates; defined in
// src/surface/public/scans.cpp.
#pragma once

#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// The results of a scan with a seed that are kept: all n + 1, those before each element (the seed
/// first), or those including each element.
enum class Prefixes : std::uint8_t { all, before, with };

struct ScanForm {
  Side from = Side::left;
  Prefixes kept = Prefixes::all;
};

/// A scan along an axis. `fn` is the operator, flipped for Side::right; without a seed, scanl1 or
/// scanr1.
Term scan_axis(Function fn, const Term& seed, const Term& array, unsigned axis, ScanForm form,
               const Call& call);

/// A scan along the innermost axis: the results before each element, and the last result.
struct SplitScan {
  Term before, total;
};
SplitScan scan_split(Function fn, const Term& seed, const Term& array, Side from, const Call& call);

}  // namespace hasten::detail
