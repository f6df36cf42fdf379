// The part of `hasten info` that shows facts of devices.
#include "commands.hpp"
#include "runtime/report/text.hpp"
#include "support/overloaded.hpp"

#include <fmt/format.h>

#include <ostream>
#include <string>
#include <string_view>

namespace hasten_tool {
namespace {

using namespace hasten::backends;

// The name of a fact ends in its unit.
struct Unit {
  std::string_view ending;
  double scale;
  const char* shown;
};
constexpr Unit units[] = {
    {"_bytes_per_s", 1e9, "GB/s"},
    {"_per_s", 1e9, "billion/s"},
    {"_ns", 1e3, "microseconds"},
};

struct Named {
  std::string title;
  Unit unit;
};

Named named(std::string name) {
  Unit found = {"", 1, ""};
  for (const Unit& unit : units)
    if (found.ending.empty() && name.ends_with(unit.ending)) found = unit;
  name.resize(name.size() - found.ending.size());
  for (char& c : name)
    if (c == '_') c = ' ';
  return {name, found};
}

std::string shown(double number, const Unit& unit) {
  const double scaled = number / unit.scale;
  return scaled < 10 ? fmt::format("{:.2f}", scaled) : fmt::format("{:.0f}", scaled);
}

std::string value(std::int64_t count, std::string_view name, const Unit&) {
  return name.ends_with("_bytes") ? hasten::runtime::bytes_text(static_cast<double>(count))
                                  : std::to_string(count);
}
std::string value(double number, std::string_view, const Unit& unit) {
  return shown(number, unit) + " " + unit.shown;
}
std::string value(const Rates& rates, std::string_view, const Unit& unit) {
  return fmt::format("{} {} by one thread, {} by all", shown(rates.one, unit), unit.shown,
                     shown(rates.all, unit));
}

void fact_row(std::ostream& out, const std::string& title, const std::string& text) {
  out << fmt::format("    {:<16} {}\n", title, text);
}

void cache_row(std::ostream& out, const CacheFacts& cache) {
  std::string text = hasten::runtime::bytes_text(static_cast<double>(cache.bytes));
  if (cache.sharers > 1) text += fmt::format(", shared by {}", cache.sharers);
  if (cache.read_bytes_per_s)
    text +=
        fmt::format(", read at {} GB/s by one thread", shown(*cache.read_bytes_per_s, units[0]));
  fact_row(out, fmt::format("cache {}", cache.level), text);
}

}  // namespace

void machine(std::ostream& out, const Facts& facts) {
  for (const CacheFacts& cache : facts.caches) cache_row(out, cache);
  for (const FactRow& fact : fact_rows())
    hasten::match(fact.member, [&](auto member) {
      const auto& known = facts.*member;
      if (!known) return;
      const Named name = named(fact.name);
      fact_row(out, name.title, value(*known, fact.name, name.unit) + " (" + fact.meaning + ")");
    });
}

}  // namespace hasten_tool
