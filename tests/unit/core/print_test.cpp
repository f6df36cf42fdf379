// The text form of the core language, and functions that walk it: copies, free names, hashes.
#include "core/print.hpp"

#include "core/structural_hash.hpp"
#include "core/traverse.hpp"
#include "tests/unit/core/array_types.hpp"
#include "tests/unit/core/builder.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace hasten::test {
namespace {

using enum ScalarOp;
using Params = const std::vector<Value>&;

// sum(map(x * s, input)), and an extent.
core::Program scaled_sum(float seed, std::uint32_t slot = core::none) {
  core::Program program;
  program.inputs = {floats};
  const Value s = program.new_value(ScalarType::f32);
  program.scalar_inputs = {s};
  BlockBuilder block(program);
  const std::source_location where;
  const ArrayId in = block.add(floats, core::Input{0}, "", where);
  block.scalars([&](CodeBuilder& c) { return c.extent(in, 0); });
  const Value zero = block.scalars(
      [&](CodeBuilder& c) { return c.add(ScalarType::f32, core::Constant{bits(seed), slot}); });
  if (slot != core::none)
    program.literals.push_back({ScalarType::f32, bits(seed), core::LiteralKind::automatic});
  core::Map map{
      function(program, {ScalarType::f32},
               [&](CodeBuilder& c, Params x) { return std::vector{c.prim(mul, {x[0], s})}; }),
      in};
  const ArrayId scaled = block.add(floats, std::move(map), "scale", where);
  core::Fold fold{operation(program, add, {ScalarType::f32, ScalarType::f32}), {zero}, scaled};
  const ArrayId sum = block.add({0, {ScalarType::f32}}, std::move(fold), "sum", where);
  program.body = block.end({sum});
  for (core::Binding& b : program.body.bindings) b.where = where;
  program.body.bindings[3].storage = core::Storage::delayed;
  program.body.bindings[4].storage = core::Storage::manifest;
  return program;
}

TEST(CorePrint, Program) {
  EXPECT_EQ(core::print(scaled_sum(0.5F, 0)), R"(program (x0: f32) {
  %0 : [f32; 1] = input 0  // :0
  x1 = extent %0 0  // :0
  x2 = const 0.5 : f32 #0 auto  // :0
  %1 : [f32; 1] delayed = map %0 (x3: f32) { x4 = mul x3 x0; -> x4 }  // :0 scale
  %2 : [f32; 0] manifest = fold [x2] %1 (x5: f32, x6: f32) { x7 = add x5 x6; -> x7 }  // :0 sum
  -> %2
}
)");
}

TEST(CorePrint, NestedCodeGoesOnItsOwnLines) {
  core::Program program;
  const Region f = function(program, {ScalarType::i64}, [&](CodeBuilder& c, Params x) {
    core::While loop;
    loop.init = {x[0]};
    loop.condition = function(program, {ScalarType::i64}, [](CodeBuilder& inner, Params s) {
      return std::vector{inner.prim(lt, {s[0], inner.constant(std::int64_t{9})})};
    });
    loop.body = operation(program, neg, {ScalarType::i64});
    const Value y = c.add(std::vector{ScalarType::i64}, std::move(loop))[0];
    return std::vector{c.cast(ScalarType::f32, y)};
  });
  EXPECT_EQ(core::print(f, program.value_types), R"((x0: i64) {
  x6 = while x0 (x1: i64) { x2 = const 9 : i64; x3 = lt x1 x2; -> x3 } do (x4: i64) {
    x5 = neg x4
    -> x5
  }
  x7 = cast x6 : f32
  -> x7
})");
}

TEST(CorePrint, ArrayOperations) {
  core::Program program;
  BlockBuilder block(program);
  const std::source_location where;
  const Value n = block.constant(std::int64_t{4});
  const core::ArrayType pairs{2, {ScalarType::f32, ScalarType::i64}};
  const ArrayId a = block.add(pairs, core::Use{3}, "", where);
  block.add({1, pairs.leaves}, core::Slice{{n, core::none}, a}, "row", where);
  const core::Block built = block.end({});
  EXPECT_EQ(core::print(built.bindings[1], program), "%0 : [(f32, i64); 2] = use 3  // :0");
  EXPECT_EQ(core::print(built.bindings[2], program),
            "%1 : [(f32, i64); 1] = slice [x0, _] %0  // :0 row");
}

TEST(CorePrint, Numbers) {
  const auto text = [](auto x) { return core::print(type_of<decltype(x)>(), bits(x)); };
  EXPECT_EQ(text(0.1F), "0.1");
  EXPECT_EQ(text(-0.0), "-0");
  EXPECT_EQ(text(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(core::print(ScalarType::f32, {0xffc00001U, 0}), "nan:0xffc00001");
  EXPECT_EQ(core::print(ScalarType::f16, {0x3e00U, 0}), "1.5");
  EXPECT_EQ(text(std::int8_t{-7}), "-7");
  EXPECT_EQ(text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text(true), "true");
  EXPECT_EQ(text(std::complex<float>(1, -2)), "(1, -2)");
}

TEST(CoreTraverse, FreeNamesInOrderOfUse) {
  const core::Program program = scaled_sum(0);
  const auto& map = std::get<core::Map>(program.body.bindings[3].op);
  EXPECT_EQ(core::free_names(map.fn).values, (std::vector<Value>{0}));
  EXPECT_TRUE(core::free_names(map.fn).arrays.empty());
  EXPECT_EQ(core::free_names(program.body).values, (std::vector<Value>{0}));
}

TEST(CoreTraverse, CopiesHaveTheirOwnNumbers) {
  core::Program program = scaled_sum(0);
  const Region original = std::get<core::Map>(program.body.bindings[3].op).fn;
  core::Renaming renaming{{0, 1}};
  const Region copy = core::clone(original, renaming, program);
  EXPECT_EQ(core::print(copy, program.value_types), "(x8: f32) { x9 = mul x8 x1; -> x9 }");
  EXPECT_EQ(core::print(original, program.value_types), "(x3: f32) { x4 = mul x3 x0; -> x4 }");
}

TEST(CoreTraverse, CopiesOfBlocks) {
  core::Program program = scaled_sum(0);
  core::Renaming values, arrays;
  const core::Block copy = core::clone(program.body, values, arrays, program);
  EXPECT_EQ(copy.results, (std::vector<ArrayId>{5}));
  EXPECT_EQ(core::free_names(copy).values, (std::vector<Value>{0}));
  EXPECT_TRUE(core::free_names(copy).arrays.empty());
}

TEST(StructuralHash, IgnoresLiteralsWithSlotsOnly) {
  const auto hash = [](const core::Program& p) { return core::structural_hash(p); };
  EXPECT_EQ(hash(scaled_sum(1, 0)), hash(scaled_sum(2, 0)));
  EXPECT_NE(hash(scaled_sum(1)), hash(scaled_sum(2)));
  EXPECT_NE(hash(scaled_sum(1, 0)), hash(scaled_sum(1)));
}

TEST(StructuralHash, SeesStructureButNotNumbering) {
  core::Program program = scaled_sum(1);
  const auto before = core::structural_hash(program);
  core::Renaming values, arrays;
  program.body = core::clone(program.body, values, arrays, program);
  EXPECT_EQ(core::structural_hash(program), before);
  std::get<core::Map>(program.body.bindings[3].op).fn.body[0].op = core::Prim{add, {10, 0}};
  EXPECT_NE(core::structural_hash(program), before);
}

TEST(StructuralHash, PlacesCountUnlessNotAsked) {
  core::Program a = scaled_sum(1), b = scaled_sum(1);
  a.body.bindings[3].where = std::source_location::current();
  EXPECT_NE(core::structural_hash(a), core::structural_hash(b));
  EXPECT_EQ(core::structural_hash(a, false), core::structural_hash(b, false));
}

}  // namespace
}  // namespace hasten::test
