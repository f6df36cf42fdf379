// Error messages for lack of memory.
#pragma once

#include <hasten/run/error.hpp>

#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>

namespace hasten::runtime {

/// The operation that needs memory, in the user's terms.
struct Needs {
  std::string operation;
  std::source_location where;
};

/// `report`: the holders of device memory (DeviceMemory::report).
[[nodiscard]] MemoryError no_scratch(const Needs& needs, std::size_t bytes,
                                     const std::string& report);
/// `what` is "its result" or the like.
[[nodiscard]] MemoryError no_room(const Needs& needs, const std::string& what,
                                  std::span<const std::int64_t> shape, std::int64_t bytes,
                                  const std::string& report);
/// For the host; `bytes` is empty when the size overflows, `live` is the memory the program holds.
[[nodiscard]] MemoryError no_memory(const Needs& needs, std::span<const std::int64_t> shape,
                                    std::optional<std::int64_t> bytes, std::int64_t live);
/// For a sort on the host, of an array of `bytes`, which needs more while it runs.
[[nodiscard]] MemoryError no_memory_to_sort(const Needs& needs, std::span<const std::int64_t> shape,
                                            std::int64_t bytes, std::int64_t live);
/// More elements than can be counted; an extent that overflowed itself is negative.
[[nodiscard]] MemoryError uncountable(const Needs& needs, std::span<const std::int64_t> shape);
[[nodiscard]] MemoryError uncountable(const Needs& needs, const std::string& message);
[[nodiscard]] MemoryError over_limit(const Needs& needs, std::span<const std::int64_t> shape,
                                     std::int64_t bytes, std::int64_t live, std::int64_t limit);

/// The bytes that the last of these errors on this thread was about, which is then forgotten: 0 if
/// there was none, the largest number if it could not be counted.
[[nodiscard]] std::int64_t take_bytes_refused();

}  // namespace hasten::runtime
