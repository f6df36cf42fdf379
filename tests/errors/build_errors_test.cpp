// Errors while programs are built: their messages and places.
#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include "tests/support/places.hpp"

#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

template <class E, class F>
E error_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e;
  }
  ADD_FAILURE() << "nothing of this kind was thrown";
  return E("nothing");
}

void expect_here(const hs::Error& e, unsigned line) {
  EXPECT_NE(std::string(e.where().file_name()).find("build_errors_test.cpp"), std::string::npos)
      << e.where().file_name();
  EXPECT_EQ(e.where().line(), line) << e.what();
  EXPECT_TRUE(hasten::test::begins_with_its_place(e)) << e.what();
}

bool says(const hs::Error& e, const char* words) {
  return std::string(e.what()).find(words) != std::string::npos;
}

const hs::Vector<float> xs{1, 2, 3};

TEST(BuildErrors, NestedParallelismNamesTheOperationAndTheLine) {
  unsigned line = 0;
  const auto e = error_of<hs::BuildError>([&] {
    hs::map(
        [&](Exp<float> x) {
          line = __LINE__ + 1;
          auto inner = hs::map([=](Exp<float> y) { return x * y; }, hs::use(xs));
          return hs::the(hs::sum(inner));
        },
        hs::use(xs));
  });
  expect_here(e, line);
  EXPECT_TRUE(says(e, "map")) << e.what();
  EXPECT_TRUE(says(e, "nested")) << e.what();
}

TEST(BuildErrors, NestingThroughAScalarArgumentIsFoundToo) {
  const auto e = error_of<hs::BuildError>(
      [&] { hs::generate(4, [&](Exp<std::int64_t> n) { return hs::the(hs::sum(hs::iota(n))); }); });
  EXPECT_TRUE(says(e, "nested")) << e.what();
}

TEST(BuildErrors, ClosedArraysMayBeIndexedInFunctions) {
  const auto r =
      hs::run(hs::map([](Exp<float> x) { return x / hs::the(hs::sum(hs::use(xs))); }, hs::use(xs)),
              {.target = hs::interpreter()});
  EXPECT_EQ(r(2), 0.5f);
}

TEST(BuildErrors, EscapedScalar) {
  unsigned line = 0;
  const auto e = error_of<hs::BuildError>([&] {
    std::optional<Exp<float>> stolen;
    hs::map(
        [&](Exp<float> x) {
          stolen = x;
          return x;
        },
        hs::use(xs));
    line = __LINE__ + 1;
    hs::map([&](Exp<float> y) { return y + *stolen; }, hs::use(xs));
  });
  expect_here(e, line);
  EXPECT_TRUE(says(e, "outside")) << e.what();
}

TEST(BuildErrors, NumbersThatDoNotFit) {
  EXPECT_THROW(Exp<std::uint8_t>(1) + 300, hs::BuildError);
  EXPECT_THROW(Exp<std::uint32_t>(1) * -1, hs::BuildError);
  EXPECT_NO_THROW(Exp<std::uint8_t>(1) + 255);
  EXPECT_NO_THROW(Exp<float>(1) + 0.1);
}

TEST(BuildErrors, AnErrorWithoutAPlaceHasThatOfWhatUsesIt) {
  const auto wrong = [](const Exp<float>&) -> Exp<float> { throw hs::BuildError("no such table"); };
  unsigned line = 0;
  const auto in_map = error_of<hs::BuildError>([&] {
    line = __LINE__ + 1;
    hs::map(wrong, hs::use(xs));
  });
  expect_here(in_map, line);
  const auto in_program = error_of<hs::BuildError>([&] {
    line = __LINE__ + 1;
    hs::compile(wrong);
  });
  expect_here(in_program, line);
}

TEST(BuildErrors, ANumberInBracketsHasAPlace) {
  const auto expect_past_the_end = [](unsigned line, const auto& program) {
    const auto error = error_of<hs::BuildError>(program);
    expect_here(error, line);
    EXPECT_TRUE(says(error, "] of a group of")) << error.what();
  };
  const auto past_the_end = [](const Exp<std::array<float, 2>>& pair) { return pair[2]; };
  const unsigned line = __LINE__ - 1;
  expect_past_the_end(line, [&] { hs::map(past_the_end, hs::fill(3, std::array{1.0f, 2.0f})); });
  expect_past_the_end(line, [&] { hs::compile(past_the_end); });
  expect_past_the_end(line, [&] { past_the_end(std::array{1.0f, 2.0f}); });
  const Exp<hs::Ix<2>> at(1, 2);
  expect_past_the_end(__LINE__, [&] { at[-1]; });
}

TEST(BuildErrors, ExceptionsFromUserFunctionsPassThroughAndLeaveNothingOpen) {
  EXPECT_THROW(hs::map([](Exp<float>) -> Exp<float> { throw 42; }, hs::use(xs)), int);
  EXPECT_NO_THROW(hs::map([](Exp<float> x) { return x; }, hs::use(xs)));
}

float foreign_one(float x) noexcept { return x + 1; }
float foreign_two(float x) noexcept { return x + 2; }

// Compiled kernels identify foreign functions by their names.
TEST(BuildErrors, OneNameForTwoForeignFunctions) {
  const auto call = [](const auto& implementation, unsigned& line) {
    line = __LINE__ + 1;
    return hs::foreign_exp(implementation, [](const Exp<float>& x) { return x; }, Exp<float>(1));
  };
  unsigned line = 0;
  (void)call(hs::on_cpu("errors::one", &foreign_one), line);
  (void)call(hs::on_cpu("errors::one", &foreign_one), line);
  const auto other =
      error_of<hs::BuildError>([&] { (void)call(hs::on_cpu("errors::one", &foreign_two), line); });
  expect_here(other, line);
  EXPECT_TRUE(says(other, "errors::one")) << other.what();
  EXPECT_TRUE(says(other, "a name of its own")) << other.what();
  // Names of different kinds of target, and of functions of arrays, do not conflict.
  (void)call(hs::on_cpu("errors_one", &foreign_two), line);
  (void)call(hs::opencl_source("errors_one", "float errors_one(float x) { return x; }"), line);
  const auto text = error_of<hs::BuildError>([&] {
    (void)call(hs::opencl_source("errors_one", "float errors_one(float x) { return -x; }"), line);
  });
  EXPECT_TRUE(says(text, "opencl")) << text.what();
  EXPECT_TRUE(says(text, "a name of its own")) << text.what();
  for (const char* name : {"", "with blanks", "quo\"ted", "line\n", "\xc3\xa4"}) {
    const auto wrong =
        error_of<hs::BuildError>([&] { (void)call(hs::on_cpu(name, &foreign_one), line); });
    expect_here(wrong, line);
    EXPECT_TRUE(says(wrong, "letters, digits")) << wrong.what();
  }
}

TEST(BuildErrors, ForeignArraysAreArrayOperations) {
  const auto same = [](const Acc<Vector<float>>& a) { return a; };
  const auto on_host = [](const Vector<float>& a) { return a; };
  unsigned line = 0;
  const auto nested = error_of<hs::BuildError>([&] {
    hs::map(
        [&](const Exp<float>& x) {
          line = __LINE__ + 1;
          return hs::foreign_acc(hs::on_cpu("errors::same", on_host), same, hs::fill(1, x))[0];
        },
        hs::use(xs));
  });
  EXPECT_TRUE(says(nested, "nested")) << nested.what();
  EXPECT_EQ(nested.where().line(), line);
  const auto name = error_of<hs::BuildError>([&] {
    line = __LINE__ + 1;
    (void)hs::foreign_acc(hs::on_cpu("two words", on_host), same, hs::use(xs));
  });
  expect_here(name, line);
  // An exception that the fallback throws during tracing passes through, and later programs work.
  EXPECT_THROW((void)hs::foreign_acc(
                   hs::on_cpu("errors::same", on_host),
                   [](const Acc<Vector<float>>& a) {
                     if (hs::Acc<Vector<float>>::rank == 1) throw std::runtime_error("no");
                     return a;
                   },
                   hs::use(xs)),
               std::runtime_error);
  EXPECT_EQ(hs::run(hs::foreign_acc(hs::on_cpu("errors::same", on_host), same, hs::use(xs))), xs);
}

TEST(BuildErrors, RunOfWhatHasNoValueYet) {
  unsigned line = 0;
  const auto expect = [&](const auto& build) {
    const auto error = error_of<hs::BuildError>([&] { build(); });
    EXPECT_TRUE(says(error, "being traced")) << error.what();
    EXPECT_EQ(error.where().line(), line) << error.what();
  };
  expect([&] {
    hs::map(
        [&](const Exp<float>& x) {
          line = __LINE__ + 1;
          return Exp<float>(hs::run(x * 2.0F));
        },
        hs::use(xs));
  });
  expect([&] {
    (void)hs::compile([&](const Acc<Vector<float>>& a) {
      line = __LINE__ + 1;
      return hs::use(hs::run(hs::map([](auto x) { return x + 1.0F; }, a)));
    });
  });
  // A term that depends on nothing has a value, and later programs work.
  const auto table = hs::compile([](const Acc<Vector<float>>& a) {
    return hs::zip_with(std::plus<>{}, a, hs::use(hs::run(hs::use(Vector<float>{1, 2}))));
  });
  EXPECT_EQ(table({1, 2}), (Vector<float>{2, 4}));
}

}  // namespace
