// Where sharing recovery binds terms; checked by the text form and by counts of statements.
#include "surface/sharing.hpp"
#include "core/print.hpp"
#include "core/text/parse.hpp"
#include "core/verify.hpp"

#include <gtest/gtest.h>

#include <hasten/hasten.hpp>

#include <functional>
#include <string>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

hs::core::Program recover(const hs::detail::Term& term) {
  hs::detail::Traced traced;
  hs::detail::Scope scope(std::span<const hs::detail::Scope::ArrayParam>{},
                          std::span<const hs::detail::Type>{});
  traced.where = hs::detail::Where::current();
  traced.fn = scope.close({term}, "test", traced.where);
  hs::core::Program program = hs::detail::recover_sharing(traced);
  hs::core::verify(program, "sharing recovery");
  return program;
}

template <class A>
std::string text(const Acc<A>& acc) {
  return hs::core::print(recover(hs::detail::term_of(acc)));
}

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

Acc<Vector<std::int32_t>> numbers() { return hs::use(hs::Vector<std::int32_t>{1, 2, 3}); }

TEST(Sharing, AVariableUsedTwiceIsComputedOnce) {
  const std::string t = text(hs::map(
      [](auto x) {
        auto y = hs::sin(hs::cast<float>(x));
        return y * y + y;
      },
      numbers()));
  EXPECT_EQ(count(t, "= sin "), 1) << t;
}

TEST(Sharing, NamesOfArraysStandBesideOperations) {
  const auto a = numbers();
  const auto squares = hs::map([](auto x) { return x * x; }, a);
  const auto kept = hs::compute(hs::map([](auto x) { return x + 1; }, a));
  const auto named = hs::named("layer\t1", hs::sum(squares * kept));
  const hs::core::Program program = recover(hs::detail::term_of(named));
  const std::string t = hs::core::print(program);
  for (const char* operation : {" layer 1 (sum)\n", " layer 1 (map)\n", " layer 1 (*)\n"})
    EXPECT_EQ(count(t, operation), 1) << operation << t;
  EXPECT_EQ(count(t, " compute\n"), 1) << "in memory, so not inlined\n" << t;
  EXPECT_EQ(count(t, " map\n"), 1) << "what compute reads\n" << t;
  const hs::core::Program read = hs::core::parse_program(t);
  EXPECT_STREQ(read.body.bindings.back().operation, "layer 1 (sum)") << t;
}

TEST(Sharing, EqualTermsWrittenTwiceAreOne) {
  const auto f = [](auto x) { return hs::sin(hs::cast<float>(x)); };
  const std::string scalars = text(hs::map([&](auto x) { return f(x) + f(x); }, numbers()));
  EXPECT_EQ(count(scalars, "= sin "), 1) << scalars;
  const std::string arrays =
      text(hs::zip_with(std::plus<>{}, hs::map(f, numbers()), hs::map(f, numbers())));
  EXPECT_EQ(count(arrays, "= sin "), 2) << "two different host arrays\n" << arrays;
  const auto a = numbers();
  const std::string same = text(hs::zip_with(std::plus<>{}, hs::map(f, a), hs::map(f, a)));
  EXPECT_EQ(count(same, "= sin "), 1) << same;
}

TEST(Sharing, AReadStaysInTheBranchThatNeedsIt) {
  const auto table = numbers();
  const hs::core::Program p = recover(hs::detail::term_of(hs::map(
      [=](auto x) { return hs::select(x > 0, table[hs::cast<std::int64_t>(x)] + 1, 0); }, table)));
  const std::string t = hs::core::print(p);
  EXPECT_GT(t.find("= load"), t.find("if ")) << t;
}

TEST(Sharing, AReadNeededInBothBranchesIsDoneOnceBeforeThem) {
  const auto table = numbers();
  const std::string t = text(hs::map(
      [=](auto x) {
        auto v = table[hs::cast<std::int64_t>(x)];
        return hs::select(x > 0, v + table[0], v - table[1]);
      },
      table));
  EXPECT_EQ(count(t, "= load"), 3) << t;
  EXPECT_LT(t.find("= load"), t.find("= if")) << t;
}

TEST(Sharing, AReadNeededOnlyOnSomePathsIsNotMadeCertain) {
  const auto table = numbers();
  // The outer second branch and one inner branch need v: not for 0 < x < 10.
  const std::string t = text(hs::map(
      [=](auto x) {
        auto v = table[hs::cast<std::int64_t>(x)];
        auto inner = hs::select(x > 10, v * 2, table[0]);
        return hs::select(x > 0, inner, v + 1);
      },
      table));
  EXPECT_LT(t.find("if "), t.find("= load")) << t;
  EXPECT_EQ(count(t, "= load"), 3) << "one copy of v on each path that needs it, and table[0]\n"
                                   << t;
}

TEST(Sharing, LoopInvariantsLeaveTheLoopUnlessTheyAreReads) {
  const auto table = numbers();
  const std::string t = text(hs::map(
      [=](auto x) {
        auto invariant = hs::sin(hs::cast<float>(x));
        return hs::while_loop([=](auto s) { return s < 100.0f; },
                              [=](auto s) {
                                return s + invariant +
                                       hs::cast<float>(table[hs::cast<std::int64_t>(x)]);
                              },
                              0.0f);
      },
      table));
  EXPECT_LT(t.find("= sin"), t.find("while")) << t;
  EXPECT_GT(t.find("= load"), t.find("while")) << t;
}

TEST(Sharing, ClosedScalarsAreComputedOnceOutsideTheArrayOperation) {
  const auto a = numbers();
  const std::string t = text(hs::map(
      [&](auto x) {
        auto n = hs::size(a) * 2;
        return hs::cast<std::int64_t>(x) + n * n;
      },
      a));
  EXPECT_LT(t.find("= extent"), t.find("= map")) << t;
  EXPECT_EQ(count(t, "= extent"), 1) << t;
}

TEST(Sharing, ArraysThatDoNotDependOnALoopLeaveIt) {
  const auto a = numbers();
  const auto table = hs::map([](auto x) { return x * x; }, a);
  const std::string t = text(hs::awhile(
      [](Acc<Vector<std::int32_t>> s) { return hs::the(hs::sum(s)) < 1000; },
      [=](Acc<Vector<std::int32_t>> s) { return hs::zip_with(std::plus<>{}, s, table); }, a));
  EXPECT_LT(t.find("= map"), t.find("awhile")) << t;
}

// The division of an extent by a literal cannot fail; by a value that may be 0, it can, and the
// loop may have no rounds.
TEST(Sharing, DivisionByANumberLeavesALoop) {
  const auto a = numbers();
  const auto position = [&](const Exp<std::int64_t>& extent) {
    const auto ramp = hs::compute(hs::generate(extent, [](auto i) { return i * 2; }));
    const std::string t = text(hs::aiterate(
        std::int64_t{3}, [&](auto v) { return hs::zip_with(std::plus<>{}, v, ramp); },
        hs::map([](auto x) { return hs::cast<std::int64_t>(x); }, a)));
    EXPECT_EQ(count(t, "= generate"), 1) << t;
    EXPECT_EQ(count(t, "= while"), 1) << t;
    return t.find("= generate") < t.find("= while");
  };
  EXPECT_TRUE(position(hs::size(a) / 2));
  EXPECT_FALSE(position(hs::size(a) / 0));
  EXPECT_FALSE(position(hs::size(a) / (hs::size(a) - 1)));
}

TEST(Sharing, ArraysOfABranchStayInIt) {
  const auto a = numbers();
  const std::string t =
      text(hs::acond(hs::size(a) > 5, hs::map([](auto x) { return x * x; }, a), a));
  EXPECT_GT(t.find("= map"), t.find("acond")) << t;
}

}  // namespace
