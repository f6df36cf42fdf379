// Whole code through the simplifier: random code keeps its meaning, long code takes linear time.
#include "passes/simplify/simplify.hpp"

#include "core/evaluate.hpp"
#include "core/print.hpp"
#include "core/text/parse.hpp"
#include "core/traverse.hpp"
#include "core/verify.hpp"
#include "passes/dead_code.hpp"
#include "passes/simplify/invariants.hpp"
#include "passes/simplify/leaves.hpp"
#include "passes/simplify/sharing.hpp"
#include "tests/unit/core/builder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>
#include <string>

namespace hasten::test {
namespace {

// One array of three numbers; reads outside give 0.
class Reader : public core::ArrayReader {
 public:
  Bits load(ArrayId, std::uint32_t, std::span<const std::int64_t> index) override {
    return core::bits_of(index[0] * 7);
  }
  Bits load_linear(ArrayId, std::uint32_t, std::int64_t index) override {
    return core::bits_of(index * 7);
  }
  std::int64_t extent(ArrayId, std::uint32_t) override { return 3; }
};

// -- random code ----------------------------------------------------------------------------------

class RandomCode {
 public:
  RandomCode(core::Program& program, std::uint64_t seed) : program_(program), random_(seed) {}

  Region function() {
    Region region;
    for (const ScalarType type : {ScalarType::i64, ScalarType::i64, ScalarType::u8, ScalarType::i16,
                                  ScalarType::f32, ScalarType::f32, ScalarType::boolean})
      region.params.push_back(add(type));
    fill(region, 40, 2);
    for (int i = 0; i < 6; ++i) region.results.push_back(any());
    return region;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  Value add(ScalarType type) {
    const Value v = program_.new_value(type);
    known_.push_back(v);
    return v;
  }
  Value any() { return known_[below(known_.size())]; }
  Value any(ScalarType type) {
    for (int i = 0; i < 200; ++i)
      if (const Value v = any(); program_.value_types[v] == type) return v;
    return core::none;
  }

  void fill(Region& region, int statements, int depth) {
    for (int i = 0; i < statements; ++i) {
      if (depth > 0 && below(12) == 0) {
        branch(region, depth);
      } else if (depth > 0 && below(16) == 0) {
        loop(region, depth);
      } else if (below(5) == 0) {
        constant(region);
      } else {
        operation(region);
      }
    }
  }

  void constant(Region& region) {
    static const std::int64_t numbers[] = {0, 0, 1, 1, -1, 2, 3, 4, 8, 16, 127, 64, 7};
    const ScalarType type = program_.value_types[any()];
    const std::int64_t n = numbers[below(std::size(numbers))];
    const ScalarType i64 = ScalarType::i64;
    Bits bits = core::bits_of(n);
    bits = core::evaluate(ScalarOp::cast, type, {&i64, 1}, {&bits, 1});
    region.body.push_back({{add(type)}, core::Constant{bits, core::none}});
  }

  void operation(Region& region) {
    const auto op = static_cast<ScalarOp>(below(static_cast<std::size_t>(ScalarOp::sqrt)));
    core::Prim prim{op, {any()}};
    const bool choice = core::row(op).signature == core::Signature::choice;
    if (choice) prim.args = {any(ScalarType::boolean), any()};
    while (prim.args.size() < core::row(op).arity)
      prim.args.push_back(any(program_.value_types[prim.args.back()]));
    std::vector<ScalarType> types;
    for (const Value v : prim.args) {
      if (v == core::none) return;
      types.push_back(program_.value_types[v]);
    }
    ScalarType result = core::result_type(op, types);
    if (!core::type_error(op, result, types).empty()) {
      // Conversions instead: few random operations accept most types.
      prim = {ScalarOp::cast, {prim.args.back()}};
      types = {types.back()};
      result = program_.value_types[any()];
    }
    region.body.push_back({{add(result)}, std::move(prim)});
  }

  void branch(Region& region, int depth) {
    const Value condition = any(ScalarType::boolean);
    if (condition == core::none) return;
    core::If branch{condition, {}, {}};
    std::vector<ScalarType> types;
    for (int i = 0; i < 3; ++i) types.push_back(program_.value_types[any()]);
    for (Region* side : {&branch.then_, &branch.else_}) {
      const std::vector<Value> outside = known_;
      if (side == &branch.else_ && below(2) == 0) repeat(branch.then_, *side);
      fill(*side, 8, depth - 1);
      for (const ScalarType type : types) side->results.push_back(any(type));
      known_ = outside;
    }
    for (const auto* side : {&branch.then_, &branch.else_})
      for (const Value v : side->results)
        if (v == core::none) return;
    std::vector<Value> results;
    for (const ScalarType type : types) results.push_back(add(type));
    region.body.push_back({results, std::move(branch)});
  }

  // The beginning of `first` once more, so that both sides of a branch compute the same.
  void repeat(const Region& first, Region& into) {
    core::Renaming renaming;
    Region copy = core::clone(first, renaming, program_);
    copy.body.resize(below(copy.body.size() + 1));
    for (core::Stmt& stmt : copy.body) {
      known_.insert(known_.end(), stmt.results.begin(), stmt.results.end());
      into.body.push_back(std::move(stmt));
    }
  }

  // Three rounds, with one additional state.
  void loop(Region& region, int depth) {
    const auto number = [&](Region& into, std::int64_t n) {
      const Value v = program_.new_value(ScalarType::i64);
      into.body.push_back({{v}, core::Constant{core::bits_of(n), core::none}});
      return v;
    };
    const Value start = any();
    const ScalarType type = program_.value_types[start];
    core::While loop;
    loop.init = {number(region, 0), start};
    const std::vector<Value> outside = known_;
    for (Region* part : {&loop.condition, &loop.body})
      part->params = {add(ScalarType::i64), add(type)};
    const Value bound = number(loop.condition, 3), test = program_.new_value(ScalarType::boolean);
    loop.condition.body.push_back(
        {{test}, core::Prim{ScalarOp::lt, {loop.condition.params[0], bound}}});
    loop.condition.results = {test};
    known_ = outside;
    for (const Value v : loop.body.params) known_.push_back(v);
    fill(loop.body, 10, depth - 1);
    const Value one = number(loop.body, 1), next = program_.new_value(ScalarType::i64);
    loop.body.body.push_back({{next}, core::Prim{ScalarOp::add, {loop.body.params[0], one}}});
    loop.body.results = {next, any(type)};
    known_ = outside;
    region.body.push_back({{add(ScalarType::i64), add(type)}, std::move(loop)});
  }

  core::Program& program_;
  std::mt19937_64 random_;
  std::vector<Value> known_;
};

bool same(ScalarType type, const Bits& a, const Bits& b) {
  const bool nan = detail::is_floating(type) && std::isnan(core::to_double(type, a));
  return a == b || (nan && std::isnan(core::to_double(type, b)));
}

TEST(Simplify, RandomCodeMeansTheSame) {
  std::mt19937_64 random(7);
  std::size_t applied = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    core::Program program;
    const Region before = RandomCode(program, seed).function();
    Region after = before;
    passes::InvariantHoister(program.value_types).run(after);
    passes::ScalarSimplifier simplifier(program.value_types);
    simplifier.run(after);
    passes::remove_dead_code(after, program.value_types.size());
    applied += simplifier.applied();
    Reader reader;
    std::vector<Bits> values(program.value_types.size());
    core::Evaluator evaluator(program.value_types, values, reader);
    for (int round = 0; round < 40; ++round) {
      for (const Value v : before.params) {
        const std::int64_t x = round % 3 ? static_cast<std::int64_t>(random()) >> (random() % 64)
                                         : static_cast<std::int64_t>(random() % 5) - 2;
        std::byte memory[16] = {};
        core::store_bits(program.value_types[v], core::bits_of(x), memory);
        values[v] = core::load_bits(program.value_types[v], memory);
      }
      evaluator.run(before);
      std::vector<Bits> expected;
      for (const Value v : before.results) expected.push_back(values[v]);
      evaluator.run(after);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(
            same(program.value_types[before.results[i]], expected[i], values[after.results[i]]))
            << "seed " << seed << ", result " << i;
    }
  }
  EXPECT_GT(applied, 5000U);
}

// -- long code ------------------------------------------------------------------------------------

// Processor time, which other load does not change.
double seconds(auto f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// n consecutive statements that equations apply to.
core::Program long_code(std::size_t n) {
  core::Program program;
  BlockBuilder block(program);
  const Value x = program.new_value(ScalarType::i64);
  program.scalar_inputs = {x};
  const Value result = block.scalars([&](CodeBuilder& code) {
    Value v = x;
    const Value one = code.constant<std::int64_t>(1), two = code.constant<std::int64_t>(2);
    for (std::size_t i = 0; i < n; i += 4) {
      v = code.prim(ScalarOp::add, {v, one});
      v = code.prim(ScalarOp::sub, {v, two});
      v = code.prim(ScalarOp::xor_, {v, x});
      v = code.prim(ScalarOp::max, {v, one});
    }
    return v;
  });
  program.scalar_results = {result};
  program.body = block.end({});
  return program;
}

// Anything worse than linear takes hours.
constexpr double enough = 30;

TEST(Simplify, LongCodeTakesLinearTime) {
  for (auto pass : {passes::simplify, passes::drop_dead_leaves, passes::share_equal_arrays}) {
    core::Program large = long_code(200'000);
    EXPECT_LT(seconds([&] { large = pass(std::move(large)); }), enough);
  }
}

// A chain of n maps, every second of two components.
TEST(Simplify, LongChainsOfArraysTakeLinearTime) {
  const auto chain = [](std::size_t n) {
    core::Program program;
    BlockBuilder block(program);
    const core::ArrayType pair{1, {ScalarType::f32, ScalarType::f32}};
    program.inputs = {pair};
    ArrayId a = block.add(pair, core::Input{0});
    for (std::size_t i = 0; i < n; ++i) {
      Region fn = function(program, pair.leaves, [](CodeBuilder& code, const auto& x) {
        return std::vector{code.prim(ScalarOp::neg, {x[0]}),
                           code.prim(ScalarOp::add, {x[0], x[1]})};
      });
      a = block.add(pair, core::Map{std::move(fn), a});
    }
    Region fn = function(program, pair.leaves,
                         [](CodeBuilder&, const auto& x) { return std::vector{x[0]}; });
    const ArrayId result = block.add({1, {ScalarType::f32}}, core::Map{std::move(fn), a});
    program.body = block.end({result});
    return program;
  };
  for (auto pass : {passes::simplify, passes::drop_dead_leaves, passes::share_equal_arrays}) {
    core::Program large = chain(100'000);
    EXPECT_LT(seconds([&] { large = pass(std::move(large)); }), enough);
    core::verify(large, "a pass");
  }
}

// -- leaves ---------------------------------------------------------------------------------------

std::string after_leaves(const std::string& text) {
  core::Program program = passes::drop_dead_leaves(core::parse_program(text));
  core::verify(program, "dead_leaves");
  return core::print(program);
}

TEST(DeadLeaves, AreFoundInCycles) {
  // The second component of the loop's state depends on itself only.
  const std::string text = after_leaves(R"(
program (x0: i64) {
  %0 : [(f32, f32); 1] = input 0
  %1 : [i64; 0] = unit x0
  %2 : [(f32, f32); 1], %3 : [i64; 0] = while %0 %1 (%4 : [(f32, f32); 1], %5 : [i64; 0]) {
    x1 = load %5.0 []
    x2 = const 0 : i64
    x3 = gt x1 x2
    -> x3
  } do (%6 : [(f32, f32); 1], %7 : [i64; 0]) {
    %9 : [(f32, f32); 1] = map %6 (x4: f32, x5: f32) { x6 = neg x4; x7 = neg x5; -> x6, x7 }
    %10 : [i64; 0] = map %7 (x8: i64) { x9 = const 1 : i64; x10 = sub x8 x9; -> x10 }
    -> %9, %10
  }
  %8 : [f32; 1] = map %2 (x11: f32, x12: f32) { -> x11 }
  -> %8
}
)");
  EXPECT_EQ(text.find("x7"), std::string::npos) << text;
  EXPECT_NE(text.find("x6"), std::string::npos) << text;
}

}  // namespace
}  // namespace hasten::test
