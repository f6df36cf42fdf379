// How reads move through memory as indices of the space grow.
#pragma once

#include "kernels/kernel.hpp"

#include <cstdint>
#include <vector>

namespace hasten::kernels {

/// The step of a read's linear index when a space index moves by one: 0, 1, or anything.
enum class Stride : std::uint8_t { zero, one, other };

/// For each read in the region, its stride along params[axis].
std::vector<Stride> read_strides(const Kernel& kernel, const Region& region, std::size_t axis);

/// The steps of all values of the region along params[axis], by value.
[[nodiscard]] std::vector<Stride> value_strides(const Kernel& kernel, const Region& region,
                                                std::size_t axis);
/// The step of a value of the region along params[axis].
[[nodiscard]] Stride value_stride(const Kernel& kernel, const Region& region, std::size_t axis,
                                  Value v);

/// Numbers of the scalars by which what moves by one along params[axis] is multiplied: how far
/// apart neighbours along the axis are in arrays that have an axis inside of it, the channels of
/// images for one. Limits of indices do not count inside the interior.
[[nodiscard]] std::vector<unsigned> stride_scalars(const Kernel& kernel, std::size_t axis);

/// Whether updates of a scatter go to neighbours along the innermost axis: those of a row never
/// meet.
[[nodiscard]] bool updates_neighbours(const Kernel& scatter);

/// The cost of the reads of an element, and of a scan's epilogue, where lanes run along an axis: 1
/// for each read that is contiguous or stays in place, 8 for each other.
[[nodiscard]] int read_cost(const Kernel& kernel, std::size_t axis);
/// The same for a fold, of those reads alone that its loop repeats: what stays in place along the
/// inner axis is read once a row.
[[nodiscard]] int loop_cost(const Kernel& kernel, std::size_t axis);

}  // namespace hasten::kernels
