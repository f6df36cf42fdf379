// Values derived from facts, and their defaults where no facts are known.
#include "backends/facts.hpp"

#include <algorithm>

namespace hasten::backends {
namespace {

constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB;

// Hardly any processor has more of a last cache for each of its threads (an EPYC 7373X: 24 MiB, 48
// without SMT). A table that says more is usually that of a virtual machine with a few cores of a
// processor, which is told the size of the whole cache.
constexpr std::int64_t most_of_a_thread = 16 * MiB;

}  // namespace

std::int64_t last_cache_bytes(const Facts& facts) {
  if (facts.caches.empty()) return facts.cache_seen_bytes.value_or(0);
  const CacheFacts& last = facts.caches.back();
  const std::int64_t table = std::min(last.bytes, most_of_a_thread * last.sharers);
  const std::int64_t seen = facts.cache_seen_bytes.value_or(table);
  return seen < table / 4 ? seen : table;
}

std::int64_t second_cache_bytes(const Facts& facts) {
  constexpr std::int64_t small = 256 * 1024;
  for (const CacheFacts& cache : facts.caches)
    if (cache.level == 2) return cache.bytes;
  return small;
}

Facts default_facts() {
  Facts facts;
  facts.caches = {{1, 32 * KiB, 1, 200e9}, {2, 1 * MiB, 1, 100e9}, {3, 32 * MiB, 8, 50e9}};
  facts.cache_seen_bytes = 32 * MiB;
  facts.read_bytes_per_s = {20e9, 40e9};
  facts.copy_bytes_per_s = {15e9, 30e9};
  facts.stream_bytes_per_s = {20e9, 40e9};
  facts.fma_f32_per_s = {50e9, 200e9};
  facts.fma_f64_per_s = {25e9, 100e9};
  facts.gather_cache_per_s = {1e9, 4e9};
  facts.gather_memory_per_s = {0.2e9, 0.8e9};
  facts.launch_ns = 5000;
  facts.call_ns = 100;
  return facts;
}

}  // namespace hasten::backends
