// Every operation on every element type, and random programs: a library's results have the bits of
// the program's in this process, or both fail with the same kind of error.
#include "tests/libraries/arrays.hpp"
#include "tests/libraries/conformance/programs.hpp"
#include "tests/support/devices.hpp"

#include HASTEN_TEST_HEADER

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <array>
#include <bit>
#include <map>
#include <utility>

namespace hasten::conformance {
namespace {

// The library's names begin with its own name: IN_LIBRARY(array) is conformance_programs_array.
#define HASTEN_JOINED(a, b) a##b
#define HASTEN_JOIN(a, b) HASTEN_JOINED(a, b)
#define IN_LIBRARY(name) HASTEN_JOIN(HASTEN_TEST_PREFIX, name)
#define OF_LIBRARY(name) HASTEN_JOIN(HASTEN_TEST_CAPS, name)

using Array = IN_LIBRARY(array);
using Status = IN_LIBRARY(status);
using Context = IN_LIBRARY(context);

// -- functions of C, by their names ---------------------------------------------------------------

template <class>
using Given = const Array*;
template <class>
using Placed = Array*;

template <std::size_t... a, std::size_t... r>
Status call(void* function, Context* context, const Inputs& inputs,
            const std::vector<Array>& arguments, std::vector<Array>& results,
            std::index_sequence<a...>, std::index_sequence<r...>) {
  using Function =
      Status (*)(Context*, Given<std::integral_constant<std::size_t, a>>..., std::int64_t, float,
                 Placed<std::integral_constant<std::size_t, r>>...);
  return reinterpret_cast<Function>(function)(
      context, &arguments[a]..., static_cast<std::int64_t>(inputs.scalars[0].lo),
      std::bit_cast<float>(static_cast<std::uint32_t>(inputs.scalars[1].lo)), &results[r]...);
}

template <std::size_t A>
Status call(void* function, Context* context, const Inputs& inputs,
            const std::vector<Array>& arguments, std::vector<Array>& results) {
  const auto with = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) {
    return call(function, context, inputs, arguments, results, std::make_index_sequence<A>{},
                std::make_index_sequence<R>{});
  };
  switch (results.size()) {
    case 1: return with(std::integral_constant<std::size_t, 1>{});
    case 2: return with(std::integral_constant<std::size_t, 2>{});
    case 3: return with(std::integral_constant<std::size_t, 3>{});
    default: throw std::logic_error("a program with so many results is not called");
  }
}

Status call(const std::string& entry, Context* context, const Inputs& inputs,
            std::vector<Array>& results) {
  void* const function = dlsym(RTLD_DEFAULT, (HASTEN_TEST_LIBRARY "_" + entry).c_str());
  if (!function) throw std::logic_error("the library has no entry " + entry);
  std::vector<Array> arguments;
  for (const Host& array : inputs.arrays)
    arguments.push_back(library_programs::borrowed_as<Array>(*array));
  switch (arguments.size()) {
    case 2: return call<2>(function, context, inputs, arguments, results);
    case 10: return call<10>(function, context, inputs, arguments, results);
    default: throw std::logic_error("a program with so many parameters is not called");
  }
}

// -- comparison -----------------------------------------------------------------------------------

Status status_of(const Error& error) {
  if (dynamic_cast<const ShapeError*>(&error)) return OF_LIBRARY(SHAPE_ERROR);
  if (dynamic_cast<const IndexError*>(&error)) return OF_LIBRARY(INDEX_ERROR);
  if (dynamic_cast<const ArithmeticError*>(&error)) return OF_LIBRARY(ARITHMETIC_ERROR);
  if (dynamic_cast<const MemoryError*>(&error)) return OF_LIBRARY(MEMORY_ERROR);
  return OF_LIBRARY(INTERNAL_ERROR);
}

class ExportedConformance : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = IN_LIBRARY(create_context)(&context_, nullptr);
    if (status == OF_LIBRARY(TARGET_ERROR)) {
      const std::string device = test::kind_of(Target(HASTEN_TEST_TARGET).name());
      ASSERT_NE(device, "cpu") << IN_LIBRARY(last_error)();  // which is always present
      ASSERT_FALSE(test::is_promised(device)) << IN_LIBRARY(last_error)();
      GTEST_SKIP() << "skipped: " << IN_LIBRARY(last_error)();
    }
    ASSERT_EQ(status, OF_LIBRARY(OK)) << IN_LIBRARY(last_error)();
  }
  void TearDown() override { IN_LIBRARY(free_context)(context_); }

  // Counts outcomes.
  void check(const Exported& exported) {
    detail::Traced traced = exported.program.traced;
    traced.options = exported.options;
    const auto executable = detail::compile_program(traced);
    for (std::size_t i = 0; i < exported.inputs.size(); ++i) {
      SCOPED_TRACE(exported.entry + ", " + exported.program.name + ", inputs " + std::to_string(i));
      const Inputs& inputs = exported.inputs[i];
      std::vector<Array> results(traced.fn.results.size());
      const Status status = call(exported.entry, context_, inputs, results);
      ++outcomes_[status];
      try {
        const detail::Results expected =
            detail::execute(*executable, inputs.arrays, inputs.scalars);
        ASSERT_EQ(status, OF_LIBRARY(OK)) << IN_LIBRARY(last_error)();
        for (std::size_t k = 0; k < results.size(); ++k)
          library_programs::expect_same(*expected[k], results[k], "result " + std::to_string(k));
      } catch (const Error& error) {
        EXPECT_EQ(status, status_of(error))
            << IN_LIBRARY(last_error)() << "\nexpected: " << error.what();
      }
      for (Array& result : results)
        if (result.owner != 0) IN_LIBRARY(free_array)(&result);
    }
  }

  Context* context_ = nullptr;
  std::map<Status, int> outcomes_;
};

TEST_F(ExportedConformance, AllProgramsGiveTheSameBits) {
  const std::vector<Exported> programs = exported_programs(HASTEN_TEST_TARGET);
  EXPECT_GT(programs.size(), 40U);
  for (const Exported& exported : programs) check(exported);
  EXPECT_GT(outcomes_[OF_LIBRARY(OK)], 4 * static_cast<int>(programs.size()));
  if (programs.size() > 500) {
    EXPECT_GT(outcomes_[OF_LIBRARY(SHAPE_ERROR)], 0);
  }
}

}  // namespace
}  // namespace hasten::conformance
