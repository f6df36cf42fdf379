// What the system reports about its processors: their caches, and how many of them we may use.
//
// The system's files are read below `root`, "/" except in tests. Missing files mean unknown values.
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
/// From the C library: wrong in virtual machines, whose last cache others share.
[[nodiscard]] std::vector<CacheFacts> cache_table_of_library();
/// The first available of: the kernel's tables, the library's, the defaults.
[[nodiscard]] std::vector<CacheFacts> find_caches();

/// The processor time that the process's control groups grant, in processors, such as 1.5; nothing:
/// no limit.
[[nodiscard]] std::optional<double> processor_quota(const std::filesystem::path& root);
/// Bytes that the process's control groups grant; nothing: no limit.
[[nodiscard]] std::optional<std::int64_t> memory_quota(const std::filesystem::path& root);

/// Threads that may run at once: the number of allowed processors, or the quota where it is
/// smaller; at least 1.
[[nodiscard]] int usable_threads();

/// Vendor, family, model, stepping and microcode of the first processor: "GenuineIntel 6 85 ...".
[[nodiscard]] std::string processor_words(const std::filesystem::path& root);

}  // namespace hasten::backends::cpu
