// The conformance suite's tool: runs a program on the interpreter, which defines the language, and
// on a target; both must have the same results or the same error.
//
// Programs are traced once and stored with run-time types, so that hundreds of them compile
// quickly.
#pragma once

#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hasten::conformance {

using Shape = std::vector<std::int64_t>;
using Host = std::shared_ptr<const detail::HostArray>;

/// The targets compared with the interpreter.
std::vector<Options> targets_under_test();
std::string name_of_target(const testing::TestParamInfo<Options>& info);

/// A suite that runs once per target under test.
class OnTarget : public testing::TestWithParam<Options> {};

// --- data ---------------------------------------------------------------------------------------

/// The numbers that random arrays contain.
enum class Data : std::uint8_t {
  any,    // all bits: extremes, NaNs, infinities, denormals, and many small numbers
  tame,   // floats are small integers, so that sums are exact under any grouping
  signs,  // floats are 1 and -1, so that products are exact
  bits,   // uniform bits, so that floats have every magnitude
};

/// The same numbers for the same seed, on every machine.
Host random_array(const std::vector<detail::ScalarType>& leaves, const Shape& shape,
                  std::uint64_t seed, Data data = Data::any);

/// Awkward shapes of a rank: empty, of one element, prime, around multiples of 16, 32 and 64. The
/// `large` ones have about 65,536 elements in all or along an axis.
const std::vector<Shape>& shapes_of_rank(std::size_t rank);
const std::vector<Shape>& large_shapes_of_rank(std::size_t rank);
/// Excludes shapes of more elements and all large ones; for targets that run slowly. To be called
/// before any shape is requested.
void limit_elements(std::int64_t most);

// --- programs -----------------------------------------------------------------------------------

struct Program {
  std::string name;
  detail::Traced traced;
};

/// Traces a callable with one signature.
template <class F>
Program program(std::string name, F f) {
  using detail::Params, detail::Scope, detail::ParamReader;
  return [&]<class... Es>(detail::List<Es...>) {
    Params params;
    (detail::append_params<Es>(params), ...);
    Scope scope(params.arrays, params.scalars);
    [[maybe_unused]] ParamReader reader{scope, 0, params.arrays.size()};
    std::tuple<Es...> arguments{reader.read<Es>()...};
    const auto result = std::apply(f, std::move(arguments));
    const auto where = detail::Where::current();
    Program made{std::move(name), {}};
    made.traced.fn = scope.close(detail::result_terms(result, where), "conformance", where);
    made.traced.array_params = std::move(params.arrays);
    made.traced.scalar_params = std::move(params.scalars);
    made.traced.where = where;
    return made;
  }(typename detail::ParametersOf<F>::type{});
}

struct Inputs {
  std::vector<Host> arrays;
  std::vector<detail::LiteralBits> scalars;
};

/// The largest difference of floating results, in units in the last place of float or double.
struct Tolerance {
  std::int64_t ulps = 0;  // 0: the same bits, except that all NaN are equal
};

/// A program ready on the interpreter and on one target.
class Comparison {
 public:
  Comparison(Program program, const Options& target, Tolerance tolerance = {});
  /// Runs it on both and describes differences: of results, or of the kind or place of an error.
  [[nodiscard]] testing::AssertionResult agrees_on(const Inputs& inputs) const;

 private:
  Program program_;
  Tolerance tolerance_;
  std::function<detail::Results(const Inputs&)> reference_, only_needed_, tested_;
};

/// The difference between two arrays, or empty.
std::optional<std::string> difference(const detail::HostArray& expected,
                                      const detail::HostArray& got, Tolerance tolerance);

// --- sweeps -------------------------------------------------------------------------------------

struct Sweep {
  Data data = Data::any;
  bool large = false;                      // large shapes too
  std::vector<std::int64_t> numbers = {};  // values for each integer parameter, in turn
  Checks checks = Checks::none;
  Tolerance tolerance = {};
};

/// Compares on arrays of all awkward shapes. Each array parameter has its own shape, so that
/// extents sometimes differ; scalar parameters must be integers.
void sweep(const Options& target, Program program, const Sweep& how = {});

}  // namespace hasten::conformance

namespace hasten {

/// For GoogleTest's messages.
inline void PrintTo(const Options& options, std::ostream* out) { *out << options.target.name(); }

}  // namespace hasten

#define HASTEN_CONFORMANCE_SUITE(Suite)                                                  \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite);                                  \
  INSTANTIATE_TEST_SUITE_P(Targets, Suite,                                               \
                           testing::ValuesIn(hasten::conformance::targets_under_test()), \
                           hasten::conformance::name_of_target)
