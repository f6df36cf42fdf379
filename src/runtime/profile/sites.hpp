// The steps of a plan that take time, by their numbers.
#pragma once

#include "kernels/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hasten::runtime {

/// By kernels::Step::site.
[[nodiscard]] std::vector<const kernels::Step*> steps_of_sites(const kernels::Plan& plan);

/// By ArrayId: the site to which copies of the array to a device are attributed. That of the step
/// that brings it in; Plan::sites for all other arrays.
[[nodiscard]] std::vector<std::uint32_t> copy_sites_of(const kernels::Plan& plan);

/// "fill": a launch that writes the same value everywhere; else "launch", "sort", "foreign call",
/// "copy".
[[nodiscard]] std::string kind_of(const kernels::Step& step, const kernels::Plan& plan);

/// The operation, with the user's name for it, and those fused into it.
[[nodiscard]] std::string name_of(const kernels::Step& step);

}  // namespace hasten::runtime
