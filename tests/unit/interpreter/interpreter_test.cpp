// The interpreter, compared with results computed by hand.
#include "interpreter/interpreter.hpp"

#include "core/verify.hpp"
#include "tests/unit/core/array_types.hpp"
#include "tests/unit/core/builder.hpp"

#include <hasten/run/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace hasten::test {
namespace {

using enum ScalarOp;
using enum ScalarType;
using testing::ElementsAre;
using testing::HasSubstr;
using Params = const std::vector<Value>&;
using Host = std::shared_ptr<const detail::HostArray>;
using Shape = std::vector<std::int64_t>;

class Interpreter : public testing::Test {
 protected:
  ArrayId input(const core::ArrayType& type, Host array) {
    program.inputs.push_back(type);
    inputs.push_back(std::move(array));
    const auto index = static_cast<std::uint32_t>(inputs.size() - 1);
    return block.add(type, core::Input{index});
  }
  ArrayId vector(const std::vector<std::int64_t>& x) {
    return input(numbers, host({static_cast<std::int64_t>(x.size())}, x));
  }
  // 0, 1, 2, ... in row-major order.
  ArrayId counting(std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(rows * columns));
    std::iota(x.begin(), x.end(), 0);
    return input(matrix, host({rows, columns}, x));
  }
  Value constant(std::int64_t x) { return block.constant(x); }

  std::vector<Host> run(std::vector<ArrayId> results, Checks checks = Checks::none) {
    program.body = block.end(std::move(results));
    core::verify(program, "test");
    return interp::interpret(program, inputs, scalars, checks);
  }
  Host run(ArrayId result, Checks checks = Checks::none) {
    return run(std::vector{result}, checks)[0];
  }
  template <class E>
  E error(ArrayId result, Checks checks = Checks::none) {
    try {
      run(result, checks);
    } catch (const E& e) {
      return e;
    }
    ADD_FAILURE() << "nothing was thrown";
    return E("");
  }

  core::Program program;
  BlockBuilder block{program};
  std::vector<Host> inputs;
  std::vector<Bits> scalars;
};

std::vector<std::int64_t> ints(const Host& array) { return values<std::int64_t>(*array); }

TEST_F(Interpreter, InputsUsesAndScalars) {
  const Value s = program.new_value(f32);
  program.scalar_inputs = {s};
  scalars = {bits(2.5F)};
  program.arrays_used.push_back(host({2}, std::vector<std::int64_t>{7, 8}));
  const ArrayId used = block.add(numbers, core::Use{0});
  const ArrayId unit = block.add({0, {f32, i64}}, core::Unit{{s, constant(4)}});
  program.scalar_results = {s};
  const auto results = run({used, unit});
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0], program.arrays_used[0]);
  EXPECT_THAT(values<float>(*results[1], 0), ElementsAre(2.5F));
  EXPECT_THAT(values<std::int64_t>(*results[1], 1), ElementsAre(4));
  EXPECT_THAT(values<float>(*results[2]), ElementsAre(2.5F));
  EXPECT_TRUE(results[2]->shape().empty());
}

TEST_F(Interpreter, GenerateClampsExtents) {
  const auto product = [&] { return operation(program, mul, {i64, i64}); };
  const ArrayId table = block.add(matrix, core::Generate{{constant(2), constant(3)}, product()});
  const ArrayId empty = block.add(matrix, core::Generate{{constant(-2), constant(3)}, product()});
  const auto results = run({table, empty});
  EXPECT_THAT(ints(results[0]), ElementsAre(0, 0, 0, 0, 1, 2));
  EXPECT_EQ(results[1]->shape(), (Shape{0, 3}));
}

TEST_F(Interpreter, MapToTwoComponents) {
  const ArrayId a = vector({1, 2});
  core::Map both{function(program, {i64},
                          [](CodeBuilder& c, Params x) {
                            return std::vector{c.cast(f32, x[0]), c.prim(neg, {x[0]})};
                          }),
                 a};
  const Host result = run(block.add({1, {f32, i64}}, std::move(both)));
  EXPECT_THAT(values<float>(*result, 0), ElementsAre(1.0F, 2.0F));
  EXPECT_THAT(values<std::int64_t>(*result, 1), ElementsAre(-1, -2));
}

TEST_F(Interpreter, ZipWithIntersects) {
  const ArrayId a = counting(2, 3), b = counting(3, 2);
  const core::ZipWith zip{operation(program, add, {i64, i64}), {a, b}};
  const Host result = run(block.add(matrix, zip));
  EXPECT_EQ(result->shape(), (Shape{2, 2}));
  EXPECT_THAT(ints(result), ElementsAre(0, 2, 5, 7));
}

TEST_F(Interpreter, ZipWithUnderCheckedExtents) {
  const ArrayId a = counting(2, 3), b = counting(3, 2);
  const core::ZipWith zip{operation(program, add, {i64, i64}), {a, b}};
  const auto e = error<ShapeError>(block.add(matrix, zip, "plus"), Checks::extents);
  EXPECT_THAT(e.what(),
              HasSubstr("plus: arrays of shapes (2, 3) and (3, 2) meet; Checks::extents demands"));
  EXPECT_THAT(e.where().file_name(), HasSubstr("interpreter_test.cpp"));
}

TEST_F(Interpreter, Reshape) {
  const ArrayId a = counting(2, 3);
  const ArrayId b = block.add(matrix, core::Reshape{{constant(3), constant(2)}, a});
  EXPECT_THAT(ints(run(b)), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(Interpreter, ReshapeToAnotherSize) {
  const ArrayId a = counting(2, 3);
  const auto e = error<ShapeError>(block.add(numbers, core::Reshape{{constant(7)}, a}));
  EXPECT_THAT(e.what(), HasSubstr("(7)"));
  EXPECT_THAT(e.what(), HasSubstr("(2, 3)"));
}

TEST_F(Interpreter, ReplicateAndSlice) {
  const ArrayId a = vector({5, 6});
  const ArrayId rows = block.add(matrix, core::Replicate{{constant(2), core::none}, a});
  const ArrayId columns = block.add(matrix, core::Replicate{{core::none, constant(2)}, a});
  const ArrayId m = counting(3, 4);
  const ArrayId row = block.add(numbers, core::Slice{{constant(1), core::none}, m});
  const ArrayId column = block.add(numbers, core::Slice{{core::none, constant(1)}, m});
  const ArrayId one = block.add({0, {i64}}, core::Slice{{constant(2), constant(3)}, m});
  const auto results = run({rows, columns, row, column, one});
  EXPECT_THAT(ints(results[0]), ElementsAre(5, 6, 5, 6));
  EXPECT_THAT(ints(results[1]), ElementsAre(5, 5, 6, 6));
  EXPECT_THAT(ints(results[2]), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(ints(results[3]), ElementsAre(1, 5, 9));
  EXPECT_THAT(ints(results[4]), ElementsAre(11));
}

TEST_F(Interpreter, SliceOutOfRange) {
  const ArrayId m = counting(3, 4);
  const auto e =
      error<IndexError>(block.add(numbers, core::Slice{{constant(3), core::none}, m}, "slice"));
  EXPECT_THAT(e.what(), HasSubstr("slice: index 3 on axis 0 is out of range"));
  EXPECT_THAT(e.what(), HasSubstr("argument 0, of shape (3, 4)"));
}

TEST_F(Interpreter, BackpermuteTransposes) {
  const ArrayId m = counting(2, 3);
  core::Backpermute op{{constant(3), constant(2)},
                       function(program, {i64, i64},
                                [](CodeBuilder&, Params ix) { return std::vector{ix[1], ix[0]}; }),
                       m};
  EXPECT_THAT(ints(run(block.add(matrix, std::move(op)))), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(Interpreter, ReadsOutOfRange) {
  const ArrayId a = vector({1, 2, 3});
  core::Generate op{{constant(4)}, function(program, {i64}, [&](CodeBuilder& c, Params i) {
                      return std::vector{c.load(a, {i[0]})};
                    })};
  const auto e = error<IndexError>(block.add(numbers, std::move(op), "copy"));
  EXPECT_THAT(e.what(), HasSubstr("copy: index (3) is out of range"));
}

core::Fold fold_of(core::Program& program, ScalarOp op, std::vector<Value> seed, ArrayId source) {
  return {operation(program, op, {i64, i64}), std::move(seed), source};
}

TEST_F(Interpreter, FoldTakesTheSeedOnTheLeft) {
  const ArrayId m = counting(2, 3);
  const ArrayId left = block.add(numbers, fold_of(program, sub, {constant(100)}, m));
  const ArrayId none = block.add(numbers, fold_of(program, sub, {}, m));
  const auto results = run({left, none});
  EXPECT_THAT(ints(results[0]), ElementsAre(100 - 0 - 1 - 2, 100 - 3 - 4 - 5));
  EXPECT_THAT(ints(results[1]), ElementsAre(0 - 1 - 2, 3 - 4 - 5));
}

TEST_F(Interpreter, FoldOfEmptyAxes) {
  const ArrayId no_columns = counting(2, 0), no_rows = counting(0, 3);
  const ArrayId a = block.add(numbers, fold_of(program, add, {constant(9)}, no_columns));
  const ArrayId b = block.add(numbers, fold_of(program, add, {}, no_rows));
  const auto results = run({a, b});
  EXPECT_THAT(ints(results[0]), ElementsAre(9, 9));
  EXPECT_EQ(results[1]->shape(), (Shape{0}));
}

TEST_F(Interpreter, FoldWithoutSeedOfAnEmptyAxis) {
  const ArrayId m = counting(2, 0);
  const auto e = error<ShapeError>(block.add(numbers, fold_of(program, add, {}, m), "maximum"));
  EXPECT_THAT(e.what(), HasSubstr("maximum: the innermost axis"));
  EXPECT_THAT(e.what(), HasSubstr("(2, 0)"));
}

// (a, b) after (c, d) as maps x -> a x + b: does not commute, and exchanges its parameters.
TEST_F(Interpreter, FoldOfPairsKeepsTheOrder) {
  const std::vector<std::int64_t> a{2, 3, 5}, b{1, 4, 6};
  const core::ArrayType pairs{1, {i64, i64}};
  const ArrayId in = input(pairs, host({3}, a, b));
  core::Fold fold{function(program, {i64, i64, i64, i64},
                           [](CodeBuilder& c, Params p) {
                             const Value scaled = c.prim(mul, {p[2], p[1]});
                             return std::vector{c.prim(mul, {p[0], p[2]}),
                                                c.prim(add, {scaled, p[3]})};
                           }),
                  {},
                  in};
  core::Fold swapping{function(program, {i64, i64, i64, i64},
                               [](CodeBuilder&, Params p) { return std::vector{p[1], p[0]}; }),
                      {},
                      in};
  const ArrayId first = block.add({0, {i64, i64}}, std::move(fold));
  const ArrayId second = block.add({0, {i64, i64}}, std::move(swapping));
  const auto results = run({first, second});
  EXPECT_THAT(values<std::int64_t>(*results[0], 0), ElementsAre(30));
  EXPECT_THAT(values<std::int64_t>(*results[0], 1), ElementsAre((1 * 3 + 4) * 5 + 6));
  EXPECT_THAT(values<std::int64_t>(*results[1], 0), ElementsAre(2));
  EXPECT_THAT(values<std::int64_t>(*results[1], 1), ElementsAre(1));
}

TEST_F(Interpreter, FoldOfSegments) {
  const ArrayId m = counting(2, 4), ends = vector({0, 1, 1, 3});
  const core::Region fn = operation(program, sub, {i64, i64});
  const ArrayId some = block.add(matrix, core::FoldSegments{fn, {constant(100)}, m, ends});
  const ArrayId none = block.add(
      matrix, core::FoldSegments{operation(program, sub, {i64, i64}), {}, m, vector({1, 4})});
  const ArrayId no_offsets =
      block.add(matrix, core::FoldSegments{operation(program, sub, {i64, i64}), {}, m, vector({})});
  const auto results = run({some, none, no_offsets});
  EXPECT_THAT(ints(results[0]), ElementsAre(100 - 0, 100, 100 - 1 - 2, 100 - 4, 100, 100 - 5 - 6));
  EXPECT_THAT(ints(results[1]), ElementsAre(1 - 2 - 3, 5 - 6 - 7));
  EXPECT_EQ(results[2]->shape(), (Shape{2, 0}));
}

TEST_F(Interpreter, FoldOfWrongSegments) {
  const auto fold = [&](const std::vector<std::int64_t>& offsets) {
    return block.add(
        numbers, core::FoldSegments{
                     operation(program, add, {i64, i64}), {}, vector({1, 2, 3}), vector(offsets)});
  };
  EXPECT_THAT(error<IndexError>(fold({0, 4})).what(), HasSubstr("3 on the last axis"));
  EXPECT_THAT(error<IndexError>(fold({-1, 2})).what(), HasSubstr("-1 on the last axis"));
  EXPECT_THAT(error<ShapeError>(fold({0, 2, 2})).what(), HasSubstr("segment 1 is empty"));
}

TEST_F(Interpreter, ComputeIsItsSource) {
  const ArrayId a = vector({1, 2});
  EXPECT_EQ(run(block.add(numbers, core::Compute{a})), inputs[0]);
}

TEST_F(Interpreter, OnlyTheBranchTakenRuns) {
  const ArrayId a = vector({1, 2});
  const Value yes = block.constant(true);
  core::ArrayIf branch{yes, {}, {}};
  branch.then_.results = {a};
  BlockBuilder other(program);
  const Value seven = other.constant(std::int64_t{7});
  branch.else_ = other.end({other.add(numbers, core::Reshape{{seven}, a})});  // would throw
  EXPECT_THAT(ints(run(block.add(numbers, std::move(branch)))), ElementsAre(1, 2));
}

// while (size(a) > 1) a = init(a): extents change from round to round.
TEST_F(Interpreter, LoopsMayChangeExtents) {
  const ArrayId a = vector({1, 2, 3, 4});
  core::ArrayWhile loop;
  loop.init = {a};
  BlockBuilder condition(program);
  const ArrayId seen = condition.param(numbers);
  const Value more = condition.scalars(
      [&](CodeBuilder& c) { return c.prim(gt, {c.extent(seen, 0), c.constant(std::int64_t{1})}); });
  loop.condition = condition.end({}, more);
  BlockBuilder body(program);
  const ArrayId state = body.param(numbers);
  const Value less = body.scalars([&](CodeBuilder& c) {
    return c.prim(sub, {c.extent(state, 0), c.constant(std::int64_t{1})});
  });
  core::Generate shorter{
      {less}, function(program, {i64}, [&](CodeBuilder& c, Params i) {
        return std::vector{c.prim(mul, {c.load(state, {i[0]}), c.constant(std::int64_t{10})})};
      })};
  loop.body = body.end({body.add(numbers, std::move(shorter))});
  EXPECT_THAT(ints(run(block.add(numbers, std::move(loop)))), ElementsAre(1000));
}

TEST_F(Interpreter, ZeroDivisorsUnderCheckedArithmetic) {
  const ArrayId a = vector({1, 0});
  const auto ratio = [&](CodeBuilder& c, Params x) {
    return std::vector{c.prim(quot, {c.constant(std::int64_t{6}), x[0]})};
  };
  const ArrayId b = block.add(numbers, core::Map{function(program, {i64}, ratio), a}, "ratio");
  EXPECT_THAT(ints(run(b)), ElementsAre(6, 0));
  try {
    (void)interp::interpret(program, inputs, scalars, Checks::arithmetic);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ArithmeticError& e) {
    EXPECT_THAT(e.what(), HasSubstr("ratio: division by zero"));
  }
}

TEST_F(Interpreter, TooLargeArrays) {
  const Value huge = constant(std::int64_t{1} << 40);
  core::Generate op{{huge, huge}, operation(program, add, {i64, i64})};
  const auto e = error<MemoryError>(block.add(matrix, std::move(op), "fill"));
  EXPECT_THAT(e.what(), HasSubstr("fill"));
  EXPECT_THAT(e.what(), HasSubstr("(1099511627776, 1099511627776)"));
}

TEST_F(Interpreter, WrongArgumentsAreOurBug) {
  const ArrayId a = vector({1});
  inputs[0] = host({1}, std::vector<float>{1});
  EXPECT_THROW(run(a), InternalError);
}

TEST_F(Interpreter, LongProgramsRunInOrder) {
  ArrayId a = vector({0, 1});
  for (int i = 0; i < 100'000; ++i) {
    core::Map next{function(program, {i64},
                            [](CodeBuilder& c, Params x) {
                              return std::vector{c.prim(sub, {c.constant(std::int64_t{1}), x[0]})};
                            }),
                   a};
    a = block.add(numbers, std::move(next));
  }
  EXPECT_THAT(ints(run(a)), ElementsAre(0, 1));
}

}  // namespace
}  // namespace hasten::test
