// One grouping of folds and scans, whatever runs them: Determinism::everywhere.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program fix_order(core::Program program);

}  // namespace hasten::passes
