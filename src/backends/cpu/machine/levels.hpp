// Levels of processors that machine code is made for ahead of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hasten::backends::cpu {

/// x86-64 as it began; v3 of its levels, with AVX2 and fused products; v4, with AVX-512. Elsewhere
/// there is the baseline only.
enum class Level : std::uint8_t { baseline = 1, avx2 = 2, avx512 = 3 };

[[nodiscard]] const char* name_of(Level level);
[[nodiscard]] std::optional<Level> level_named(std::string_view name);
/// The highest one whose code this processor, and its system, can run.
[[nodiscard]] Level level_of_processor();

}  // namespace hasten::backends::cpu
