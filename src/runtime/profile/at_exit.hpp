// HASTEN_PROFILE: the profiles of all programs that ran, printed when the process ends.
#pragma once

#include "runtime/profile/profile.hpp"

namespace hasten::runtime {

/// A program was compiled. Does nothing unless HASTEN_PROFILE is set; then launches of devices are
/// timed from the first one on.
void note_program(const ProfileSource& source);
/// The program is destroyed; its times are kept for the report.
void forget_program(const Recording& recording);

}  // namespace hasten::runtime
