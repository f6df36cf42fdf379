// Outputs of a scatter's tasks, when each makes its updates in memory of its own.
//
// Each starts from identity elements, and what they have is combined in the end. Operators that are
// exact, commutative and associative give the same bits whatever goes to which task. Sums and
// products of floats do not: there the tasks are a matter of extents alone, unless any order will
// do (kernels::Kernel::any_order), and under Determinism::everywhere none has outputs of its own.
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

/// Copies of a task's outputs, one for each of so many elements in a row: an update need not wait
/// for the last one of the same target to reach memory.
inline constexpr std::int64_t output_copies = 4;

/// Of each output of a scatter; empty if some operator needs the order, or the kernel says one.
std::vector<UnorderedUpdate> unordered_updates(const kernels::Kernel& kernel);
/// Whether results show which updates went to one task.
bool grouping_shows(const std::vector<UnorderedUpdate>& updates);
/// Whether copies of one task's outputs give the same bits as one would.
bool may_have_copies(const kernels::Kernel& kernel);

/// Into how many parts so many updates are cut where the grouping shows; 1 where they are not. Part
/// of the meaning of results: never depends on the machine's threads.
std::int64_t grouped_parts(std::int64_t updates, std::int64_t outputs);

void fill_with_identity(const UnorderedUpdate& update, std::byte* data, std::int64_t count);
/// into[i] = into[i] op from[i]
void combine_into(const UnorderedUpdate& update, std::byte* into, const std::byte* from,
                  std::int64_t count);

}  // namespace hasten::backends::cpu
