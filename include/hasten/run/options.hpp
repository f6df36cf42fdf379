// How a program is run: targets, checks, determinism, limits.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hasten {

/// Where a program runs. The default (an empty name) is HASTEN_TARGET, else the machine's best.
/// Nothing is opened or checked before the first use: a target that is absent is then a
/// TargetError which lists those there are.
class Target {
 public:
  Target() = default;
  explicit Target(std::string name) : name_(std::move(name)) {}
  /// "cpu", "interpreter", "opencl:0", "cuda:1", "multi:cpu,cuda:0"; empty: the default.
  [[nodiscard]] const std::string& name() const { return name_; }
  friend bool operator==(const Target&, const Target&) = default;

 private:
  std::string name_;
};

Target cpu();
Target interpreter();
Target opencl(int device = 0);
Target cuda(int device = 0);
Target multi(const std::vector<Target>& parts);

/// Run-time checks, combined with |. The interpreter always checks bounds.
///
/// Whatever is checked, a program reads no memory but that of its arrays: where `bounds` are not
/// checked, an index out of range stands for the last one (each axis by itself), and an array
/// without elements gives 0. `trusted`, which stands alone, leaves that out as well:
/// the user promises that every index is in range, and a program that breaks the promise may do
/// anything.
enum class Checks : std::uint8_t {
  none = 0,
  bounds = 1,
  arithmetic = 2,
  extents = 4,
  all = 7,
  trusted = 8,
};
constexpr Checks operator|(Checks a, Checks b) {
  return static_cast<Checks>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(Checks set, Checks one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

enum class Determinism : std::uint8_t { relaxed, run_to_run, everywhere };
enum class FastMath : std::uint8_t { none, contract, all };

struct Options {
  Target target;
  Checks checks = Checks::none;
  Determinism determinism = Determinism::run_to_run;
  FastMath fast_math = FastMath::none;
  std::int64_t memory_limit = 0;  ///< bytes per device, 0: none
  /// When it asks to stop, calls end by a StoppedError: at their next launch and, in scalar loops,
  /// within 100 ms. What was computed before stays; later calls end at once.
  std::stop_token stop = {};
};

}  // namespace hasten
