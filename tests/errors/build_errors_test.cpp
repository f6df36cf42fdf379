// Programs that are wrong while they are built: what is said, and where.
#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include <functional>
#include <optional>
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

TEST(BuildErrors, ExceptionsFromUserFunctionsPassThroughAndLeaveNothingOpen) {
  EXPECT_THROW(hs::map([](Exp<float>) -> Exp<float> { throw 42; }, hs::use(xs)), int);
  EXPECT_NO_THROW(hs::map([](Exp<float> x) { return x; }, hs::use(xs)));
}

}  // namespace
