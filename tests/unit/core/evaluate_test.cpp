// Evaluation of scalar code in an environment: order, laziness, loops, reads.
#include "core/evaluate.hpp"

#include "tests/unit/core/builder.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hasten::test {
namespace {

using core::Evaluator;
using enum ScalarOp;

// One array of shape (3, 4) whose element is 10 * row + column; reads are counted.
class Reader : public core::ArrayReader {
 public:
  Bits load(ArrayId, std::uint32_t, std::span<const std::int64_t> index) override {
    ++reads;
    return core::bits_of(10 * index[0] + index[1]);
  }
  Bits load_linear(ArrayId, std::uint32_t, std::int64_t index) override {
    ++reads;
    return core::bits_of(10 * (index / 4) + index % 4);
  }
  std::int64_t extent(ArrayId, std::uint32_t axis) override { return axis == 0 ? 3 : 4; }
  void on_zero_divisor(ScalarOp op) override {
    if (strict) throw std::runtime_error(core::row(op).name);
  }
  int reads = 0;
  bool strict = false;
};

class Evaluate : public testing::Test {
 protected:
  std::int64_t run(const Region& region, const std::vector<std::int64_t>& args) {
    std::vector<Bits> values(program.value_types.size());
    Evaluator evaluator(program.value_types, values, reader);
    for (std::size_t i = 0; i < args.size(); ++i)
      evaluator[region.params[i]] = core::bits_of(args[i]);
    evaluator.run(region);
    return evaluator.integer(region.results[0]);
  }
  Region code(std::size_t params, auto f) {
    return function(program, std::vector(params, ScalarType::i64), f);
  }

  core::Program program;
  Reader reader;
};

using Params = const std::vector<Value>&;

TEST_F(Evaluate, StraightLine) {
  const Region f = code(2, [](CodeBuilder& c, Params x) {
    return std::vector{c.prim(sub, {c.prim(mul, {x[0], x[0]}), x[1]})};
  });
  EXPECT_EQ(run(f, {5, 3}), 22);
}

TEST_F(Evaluate, OnlyTheBranchTakenRuns) {
  const ArrayId a = program.new_array({2, {ScalarType::i64}});
  const Region f = code(1, [&](CodeBuilder& c, Params x) {
    const Value positive = c.prim(gt, {x[0], c.constant(std::int64_t{0})});
    core::If branch{positive, {}, {}};
    branch.then_ = function(program, {}, [&](CodeBuilder& inner, Params) {
      return std::vector{inner.load(a, {x[0], x[0]})};
    });
    branch.else_.results = {x[0]};
    return c.add(std::vector{ScalarType::i64}, std::move(branch));
  });
  EXPECT_EQ(run(f, {-4}), -4);
  EXPECT_EQ(reader.reads, 0);
  EXPECT_EQ(run(f, {2}), 22);
  EXPECT_EQ(reader.reads, 1);
}

TEST_F(Evaluate, LoopStateIsAssignedAtOnce) {
  const std::vector state(3, ScalarType::i64);
  // (a, b, n) = (0, 1, n); while (n > 0) (a, b, n) = (b, a + b, n - 1): Fibonacci numbers.
  const Region f = code(1, [&](CodeBuilder& c, Params x) {
    core::While loop;
    loop.init = {c.constant(std::int64_t{0}), c.constant(std::int64_t{1}), x[0]};
    loop.condition = function(program, state, [](CodeBuilder& inner, Params s) {
      return std::vector{inner.prim(gt, {s[2], inner.constant(std::int64_t{0})})};
    });
    loop.body = function(program, state, [](CodeBuilder& inner, Params s) {
      const Value next = inner.prim(sub, {s[2], inner.constant(std::int64_t{1})});
      return std::vector{s[1], inner.prim(add, {s[0], s[1]}), next};
    });
    return c.add(state, std::move(loop));
  });
  EXPECT_EQ(run(f, {0}), 0);
  EXPECT_EQ(run(f, {10}), 55);
  EXPECT_EQ(run(f, {90}), 2880067194370816120);
}

TEST_F(Evaluate, ReadsAndExtents) {
  const ArrayId a = program.new_array({2, {ScalarType::i64}});
  const Region f = code(1, [&](CodeBuilder& c, Params x) {
    const Value last = c.prim(sub, {c.extent(a, 1), c.constant(std::int64_t{1})});
    const Value linear = c.add(ScalarType::i64, core::LoadLinear{a, 0, x[0]});
    return std::vector{c.prim(add, {c.load(a, {x[0], last}), linear})};
  });
  EXPECT_EQ(run(f, {2}), 23 + 2);
}

TEST_F(Evaluate, ZeroDivisorsAreReported) {
  const Region f =
      code(2, [](CodeBuilder& c, Params x) { return std::vector{c.prim(idiv, {x[0], x[1]})}; });
  EXPECT_EQ(run(f, {7, 0}), 0);
  reader.strict = true;
  EXPECT_THROW(run(f, {7, 0}), std::runtime_error);
  EXPECT_EQ(run(f, {-7, 2}), -4);
}

}  // namespace
}  // namespace hasten::test
