// Writing records; see report.hpp.
#include "report.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number(double x) {
  if (!std::isfinite(x)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}
std::string number(const std::optional<double>& x) { return x ? number(*x) : "null"; }
std::string text_or_null(const std::string& s) { return s.empty() ? "null" : quoted(s); }

std::string shown(const std::optional<double>& x, const char* format) {
  if (!x) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, *x);
  return text;
}

// Small times are shown with more digits than large ones.
std::string shown_ms(const std::optional<double>& ms) {
  return shown(ms, ms && *ms < 1 ? "%.4f" : "%.2f");
}

std::string shown_limit(const Record& r) {
  if (r.limit_name.empty()) return "";
  std::string out = r.limit_name + " " + shown(r.limit_rate, "%.0f") + " " + r.limit_unit;
  return out;
}

}  // namespace

std::string to_json(const Record& r) {
  std::string out = "{\"name\":" + quoted(r.name) + ",\"target\":" + quoted(r.target) +
                    ",\"size\":" + quoted(r.size) + ",\"threads\":" + std::to_string(r.threads) +
                    ",\"ours_ms\":" + number(r.ours_ms) + ",\"best_ms\":" + number(r.best_ms) +
                    ",\"best_name\":" + text_or_null(r.best_name) +
                    ",\"ratio\":" + number(r.ratio) + ",\"limit_share\":" + number(r.limit_share) +
                    ",\"limit_name\":" + text_or_null(r.limit_name) +
                    ",\"limit_rate\":" + number(r.limit_rate) +
                    ",\"limit_unit\":" + text_or_null(r.limit_unit) +
                    ",\"bar_ms\":" + number(r.bar_ms) + ",\"medians_ms\":{";
  for (std::size_t i = 0; i < r.others.size(); ++i)
    out += (i == 0 ? "" : ",") + quoted(r.others[i].first) + ":" + number(r.others[i].second);
  out += "},\"wrong\":[";
  for (std::size_t i = 0; i < r.wrong.size(); ++i) out += (i == 0 ? "" : ",") + quoted(r.wrong[i]);
  return out + "],\"error\":" + text_or_null(r.error) + "}";
}

void print_heading() {
  std::printf("%-22s %-22s %3s %10s %10s %-24s %6s %6s  %s\n", "name", "size", "thr", "ours ms",
              "best ms", "best", "ratio", "share", "of limit, or bar");
}

void print_row(const Record& r) {
  const std::string last = r.bar_ms ? "bar " + shown_ms(r.bar_ms) + " ms" : shown_limit(r);
  std::printf("%-22s %-22s %3d %10s %10s %-24s %6s %6s  %s\n", r.name.c_str(), r.size.c_str(),
              r.threads, shown_ms(r.ours_ms).c_str(), shown_ms(r.best_ms).c_str(),
              r.best_name.c_str(), shown(r.ratio, "%.2f").c_str(),
              shown(r.limit_share, "%.2f").c_str(), last.c_str());
  auto sorted = r.others;
  std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.second < b.second; });
  std::string line;
  for (const auto& [name, ms] : sorted) {
    const std::string item = name + " " + shown_ms(ms);
    if (line.size() + item.size() > 90) {
      std::printf("    %s\n", line.c_str());
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + item;
  }
  if (!line.empty()) std::printf("    %s\n", line.c_str());
  for (const std::string& name : r.wrong) std::printf("    WRONG RESULT: %s\n", name.c_str());
  if (!r.error.empty()) std::printf("    ERROR: %s\n", r.error.c_str());
  std::fflush(stdout);
}

}  // namespace bench
