// One walk. Scalar code at array level becomes several bindings, other code several statements.
#include "passes/own_math/own_math.hpp"

#include "core/traverse.hpp"
#include "passes/own_math/functions.hpp"

#include <utility>

namespace hasten::passes {
namespace {

using namespace core;
using math::Real;

/// The own function of an operation, with one of the two arities.
struct Function {
  Real (*one)(Real) = nullptr;
  Real (*two)(Real, Real) = nullptr;
};

#define HASTEN_ONE(name)                                                                          \
  case ScalarOp::name: return { is_double ? math::of_double::name : math::of_float::name, nullptr \
    }
#define HASTEN_TWO(name)                                                                          \
  case ScalarOp::name: return { nullptr, is_double ? math::of_double::name : math::of_float::name \
    }

Function function_of(ScalarOp op, bool is_double) {
  switch (op) {
    HASTEN_ONE(rsqrt);
    HASTEN_ONE(cbrt);
    HASTEN_ONE(exp);
    HASTEN_ONE(exp2);
    HASTEN_ONE(expm1);
    HASTEN_ONE(log);
    HASTEN_ONE(log2);
    HASTEN_ONE(log10);
    HASTEN_ONE(log1p);
    HASTEN_ONE(sin);
    HASTEN_ONE(cos);
    HASTEN_ONE(tan);
    HASTEN_ONE(asin);
    HASTEN_ONE(acos);
    HASTEN_ONE(atan);
    HASTEN_ONE(sinh);
    HASTEN_ONE(cosh);
    HASTEN_ONE(tanh);
    HASTEN_ONE(asinh);
    HASTEN_ONE(acosh);
    HASTEN_ONE(atanh);
    HASTEN_ONE(erf);
    HASTEN_ONE(erfc);
    HASTEN_TWO(pow);
    HASTEN_TWO(atan2);
    HASTEN_TWO(hypot);
    default: return {};
  }
}

#undef HASTEN_ONE
#undef HASTEN_TWO

class Replacing {
 public:
  explicit Replacing(Program& program) : program_(program) {}

  void run(Block& block) {
    std::vector<Binding> bindings;
    bindings.reserve(block.bindings.size());
    for (Binding& binding : block.bindings) run(binding, bindings);
    block.bindings = std::move(bindings);
  }

 private:
  void run(Region& region) {
    std::vector<Stmt> body;
    body.reserve(region.body.size());
    math::Code code(program_, body);
    for (Stmt& stmt : region.body) run(stmt, code, body);
    region.body = std::move(body);
  }

  void run(Binding& binding, std::vector<Binding>& out) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
      std::vector<Stmt> statements;
      math::Code code(program_, statements);
      run(scalar->stmt, code, statements);
      for (Stmt& stmt : statements) {
        Binding copy = binding;
        copy.op = HostScalar{std::move(stmt)};
        out.push_back(std::move(copy));
      }
      return;
    }
    if (Region* fn = region_of(binding.op)) run(*fn);
    edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    out.push_back(std::move(binding));
  }

  // `code` appends to `out`.
  void run(Stmt& stmt, math::Code& code, std::vector<Stmt>& out) {
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) {
      const ScalarType type = program_.value_types[stmt.results[0]];
      const Function function = function_of(prim->op, type == ScalarType::f64);
      if (function.one || function.two) return replace(function, *prim, stmt.results[0], code, out);
    }
    edit_regions(stmt, [&](Region& inner) { run(inner); });
    out.push_back(std::move(stmt));
  }

  // The last statement defines the operation's result.
  void replace(const Function& function, const Prim& prim, Value result, math::Code& code,
               std::vector<Stmt>& out) {
    const auto argument = [&](std::size_t i) {
      const Value v = prim.args[i];
      if (program_.value_types[v] == ScalarType::f64) return Real{&code, v};
      const auto widen = [&] {
        return std::vector{code.apply(ScalarOp::cast, ScalarType::f64, {v})};
      };
      return Real{&code, code.once("widened", v, widen).front()};
    };
    const Real x = argument(0);
    const Real y = function.one ? function.one(x) : function.two(x, argument(1));
    out.push_back({{result}, Prim{ScalarOp::cast, {y.value}}});
  }

  Program& program_;
};

}  // namespace

Program with_own_math(Program program) {
  Replacing(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
