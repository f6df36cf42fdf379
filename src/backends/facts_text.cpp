// The names of facts, and their text form.
#include "backends/facts.hpp"

#include "support/env.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>

namespace hasten::backends {
namespace {

constexpr FactRow rows[] = {
    {"threads", "that the process may use at once", &Facts::threads},
    {"compute_units", "multiprocessors of a device", &Facts::compute_units},
    {"memory_bytes", "that the device has", &Facts::memory_bytes},
    {"local_bytes", "local memory of a group", &Facts::local_bytes},
    {"peak_bytes_per_s", "of memory, by its clock and width", &Facts::peak_bytes_per_s},
    {"cache_seen_bytes", "the largest size that is read faster than memory",
     &Facts::cache_seen_bytes},
    {"read_bytes_per_s", "from memory", &Facts::read_bytes_per_s},
    {"copy_bytes_per_s", "read and written, in memory", &Facts::copy_bytes_per_s},
    {"stream_bytes_per_s", "the same with stores that go past the caches",
     &Facts::stream_bytes_per_s},
    {"fma_f32_per_s", "fused products and sums of float", &Facts::fma_f32_per_s},
    {"fma_f64_per_s", "fused products and sums of double", &Facts::fma_f64_per_s},
    {"gather_cache_per_s", "random reads of 4 bytes in the second cache",
     &Facts::gather_cache_per_s},
    {"gather_memory_per_s", "random reads of 4 bytes beyond the last cache",
     &Facts::gather_memory_per_s},
    {"launch_ns", "until all threads are at work and done again", &Facts::launch_ns},
    {"call_ns", "to run a kernel of one element on the calling thread", &Facts::call_ns},
};

std::string text_of(double number) { return fmt::format("{:.6g}", number); }
std::string text_of(std::int64_t count) { return std::to_string(count); }
std::string text_of(const Rates& rates) { return text_of(rates.one) + " " + text_of(rates.all); }

bool is_sane(double number) { return std::isfinite(number) && number > 0; }

bool read(std::istream& line, std::int64_t& count) { return line >> count && count > 0; }
bool read(std::istream& line, double& number) { return line >> number && is_sane(number); }
bool read(std::istream& line, Rates& rates) {
  return read(line, rates.one) && read(line, rates.all);
}

// "cache LEVEL BYTES SHARERS", and the rate of reading it.
bool read_cache(std::istream& line, Facts& facts) {
  CacheFacts cache;
  if (!(line >> cache.level >> cache.bytes >> cache.sharers)) return false;
  if (cache.level < 1 || cache.bytes < 1 || cache.sharers < 1) return false;
  if (!facts.caches.empty() && facts.caches.back().level >= cache.level) return false;
  if (!(line >> std::ws).eof() && !read(line, cache.read_bytes_per_s.emplace())) return false;
  facts.caches.push_back(cache);
  return true;
}

bool read_row(std::istream& line, const std::string& name, Facts& facts) {
  for (const FactRow& row : rows)
    if (name == row.name)
      return match(row.member, [&](auto member) { return read(line, (facts.*member).emplace()); });
  return false;
}

}  // namespace

std::span<const FactRow> fact_rows() { return rows; }

std::string print(const Facts& facts) {
  std::string text;
  for (const CacheFacts& cache : facts.caches) {
    text += fmt::format("cache {} {} {}", cache.level, cache.bytes, cache.sharers);
    if (cache.read_bytes_per_s) text += " " + text_of(*cache.read_bytes_per_s);
    text += "\n";
  }
  for (const FactRow& row : rows)
    match(row.member, [&](auto member) {
      if (const auto& fact = facts.*member)
        text += std::string(row.name) + " " + text_of(*fact) + "\n";
    });
  return text;
}

std::optional<Facts> parse_facts(std::string_view text, std::string& why) {
  Facts facts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string words; std::getline(lines, words);) {
    ++number;
    std::istringstream line(words);
    line.imbue(std::locale::classic());
    std::string name;
    if (!(line >> name) || name[0] == '#') continue;
    const bool known = name == "cache" ? read_cache(line, facts) : read_row(line, name, facts);
    if (known && (line >> std::ws).eof()) continue;
    why = fmt::format("line {} is no fact: {}", number, words);
    return std::nullopt;
  }
  return facts;
}

namespace {

constexpr std::size_t facts_bytes_max = std::size_t{1} << 20;

// Reads a file that ends: pipes and devices may not.
std::optional<std::string> text_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(facts_bytes_max, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

std::optional<Facts> facts_instead() {
  const std::string choice = support::env("HASTEN_MACHINE");
  if (choice.empty() || choice == "remeasure") return std::nullopt;
  if (choice == "off") return default_facts();
  const std::optional<std::string> text = text_of(choice);
  if (!text)
    throw Error("HASTEN_MACHINE: cannot read " + choice +
                "; it is remeasure, off, or a file of facts as HASTEN_CACHE_DIR has them");
  std::string why;
  auto facts = parse_facts(*text, why);
  if (!facts) throw Error("HASTEN_MACHINE: " + choice + ", " + why);
  return facts;
}

}  // namespace hasten::backends
