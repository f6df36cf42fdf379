// Splits values of several registers into values of one register each.
//
// LLVM's code generator does this itself, except for masks: the mask bits of all lanes that a block
// passes on become one value, packed at its end and unpacked at the start of the next block. In a
// loop whose lanes leave at different times this costs more than its rounds.
//
// in:  a function whose vectors span several registers
// out: the same, one register at a time, if its blocks pass masks on; values without lanes
//      keep their form
#pragma once

#include "backends/cpu/machine/machine.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace hasten::backends::cpu {

/// `lanes` is the number of lanes of values. Returns whether anything was split: then the chains of
/// several registers run side by side. Linear in the size of the function.
bool split_lanes(llvm::Function& function, unsigned lanes, const Machine& machine);

/// Marks a place in a function that will be split: operations before it are done for all registers
/// before those behind it, where otherwise a register's operations follow each other to the end of
/// their block.
void end_turn(llvm::IRBuilder<>& b);

}  // namespace hasten::backends::cpu
