// The notation of the own functions: ordinary expressions that append statements of the core.
//
// Every operation here is exactly rounded, or exact: + - * / sqrt fma, comparisons, selections,
// wrapping integers, and bit casts. So its bits are the same on every target.
#pragma once

#include "core/program.hpp"
#include "core/traverse.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace hasten::passes::math {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The code of one region, to which statements are appended.
class Code {
 public:
  Code(core::Program& program, std::vector<core::Stmt>& out) : program_(program), out_(&out) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  core::Value constant(core::ScalarType type, std::uint64_t bits);
  core::Value apply(core::ScalarOp op, core::ScalarType result, std::vector<core::Value> args);
  /// The values of `rare` where the condition holds, else `usual`: lazy, for code that is long and
  /// seldom needed.
  std::vector<core::Value> unless(core::Value condition,
                                  core::FunctionRef<std::vector<core::Value>()> rare,
                                  const std::vector<core::Value>& usual);
  /// The values made from `of` under this name, emitted once per region: the simplifier shares no
  /// branches. Not for use inside `rare`.
  std::vector<core::Value> once(const char* name, core::Value of,
                                core::FunctionRef<std::vector<core::Value>()> make);

 private:
  core::Program& program_;
  std::vector<core::Stmt>* out_;
  std::map<std::pair<std::string_view, core::Value>, std::vector<core::Value>> made_;
};

/// A bool.
struct Truth {
  Code* code;
  core::Value value;
};
Truth operator&(Truth a, Truth b);
Truth operator|(Truth a, Truth b);
Truth operator!(Truth a);

/// A u64, also as a number in two's complement.
struct Whole {
  Code* code;
  core::Value value;
};
Whole operator+(Whole a, Whole b);
Whole operator+(Whole a, std::uint64_t b);
Whole operator-(Whole a, Whole b);
Whole operator-(Whole a, std::uint64_t b);
Whole operator*(Whole a, Whole b);
Whole operator*(Whole a, std::uint64_t b);
Whole operator&(Whole a, std::uint64_t b);
Whole operator|(Whole a, Whole b);
Whole operator<<(Whole a, Whole b);
Whole operator<<(Whole a, std::uint64_t b);
Whole operator>>(Whole a, Whole b);
Whole operator>>(Whole a, std::uint64_t b);
Whole chosen(Truth condition, Whole a, Whole b);
Truth operator==(Whole a, std::uint64_t b);
/// a >> b with a as a signed number.
Whole signed_shift(Whole a, std::uint64_t b);
/// A constant with the type and place of another number.
Whole whole_like(Whole a, std::uint64_t x);

/// An f64.
struct Real {
  Code* code;
  core::Value value;
};
Real real_like(Real a, double x);
Real operator+(Real a, Real b);
Real operator+(Real a, double b);
Real operator+(double a, Real b);
Real operator-(Real a, Real b);
Real operator-(Real a, double b);
Real operator-(double a, Real b);
Real operator-(Real a);
Real operator*(Real a, Real b);
Real operator*(Real a, double b);
Real operator/(Real a, Real b);
Real operator/(double a, Real b);
Truth operator<(Real a, Real b);
Truth operator<(Real a, double b);
Truth operator>(Real a, Real b);
Truth operator>(Real a, double b);
Truth operator==(Real a, Real b);
Truth operator==(Real a, double b);
/// a * b + c, rounded once.
Real fused(Real a, Real b, Real c);
Real fused(Real a, Real b, double c);
Real fused(Real a, double b, Real c);
Real magnitude(Real a);
Real root(Real a);
Real truncated(Real a);
Real with_sign(Real magnitude, Real sign);
Real chosen(Truth condition, Real a, Real b);
Real chosen(Truth condition, double a, Real b);
Real chosen(Truth condition, Real a, double b);
Real chosen(Truth condition, double a, double b);
Truth is_nan(Real a);
Whole bits(Real a);
Real real(Whole bits);
/// A signed number below 2^53 as a real one.
Real signed_number(Whole a);

}  // namespace hasten::passes::math
