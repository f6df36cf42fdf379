// Reads /sys/devices/system/cpu, /proc and the control group files of both versions.
#include "backends/cpu/machine/processor.hpp"

#include "support/lines.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace hasten::backends::cpu {
namespace {

namespace fs = std::filesystem;

using support::first_line;
using support::lines_of;
using support::take_number;

// Parses "32K", "1024K", "8M"; 0 if the text is no size.
std::int64_t bytes_of(std::string_view text) {
  const std::int64_t number = take_number<std::int64_t>(text).value_or(0);
  if (number <= 0 || number > (std::int64_t{1} << 30)) return 0;
  const char unit = text.empty() ? ' ' : text[0];
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

// The number of entries in a list such as "0-3,8"; 0 if the text is no list.
int count_of(std::string_view list) {
  int count = 0;
  for (std::string_view range : support::split(list, ',')) {
    const std::optional<int> first = take_number<int>(range);
    if (!first) return 0;
    range.remove_prefix(std::min<std::size_t>(1, range.size()));  // the dash
    const int last = take_number<int>(range).value_or(*first);
    if (last < *first) return 0;
    count += last - *first + 1;
  }
  return count;
}

std::optional<CacheFacts> cache_at(const fs::path& folder) {
  const std::string type = first_line(folder / "type");
  if (type != "Data" && type != "Unified") return std::nullopt;
  CacheFacts cache;
  cache.level = std::atoi(first_line(folder / "level").c_str());
  cache.bytes = bytes_of(first_line(folder / "size"));
  cache.sharers = std::max(1, count_of(first_line(folder / "shared_cpu_list")));
  if (cache.level < 1 || cache.bytes < 1) return std::nullopt;
  return cache;
}

// -- control groups -----------------------------------------------------------------------------

// A file of control groups; in the first version each controller has its own tree of groups in a
// separate folder, and the file has another name.
struct GroupFile {
  const char* controller;
  const char* file;
  const char* old_folder;
  const char* old_file;
};

void add_lines(std::vector<std::string>& lines, const fs::path& tree, fs::path group,
               const char* file) {
  for (;; group = group.parent_path()) {
    const std::string line = first_line(tree / group.relative_path() / file);
    if (!line.empty()) lines.push_back(line);
    if (!group.has_relative_path()) return;
  }
}

// The first lines of the file in the group of this process and in its ancestors.
struct GroupLines {
  std::vector<std::string> now, old;
};

GroupLines group_lines(const fs::path& root, const GroupFile& wanted) {
  GroupLines result;
  for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
    // "4:cpu,cpuacct:/a/b", "0::/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path tree = root / "sys/fs/cgroup", group = line.substr(second + 1);
    if (controllers == ",,") add_lines(result.now, tree, group, wanted.file);
    if (controllers.find("," + std::string(wanted.controller) + ",") != std::string::npos)
      add_lines(result.old, tree / wanted.old_folder, group, wanted.old_file);
  }
  return result;
}

std::optional<double> number_in(std::string_view line) {
  const auto number = take_number<std::uint64_t>(line);  // they are whole
  if (!number || *number == 0) return std::nullopt;      // or "max", or -1
  return static_cast<double>(*number);
}

template <class T>
void take_smaller(std::optional<T>& least, std::optional<T> other) {
  if (other && (!least || *other < *least)) least = other;
}

}  // namespace

std::vector<int> allowed_processors() {
  std::vector<int> numbers;
  for (std::size_t most = 1024; most <= (1U << 16); most *= 2) {
    cpu_set_t* const set = CPU_ALLOC(most);
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    const bool known = set && sched_getaffinity(0, bytes, set) == 0;
    for (std::size_t i = 0; known && i < most; ++i)
      if (CPU_ISSET_S(i, bytes, set)) numbers.push_back(static_cast<int>(i));
    CPU_FREE(set);
    if (known) break;  // else the system has more
  }
  return numbers;
}

std::vector<CacheFacts> cache_table(const fs::path& root, int processor) {
  const fs::path folder =
      root / ("sys/devices/system/cpu/cpu" + std::to_string(processor)) / "cache";
  std::vector<CacheFacts> caches;
  std::error_code error;
  for (int i = 0; fs::exists(folder / ("index" + std::to_string(i)), error); ++i)
    if (const auto cache = cache_at(folder / ("index" + std::to_string(i)))) {
      const auto at = std::ranges::lower_bound(caches, cache->level, {}, &CacheFacts::level);
      if (at == caches.end() || at->level != cache->level) caches.insert(at, *cache);
    }
  return caches;
}

std::vector<CacheFacts> cache_table_of_library() {
  std::vector<CacheFacts> caches;
  int level = 1;
  for (const int name : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                         _SC_LEVEL4_CACHE_SIZE}) {
    if (const long bytes = sysconf(name); bytes > 0) caches.push_back({level, bytes, 1, {}});
    ++level;
  }
  return caches;
}

std::vector<CacheFacts> find_caches() {
  const std::vector<int> processors = allowed_processors();
  auto caches = cache_table("/", processors.empty() ? 0 : processors.front());
  if (caches.empty()) caches = cache_table_of_library();
  if (!caches.empty()) return caches;
  caches = default_facts().caches;
  for (CacheFacts& cache : caches) cache.read_bytes_per_s.reset();
  return caches;
}

std::optional<double> processor_quota(const fs::path& root) {
  const GroupLines quotas =
      group_lines(root, {"cpu", "cpu.max", "cpu", "cpu.cfs_quota_us"});  // "200000 100000"
  std::optional<double> least;
  for (const std::string& line : quotas.now) {
    const auto quota = number_in(line);
    const auto period =
        number_in(std::string_view(line).substr(std::min(line.size(), line.find(' '))));
    if (quota && period) take_smaller(least, std::optional(*quota / *period));
  }
  const GroupLines periods = group_lines(root, {"cpu", "cpu.max", "cpu", "cpu.cfs_period_us"});
  for (std::size_t i = 0; i < std::min(quotas.old.size(), periods.old.size()); ++i) {
    const auto quota = number_in(quotas.old[i]), period = number_in(periods.old[i]);
    if (quota && period) take_smaller(least, std::optional(*quota / *period));
  }
  return least;
}

std::optional<std::int64_t> memory_quota(const fs::path& root) {
  const GroupLines lines =
      group_lines(root, {"memory", "memory.max", "memory", "memory.limit_in_bytes"});
  std::optional<std::int64_t> least;
  for (const auto* list : {&lines.now, &lines.old})
    for (const std::string& line : *list)
      if (const auto bytes = number_in(line); bytes && *bytes < 1e18)  // more means no limit
        take_smaller(least, std::optional(static_cast<std::int64_t>(*bytes)));
  return least;
}

int usable_threads() {
  auto threads = static_cast<int>(allowed_processors().size());
  if (threads == 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  if (const auto quota = processor_quota("/"))
    threads = static_cast<int>(std::min<double>(threads, std::ceil(*quota)));
  return std::max(1, threads);
}

std::string processor_words(const fs::path& root) {
  std::string words;
  for (const std::string& line : lines_of(root / "proc/cpuinfo")) {
    if (line.empty()) break;  // end of the first processor's lines
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    for (const char* telling : {"vendor_id", "cpu family", "model", "model name", "stepping",
                                "microcode", "CPU implementer", "CPU part", "CPU revision"})
      if (name == telling) words += (words.empty() ? "" : " ") + line.substr(colon + 2);
  }
  return words;
}

}  // namespace hasten::backends::cpu
