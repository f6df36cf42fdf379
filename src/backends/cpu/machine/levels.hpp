// The processor levels that machine code is generated for ahead of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hasten::backends::cpu {

/// Baseline x86-64; its level v3, with AVX2 and fused products; v4, with AVX-512. On other
/// architectures only the baseline exists.
enum class Level : std::uint8_t { baseline = 1, avx2 = 2, avx512 = 3 };

[[nodiscard]] const char* name_of(Level level);
[[nodiscard]] std::optional<Level> level_named(std::string_view name);
/// The highest level whose code this processor and its system can run.
[[nodiscard]] Level level_of_processor();
/// The width of vectors in bits that HASTEN_CPU_WIDTH permits: 128, 256 or 512. None: it is not
/// set, or no such width.
[[nodiscard]] std::optional<unsigned> permitted_width();

}  // namespace hasten::backends::cpu
