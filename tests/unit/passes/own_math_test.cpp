// The own functions: the operations that they replace, and that the resulting code is well formed.
#include "passes/own_math/own_math.hpp"

#include "core/evaluate.hpp"
#include "core/scalar_ops.hpp"
#include "core/text/parse.hpp"
#include "core/verify.hpp"
#include "passes/walk.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <string>

namespace hasten::passes {
namespace {

using core::ScalarOp;

// Every target rounds these exactly, although the C library has functions for them.
bool is_exact(ScalarOp op) {
  static const std::set<ScalarOp> exact{
      ScalarOp::abs,   ScalarOp::sqrt,      ScalarOp::floor, ScalarOp::ceil,     ScalarOp::round,
      ScalarOp::trunc, ScalarOp::nearbyint, ScalarOp::fmod,  ScalarOp::copysign, ScalarOp::fma};
  return exact.contains(op);
}
bool is_function(const core::ScalarOpRow& row) {
  return (*row.c_name != '\0' && !is_exact(row.op)) || row.op == ScalarOp::rsqrt;
}

std::string text_of(const core::ScalarOpRow& row, const std::string& type) {
  const std::string args = row.arity == 1 ? "x0" : "x0 x0";
  return "program () {\n  %0 : [" + type + "; 1] = input 0\n  %1 : [" + type +
         "; 1] = map %0 (x0: " + type + ") { x1 = " + row.name + " " + args +
         "; -> x1 }\n  -> %1\n}";
}

std::set<std::string> functions_in(core::Program& program) {
  std::set<std::string> names;
  const auto note = [&](const core::Stmt& stmt) {
    const auto* prim = std::get_if<core::Prim>(&stmt.op);
    if (prim && is_function(core::row(prim->op))) names.insert(core::row(prim->op).name);
  };
  for_each_region(program.body, [&](core::Region& region) {
    for (const core::Stmt& stmt : region.body) note(stmt);
  });
  for (const core::Binding& binding : program.body.bindings)
    if (const auto* scalar = std::get_if<core::HostScalar>(&binding.op)) note(scalar->stmt);
  return names;
}

// Finds a new row of the table whose function is the C library's.
TEST(OwnMath, LeavesNoFunctionOfATarget) {
  int functions = 0;
  for (const core::ScalarOpRow& row : core::scalar_ops()) {
    if (!is_function(row)) continue;
    ++functions;
    for (const char* type : {"f16", "bf16", "f32", "f64"}) {
      core::Program program = core::parse_program(text_of(row, type));
      EXPECT_EQ(functions_in(program).size(), 1U);
      program = with_own_math(std::move(program));
      core::verify(program, "own_math");
      EXPECT_TRUE(functions_in(program).empty()) << row.name << " of " << type;
    }
  }
  EXPECT_EQ(functions, 26);
}

TEST(OwnMath, LeavesExactOperationsAlone) {
  for (const core::ScalarOpRow& row : core::scalar_ops()) {
    if (!is_exact(row.op) || row.arity > 2) continue;
    const core::Program program = with_own_math(core::parse_program(text_of(row, "f64")));
    const auto& map = std::get<core::Map>(program.body.bindings[1].op);
    ASSERT_EQ(map.fn.body.size(), 1U) << row.name;
    EXPECT_EQ(std::get<core::Prim>(map.fn.body[0].op).op, row.op);
  }
}

// Code at array level consists of bindings; code in branches and loops is found, too.
TEST(OwnMath, IsFoundWhereverItStands) {
  core::Program program = with_own_math(core::parse_program(R"(program (x0: f64) {
  x1 = exp x0
  x2 = lt x0 x1
  x3 = if x2 { x4 = pow x0 x1; -> x4 } else { x5 = sin x0; -> x5 }
  %0 : [f64; 0] = unit x3  // unit
  -> %0
})"));
  core::verify(program, "own_math");
  EXPECT_TRUE(functions_in(program).empty());
}

// The reduction of an angle is long and has a branch, so the simplifier does not share it.
TEST(OwnMath, SineAndCosineShareTheirAngle) {
  for (const char* type : {"f32", "f64"}) {
    const std::string text = std::string("program () {\n  %0 : [") + type +
                             "; 1] = input 0\n  %1 : [" + type + "; 1] = map %0 (x0: " + type +
                             ") { x1 = sin x0; x2 = cos x0; x3 = add x1 x2; -> x3 }\n  -> %1\n}";
    const core::Program program = with_own_math(core::parse_program(text));
    core::verify(program, "own_math");
    int branches = 0;
    for (const core::Stmt& stmt : std::get<core::Map>(program.body.bindings[1].op).fn.body)
      branches += std::holds_alternative<core::If>(stmt.op) ? 1 : 0;
    EXPECT_EQ(branches, 1) << type;
  }
}

class NoArrays final : public core::ArrayReader {
 public:
  core::Bits load(core::ArrayId, std::uint32_t, std::span<const std::int64_t>) override {
    return {};
  }
  core::Bits load_linear(core::ArrayId, std::uint32_t, std::int64_t) override { return {}; }
  std::int64_t extent(core::ArrayId, std::uint32_t) override { return 0; }
};

double value_of(const char* name, double x) {
  const core::Program program = with_own_math(
      core::parse_program(text_of(core::row(core::scalar_op_named(name).value()), "f64")));
  const core::Region& fn = std::get<core::Map>(program.body.bindings[1].op).fn;
  std::vector<core::Bits> values(program.value_types.size());
  NoArrays arrays;
  core::Evaluator evaluator(program.value_types, values, arrays);
  evaluator[fn.params[0]] = {std::bit_cast<std::uint64_t>(x), 0};
  evaluator.run(fn);
  return std::bit_cast<double>(values[fn.results[0]].lo);
}

// Results that the type can represent are exact.
TEST(OwnMath, KnownValues) {
  EXPECT_EQ(value_of("exp", 0.0), 1.0);
  EXPECT_EQ(value_of("exp", 1.0), 0x1.5bf0a8b145769p1);
  EXPECT_EQ(value_of("exp2", -1074.0), 0x1p-1074);
  EXPECT_EQ(value_of("log2", 0x1p-1074), -1074.0);
  EXPECT_EQ(value_of("log10", 1e22), 22.0);
  EXPECT_EQ(value_of("cbrt", -27.0), -3.0);
  EXPECT_EQ(value_of("rsqrt", 16.0), 0.25);
  EXPECT_EQ(value_of("atan", 1.0), 0x1.921fb54442d18p-1);
  // The double nearest to a multiple of pi / 2 (J.-M. Muller, "Elementary Functions", table 11.1).
  EXPECT_EQ(value_of("cos", 0x1.6ac5b262ca1ffp+849), -0x1.14ae72e6ba22fp-61);
}

}  // namespace
}  // namespace hasten::passes
