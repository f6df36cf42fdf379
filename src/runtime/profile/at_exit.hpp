// HASTEN_PROFILE: the profiles of all programs that ran, printed when the process ends.
#pragma once

#include "runtime/profile/profile.hpp"

namespace hasten::runtime {

/// A program was compiled. Does nothing unless HASTEN_PROFILE is set; then launches of devices are
/// timed from the first.
void note_program(const ProfileSource& source);
/// The program goes; what it took stays for the print.
void forget_program(const Recording& recording);

}  // namespace hasten::runtime
