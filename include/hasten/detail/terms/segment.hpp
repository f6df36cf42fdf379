// Segments of an axis, described by lengths or offsets, without templates; defined in
// src/surface/public/segments.cpp and segmented_scans.cpp. Vectors of integers here are i64.
#pragma once

#include <hasten/detail/terms/scan.hpp>

namespace hasten::detail {

/// Whether an operation has a result for an empty segment.
enum class EmptySegments : std::uint8_t { legal, errors };

/// The lengths of segments of an axis: checked to be non-negative and to add up to its extent.
Term checked_lengths(const Term& lengths, const Term& extent, EmptySegments empty,
                     const Call& call);
/// The lengths of segments without a given axis: checked to be non-negative.
Term checked_lengths(const Term& lengths, const Call& call);
/// One offset more than there are segments: checked to be non-decreasing within 0..extent.
Term checked_offsets(const Term& offsets, const Term& extent, const Call& call);

/// 0, l0, l0 + l1, ...: one more than there are lengths.
Term offsets_of(const Term& lengths, const Call& call);
/// Offsets computed from non-negative lengths, checked not to exceed the largest integer.
Term not_wrapped(const Term& offsets, const Call& call);
/// Counts, with negative ones replaced by 0.
Term not_negative_each(const Term& counts, const Call& call);
/// The segment number of each position of an axis that ends with the last offset. Offsets are known
/// not to decrease.
Term segment_of_each(const Term& offsets, const Call& call);
/// A scan of each segment of the innermost axis. `fn` is the operator on pairs (whether a segment
/// begins, element), flipped for Side::right; without a seed, scanl1_seg or scanr1_seg.
Term scan_segments(Function fn, const Term& seed, const Term& array, const Term& lengths,
                   ScanForm form, const Call& call);
SplitScan split_segments(Function fn, const Term& seed, const Term& array, const Term& lengths,
                         Side from, const Call& call);

}  // namespace hasten::detail
