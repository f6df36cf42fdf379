// Devices that exist only to be parts of `multi` in a soak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hasten::conformance {

/// Adds targets to this process, once: "processor", a second processor with one thread, which
/// shares the compiled kernels of the first; "evaluator", which evaluates kernels element by
/// element in host memory, and "apart", which does so in memory of its own. The latter two compile
/// nothing, and no code generator has a part in their results.
void add_test_devices();

/// What "apart" was used for that the seam forbids; empty: nothing.
[[nodiscard]] std::string damage_of_test_devices();
/// Of "evaluator" and "apart", in this process.
[[nodiscard]] std::int64_t launches_of_test_devices();

/// A share for each device, some of which have none.
[[nodiscard]] std::vector<double> random_split(std::size_t devices, std::uint64_t seed);

}  // namespace hasten::conformance
