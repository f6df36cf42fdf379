// Which options of a program are valid.
#pragma once

#include <hasten/run/options.hpp>

#include <source_location>

namespace hasten::runtime {

struct Device;

/// Throws BuildError for options that contradict each other, are out of range, or do not fit the
/// device.
void check_options(const Options& options, const Device& device, const std::source_location& where);

/// Whether elements may fail, which the interpreter then names.
[[nodiscard]] bool checks_elements(const Options& options);

}  // namespace hasten::runtime
