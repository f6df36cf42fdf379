// Each rule has a message of its own.
#include "runtime/check_options.hpp"

#include "runtime/report/text.hpp"
#include "runtime/targets.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

namespace hasten::runtime {
namespace {

/// Numbers cast to an enumeration may be none of its values.
template <class E>
void check_value(E value, E last, std::string_view option, std::string_view type,
                 const std::source_location& where) {
  const auto number = static_cast<std::uint8_t>(value);
  if (number > static_cast<std::uint8_t>(last))
    throw BuildError(
        fmt::format("Options::{} is {}, which is no value of hasten::{}", option, number, type),
        where);
}

void check_split(const Options& options, const Device& device, const std::source_location& where) {
  const std::vector<double>& split = options.split;
  if (split.empty()) return;
  const std::size_t devices = device.sharers();
  if (split.size() != devices)
    throw BuildError(
        fmt::format("Options::split has {} for {} of the target \"{}\"; give each device "
                    "a share, or leave it empty and shares are learned",
                    counted(std::ssize(split), "share"),
                    counted(static_cast<std::int64_t>(devices), "device"), device.name),
        where);
  const bool is_right =
      std::ranges::all_of(split, [](double share) { return std::isfinite(share) && share >= 0; });
  if (!is_right || std::ranges::all_of(split, [](double share) { return share == 0; }))
    throw BuildError("Options::split must be finite and not negative, and some of it above 0",
                     where);
}

}  // namespace

void check_options(const Options& options, const Device& device,
                   const std::source_location& where) {
  check_value(options.checks, Checks::all | Checks::trusted, "checks", "Checks", where);
  check_value(options.determinism, Determinism::everywhere, "determinism", "Determinism", where);
  check_value(options.fast_math, FastMath::all, "fast_math", "FastMath", where);
  if (has(options.checks, Checks::trusted) && options.checks != Checks::trusted)
    throw BuildError("Checks::trusted stands alone: a program is either checked or trusted", where);
  if (options.memory_limit < 0)
    throw BuildError(fmt::format("Options::memory_limit is {}, and must not be negative; give a "
                                 "number of bytes, or 0 for no limit",
                                 options.memory_limit),
                     where);
  check_split(options, device, where);
}

bool checks_elements(const Options& options) {
  return has(options.checks, Checks::bounds) || has(options.checks, Checks::arithmetic);
}

}  // namespace hasten::runtime
