// Compares results, and runs a program on two targets.
#include "interpreter/interpreter.hpp"
#include "passes/dead_code.hpp"
#include "passes/foreign.hpp"
#include "passes/same_everywhere.hpp"
#include "passes/simplify/leaves.hpp"
#include "passes/simplify/simplify.hpp"
#include "surface/sharing.hpp"
#include "tests/conformance/tool/harness.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <sstream>
#include <typeinfo>
#include <variant>

namespace hasten::conformance {
namespace {

using detail::HostArray, detail::Results, detail::ScalarType;

/// Calls f with a typed pointer to the values of a leaf.
template <class F>
auto with_values(ScalarType type, const std::byte* data, F f) {
  const auto as = [&]<class T>(std::type_identity<T>) {
    return f(reinterpret_cast<const T*>(data));
  };
  switch (type) {
    case ScalarType::boolean:  // as a byte: the byte 2 is wrong
    case ScalarType::u8: return as(std::type_identity<std::uint8_t>{});
    case ScalarType::i8: return as(std::type_identity<std::int8_t>{});
    case ScalarType::i16: return as(std::type_identity<std::int16_t>{});
    case ScalarType::i32: return as(std::type_identity<std::int32_t>{});
    case ScalarType::i64: return as(std::type_identity<std::int64_t>{});
    case ScalarType::u16: return as(std::type_identity<std::uint16_t>{});
    case ScalarType::u32: return as(std::type_identity<std::uint32_t>{});
    case ScalarType::u64: return as(std::type_identity<std::uint64_t>{});
    case ScalarType::f16: return as(std::type_identity<half>{});
    case ScalarType::bf16: return as(std::type_identity<bfloat16>{});
    case ScalarType::f32: return as(std::type_identity<float>{});
    case ScalarType::f64: return as(std::type_identity<double>{});
    case ScalarType::c64: return as(std::type_identity<std::complex<float>>{});
    case ScalarType::c128: return as(std::type_identity<std::complex<double>>{});
  }
  throw InternalError("conformance suite: a type it does not know");
}

/// Maps floats to integers of the same order; neighbours differ by one, and so do -0 and +0.
template <class T>
std::int64_t position(T x) {
  using Int = std::conditional_t<sizeof(T) == 2, std::int16_t,
                                 std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  const auto bits = std::int64_t{std::bit_cast<Int>(x)};
  return bits < 0 ? std::int64_t{std::numeric_limits<Int>::min()} - bits - 1 : bits;
}

template <class T>
bool near(T expected, T got, Tolerance tolerance) {
  if constexpr (detail::is_complex_leaf<T>) {
    return near(expected.real(), got.real(), tolerance) &&
           near(expected.imag(), got.imag(), tolerance);
  } else if constexpr (detail::is_floating_number<T> && sizeof(T) == 2) {
    if (std::isnan(float{expected}) || std::isnan(float{got}))
      return std::isnan(float{expected}) && std::isnan(float{got});
    return std::abs(position(expected) - position(got)) <= tolerance.ulps;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
    // For numbers of different sign, the distance may overflow.
    if (std::signbit(expected) != std::signbit(got))
      return tolerance.ulps > 0 &&
             std::abs(expected) + std::abs(got) <=
                 static_cast<T>(tolerance.ulps) * std::numeric_limits<T>::denorm_min();
    return std::abs(position(expected) - position(got)) <= tolerance.ulps;
  } else {
    return expected == got;
  }
}

template <class T>
std::string text(T x) {
  std::ostringstream out;
  out.precision(17);
  out << +x;  // not as characters
  if constexpr (std::is_floating_point_v<T>) out << " (" << std::hexfloat << x << ")";
  return out.str();
}

std::string text(const Shape& shape) {
  std::string result = "(";
  for (const std::int64_t extent : shape)
    result += (result.size() > 1 ? ", " : "") + std::to_string(extent);
  return result + ")";
}

std::string index_text(std::int64_t linear, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = linear % shape[axis];
    linear /= shape[axis];
  }
  return text(index);
}

/// The kind and place of an error.
struct Failure {
  std::string kind, what;
  unsigned line;
};
using Outcome = std::variant<Results, Failure>;

template <class F>
Outcome outcome_of(F run) {
  try {
    return run();
  } catch (const Error& error) {
    return Failure{typeid(error).name(), error.what(), error.where().line()};
  }
}

std::function<Results(const Inputs&)> compiled(detail::Traced traced, const Options& options) {
  traced.options = options;
  const auto executable = detail::compile_program(traced);
  return [executable](const Inputs& inputs) {
    return detail::execute(*executable, inputs.arrays, inputs.scalars);
  };
}

/// A foreign function of arrays needs all arguments, and so fails if one of them fails; a fallback
/// needs only those that it uses.
bool takes_fallbacks(const Options& options) {
  return options.determinism == Determinism::everywhere || options.target.name() != cpu().name();
}

/// The program after simplification, which has no errors in parts that no result needs.
core::Program without_needless(core::Program program, Checks checks) {
  program = passes::remove_dead_code(passes::simplify(std::move(program)));
  return has(checks, Checks::bounds) || has(checks, Checks::arithmetic)
             ? std::move(program)
             : passes::drop_dead_leaves(std::move(program));
}

/// Runs the interpreter, with indices out of range clamped, as on targets that compile, or as
/// errors if they are checked.
std::function<Results(const Inputs&)> interpreted(const detail::Traced& traced,
                                                  const Options& options, bool only_needed) {
  core::Program recovered = detail::recover_sharing(traced);
  if (takes_fallbacks(options))
    recovered = passes::remove_dead_code(passes::choose_foreign(std::move(recovered), {}));
  if (options.determinism == Determinism::everywhere)
    recovered = passes::same_everywhere(std::move(recovered));
  if (only_needed) recovered = without_needless(std::move(recovered), options.checks);
  const auto program = std::make_shared<const core::Program>(std::move(recovered));
  const interp::OutOfRange out_of_range =
      has(options.checks, Checks::bounds) ? interp::OutOfRange::throws : interp::OutOfRange::clamps;
  return [program, checks = options.checks, out_of_range](const Inputs& inputs) {
    std::vector<core::Bits> scalars;
    for (const detail::LiteralBits& scalar : inputs.scalars)
      scalars.push_back({scalar.lo, scalar.hi});
    return interp::interpret(*program, inputs.arrays, scalars, checks, out_of_range);
  };
}

std::string text(const Inputs& inputs) {
  std::string result = "on";
  for (const Host& array : inputs.arrays) result += " " + text(array->shape());
  for (const detail::LiteralBits& scalar : inputs.scalars)
    result += " " + std::to_string(static_cast<std::int64_t>(scalar.lo));
  return result;
}

testing::AssertionResult compare(const Outcome& expected, const Outcome& got, Tolerance tolerance) {
  if (const auto* failure = std::get_if<Failure>(&expected)) {
    const auto* other = std::get_if<Failure>(&got);
    if (!other) return testing::AssertionFailure() << "no error, but expected: " << failure->what;
    if (other->kind != failure->kind || other->line != failure->line)
      return testing::AssertionFailure()
             << "line " << other->line << ": " << other->what << "\nexpected: line "
             << failure->line << ": " << failure->what;
    return testing::AssertionSuccess();
  }
  if (const auto* failure = std::get_if<Failure>(&got))
    return testing::AssertionFailure() << "threw: " << failure->what;
  const auto& wanted = std::get<Results>(expected);
  const auto& results = std::get<Results>(got);
  if (wanted.size() != results.size())
    return testing::AssertionFailure() << "another number of results";
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (const auto what = difference(*wanted[i], *results[i], tolerance))
      return testing::AssertionFailure() << "result " << i << ": " << *what;
  return testing::AssertionSuccess();
}

}  // namespace

std::optional<std::string> difference(const HostArray& expected, const HostArray& got,
                                      Tolerance tolerance) {
  if (expected.shape() != got.shape())
    return "shape " + text(got.shape()) + ", expected " + text(expected.shape());
  if (expected.leaves() != got.leaves()) return "other element types";
  for (std::size_t leaf = 0; leaf < expected.leaves().size(); ++leaf) {
    const auto found = with_values(expected.leaves()[leaf], expected.data(leaf),
                                   [&]<class T>(const T* wanted) -> std::optional<std::string> {
                                     const T* values = reinterpret_cast<const T*>(got.data(leaf));
                                     for (std::int64_t i = 0; i < expected.size(); ++i)
                                       if (!near(wanted[i], values[i], tolerance))
                                         return "leaf " + std::to_string(leaf) + " at " +
                                                index_text(i, expected.shape()) + " is " +
                                                text(values[i]) + ", expected " + text(wanted[i]);
                                     return std::nullopt;
                                   });
    if (found) return found;
  }
  return std::nullopt;
}

Comparison::Comparison(Program program, const Options& target, Tolerance tolerance)
    : program_(std::move(program)),
      tolerance_(tolerance) {
  reference_ = interpreted(program_.traced, target, false);
  only_needed_ = [traced = program_.traced, target](const Inputs& inputs) {
    return interpreted(traced, target, true)(inputs);
  };
  tested_ = compiled(program_.traced, target);
}

testing::AssertionResult Comparison::agrees_on(const Inputs& inputs) const {
  Outcome expected = outcome_of([&] { return reference_(inputs); });
  const Outcome got = outcome_of([&] { return tested_(inputs); });
  // The original program is the oracle. Only its errors may come from parts that no result needs.
  if (std::holds_alternative<Failure>(expected) && !compare(expected, got, tolerance_))
    expected = outcome_of([&] { return only_needed_(inputs); });
  testing::AssertionResult result = compare(expected, got, tolerance_);
  if (!result) result << "\nprogram " << program_.name << ", " << text(inputs);
  return result;
}

}  // namespace hasten::conformance
