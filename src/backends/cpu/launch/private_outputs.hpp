// Outputs of a scatter's tasks, when each makes its updates in memory of its own.
//
// Operators that are exact, commutative and associative give the same bits whatever goes to which
// task: each starts from identity elements, and what they have is combined in the end. So do others
// where the bits may differ (kernels::Kernel::any_order).
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

/// Of each output of a scatter; empty if some operator needs the order.
std::vector<UnorderedUpdate> unordered_updates(const kernels::Kernel& kernel);

void fill_with_identity(const UnorderedUpdate& update, std::byte* data, std::int64_t count);
/// into[i] = into[i] op from[i]
void combine_into(const UnorderedUpdate& update, std::byte* into, const std::byte* from,
                  std::int64_t count);

}  // namespace hasten::backends::cpu
