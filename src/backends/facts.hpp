// A machine as numbers: what a device has, by tables and drivers, and how fast it is, measured.
// docs/machine-facts.md says how each is found.
//
// No result of a program depends on any of them: they choose among ways that give the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hasten::backends {

/// Of one thread, and of all that the process may use.
struct Rates {
  double one = 0, all = 0;
  friend bool operator==(const Rates&, const Rates&) = default;
};

/// A cache of data, or of data and instructions.
struct CacheFacts {
  int level = 1;  // 1 is the nearest
  std::int64_t bytes = 0;
  int sharers = 1;                         // processors that have it between them
  std::optional<double> read_bytes_per_s;  // by one thread, of what half fills it; measured
  friend bool operator==(const CacheFacts&, const CacheFacts&) = default;
};

/// What is absent is not known, or not yet measured. Names, units and meanings: fact_rows().
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

/// A fact that has a name: all but the caches.
struct FactRow {
  using Count = std::optional<std::int64_t> Facts::*;
  using Number = std::optional<double> Facts::*;
  using Pair = std::optional<Rates> Facts::*;
  const char* name;  // with its unit at the end
  const char* meaning;
  std::variant<Count, Number, Pair> member;
};
[[nodiscard]] std::span<const FactRow> fact_rows();

/// Bytes of the last cache, or what a sweep of sizes saw of it where that is less than a quarter:
/// others use it too, or the table is wrong. 0: not known.
[[nodiscard]] std::int64_t last_cache_bytes(const Facts& facts);
/// What a thread has of the second cache; a small one, where that is not known.
[[nodiscard]] std::int64_t second_cache_bytes(const Facts& facts);

/// A line for each that is known: its name and its numbers.
[[nodiscard]] std::string print(const Facts& facts);
/// Reads that form; empty lines and those that begin with # are passed over. Nothing, with the
/// reason in `why`, where a line is not of it.
[[nodiscard]] std::optional<Facts> parse_facts(std::string_view text, std::string& why);

/// What a common machine has, for HASTEN_MACHINE=off.
[[nodiscard]] Facts default_facts();
/// What HASTEN_MACHINE puts in the place of the machine: the defaults, or what a file says. Throws
/// Error when it names a file that is none.
[[nodiscard]] std::optional<Facts> facts_instead();

}  // namespace hasten::backends
