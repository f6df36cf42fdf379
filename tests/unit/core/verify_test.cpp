// The verifier accepts valid programs and names the fault of invalid ones.
#include "core/verify.hpp"

#include "core/print.hpp"
#include "core/traverse.hpp"
#include "tests/unit/core/array_types.hpp"
#include "tests/unit/core/builder.hpp"

#include <hasten/run/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace hasten::test {
namespace {

using enum ScalarOp;
using testing::HasSubstr;
using Params = const std::vector<Value>&;

const core::ArrayType matrix{2, {ScalarType::f32}};

// The numbers of `make`: x0 extent, x1 seed, x2 x3 the generator, x4.. the fold; %0 %1 %2.
core::Program make() {
  core::Program program;
  program.inputs = {floats};
  BlockBuilder block(program);
  const ArrayId in = block.add(floats, core::Input{0});
  const Value n = block.scalars([&](CodeBuilder& c) { return c.extent(in, 0); });
  const Value seed = block.constant(0.0F);
  core::Generate generate{{n}, function(program, {ScalarType::i64}, [&](CodeBuilder& c, Params i) {
                            return std::vector{c.load(in, {i[0]})};
                          })};
  const ArrayId copy = block.add(floats, std::move(generate), "copy");
  core::Fold fold{operation(program, add, {ScalarType::f32, ScalarType::f32}), {seed}, copy};
  const ArrayId sum = block.add({0, {ScalarType::f32}}, std::move(fold), "sum");
  program.body = block.end({sum});
  return program;
}

template <class T>
T& op_at(core::Program& program, std::size_t binding) {
  return std::get<T>(program.body.bindings[binding].op);
}

void expect_broken(const char* message, const std::function<void(core::Program&)>& breakage) {
  core::Program program = make();
  breakage(program);
  try {
    core::verify(program, "test");
    ADD_FAILURE() << "accepted, but: " << message;
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr(message));
    EXPECT_THAT(error.what(), HasSubstr("broken after test"));
    EXPECT_THAT(error.what(), HasSubstr("program ("));
  }
}

TEST(CoreVerify, AcceptsWhatIsRight) { EXPECT_NO_THROW(core::verify(make(), "test")); }

TEST(CoreVerify, Definitions) {
  expect_broken("x3 is defined twice", [](core::Program& p) {
    op_at<core::Fold>(p, 4).fn.params[0] = op_at<core::Generate>(p, 3).fn.results[0];
  });
  expect_broken("x1 is used before its definition", [](core::Program& p) {
    std::swap(p.body.bindings[2], p.body.bindings[4]);
    p.body.bindings.erase(p.body.bindings.begin() + 3, p.body.bindings.end());
    op_at<core::Fold>(p, 2).source = 0;
  });
  expect_broken("x3 is used outside the code it is defined in",
                [](core::Program& p) { op_at<core::Fold>(p, 4).seed = {3}; });
  expect_broken("%2 is used before its definition",
                [](core::Program& p) { op_at<core::Fold>(p, 4).source = 2; });
  expect_broken("x99 has no type", [](core::Program& p) { p.scalar_results = {99}; });
  expect_broken("%99 has no type", [](core::Program& p) { p.body.results = {99}; });
}

TEST(CoreVerify, Operations) {
  expect_broken("sqrt does not take (i64)", [](core::Program& p) {
    auto& body = op_at<core::Generate>(p, 3).fn.body;
    const Value v = p.new_value(ScalarType::f32);
    body.push_back({{v}, core::Prim{sqrt, {op_at<core::Generate>(p, 3).fn.params[0]}}});
  });
  expect_broken("slot is out of range", [](core::Program& p) {
    std::get<core::Constant>(op_at<core::HostScalar>(p, 2).stmt.op).slot = 0;
  });
  expect_broken("indices of a read", [](core::Program& p) {
    std::get<core::Load>(op_at<core::Generate>(p, 3).fn.body[0].op).index.clear();
  });
  expect_broken("no such component", [](core::Program& p) {
    std::get<core::Load>(op_at<core::Generate>(p, 3).fn.body[0].op).leaf = 1;
  });
  expect_broken("no such axis", [](core::Program& p) {
    std::get<core::Extent>(op_at<core::HostScalar>(p, 1).stmt.op).axis = 1;
  });
}

TEST(CoreVerify, Segments) {
  const auto fold = [](core::Program& p) {
    core::Fold& old = op_at<core::Fold>(p, 4);
    core::Binding& binding = p.body.bindings[4];
    p.array_types[binding.results[0]] = p.array_types[old.source];
    binding.op = core::FoldSegments{old.fn, old.seed, old.source, old.source};
  };
  expect_broken("no vector of i64", fold);
}

TEST(CoreVerify, Arrays) {
  expect_broken("no such argument", [](core::Program& p) { op_at<core::Input>(p, 0).index = 1; });
  expect_broken("extents have wrong types or number",
                [](core::Program& p) { op_at<core::Generate>(p, 3).extent.clear(); });
  expect_broken("seeds have wrong types",
                [](core::Program& p) { op_at<core::Fold>(p, 4).seed = {0}; });
  expect_broken("the result has a wrong rank", [](core::Program& p) { p.array_types[2].rank = 1; });
  expect_broken("results of a function", [](core::Program& p) {
    auto& fn = op_at<core::Generate>(p, 3).fn;
    fn.results = fn.params;
  });
  expect_broken("an argument has not its type", [](core::Program& p) { p.inputs[0] = matrix; });
  expect_broken("the host computes generates alone",
                [](core::Program& p) { p.body.bindings[4].device = core::on_host; });
}

// while (n < 3) state = state + 1, over a rank-0 array.
core::Program counting_loop() {
  core::Program program;
  const core::ArrayType number{0, {ScalarType::i64}};
  BlockBuilder block(program);
  const ArrayId start = block.add(number, core::Unit{{block.constant(std::int64_t{0})}});
  core::ArrayWhile loop;
  loop.init = {start};
  BlockBuilder condition(program);
  const ArrayId seen = condition.param(number);
  const Value go_on = condition.scalars(
      [&](CodeBuilder& c) { return c.prim(lt, {c.load(seen, {}), c.constant(std::int64_t{3})}); });
  loop.condition = condition.end({}, go_on);
  BlockBuilder body(program);
  const ArrayId state = body.param(number);
  core::Map next{function(program, {ScalarType::i64},
                          [](CodeBuilder& c, Params x) {
                            return std::vector{c.prim(add, {x[0], c.constant(std::int64_t{1})})};
                          }),
                 state};
  loop.body = body.end({body.add(number, std::move(next))});
  program.body = block.end({block.add(number, std::move(loop))});
  return program;
}

TEST(CoreVerify, LoopsKeepTheirScopes) {
  EXPECT_NO_THROW(core::verify(counting_loop(), "test"));
  core::Program program = counting_loop();
  const auto& loop = op_at<core::ArrayWhile>(program, 2);
  program.body.results = {loop.body.results[0]};
  EXPECT_THROW(core::verify(program, "test"), InternalError);

  core::Program other = counting_loop();
  op_at<core::ArrayWhile>(other, 2).condition.value = core::none;
  EXPECT_THROW(core::verify(other, "test"), InternalError);
}

// Code nests as deeply as the user's conditionals.
TEST(CoreVerify, DeeplyNestedCode) {
  constexpr int depth = 2'000;
  core::Program program;
  const Value condition = program.new_value(ScalarType::boolean);
  program.scalar_inputs = {condition};
  Region region;
  region.results = {condition};
  for (int i = 0; i < depth; ++i) {
    core::If branch{condition, std::move(region), {}};
    branch.else_.results = {condition};
    const Value result = program.new_value(ScalarType::boolean);
    region = {};
    region.body.push_back({{result}, std::move(branch)});
    region.results = {result};
  }
  program.scalar_results = region.results;
  program.body.bindings.push_back({{}, core::HostScalar{std::move(region.body[0])}, {}});
  EXPECT_NO_THROW(core::verify(program, "test"));
  EXPECT_GT(core::print(program).size(), depth);
  core::Renaming values, arrays;
  const core::Block copy = core::clone(program.body, values, arrays, program);
  EXPECT_EQ(core::free_names(copy).values, (std::vector<Value>{condition}));
}

}  // namespace
}  // namespace hasten::test
