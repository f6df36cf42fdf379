// Scans, permutations, joins, sorts and demand on the interpreter, compared with results computed
// by hand.
#include "interpreter/interpreter.hpp"

#include "core/verify.hpp"
#include "tests/unit/core/array_types.hpp"
#include "tests/unit/core/builder.hpp"

#include <hasten/run/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hasten::test {
namespace {

using enum ScalarOp;
using enum ScalarType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Host = std::shared_ptr<const detail::HostArray>;
using Params = const std::vector<Value>&;

class Reordering : public testing::Test {
 protected:
  ArrayId input(const core::ArrayType& type, Host array) {
    program.inputs.push_back(type);
    inputs.push_back(std::move(array));
    return block.add(type, core::Input{static_cast<std::uint32_t>(inputs.size() - 1)});
  }
  ArrayId vector(const std::vector<std::int64_t>& x) {
    return input(numbers, host({static_cast<std::int64_t>(x.size())}, x));
  }
  // 2 * left + right: neither commutative nor associative.
  Region doubling() {
    return function(program, {i64, i64}, [](CodeBuilder& c, Params x) {
      return std::vector{c.prim(add, {c.prim(add, {x[0], x[0]}), x[1]})};
    });
  }
  Value constant(std::int64_t x) { return block.constant(x); }
  ArrayId targets(const std::vector<bool>& keep, const std::vector<std::int64_t>& index) {
    return input({1, {ScalarType::boolean, i64}},
                 host({static_cast<std::int64_t>(index.size())}, keep, index));
  }
  Host run(ArrayId result) {
    program.body = block.end({result});
    core::verify(program, "test");
    return interp::interpret(program, inputs, {}, Checks::none)[0];
  }
  std::vector<std::int64_t> ints(ArrayId result) { return values<std::int64_t>(*run(result)); }

  core::Program program;
  BlockBuilder block{program};
  std::vector<Host> inputs;
};

TEST_F(Reordering, ScanWithoutSeed) {
  const ArrayId a = vector({1, 2, 3, 4});
  EXPECT_THAT(ints(block.add(numbers, core::Scan{doubling(), {}, a})), ElementsAre(1, 4, 11, 26));
}

TEST_F(Reordering, ScanWithSeedHasOneElementMore) {
  const Value seed = constant(10);
  const ArrayId a = vector({1, 2});
  EXPECT_THAT(ints(block.add(numbers, core::Scan{doubling(), {seed}, a})), ElementsAre(10, 21, 44));
}

TEST_F(Reordering, ScanOfRows) {
  const Value seed = constant(0);
  const ArrayId a = input(matrix, host({2, 2}, std::vector<std::int64_t>{1, 2, 3, 4}));
  const Host result = run(block.add(matrix, core::Scan{doubling(), {seed}, a}));
  EXPECT_THAT(result->shape(), ElementsAre(2, 3));
  EXPECT_THAT(values<std::int64_t>(*result), ElementsAre(0, 1, 4, 0, 3, 10));
}

TEST_F(Reordering, ScanOfNothing) {
  const ArrayId a = vector({});
  const Value seed = constant(7);
  const ArrayId seeded = block.add(numbers, core::Scan{doubling(), {seed}, a});
  EXPECT_THAT(ints(seeded), ElementsAre(7));
}

TEST_F(Reordering, ScanOfNothingWithoutSeed) {
  const ArrayId a = vector({});
  EXPECT_THAT(ints(block.add(numbers, core::Scan{doubling(), {}, a})), IsEmpty());
}

TEST_F(Reordering, PermuteCombinesInOrderAndDropsTheRest) {
  const ArrayId defaults = vector({100, 200, 300});
  const ArrayId where = targets({true, true, false, true, true}, {1, 1, 0, -1, 3});
  const ArrayId a = vector({1, 2, 3, 4, 5});
  // new + new + old
  core::Permute op{doubling(), defaults, {{where, a}}};
  EXPECT_THAT(ints(block.add(numbers, std::move(op))), ElementsAre(100, 206, 300));
}

TEST_F(Reordering, LoopsOfAPermuteHaveSpacesOfTheirOwn) {
  const ArrayId defaults = vector({100, 200, 300, 400});
  const ArrayId one = targets({true, false}, {2, 0});
  const ArrayId other = targets({true, true, true}, {0, 1, 7});
  core::Permute op{doubling(), defaults, {{one, vector({5, 6})}, {other, vector({1, 2, 3})}}};
  op.mode = detail::PermuteMode::unique;
  EXPECT_THAT(ints(block.add(numbers, std::move(op))), ElementsAre(102, 204, 310, 400));
}

TEST_F(Reordering, ConcatAlongTheInnerAxisIntersectsTheOthers) {
  const ArrayId a = input(matrix, host({2, 2}, std::vector<std::int64_t>{1, 2, 3, 4}));
  const ArrayId b = input(matrix, host({1, 3}, std::vector<std::int64_t>{5, 6, 7}));
  const Host result = run(block.add(matrix, core::Concat{1, {a, b}}));
  EXPECT_THAT(result->shape(), ElementsAre(1, 5));
  EXPECT_THAT(values<std::int64_t>(*result), ElementsAre(1, 2, 5, 6, 7));
}

TEST_F(Reordering, SortIsStableAndLexicographic) {
  const ArrayId keys = input({1, {ScalarType::u8, ScalarType::u32}},
                             host({5}, std::vector<std::uint8_t>{2, 1, 2, 1, 2},
                                  std::vector<std::uint32_t>{5, 9, 4, 9, 5}));
  EXPECT_THAT(ints(block.add(numbers, core::SortPositions{keys, {}})), ElementsAre(1, 3, 2, 0, 4));
}

TEST_F(Reordering, DemandIsItsSourceOrAnError) {
  const ArrayId a = vector({1, 2, 3});
  const Value n = block.scalars([&](CodeBuilder& c) { return c.extent(a, 0); });
  const Value three = constant(3);
  const Value holds = block.scalars([&](CodeBuilder& c) { return c.prim(eq, {n, three}); });
  EXPECT_THAT(ints(block.add(numbers, core::Demand{holds, "", {}, a})), ElementsAre(1, 2, 3));
}

TEST_F(Reordering, DemandSaysWhatIsWrong) {
  const ArrayId a = vector({1, 2, 3});
  const Value n = block.scalars([&](CodeBuilder& c) { return c.extent(a, 0); });
  const Value four = constant(4);
  const Value holds = block.scalars([&](CodeBuilder& c) { return c.prim(eq, {n, four}); });
  const ArrayId result =
      block.add(numbers, core::Demand{holds, "has {} elements, not {}", {n, four}, a}, "check");
  try {
    run(result);
    FAIL() << "nothing was thrown";
  } catch (const ShapeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("check: has 3 elements, not 4"));
  }
}

}  // namespace
}  // namespace hasten::test
