// HASTEN_DEBUG: what the runtime does, on standard error. 1: devices; 2: kernels and times;
// 3: passes; 4: calls.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

namespace hasten::runtime {

/// Reads HASTEN_DEBUG again; called once per compiled program.
void refresh_log_level();
[[nodiscard]] std::int64_t log_level() noexcept;
void write_log(const std::string& line);

/// The text is only made if it is shown.
template <class F>
void log(std::int64_t level, F&& text) {
  if (log_level() >= level) write_log(text());
}

}  // namespace hasten::runtime
