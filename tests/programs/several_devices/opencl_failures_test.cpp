// OpenCL commands that fail in the middle of a call: a device need not report that in later
// commands, so each one is checked. Uses the failing OpenCL, which injects the faults.
#include <hasten/hasten.hpp>

#include "tests/failing_opencl/control.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/promise.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

constexpr int unknown_error = -9999, out_of_resources = -5;

using Ints = Vector<std::int32_t>;

class OpenclFails : public testing::Test {
 protected:
  void SetUp() override {
    const char* const file = std::getenv("HASTEN_OPENCL_LIBRARY");
    void* const library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library || !dlsym(library, "failing_opencl_fail")) {
      if (hs::test::is_promised("opencl") && file)
        FAIL() << "HASTEN_OPENCL_LIBRARY names no failing OpenCL";
      GTEST_SKIP() << "HASTEN_OPENCL_LIBRARY names no failing OpenCL";
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    };
    find(fail_, "failing_opencl_fail");
    find(reset_, "failing_opencl_reset");
    find(failures_, "failing_opencl_failures");
  }
  void TearDown() override {
    if (reset_) reset_();
  }

  static Ints argument() {
    return Ints::from_function(
        5000, [](hs::Ix<1> i) { return static_cast<std::int32_t>(i[0] * 7919 % 1009) - 500; });
  }

  struct Case {
    const char* name;
    std::function<Acc<Ints>(const Acc<Ints>&)> program;
    bool has_places = false;  // commands write at places from earlier ones, which must not be lost
  };
  static std::vector<const char*> kinds_of(const Case& each) {
    std::vector<const char*> kinds{"event", "launch", "copy", "moved"};
    if (!each.has_places) kinds.push_back("lost");
    return kinds;
  }
  // Launches whose results are read in the end, by the host, and by the next round.
  static std::vector<Case> cases() {
    return {
        {"scan",
         [](const Acc<Ints>& xs) { return hs::scanl1(std::plus<>{}, hs::compute(xs * 3) + 1); }},
        {"sort", [](const Acc<Ints>& xs) { return hs::sort(hs::compute(xs * 3)); }, true},
        {"filter",
         [](const Acc<Ints>& xs) {
           return hs::filter([](auto x) { return x > 7; }, hs::compute(xs * 3));
         },
         true},
        {"loop",
         [](const Acc<Ints>& xs) {
           return hs::awhile([](const Acc<Ints>& v) { return hs::the(hs::sum(v)) < 90000; },
                             [](const Acc<Ints>& v) { return hs::compute(v * 2 + 1); }, xs);
         }},
    };
  }

  void fail(const char* kind, int nth, int error = unknown_error) const {
    ASSERT_EQ(fail_(kind, nth, 1, error), 1);
  }
  /// Calls `f` with the first, second... command failing, until there are no more commands.
  int at_each(const char* kind, const std::function<void(int)>& f,
              int error = unknown_error) const {
    for (int nth = 1;; ++nth) {
      const long long before = failures_();
      fail(kind, nth, error);
      f(nth);
      reset_();
      if (failures_() == before) return nth - 1;
    }
  }
  [[nodiscard]] long long failures() const { return failures_(); }

 private:
  decltype(&failing_opencl_fail) fail_ = nullptr;
  decltype(&failing_opencl_reset) reset_ = nullptr;
  decltype(&failing_opencl_failures) failures_ = nullptr;
};

// On one device, the user sees the error, also where the result would have been right; the next
// call is right.
TEST_F(OpenclFails, AnyCommandIsAnErrorOfItsCall) {
  for (const Case& each : cases()) {
    const Ints expected = hs::run(each.program(hs::use(argument())), {.target = hs::interpreter()});
    const auto f = hs::compile(each.program, {.target = hs::opencl(0)});
    EXPECT_EQ(f(argument()), expected) << each.name;
    for (const char* kind : kinds_of(each)) {
      const int commands = at_each(kind, [&](int nth) {
        const long long before = failures();
        bool has_thrown = false;
        try {
          const Ints result = f(argument());
          if (failures() == before) {
            EXPECT_EQ(result, expected) << each.name;
          }
          static_cast<void>(result.span());  // what is read now may be what fails
        } catch (const hs::TargetError& error) {
          EXPECT_NE(std::string(error.what()).find("opencl:0: "), std::string::npos)
              << error.what();
          has_thrown = true;
        }
        EXPECT_EQ(has_thrown, failures() > before) << each.name << ": " << kind << " " << nth;
      });
      EXPECT_GE(commands, 1) << each.name << ": " << kind;
      EXPECT_EQ(f(argument()), expected) << each.name << " after " << kind;
    }
  }
}

// On two devices, the other does the failing device's part, and the failing one is left out.
TEST_F(OpenclFails, OthersDoTheParts) {
  for (const Case& each : cases()) {
    const Ints expected = hs::run(each.program(hs::use(argument())), {.target = hs::interpreter()});
    for (const bool is_first : {false, true})
      for (const char* kind : kinds_of(each)) {
        const int commands = at_each(kind, [&](int nth) {
          hs::Options options{.target = is_first ? hs::multi({hs::opencl(0), hs::cpu()})
                                                 : hs::multi({hs::cpu(), hs::opencl(0)})};
          options.split = {1, 1};
          const long long before = failures();
          const auto f = hs::compile(each.program, options);
          EXPECT_EQ(f(argument()), expected) << each.name << ": " << kind << " " << nth;
          if (failures() == before) return;
          EXPECT_EQ(f(argument()), expected) << each.name << ": " << kind << " " << nth;
          const std::string text = f.explain().str();
          EXPECT_NE(text.find("opencl:0 0 %"), std::string::npos)
              << each.name << ": " << kind << " " << nth << "\n"
              << text;
        });
        EXPECT_GE(commands, 1) << each.name << ": " << kind;
      }
  }
}

// On two halves of a device, which copy from each other without the host's waiting: the half whose
// command failed is left out, and the other half, whose own commands failed as a consequence, does
// everything.
TEST_F(OpenclFails, OfTwoHalvesTheOtherDoesAll) {
  hs::test::require_device("opencl", 1);
  if (IsSkipped() || HasFatalFailure()) return;
  for (const Case& each : cases()) {
    const Ints expected = hs::run(each.program(hs::use(argument())), {.target = hs::interpreter()});
    for (const char* kind : kinds_of(each)) {
      const int commands = at_each(kind, [&](int nth) {
        hs::Options options{.target = hs::multi({hs::opencl(0), hs::opencl(1)})};
        options.split = {1, 1};
        const long long before = failures();
        const auto f = hs::compile(each.program, options);
        EXPECT_EQ(f(argument()), expected) << each.name << ": " << kind << " " << nth;
        if (failures() == before) return;
        EXPECT_EQ(f(argument()), expected) << each.name << ": " << kind << " " << nth;
        const std::string text = f.explain().str();
        EXPECT_NE(text.find(" 100 %"), std::string::npos)
            << each.name << ": " << kind << " " << nth << "\n"
            << text;
      });
      EXPECT_GE(commands, 1) << each.name << ": " << kind;
    }
  }
}

// A command ran out of memory when it was executed: the call is restarted in parts.
TEST_F(OpenclFails, WantOfMemoryIsMendedByParts) {
  const Case scan = cases().front();
  const Ints expected = hs::run(scan.program(hs::use(argument())), {.target = hs::interpreter()});
  const int commands = at_each(
      "event",
      [&](int nth) {
        const auto f = hs::compile(scan.program, {.target = hs::opencl(0)});
        EXPECT_EQ(f(argument()), expected) << nth;
      },
      out_of_resources);
  EXPECT_GE(commands, 2);
}

}  // namespace
