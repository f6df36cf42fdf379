// The printed form of profiles.
#include "core/print.hpp"
#include "runtime/report/text.hpp"

#include <hasten/run/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hasten {
namespace {

// "12.3 GB/s 45%", or nothing.
std::string rate(double value, const char* unit, double share) {
  if (value <= 0) return "";
  std::string text = fmt::format("{:.3g} {}", value, unit);
  if (share > 0) text += fmt::format(" {:3.0f}%", 100 * share);
  return text;
}

std::string milliseconds(const ProfileRow& row, double value) {
  return row.total_ms > 0 ? fmt::format("{:.4g}", value) : "";
}

std::string what(const ProfileRow& row) {
  const bool has_own_name = row.kind == "host" || row.kind == "interpreted" || row.name == row.kind;
  std::string text = has_own_name ? row.name : row.kind + " " + row.name;
  if (!row.shapes.empty()) text += " " + row.shapes;
  if (row.where.line() != 0) text += " at " + core::print(row.where);
  return text;
}

}  // namespace

std::string Profile::str() const {
  std::vector<const ProfileRow*> sorted;
  for (const ProfileRow& row : rows_) sorted.push_back(&row);
  std::ranges::sort(sorted, [](const ProfileRow* a, const ProfileRow* b) {
    return a->total_ms != b->total_ms ? a->total_ms > b->total_ms : a < b;  // else as in the plan
  });
  std::string text =
      title_ + fmt::format(": {}, {:.4g} ms\n", runtime::counted(calls_, "call"), total_ms_);
  constexpr const char* layout = "{:>6} {:>8} {:>9} {:>9} {:>9}  {:<16} {:<17} {:<16} {}\n";
  text += fmt::format(layout, "share", "calls", "first ms", "min ms", "median ms", "memory",
                      "arithmetic", "bound by", "what");
  for (const ProfileRow* const row : sorted)
    text += fmt::format(
        layout, fmt::format("{:.1f}%", 100 * row->share), row->calls,
        milliseconds(*row, row->first_ms), milliseconds(*row, row->minimum_ms),
        milliseconds(*row, row->median_ms), rate(row->bandwidth_gbps, "GB/s", row->bandwidth_share),
        rate(row->arithmetic_gflops, "GFLOP/s", row->arithmetic_share), row->bound, what(*row));
  return text;
}

}  // namespace hasten
