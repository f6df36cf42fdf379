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
  none = 0,        ///< nothing: the default
  bounds = 1,      ///< an index out of range is an IndexError
  arithmetic = 2,  ///< division and remainder by zero are an ArithmeticError
  extents = 4,     ///< `zip_with` and all else that intersects extents demands equal ones
  all = 7,         ///< the three together
  trusted = 8,     ///< the user's promise that all indices are in range
};
constexpr Checks operator|(Checks a, Checks b) {
  return static_cast<Checks>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(Checks set, Checks one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

/// How far the bits of a result are the same. The order in which folds and scans combine matters to
/// operators that are associative only nearly, as sums of floats are.
enum class Determinism : std::uint8_t {
  /// Targets may combine in an order that changes from run to run (atomics on floats).
  relaxed,
  /// Equal on one machine and target, whatever the number of threads and the timing.
  run_to_run,
  /// Equal on every target and machine: one set of math functions, no fused products, whatever
  /// FastMath says, and foreign calls by their fallbacks.
  everywhere,
};

/// What may be done to floating-point arithmetic for speed. Integers are never touched.
enum class FastMath : std::uint8_t {
  /// IEEE: each operation rounds by itself, in the order written.
  none,
  /// `a * b + c` may become one operation that rounds once.
  contract,
  /// Also: sums and products in another order, reciprocals for divisions, approximate functions, no
  /// difference between 0 and -0. Compilers of devices may assume that there is no NaN or infinity.
  all,
};

/// How a program is built and run: the last argument of `run` and `compile`. The defaults are those
/// of a program that nothing is said about; `{.target = hs::cpu()}` changes one.
struct Options {
  Target target = {};  ///< where it runs; by default HASTEN_TARGET, else the best there is
  Checks checks = Checks::none;                       ///< what is checked while it runs
  Determinism determinism = Determinism::run_to_run;  ///< how far the bits of results are the same
  FastMath fast_math = FastMath::none;                ///< what may be done to floats for speed
  std::int64_t memory_limit = 0;                      ///< bytes per device, 0: none
  /// When it asks to stop, calls end by a StoppedError: at their next launch and, in scalar loops,
  /// within 100 ms. What was computed before stays; later calls end at once.
  std::stop_token stop = {};
  /// What each device of `multi` computes of arrays that are cut, as shares of their sum: {2, 1}
  /// gives the first two thirds. Empty: as much as it is fast, learned from call to call. For other
  /// targets it must be empty. The same split gives the same bits.
  std::vector<double> split = {};
};

}  // namespace hasten
