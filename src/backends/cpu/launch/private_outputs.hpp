// Private outputs of a scatter's tasks: each task makes its updates in memory of its own.
//
// Private outputs start from identity elements, and are combined at the end. Operators that are
// exact, commutative and associative yield the same bits however updates are distributed. Sums and
// products of floats do not: for them extents alone determine the tasks, unless any order is
// allowed (kernels::Kernel::any_order), and under Determinism::everywhere tasks have none.
#pragma once

#include "kernels/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hasten::backends::cpu {

/// One component, and the operation of the table that updates it.
struct UnorderedUpdate {
  core::ScalarOp op;
  core::ScalarType type;
};

/// Copies of a task's outputs, used in turn by consecutive elements: an update need not wait until
/// the previous one of the same target has reached memory.
inline constexpr std::int64_t output_copies = 4;

/// For each output of a scatter; empty if some operator needs the order, or the kernel demands one.
std::vector<UnorderedUpdate> unordered_updates(const kernels::Kernel& kernel);
/// Whether results depend on which updates belong to one task.
bool grouping_shows(const std::vector<UnorderedUpdate>& updates);
/// Whether several copies of one task's outputs yield the same bits as one.
bool may_have_copies(const kernels::Kernel& kernel);

/// The number of parts into which this many updates are cut where the grouping affects results; 1
/// where they are not cut. Never depends on the machine's threads.
std::int64_t grouped_parts(std::int64_t updates, std::int64_t outputs);

void fill_with_identity(const UnorderedUpdate& update, std::byte* data, std::int64_t count);
/// into[i] = into[i] op from[i]
void combine_into(const UnorderedUpdate& update, std::byte* into, const std::byte* from,
                  std::int64_t count);

}  // namespace hasten::backends::cpu
