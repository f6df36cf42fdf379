// Pages that exist before somebody needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

namespace hasten::runtime {

enum class Access : std::uint8_t { read, write };

/// Asks the system for the pages of this memory, some at a time, until all are there or a stop is
/// requested. Contents are kept. False: the system does not know the request, or cannot fulfil it.
bool populate(const std::byte* data, std::int64_t bytes, Access access,
              const std::stop_token& stop);

}  // namespace hasten::runtime
