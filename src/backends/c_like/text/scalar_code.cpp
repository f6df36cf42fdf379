// Values are constants of C and never change; the result of a branch or a loop is a variable.
#include "backends/c_like/text/scalar_code.hpp"

#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace hasten::backends::c_like {

using namespace core;

namespace {

// Clang, on which most device compilers are based, accepts 256 nested blocks.
constexpr std::size_t nest_max = 100;

}  // namespace

void ScalarCode::line(std::string_view content) {
  text.append(2 * depth_, ' ');
  text += content;
  text += '\n';
}

Names ScalarCode::names(std::span<const Value> values) {
  Names result;
  for (const Value v : values) result.push_back(name(v));
  return result;
}

void ScalarCode::define(Value v, const std::string& expression) {
  line(fmt::format("const {} {} = {};", register_type(held_type(v)), name(v), expression));
}

void ScalarCode::define(std::span<const Value> values, std::span<const std::string> texts) {
  for (std::size_t i = 0; i < values.size(); ++i) define(values[i], texts[i]);
}

void ScalarCode::run(const Region& region) {
  for (const Stmt& stmt : region.body) run(stmt);
}

void ScalarCode::run_apart(Region element) {
  Kernel apart = kernel_;
  apart.element = std::move(element);
  const kernels::PrivateArrays own =
      std::exchange(arrays_, kernels::PrivateArrays(apart, private_array_least));
  run(apart.element);
  arrays_ = own;
}

void ScalarCode::run_into(const Region& region, std::span<const std::string> given,
                          std::span<const std::string> to) {
  const Scope scope(*this, "");
  define(region.params, given);
  run(region);
  for (std::size_t i = 0; i < region.results.size(); ++i)
    line(to[i] + " = " + name(region.results[i]) + ";");
}

void ScalarCode::run(const Stmt& stmt) {
  match(stmt.op, [&](const auto& op) {
    using Op = std::decay_t<decltype(op)>;
    if constexpr (std::is_same_v<Op, Constant>) {
      if (op.bits == core::Bits{}) zeros_.insert(stmt.results[0]);
      define(stmt.results[0], expressions.literal(type(stmt.results[0]), op.bits));
    } else if constexpr (std::is_same_v<Op, Prim>) {
      define(stmt.results[0], prim(op, stmt.results[0]));
    } else if constexpr (std::is_same_v<Op, If>) {
      branch(op, stmt);
    } else if constexpr (std::is_same_v<Op, While>) {
      loop(op, stmt);
    } else if constexpr (std::is_same_v<Op, LoadLinear>) {
      load(op, stmt.results[0]);
    } else if constexpr (std::is_same_v<Op, Reduce>) {
      reduce(op, stmt);
    } else if constexpr (std::is_same_v<Op, Extract>) {
      extract(op, stmt);
    } else if constexpr (std::is_same_v<Op, Insert>) {
      insert(op, stmt);
    } else if constexpr (std::is_same_v<Op, ForeignCall>) {
      define(stmt.results[0],
             fmt::format("{}({})", op.functions[0]->name, fmt::join(names(op.args), ", ")));
    } else {
      throw InternalError("a kernel reads an array by its axes, or asks its extent");
    }
  });
}

std::string ScalarCode::prim(const Prim& op, Value result) {
  if (std::string narrow = narrow_prim(op, result); !narrow.empty()) return narrow;
  std::vector<ScalarType> types;
  for (const Value arg : op.args) types.push_back(type(arg));
  return apply(op, type(result), types);
}

std::string ScalarCode::apply(const Prim& op, ScalarType result,
                              std::span<const ScalarType> types) {
  const bool is_short = detail::is_signed_int(result) && detail::size_in_bytes(result) <= 4;
  if (op.op == ScalarOp::max && is_short && expressions.dialect().misfolds_clamps)
    for (const std::size_t zero : {0, 1})
      if (zeros_.contains(op.args[zero]))
        return expressions.positive(result, name(op.args[1 - zero]));
  return expressions.apply(op.op, result, types, names(op.args));
}

// C converts between variables of both widths implicitly: a value that fits is sign-extended, and
// where only low bits are needed the rest is truncated.
std::string ScalarCode::narrow_prim(const Prim& op, Value result) {
  const auto fits = [&](Value v) { return widths_.ranges[v].fits_32_bits(); };
  const auto is_index = [&](Value v) { return type(v) == ScalarType::i64; };
  if (op.op == ScalarOp::cast) {
    const Value from = op.args[0];
    if (!detail::is_integral(type(from)) && !detail::is_bool(type(from))) return {};
    const ScalarType types[] = {held_type(from)};
    return expressions.apply(op.op, held_type(result), types, names(op.args));
  }
  if (!is_index(result) || !widths_.is_narrow[result]) return {};
  const bool divides = op.op >= ScalarOp::quot && op.op <= ScalarOp::mod;
  if (needs_values(op.op) && !std::ranges::all_of(op.args, [&](Value v) {
        return !is_index(v) || (fits(v) && widths_.is_narrow[v]);
      }))
    return {};
  if (divides && widths_.ranges[op.args[1]].least >= 1) {
    // No case needs care: no divisor is 0 or -1, and nothing is rounded down below 0.
    const bool is_positive = widths_.ranges[op.args[0]].least >= 0;
    const char* const as = is_positive ? "(u32)" : "";
    const bool is_quotient = op.op == ScalarOp::quot || op.op == ScalarOp::idiv;
    if (is_positive || op.op == ScalarOp::quot || op.op == ScalarOp::rem)
      return fmt::format("(i32)({0}{1} {2} {0}{3})", as, name(op.args[0]), is_quotient ? "/" : "%",
                         name(op.args[1]));
  }
  if (!needs_values(op.op) && !keeps_low_bits(op.op) && op.op != ScalarOp::shl &&
      op.op != ScalarOp::select)
    return {};
  std::vector<ScalarType> types;
  for (const Value arg : op.args) types.push_back(is_index(arg) ? ScalarType::i32 : type(arg));
  return apply(op, ScalarType::i32, types);
}

void ScalarCode::branch(const If& op, const Stmt& stmt) {
  for (const Value v : stmt.results)
    if (!is_in_memory(v)) line(fmt::format("{} {};", register_type(held_type(v)), name(v)));
  const auto side = [&](const Region& region) {
    if (depth_ >= nest_max) return call(region, stmt.results);
    run(region);
    pass(region.results, stmt.results);
  };
  {
    const Scope then_side(*this, "if (" + name(op.condition) + ")");
    side(op.then_);
  }
  {
    const Scope else_side(*this, "else");
    side(op.else_);
  }
  load_versions(stmt.results);
}

// Emits a side of a branch that is nested too deeply to be written in place. Functions it calls are
// already emitted.
void ScalarCode::call(const Region& region, const std::vector<Value>& to) {
  const FreeNames used = free_names(region);
  Names parameters, arguments;
  const auto hand = [&](std::string parameter, std::string argument) {
    parameters.push_back(std::move(parameter));
    arguments.push_back(std::move(argument));
  };
  for (const ArrayId array : used.arrays)
    hand(fmt::format("const GLOBAL {}* RESTRICT in{}",
                     memory_type(detail::part_of(kernel_.inputs[array])), array),
         fmt::format("in{}", array));
  for (const std::uint32_t array : arrays_.used_in(region))
    hand(fmt::format("{}* array{}", register_type(arrays_.all()[array].type), array),
         fmt::format("array{}", array));
  if (polls_) hand("const volatile GLOBAL u32* stop", "stop"), hand("u32 rounds", "rounds");
  for (const Value v : used.values)
    if (!is_in_memory(v) || arrays_.is_read(v))
      hand(fmt::format("const {} {}", register_type(held_type(v)), name(v)), name(v));
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!is_in_memory(to[i]))
      hand(fmt::format("{}* to{}", register_type(held_type(to[i])), i), "&" + name(to[i]));
  const std::string part = fmt::format("hasten_part{}", parts_++);
  line(fmt::format("{}({});", part, fmt::join(arguments, ", ")));

  std::string around = std::exchange(text, {});
  const std::size_t depth = std::exchange(depth_, 0);
  {
    const Scope function(*this, fmt::format("{}void {}({})", expressions.dialect().function, part,
                                            fmt::join(parameters, ", ")));
    run(region);
    store_passed(region.results);
    for (std::size_t i = 0; i < to.size(); ++i)
      if (!is_in_memory(to[i])) line(fmt::format("*to{} = {};", i, name(region.results[i])));
  }
  functions += text;
  text = std::move(around);
  depth_ = depth;
}

// Reading host memory takes long, so the word is polled only every few thousand rounds, counted
// over all of the item's loops. Once the word is set the count stays, and every loop ends in its
// first round. The loop's state is then that after some number of rounds, and its results prove
// nothing except what holds after any number.
void ScalarCode::poll(const Stmt& stmt) {
  if (!polls_ || !long_loops_.is_long(stmt)) return;
  const Scope due(*this, fmt::format("if (++rounds >= {}u)", rounds_between_polls));
  line("if (*stop != 0) break;");
  line("rounds = 0;");
}

void ScalarCode::loop(const While& op, const Stmt& stmt) {
  for (const std::uint32_t array : arrays_.begun(op.init)) {
    const kernels::PrivateArray& what = arrays_.all()[array];
    line(fmt::format("{} array{}[{}];", register_type(what.type), array, what.size));
  }
  store_passed(op.init);
  for (std::size_t i = 0; i < stmt.results.size(); ++i)
    if (!is_in_memory(stmt.results[i]))
      line(fmt::format("{} {} = {};", register_type(held_type(stmt.results[i])),
                       name(stmt.results[i]), name(op.init[i])));
  {
    const Scope round(*this, "for (;;)");
    define_state(op.condition.params, stmt.results);
    run(op.condition);
    line("if (!" + name(op.condition.results[0]) + ") break;");
    poll(stmt);
    define_state(op.body.params, stmt.results);
    run(op.body);
    pass(op.body.results, stmt.results);
  }
  load_versions(stmt.results);
}

void ScalarCode::define_state(const std::vector<Value>& params, const std::vector<Value>& state) {
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!is_in_memory(params[i])) define(params[i], name(state[i]));
  load_versions(params);
}

void ScalarCode::pass(const std::vector<Value>& from, const std::vector<Value>& to) {
  store_passed(from);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!is_in_memory(to[i])) line(name(to[i]) + " = " + name(from[i]) + ";");
}

// -- elements at computed places ------------------------------------------------------------------

std::string ScalarCode::place_among(Value index, std::size_t elements) const {
  return fmt::format("(u32){0} < {1}u ? {0} : {1}", name(index), elements - 1);
}

void ScalarCode::extract(const Extract& op, const Stmt& stmt) {
  const Value result = stmt.results[0];
  const std::string place = place_among(op.index, op.elements.size());
  const std::uint32_t array = arrays_.array_of(stmt);
  if (array != none) {
    store_passed(op.elements);
    return define(result, fmt::format("array{}[{}]", array, place));
  }
  line(fmt::format("const {} table{}[{}] = {{{}}};", register_type(type(result)), result,
                   op.elements.size(), fmt::join(names(op.elements), ", ")));
  define(result, fmt::format("table{}[{}]", result, place));
}

void ScalarCode::insert(const Insert& op, const Stmt& stmt) {
  const std::uint32_t array = arrays_.array_of(stmt);
  if (array != none) {
    store_passed(op.elements);
    line(fmt::format("array{}[{}] = {};", array, place_among(op.index, op.elements.size()),
                     name(op.element)));
    return load_versions(stmt.results);
  }
  const std::size_t last = op.elements.size() - 1;
  for (std::size_t i = 0; i <= last; ++i)
    define(stmt.results[i],
           fmt::format("(u32){} {} {}u ? {} : {}", name(op.index), i < last ? "==" : ">=", i,
                       name(op.element), name(op.elements[i])));
}

void ScalarCode::store_passed(const std::vector<Value>& passed) {
  for (const kernels::ElementStore& store : arrays_.stores(passed))
    line(fmt::format("array{}[{}] = {};", store.place.array, store.place.element,
                     name(store.value)));
}

void ScalarCode::load_versions(const std::vector<Value>& values) {
  for (const Value v : values)
    if (const auto [array, element] = arrays_[v]; array != none && arrays_.is_read(v))
      define(v, fmt::format("array{}[{}]", array, element));
}

void ScalarCode::reduce(const Reduce& op, const Stmt& stmt) {
  const Names acc = names(stmt.results), right = names(op.element.results);
  for (std::size_t i = 0; i < acc.size(); ++i)
    line(fmt::format("{} {} = {};", register_type(held_type(stmt.results[i])), acc[i],
                     op.seed.empty() ? "0" : name(op.seed[i])));
  const Value k = op.element.params[0];
  const Scope step(*this,
                   fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1})", register_type(held_type(k)),
                               name(k), name(op.begin), name(op.end)));
  poll(stmt);
  run(op.element);
  const auto combined = [&] {
    Names both = acc;
    both.insert(both.end(), right.begin(), right.end());
    run_into(op.combine, both, acc);
  };
  if (!op.seed.empty()) return combined();
  {
    const Scope first(*this, fmt::format("if ({} == {})", name(k), name(op.begin)));
    for (std::size_t i = 0; i < acc.size(); ++i) line(acc[i] + " = " + right[i] + ";");
  }
  const Scope others(*this, "else");
  combined();
}

void ScalarCode::load(const LoadLinear& op, Value result) {
  const bool is_complex = detail::is_complex(kernel_.inputs[op.array]);
  const std::string index =
      is_complex ? fmt::format("2 * {} + {}", name(op.index), op.leaf) : name(op.index);
  define(result, expressions.from_memory(type(result), fmt::format("in{}[{}]", op.array, index)));
}

// A complex output occurs twice among the outputs, for its two parts.
std::string ScalarCode::place_in(std::size_t output, const std::string& index) const {
  if (!detail::is_complex(kernel_.outputs[output])) return index;
  std::size_t before = 0;  // parts of complex outputs come in pairs
  for (std::size_t i = 0; i < output; ++i)
    before += detail::is_complex(kernel_.outputs[i]) ? 1U : 0U;
  return fmt::format("2 * ({}) + {}", index, before % 2);
}

void ScalarCode::store(std::size_t output, const std::string& index, const std::string& value) {
  const ScalarType type = detail::part_of(kernel_.outputs[output]);
  line(fmt::format("out{}[{}] = {};", output, place_in(output, index),
                   expressions.to_memory(type, value)));
}

std::string ScalarCode::stored(std::size_t output, const std::string& index) {
  const ScalarType type = detail::part_of(kernel_.outputs[output]);
  return expressions.from_memory(type, fmt::format("out{}[{}]", output, place_in(output, index)));
}

}  // namespace hasten::backends::c_like
