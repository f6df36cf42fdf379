// Determinism::everywhere: one grouping of folds and scans on every target.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program fix_order(core::Program program);

}  // namespace hasten::passes
