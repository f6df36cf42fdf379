// Options of a run: targets, checks, determinism, limits.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace hasten {

/// The target on which a program runs. The default (an empty name) is HASTEN_TARGET, else the
/// machine's best target. Nothing is opened or checked before the first use, which throws
/// TargetError for an absent target and lists those available.
class Target {
 public:
  Target() = default;
  explicit Target(std::string name) : name_(std::move(name)) {}
  /// "cpu", "interpreter", "opencl:0", "cuda:1", "multi:cpu,cuda:0"; empty for the default.
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
/// Under every setting but `trusted`, a program reads only the memory of its arrays: without
/// `bounds`, an index out of range reads the last one (on each axis separately), and a read of an
/// empty array yields 0. `trusted`, which cannot be combined, omits this protection as well: the
/// user guarantees that every index is in range, and the behaviour of a program that breaks the
/// guarantee is undefined.
enum class Checks : std::uint8_t {
  none = 0,        ///< no checks: the default
  bounds = 1,      ///< an index out of range is an IndexError
  arithmetic = 2,  ///< division and remainder by zero are an ArithmeticError
  extents = 4,     ///< operations that intersect extents, such as `zip_with`, require equal ones
  all = 7,         ///< all three
  trusted = 8,     ///< the user guarantees that all indices are in range
};
constexpr Checks operator|(Checks a, Checks b) {
  return static_cast<Checks>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(Checks set, Checks one) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(one)) != 0;
}

/// The extent to which results are reproducible bit by bit. The order in which folds and scans
/// combine elements matters for operators that are only approximately associative, such as sums of
/// floats.
enum class Determinism : std::uint8_t {
  /// Targets may combine in an order that changes from run to run (atomics on floats).
  relaxed,
  /// Equal bits on one machine and target, whatever the number of threads and the timing.
  run_to_run,
  /// Equal bits on every target and machine: one set of math functions, no contraction of products
  /// whatever FastMath says, and foreign calls by their fallbacks.
  everywhere,
};

/// Transformations of floating-point arithmetic that are allowed for speed. Integers are
/// unaffected.
enum class FastMath : std::uint8_t {
  /// IEEE: each operation rounds separately, in the order written.
  none,
  /// `a * b + c`, and a product with a power of `rsqrt(x)`, may become one operation each.
  contract,
  /// Also: reordering of sums and products, reciprocals for divisions, approximate functions, no
  /// difference between 0 and -0. Device compilers may assume that no NaN or infinity occurs.
  all,
};

/// How a program is built and run: the last argument of `run` and `compile`. Designated
/// initialisers change single options: `{.target = hs::cpu()}`.
struct Options {
  Target target = {};            ///< the target; by default HASTEN_TARGET, else the machine's best
  Checks checks = Checks::none;  ///< what is checked at run time
  Determinism determinism = Determinism::run_to_run;  ///< how far results are reproducible
  FastMath fast_math = FastMath::none;                ///< allowed transformations of floats
  std::int64_t memory_limit = 0;                      ///< bytes per device; 0: none
  /// When a stop is requested, calls end with a StoppedError: at their next launch and, in scalar
  /// loops, within 100 ms. Results computed earlier remain valid; later calls end at once.
  std::stop_token stop = {};
  /// The part of split arrays that each device of `multi` computes, as shares of their sum: {2, 1}
  /// assigns the first two thirds to the first device. Empty: in proportion to the speeds of the
  /// devices, learned from call to call. It must be empty for other targets. Equal splits yield
  /// equal bits.
  std::vector<double> split = {};
};

}  // namespace hasten
