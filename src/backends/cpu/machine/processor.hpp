// What the system says of its processors: their caches, and how many of them we may use.
//
// The system's files are read below `root`, "/" but for tests. What is not there is not known.
#pragma once

#include "backends/facts.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hasten::backends::cpu {

/// Numbers of the processors that this thread may run on, ascending; empty: not known.
[[nodiscard]] std::vector<int> allowed_processors();

/// The caches of a processor by the kernel's tables; empty where it has none.
[[nodiscard]] std::vector<CacheFacts> cache_table(const std::filesystem::path& root, int processor);
/// The C library's answer: wrong in virtual machines, whose last cache others share.
[[nodiscard]] std::vector<CacheFacts> cache_table_of_library();
/// The first of: the kernel's tables, the library's, the defaults.
[[nodiscard]] std::vector<CacheFacts> find_caches();

/// Processors' worth of time that the process's control groups grant, 1.5 and the like; nothing:
/// no limit.
[[nodiscard]] std::optional<double> processor_quota(const std::filesystem::path& root);
/// Bytes that the process's control groups grant; nothing: no limit.
[[nodiscard]] std::optional<std::int64_t> memory_quota(const std::filesystem::path& root);

/// Threads that may run at once: the processors allowed, or the quota where it is smaller; at
/// least 1.
[[nodiscard]] int usable_threads();

/// Vendor, model, affine,  microcode of the first processor: "GenuineIntel 6 85 ...".
[[nodiscard]] std::string processor_words(const std::filesystem::path& root);

}  // namespace hasten::backends::cpu
