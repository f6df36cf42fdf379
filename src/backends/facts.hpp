// A machine as numbers: the resources of a device, by tables and drivers, and its measured speeds.
// docs/machine-facts.md says how each is found.
//
// No result of a program depends on any of them: they choose among ways that yield the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hasten::backends {

/// Of one thread, and of all threads that the process may use.
struct Rates {
  double one = 0, all = 0;
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// A cache of data, or of data and instructions.
struct CacheFacts {
  int level = 1;  // 1 is the nearest
  std::int64_t bytes = 0;
  int sharers = 1;                         // processors that share it
  std::optional<double> read_bytes_per_s;  // by one thread, of data that half fills it; measured
  friend bool operator==(const CacheFacts&, const CacheFacts&) = default;
};

/// Absent facts are not known, or not yet measured. Names, units and meanings: fact_rows().
struct Facts {
  std::vector<CacheFacts> caches;  // nearest first
  std::optional<std::int64_t> threads, compute_units, memory_bytes, local_bytes;
  std::optional<double> peak_bytes_per_s;

  std::optional<std::int64_t> cache_seen_bytes;
  std::optional<Rates> read_bytes_per_s, copy_bytes_per_s, stream_bytes_per_s;
  std::optional<Rates> fma_f32_per_s, fma_f64_per_s;
  std::optional<Rates> gather_cache_per_s, gather_memory_per_s;
  std::optional<double> launch_ns, call_ns;
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// A fact with a name: all except the caches.
struct FactRow {
  using Count = std::optional<std::int64_t> Facts::*;
  using Number = std::optional<double> Facts::*;
  using Pair = std::optional<Rates> Facts::*;
  const char* name;  // with its unit as a suffix
  const char* meaning;
  std::variant<Count, Number, Pair> member;
};
[[nodiscard]] std::span<const FactRow> fact_rows();

/// The size of the last cache in bytes, at most 16 MiB for each processor that shares it, or the
/// size seen in a sweep where that is less than a quarter of it: others use it too, or the table is
/// wrong. 0: not known.
[[nodiscard]] std::int64_t last_cache_bytes(const Facts& facts);
/// The share of a thread in the second cache; a small one, where that is not known.
[[nodiscard]] std::int64_t second_cache_bytes(const Facts& facts);

/// One line per known fact: its name and its numbers.
[[nodiscard]] std::string print(const Facts& facts);
/// Parses that form; empty lines and lines that begin with # are skipped. Nothing, with the reason
/// in `why`, where a line is malformed.
[[nodiscard]] std::optional<Facts> parse_facts(std::string_view text, std::string& why);

/// The facts of a common machine, for HASTEN_MACHINE=off.
[[nodiscard]] Facts default_facts();
/// The facts that HASTEN_MACHINE substitutes for the machine's: the defaults, or those of a file.
/// Throws Error when it names a file that has none.
[[nodiscard]] std::optional<Facts> facts_instead();

}  // namespace hasten::backends
