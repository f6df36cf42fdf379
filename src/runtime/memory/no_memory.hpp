// What is said when there is no memory.
#pragma once

#include <hasten/run/error.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>

namespace hasten::runtime {

/// The operation that needs memory, as users call it.
struct Needs {
  std::string operation;
  std::source_location where;
};

/// `report`: who holds what on the device (DeviceMemory::report).
[[nodiscard]] MemoryError no_scratch(const Needs& needs, std::size_t bytes,
                                     const std::string& report);
/// `what` is "its result" or the like.
[[nodiscard]] MemoryError no_room(const Needs& needs, const std::string& what,
                                  std::span<const std::int64_t> shape, std::int64_t bytes,
                                  const std::string& report);
/// Of the host; `bytes` is nothing when the size overflows, `live` is what the program holds.
[[nodiscard]] MemoryError no_memory(const Needs& needs, std::span<const std::int64_t> shape,
                                    std::optional<std::int64_t> bytes, std::int64_t live);
/// More elements than can be counted; an extent that is one itself is negative.
[[nodiscard]] MemoryError uncountable(const Needs& needs, std::span<const std::int64_t> shape);
[[nodiscard]] MemoryError uncountable(const Needs& needs, const std::string& message);
[[nodiscard]] MemoryError over_limit(const Needs& needs, std::span<const std::int64_t> shape,
                                     std::int64_t bytes, std::int64_t live, std::int64_t limit);

/// What the last of these errors of this thread was about, which is then forgotten: 0 if there was
/// none, the largest number if it was too large to be counted.
[[nodiscard]] std::int64_t take_bytes_refused();

}  // namespace hasten::runtime
