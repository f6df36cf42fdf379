// The functions a kernel's module exports; see frame.hpp.
#pragma once

#include "backends/cpu/code.hpp"
#include "backends/cpu/strategy.hpp"

namespace hasten::backends::cpu {

void emit_map(const Unit& unit, const Strategy& strategy);
void emit_fold(const Unit& unit, const Strategy& strategy);
/// The three functions of a contraction.
void emit_contraction(const Unit& unit, const ContractionTile& tile);
/// A fold with a range.
void emit_segments(const Unit& unit, const Strategy& strategy);
/// The `finish` of a fold.
llvm::Function* emit_fold_finish(const Unit& unit);
void emit_scan(const Unit& unit, const Strategy& strategy);
void emit_scatter(const Unit& unit, const Strategy& strategy);
void emit_compact(const Unit& unit, const Strategy& strategy);

/// An exported function of type RunFunction or FinishFunction, without a body.
llvm::Function* declare_run(const Unit& unit);
/// The same for use inside the module.
llvm::Function* declare_part(const Unit& unit, const char* name);
llvm::Function* declare_finish(const Unit& unit);

}  // namespace hasten::backends::cpu
