// Printed programs read back as the same programs.
#include "core/text/parse.hpp"

#include "core/print.hpp"
#include "core/verify.hpp"
#include "passes/literals.hpp"
#include "passes/pipeline.hpp"
#include "surface/sharing.hpp"

#include <hasten/hasten.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <tuple>
#include <vector>

namespace hasten::test {
namespace {

using testing::HasSubstr;
using Floats = Acc<Vector<float>>;
using Ints = Acc<Matrix<std::int32_t>>;

// The core program of f(vector of f32, matrix of i32, a number).
template <class F>
core::Program traced(F f) {
  const detail::Scope::ArrayParam arrays[] = {{detail::leaf_type(detail::ScalarType::f32), 1},
                                              {detail::leaf_type(detail::ScalarType::i32), 2}};
  const detail::Type scalars[] = {detail::leaf_type(detail::ScalarType::f64)};
  detail::Traced traced;
  detail::Scope scope(arrays, scalars);
  traced.array_params.assign(std::begin(arrays), std::end(arrays));
  traced.scalar_params.assign(std::begin(scalars), std::end(scalars));
  traced.where = detail::Where::current();
  const auto result =
      f(detail::acc_of<float, 1>(scope.param(0)), detail::acc_of<std::int32_t, 2>(scope.param(1)),
        detail::exp_of<double>(scope.param(2)));
  traced.fn = scope.close({detail::term_of(result)}, "test", traced.where);
  return detail::recover_sharing(traced);
}

// Removes the places in the user's files, which are not read back.
std::string without_places(const std::string& text) {
  return std::regex_replace(text, std::regex("// [^ \n]*"), "//");
}

void expect_round_trip(const core::Program& program) {
  const std::string text = core::print(program);
  const core::Program read = core::parse_program(text);
  core::verify(read, "parsing");
  EXPECT_EQ(without_places(core::print(read)), without_places(text));
}

template <class F>
void expect_round_trips(F f) {
  core::Program program = traced(f);
  expect_round_trip(program);
  const passes::Parameters compiled_in(std::vector<bool>(program.literals.size()));
  program = passes::optimise(passes::bind_literals(std::move(program), compiled_in));
  expect_round_trip(program);
}

TEST(CoreParse, Elementwise) {
  expect_round_trips([](const Floats& a, const Ints&, const Exp<double>& s) {
    return map([=](const auto& x) { return cast<float>(s) * x + 0.1F; }, a);
  });
}

TEST(CoreParse, ShapesAndFolds) {
  expect_round_trips([](const Floats& a, const Ints& b, const Exp<double>&) {
    const auto wide = replicate(over(size(a), keep), a);
    const auto part = slice(over(keep, 1), transpose(b));
    return zip_with([](const auto& x, const auto& y) { return x + cast<float>(y); },
                    sum(reverse(wide)), reshape(ix(size(part)), part));
  });
}

TEST(CoreParse, BranchesLoopsAndReads) {
  expect_round_trips([](const Floats& a, const Ints& b, const Exp<double>&) {
    return generate(shape(b), [=](const Exp<Ix<2>>& at) {
      const auto n =
          while_loop([](const auto& i, const auto&) { return i < 10; },
                     [](const auto& i, const auto& x) { return std::tuple{i + 1, x * 1.5F}; },
                     std::tuple{Exp<std::int32_t>(b[at]), Exp<float>(1e-30F)});
      return select(at[0] < size(a), a[at[0]] + get<1>(n), a.linear(0));
    });
  });
}

TEST(CoreParse, ArrayControl) {
  expect_round_trips([](const Floats& a, const Ints&, const Exp<double>& s) {
    const auto grown = awhile([](const Floats& x) { return unit(size(x) < 100); },
                              [](const Floats& x) { return compute(x + x); }, a);
    return acond(s > 0.0, grown, fill(ix(3), -0.0F));
  });
}

TEST(CoreParse, OrderedOperations) {
  const detail::Where where = detail::Where::current();
  expect_round_trips([=](const Floats& a, const Ints&, const Exp<double>&) {
    const detail::Term array = detail::term_of(a);
    auto add = detail::trace(detail::List<float, float>{}, "scanl", where,
                             [](const Exp<float>& x, const Exp<float>& y) { return x + y; });
    const detail::Term scanned = detail::scan(
        add.fn, detail::literal(0.0F, detail::LiteralMode::automatic), array, "scanl", where);
    const auto targets =
        imap([](const auto& i,
                const auto& x) { return Exp<std::tuple<bool, std::int64_t>>(x > 0.0F, i / 2); },
             a);
    const detail::Term permuted =
        detail::permute(add.fn, scanned, {{detail::term_of(targets), array}},
                        detail::PermuteMode::combine, "permute", where);
    const detail::Term joined = detail::concat(0, {permuted, array}, "concat", where);
    return detail::acc_of<float, 1>(detail::demand(detail::term_of(size(a) > 0), "has {} elements",
                                                   {detail::extent_of(array, 0)}, joined, "demand",
                                                   where));
  });
}

TEST(CoreParse, SegmentedFolds) {
  expect_round_trips([](const Floats& a, const Ints& b, const Exp<double>&) {
    const auto last = [](const auto&, const auto& y) { return y; };
    return zip(fold_seg_offsets(std::plus<>{}, 0.5F, a, flatten(b)),
               fold1_seg(last, a, slice(over(0, keep), b)));
  });
}

std::string error_of(std::string_view text) {
  try {
    (void)core::parse_program(text);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CoreParse, WrongTextsAreErrorsWithTheirLine) {
  EXPECT_THAT(error_of(""),
              HasSubstr("line 1, column 1: found the end of the text where 'program'"));
  EXPECT_THAT(error_of("program () {\n  x0 = plus x1\n}"),
              HasSubstr("line 2, column 8: found 'plus'"));
  EXPECT_THAT(error_of("program () {\n x0 = add x1 x2\n -> \n}"),
              HasSubstr("a value that is defined"));
  EXPECT_THAT(error_of("program () {\n x0 = const abc : i32\n -> \n}"), HasSubstr("an integer"));
  EXPECT_THAT(error_of("program () { ->"), HasSubstr("'}'"));
  // Numbers that no table can hold, and nests that no stack can hold.
  EXPECT_THAT(error_of("program () {\n x4294967295 = const 1 : i32\n -> \n}"),
              HasSubstr("line 2, column 2"));
  EXPECT_THAT(error_of("program () {\n x99999999999 = const 1 : i32\n -> \n}"),
              HasSubstr("a smaller number"));
  EXPECT_THAT(error_of("program () {\n %0 : [f32; 1] = input 4000000000\n -> \n}"),
              HasSubstr("a smaller number"));
  EXPECT_THAT(error_of("program () {\n x0 = const 99999999999999999999 : i64\n -> \n}"),
              HasSubstr("an integer"));
  std::string nest = "program (x0: bool) {\n";
  for (int i = 1; i < 200000; ++i) nest += "x" + std::to_string(i) + " = if x0 {\n";
  EXPECT_THAT(error_of(nest), HasSubstr("at most 1000"));
  EXPECT_THAT(error_of("program () {\n x0 = const 1 : int\n"), HasSubstr("a scalar type"));
}

}  // namespace
}  // namespace hasten::test
