// Folds chosen elements without an array of them.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program fold_kept(core::Program program);

}  // namespace hasten::passes
