// The operator of folds and scans, in lanes or in scalar code.
#pragma once

#include "backends/cpu/emit/loops.hpp"

#include <span>

namespace hasten::backends::cpu {

/// Places the operator's code in the lanes' loop.
void hoist_operator(LaneCode& code, bool lanes);

Values lanes_of(LaneCode& code, const std::vector<kernels::Value>& values);
void set_lanes(LaneCode& code, std::span<const kernels::Value> params, const Values& values);
Values zeros(LaneCode& code, const std::vector<kernels::Value>& like);

/// An operator as written, and by the equivalent operations of the table.
Values combined(LaneCode& code, const kernels::Region& fn, const Values& left, const Values& right);
Values combined_by_table(LaneCode& code, const kernels::Region& fn,
                         const kernels::LaneOperator& table, const Values& left,
                         const Values& right);
/// The identity of an operator's leaf, as a scalar if `lanes` is 1.
llvm::Value* identity_of(LaneCode& code, const kernels::Region& fn,
                         const kernels::LaneOperator& table, std::size_t leaf, bool lanes);
Values lanes_combined(LaneCode& code, const kernels::Region& fn, const kernels::LaneOperator& table,
                      Values state);

/// For a fold's element that has been computed: the values folded, and the values stored.
Values combined_of(LaneCode& code);
void for_each_stored(LaneCode& code,
                     llvm::function_ref<void(std::size_t output, llvm::Value* value)> f);

/// What lanes that fold in order each begin with: the seed, the table's identities, or nothing yet.
Values start_of_lanes(LaneCode& code);

/// The kernel's operator as written.
Values combined(LaneCode& code, const Values& left, const Values& right);
/// left f right, or right alone if there is nothing on the left yet.
Values combined_unless(LaneCode& code, llvm::Value* nothing_yet, const Values& left,
                       const Values& right);

/// The table's operators, leaf by leaf, on lanes or scalars; of segments, where `right` begins
/// none.
Values combined_by_table(LaneCode& code, const Values& left, const Values& right);
/// For each leaf, x with: x f y == y, bit for bit; in all lanes.
Values identities(LaneCode& code);
/// All lanes as one scalar, by a tree of fixed shape.
Values lanes_combined(LaneCode& code, Values state);

}  // namespace hasten::backends::cpu
