// Searches words by comparing vectors of them, where the processor has any.
#pragma once

#include <cstdint>

namespace hasten::backends::cpu {

/// The place of the first word from `begin` on that is less than the limit; `end` if none is.
[[nodiscard]] std::int64_t first_below(const std::uint32_t* words, std::int64_t begin,
                                       std::int64_t end, std::uint32_t limit);
[[nodiscard]] std::int64_t first_below(const std::uint64_t* words, std::int64_t begin,
                                       std::int64_t end, std::uint64_t limit);

}  // namespace hasten::backends::cpu
