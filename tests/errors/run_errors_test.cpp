// Errors while programs run: shapes, sizes, targets. On every target.
#include "../programs/support.hpp"
#include "tests/support/places.hpp"

#include <functional>
#include <string>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class RunErrors : public hasten_test::OnEveryTarget {};

template <class E, class F>
void expect_error(F f, unsigned line, std::initializer_list<const char*> words) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const E& e) {
    EXPECT_EQ(e.where().line(), line) << e.what();
    EXPECT_TRUE(hasten::test::begins_with_its_place(e)) << e.what();
    EXPECT_NE(std::string(e.where().file_name()).find("run_errors_test.cpp"), std::string::npos);
    for (const char* word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
          << e.what() << "\ndoes not say: " << word;
  }
}

TEST_P(RunErrors, MinimumOfAnEmptyAxisNamesTheOperation) {
  const auto program = hs::minimum(hs::use(hs::Vector<float>{}));
  expect_error<hs::ShapeError>([&] { run(program); }, __LINE__ - 1, {"minimum", "empty"});
}

TEST_P(RunErrors, EmptyAxesAreTheUsersAxes) {
  const auto fails = [&](const auto& program, unsigned line, const std::string& words) {
    expect_error<hs::ShapeError>([&] { run(program); }, line, {(": " + words + ", and").c_str()});
  };
  const auto none = std::span<const int>{};
  const auto wide = hs::use(hs::Matrix<int>(hs::ix(0, 2), none));
  const auto high = hs::use(hs::Matrix<int>(hs::ix(2, 0), none));
  const auto cube = hs::use(hs::Array<int, 3>(hs::ix(2, 0, 3), none));
  const std::string other = ": the axis that is folded has extent 0, the other axes of the array ";
  fails(hs::minimum_on<0>(wide), __LINE__, "minimum_on" + other + "(2)");
  fails(hs::fold1_on<1>(std::plus<>{}, cube), __LINE__, "fold1_on" + other + "(2, 3)");
  fails(hs::argmin_on<1>(cube), __LINE__, "argmin_on" + other + "(2, 3)");
  fails(hs::maximum(high), __LINE__,
        "maximum: the innermost axis of an array of shape (2, 0) is empty");
  fails(hs::argmax_all(high), __LINE__, "argmax_all: the array has no elements");
  fails(hs::minimum_all(high), __LINE__, "minimum_all: the array has no elements");
  fails(hs::fold1_all(std::plus<>{}, cube), __LINE__, "fold1_all: the array has no elements");
}

TEST_P(RunErrors, SegmentsWithoutOffsets) {
  const auto line = hs::use(Vector<int>{1, 2}), none = hs::use(Vector<int>{});
  const auto segments = [&](const auto& offsets) {
    return hs::fold_seg_offsets(std::plus<>{}, 0, line, offsets);
  };
  const auto bad = segments(none);
  expect_error<hs::ShapeError>([&] { run(bad); }, __LINE__ - 3,
                               {"at least one offset, and there is none"});
  EXPECT_EQ(run(segments(hs::use(Vector<int>{1}))).size(), 0);
}

TEST_P(RunErrors, FoldsWithoutSeedOverNoRowsAreEmpty) {
  const hs::Matrix<float> none(hs::ix(0, 5), std::span<const float>{});
  EXPECT_EQ(run(hs::maximum(hs::use(none))).size(), 0);
  const hs::Matrix<float> rows(hs::ix(5, 0), std::span<const float>{});
  EXPECT_THROW(run(hs::maximum(hs::use(rows))), hs::ShapeError);
}

TEST_P(RunErrors, ReshapeToAnotherSize) {
  const auto program = hs::reshape(hs::ix(2, 2), hs::use(hs::Vector<float>{1, 2, 3}));
  expect_error<hs::ShapeError>([&] { run(program); }, __LINE__ - 1, {"reshape", "3"});
}

TEST_P(RunErrors, FlattenSaysItsOwnName) {
  const auto rows = hs::use(hs::Matrix<int>{{1, 2}, {3, 4}});
  const auto f = hs::compile([&] { return hs::flatten(hs::compute(rows + 1)); }, GetParam());
  const std::string text = f.explain().str();
  EXPECT_NE(text.find("flatten at "), std::string::npos) << text;
  EXPECT_EQ(text.find("reshape at "), std::string::npos) << text;
}

TEST_P(RunErrors, ReshapeIsCheckedWhenItIsFused) {
  const auto a = hs::map([](auto x) { return x + 1.0f; }, hs::use(hs::Vector<float>{1, 2, 3}));
  const auto b = hs::reshape(hs::ix(4), a);
  const auto program = hs::sum(hs::map([](auto x) { return x * 2.0f; }, b));
  expect_error<hs::ShapeError>([&] { run(program); }, __LINE__ - 2, {"reshape"});
}

TEST_P(RunErrors, IndexErrorsNameTheArgument) {
  const auto f = hs::compile(
      [](Acc<Vector<int>> a, Acc<Vector<int>> b, Acc<Vector<int>> c) {
        return hs::map([=](auto i) { return a[i] + b[i] * c[i]; }, hs::iota(4));
      },
      {.target = GetParam().target, .checks = hs::Checks::bounds});
  const unsigned line = __LINE__ - 3;
  const Vector<int> four{1, 2, 3, 4}, three{1, 2, 3};
  EXPECT_EQ(f(four, four, four)(3), 20);
  const auto fails = [&](const Vector<int>& a, const Vector<int>& b, const char* which) {
    expect_error<hs::IndexError>([&] { f(a, b, four); }, line, {which, "of shape (3)"});
  };
  fails(three, four, "argument 0");
  fails(four, three, "argument 1");
}

TEST_P(RunErrors, NegativeMemoryLimits) {
  hs::Options options = GetParam();
  options.memory_limit = -5;
  const auto program = hs::iota(10) + 1;
  expect_error<hs::BuildError>([&] { hs::run(program, options); }, __LINE__,
                               {"memory_limit", "-5"});
}

TEST_P(RunErrors, NumbersThatAreNoValuesOfOptions) {
  const auto program = hs::iota(10) + 1;
  const auto fails = [&](const char* option, auto change) {
    hs::Options options = GetParam();
    change(options);
    const unsigned line = __LINE__ + 1;
    expect_error<hs::BuildError>([&] { hs::run(program, options); }, line, {option, "200"});
  };
  fails("Options::checks", [](hs::Options& o) { o.checks = hs::Checks{200}; });
  fails("Options::determinism", [](hs::Options& o) { o.determinism = hs::Determinism{200}; });
  fails("Options::fast_math", [](hs::Options& o) { o.fast_math = hs::FastMath{200}; });
}

// What was moved from is in a state that can be used, or says so.
TEST_P(RunErrors, ObjectsThatWereMovedFrom) {
  auto f = hs::compile([](Acc<Vector<int>> x) { return x + 1; }, GetParam());
  const auto g = std::move(f);
  EXPECT_EQ(f(Vector<int>{1}), g(Vector<int>{1}));  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(f.launch_count(), g.launch_count());

  auto pending = f.async(Vector<int>{1});
  const auto holder = std::move(pending);
  EXPECT_EQ(holder.get()(0), 2);
  // NOLINTBEGIN(bugprone-use-after-move)
  expect_error<hs::Error>([&] { static_cast<void>(pending.get()); }, __LINE__, {"moved from"});
  expect_error<hs::Error>([&] { static_cast<void>(pending.ready()); }, __LINE__, {"moved from"});
  expect_error<hs::Error>([&] { pending.cancel(); }, __LINE__, {"moved from"});

  Scalar<double> number{4.0};
  Vector<double> numbers{1, 2};
  const auto number_now = std::move(number);
  const auto numbers_now = std::move(numbers);
  EXPECT_EQ(number.item(), 4.0);
  EXPECT_EQ(number.size(), 1);
  EXPECT_EQ(numbers.size(), 0);
  EXPECT_EQ(run(hs::use(number)).item(), 4.0);
  EXPECT_EQ(run(hs::use(numbers)).size(), 0);
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(number_now.item() + numbers_now(1), 6.0);
}

// For the user's own helpers, errors name the line inside and the callers.
Acc<hs::Matrix<float>> halves(const Acc<Vector<float>>& a) { return hs::reshape(hs::ix(2, 2), a); }
constexpr unsigned line_of_halves = __LINE__ - 1;
Acc<Scalar<float>> sum_of_halves(const Acc<Vector<float>>& a) { return hs::sum_all(halves(a)); }
constexpr unsigned line_of_sum = __LINE__ - 1;

TEST_P(RunErrors, HelpersNameWhoCalledThem) {
  const auto a = hs::use(Vector<float>{1, 2, 3});
  const auto program = hs::map([](auto x) { return x + 1.0f; }, sum_of_halves(a));
  const unsigned line = __LINE__ - 1;
  const std::string file = "run_errors_test.cpp:";
  const std::string inner = "its result is used in sum_of_halves() at " + file +
                            std::to_string(line_of_sum) + " (sum_all)",
                    outer = "; its result is used in TestBody() at " + file + std::to_string(line) +
                            " (map)";
  expect_error<hs::ShapeError>([&] { run(program); }, line_of_halves,
                               {"reshape", inner.c_str(), outer.c_str()});
  try {  // a single function has no caller to name
    run(hs::map([](auto x) { return x; }, hs::reshape(hs::ix(7), a)));
    ADD_FAILURE();
  } catch (const hs::ShapeError& e) {
    EXPECT_EQ(std::string(e.what()).find("is used in"), std::string::npos) << e.what();
  }
}

TEST_P(RunErrors, ErrorsInBranchesNotTakenAreNotErrors) {
  const auto empty = hs::use(hs::Vector<float>{});
  const auto r = run(hs::acond(hs::size(empty) > 0, hs::minimum(empty), hs::unit(Exp<float>(7))));
  EXPECT_EQ(r.item(), 7);
}

TEST_P(RunErrors, LoopsThatDoNotRunHaveNoErrors) {
  const auto bad = hs::minimum(hs::use(hs::Vector<float>{}));
  const auto r =
      run(hs::awhile([](Acc<Scalar<float>> s) { return hs::the(s) < 0.0f; },
                     [=](Acc<Scalar<float>> s) { return hs::zip_with(std::plus<>{}, s, bad); },
                     hs::unit(Exp<float>(7))));
  EXPECT_EQ(r.item(), 7);
}

TEST_P(RunErrors, ExtentsThatOverflowAreAMemoryError) {
  const std::int64_t huge = std::int64_t{1} << 40;
  const auto program = hs::fill(hs::ix(huge, huge), Exp<float>(1));
  EXPECT_THROW(run(program), hs::MemoryError);
  EXPECT_EQ(run(hs::sum(hs::fill(hs::ix(10), Exp<float>(1)))).item(), 10);
}

// The interpreter always works in one part; arrays that are already freed do not count.
TEST(MemoryLimit, OnTheInterpreter) {
  const hs::Options limited{.target = hs::interpreter(), .memory_limit = 1000};
  const auto floats = [](int n) { return hs::fill(hs::ix(n), Exp<float>(1)); };
  EXPECT_EQ(hs::run(floats(250), limited).size(), 250);
  const auto chain = floats(100) + 1.0f;
  EXPECT_EQ(hs::run((chain * 2.0f + 1.0f) * 2.0f, limited)(0), 10);
  const auto large = hs::fill(hs::ix(251), Exp<float>(1));
  expect_error<hs::MemoryError>([&] { hs::run(large, limited); }, __LINE__ - 1, {"memory_limit"});
  const auto beside = hs::map([](auto x) { return x + 1; }, floats(200));
  expect_error<hs::MemoryError>([&] { hs::run(beside, limited); }, __LINE__ - 1,
                                {"map", "(200)", "memory_limit", "800"});
  EXPECT_THROW(hs::run(hs::fill(std::int64_t{1} << 60, 1.0), limited), hs::MemoryError);
  const auto kept = hs::run(floats(240), limited);  // a result belongs to its owner
  EXPECT_EQ(hs::run(floats(240), limited), kept);
}

TEST_P(RunErrors, ChecksExtentsDemandEqualExtents) {
  hs::Options options = GetParam();
  const auto program = hs::zip_with(std::plus<>{}, hs::use(hs::Vector<int>{1, 2}),
                                    hs::use(hs::Vector<int>{1, 2, 3}));
  EXPECT_EQ(hs::run(program, options).size(), 2);
  options.checks = hs::Checks::extents;
  EXPECT_THROW(hs::run(program, options), hs::ShapeError);
}

// Operations whose extents are the intersection of their arrays' extents.
TEST_P(RunErrors, ChecksExtentsDemandThemOfAllThatIntersects) {
  hs::Options options = GetParam();
  const auto two = hs::use(hs::Vector<std::int64_t>{1, 0}),
             three = hs::use(hs::Vector<std::int64_t>{1, 2, 3});
  const auto narrow = hs::use(hs::Matrix<int>{{1, 2}, {3, 4}}),
             wide = hs::use(hs::Matrix<int>{{1, 2, 3}, {4, 5, 6}});
  const auto both = [](auto x, auto y) { return x(0) + y(0); };
  const auto expect = [&](const auto& program, const char* operation, std::int64_t size,
                          unsigned line) {
    options.checks = hs::Checks::none;
    EXPECT_EQ(hs::run(program, options).size(), size) << operation;
    options.checks = hs::Checks::extents;
    expect_error<hs::ShapeError>([&] { hs::run(program, options); }, line, {operation});
  };
  expect(hs::scatter(two, three, three), "scatter", 3, __LINE__);
  expect(hs::concat_on<0>(narrow, wide), "concat_on", 8, __LINE__);
  expect(hs::stencil2(both, hs::boundary::clamp, two, hs::boundary::clamp, three), "stencil2", 2,
         __LINE__ - 1);
  // Equal extents, and the axis that is joined.
  EXPECT_EQ(hs::run(hs::concat_on<1>(narrow, wide), options).size(), 10);
  EXPECT_EQ(hs::run(hs::scatter(two, three, two), options).size(), 3);
}

// Products, and other operations on several shapes.
TEST_P(RunErrors, ShapesThatDoNotMeet) {
  const auto two = hs::use(hs::Vector<float>{1, 2}), three = hs::use(hs::Vector<float>{1, 2, 3});
  const auto wide = hs::use(hs::Matrix<float>{{1, 2, 3}, {4, 5, 6}});
  const auto expect = [&](const auto& program, std::initializer_list<const char*> words,
                          unsigned line) {
    expect_error<hs::ShapeError>([&] { run(program); }, line, words);
  };
  expect(hs::matmul(wide, wide), {"matmul", "(2, 3) and (2, 3)", "transpose"}, __LINE__);
  expect(hs::matmul(wide, two), {"matmul", "(2, 3) and (2)"}, __LINE__);
  expect(hs::matmul(three, wide), {"matmul", "(3) and (2, 3)"}, __LINE__);
  expect(hs::matmul(two, three), {"matmul", "(2) and (3)"}, __LINE__);
  expect(hs::dot(two, three), {"dot", "(2) and (3)", "zip_with"}, __LINE__);
  expect(hs::broadcast(hs::ix(4, 2), three), {"broadcast", "(3)", "(4, 2)"}, __LINE__);
  expect(hs::broadcast(hs::ix(3, 3), wide), {"broadcast", "(2, 3)", "(3, 3)"}, __LINE__);
  expect(hs::broadcast(hs::shape(two), hs::use(hs::Vector<float>{})), {"(0)", "(2)"}, __LINE__);
  // Also if only a fold reads the elements.
  expect(hs::sum_all(hs::matmul(wide, wide)), {"matmul", "(2, 3) and (2, 3)"}, __LINE__);
}

TEST_P(RunErrors, UnequalOperandsNameTakeBroadcastAndZipWith) {
  const auto a = hs::use(hs::Vector<int>{1, 2}), b = hs::use(hs::Vector<int>{1, 2, 3});
  expect_error<hs::ShapeError>([&] { run(hs::max(a, b)); }, __LINE__,
                               {"(2)", "(3)", "take", "broadcast", "zip_with"});
}

HASTEN_ON_EVERY_TARGET(RunErrors);

TEST(RunErrors, TheInterpreterChecksIndices) {
  const auto table = hs::use(hs::Vector<int>{1, 2, 3});
  const auto program = hs::generate(4, [=](Exp<std::int64_t> i) { return table[i]; });
  expect_error<hs::IndexError>([&] { hs::run(program, {.target = hs::interpreter()}); },
                               __LINE__ - 2, {"3"});
}

TEST(RunErrors, UnknownTargetsListWhatThereIs) {
  const auto program = hs::use(hs::Vector<int>{1});
  try {
    hs::run(program, {.target = hs::Target("abacus")});
    ADD_FAILURE();
  } catch (const hs::TargetError& e) {
    EXPECT_NE(std::string(e.what()).find("interpreter"), std::string::npos) << e.what();
    EXPECT_TRUE(hasten::test::begins_with_its_place(e)) << e.what();
  }
  EXPECT_THROW(hs::run(program, {.target = hs::cuda(7)}), hs::TargetError);
}

TEST(RunErrors, HostAccessOutOfRange) {
  const hs::Vector<int> v{1, 2, 3};
  expect_error<hs::IndexError>([&] { v(3); }, __LINE__, {"3"});
  EXPECT_THROW((hs::Vector<int>(4, std::span<const int>(std::vector<int>{1}))), hs::ShapeError);
}

}  // namespace
