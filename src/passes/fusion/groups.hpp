// Horizontal fusion: which arrays in memory one kernel makes.
//
// in:  a program whose bindings are manifest or delayed, the reads of each array, its shapes
// out: Binding::group; the bindings of a group adjacent, in an order in which every binding follows
//      its operands. An array that only its own kernel uses is delayed.
//
// A group is one kernel: maps over one space, or folds of one space, or scans, with what is
// computed of their results (epilogues). Groups grow pair by pair, as the nodes of a graph are
// contracted: a pair is legal if one kernel can make both and no other binding stands between them,
// and profits if it saves a read of an array or a whole array.
#pragma once

#include "passes/fusion/inlining.hpp"
#include "passes/shapes.hpp"

#include <cstdint>
#include <vector>

namespace hasten::passes::fusion {

/// `seed` 0: pairs that profit; else legal pairs at random, for tests.
void form_groups(core::Program& program, const Shapes& shapes, const std::vector<ArrayUse>& uses,
                 std::uint64_t seed);

}  // namespace hasten::passes::fusion
