// before: a program for one device, with its facts about reads
// after:  a program for several: operations are cut along their outermost axis, into a part for
// each
//         device (Binding::device), and parts are joined where somebody needs all of an array
//           f (whole)  =>  join (f part_0, ..., f part_n)
//         Joins and cuts that meet are not made: parts stay where they are from operation to
//         operation, and from round to round. What has no rule, or is not chosen, stays whole
//         With several parts for each device, the parts of a device come one after the other, depth
//         first: what a part needs is free before the next one begins
// why:    all devices of a machine work on one program; and a program whose arrays do not fit on a
//         device streams through it
// needs:  prove_reads, for what is known to be in range
// provides: bindings with devices. Where axes are cut are numbers that the program takes when it is
//         run (the last scalar inputs, one fewer than there are devices), so that another split is
//         no other program
//
// After Newton, Holk and McDonell, "Converting Data-Parallelism to Task-Parallelism by Rewrites"
// (FHPC 2015), figure 3. There the order of rewrites is free; here one walk makes them, consumers
// asking for the parts they need, and any subset of operations may be cut.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <vector>

namespace hasten::passes {

/// The devices: for each one whether it runs asynchronously, beside the others. The work of
/// such devices is issued first.
struct FissionDevices {
  std::vector<bool> works_apart;
  /// For processes. Parts begin exactly where shares say, in units of exact_share; if not, they
  /// begin where vectors do. Joins move nothing, so borders are rows of joins (in host memory).
  bool is_exact = false;
  /// The number of parts for each device, one after the other: part p of device d has the number
  /// d * parts + p.
  std::size_t parts = 1;
  /// If not 0, chance decides which operations are cut.
  std::uint64_t seed = 0;
};

/// Shares are whole numbers of this: cut points are shares of the devices before, added up.
inline constexpr std::int64_t whole_share = 1 << 16;
/// Finer, so that an axis of up to this many elements can be cut anywhere.
inline constexpr std::int64_t exact_share = 1 << 30;

[[nodiscard]] core::Program split_over_devices(core::Program program,
                                               const FissionDevices& devices);

}  // namespace hasten::passes
