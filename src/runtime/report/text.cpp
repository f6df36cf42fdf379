// The form of shapes and sizes in messages and reports. It avoids {fmt}, which would be a tenth of
// the runtime of exported libraries.
#include "runtime/report/text.hpp"

#include <cmath>
#include <iterator>

namespace hasten::runtime {

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
  return fixed_text(bytes, unit == 0 ? 0 : 1) + " " + units[unit];
}

std::string counted(std::int64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Independent of locales; uses integers while the numbers are below 2^63.
std::string fixed_text(double number, int digits) {
  std::int64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  const double scaled = std::abs(number) * static_cast<double>(scale);
  if (!(scaled < 0x1p62)) return std::to_string(number);
  const std::int64_t whole = std::llround(scaled);
  std::string text = (number < 0 && whole != 0 ? "-" : "") + std::to_string(whole / scale);
  if (digits == 0) return text;
  const std::string behind = std::to_string(whole % scale);
  return text + "." + std::string(static_cast<std::size_t>(digits) - behind.size(), '0') + behind;
}

}  // namespace hasten::runtime
