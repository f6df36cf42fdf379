// Computes maps of segments' elements segment by segment.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

core::Program join_segment_maps(core::Program program);

}  // namespace hasten::passes
