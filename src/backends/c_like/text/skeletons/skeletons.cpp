// Code shared by the functions of all skeletons.
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include "kernels/analysis/target_bounds.hpp"

#include <fmt/format.h>

#include <optional>

namespace hasten::backends::c_like {

namespace {

bool differs_in_memory(const ScalarCode& code, Value v) {
  return std::string_view(memory_type(code.type(v))) != register_type(code.held_type(v));
}

ScalarType leaf_type(const Kernel& kernel, std::size_t leaf) {
  return kernel.value_types[kernel.combine.results[leaf]];
}

// Few statements, and no loop.
bool is_light(const Region& region, std::size_t& statements) {
  constexpr std::size_t most = 48;
  for (const core::Stmt& stmt : region.body) {
    if (std::holds_alternative<core::While>(stmt.op) ||
        std::holds_alternative<core::Reduce>(stmt.op) || ++statements > most)
      return false;
    const auto* branch = std::get_if<core::If>(&stmt.op);
    if (branch && (!is_light(branch->then_, statements) || !is_light(branch->else_, statements)))
      return false;
  }
  return true;
}

}  // namespace

std::string parameters(const ScalarCode& code, std::string_view extra) {
  const Kernel& kernel = code.kernel();
  std::string text = "(";
  const auto add = [&](const std::string& parameter) {
    text += (text.size() > 1 ? ", " : "") + parameter;
  };
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i)
    add(fmt::format("const GLOBAL {}* RESTRICT in{}",
                    memory_type(detail::part_of(kernel.inputs[i])), i));
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
    add(fmt::format("GLOBAL {}* out{}", memory_type(detail::part_of(kernel.outputs[i])), i));
  for (const Value v : kernel.scalars)
    add(fmt::format("const {} {}{}", memory_type(code.type(v)),
                    differs_in_memory(code, v) ? "m" : "v", v));
  for (std::uint32_t axis = 0; axis < kernel.rank; ++axis) add(fmt::format("const ix e{}", axis));
  if (code.polls()) add("const volatile GLOBAL u32* stop");
  if (!extra.empty()) add(std::string(extra));
  return text + ")";
}

void begin_function(ScalarCode& code) {
  // Where items are short-lived and the word is near, the first round polls.
  if (code.polls())
    code.line(fmt::format("u32 rounds = {};", code.expressions.dialect().items_in_lanes
                                                  ? rounds_between_polls - 1
                                                  : 0));
  for (const Value v : code.kernel().scalars)
    if (differs_in_memory(code, v))
      code.define(v, code.expressions.from_memory(code.type(v), "m" + std::to_string(v)));
}

Names split_row(ScalarCode& code, const std::string& row, std::size_t axes, std::size_t first) {
  Names index(axes);
  if (axes == 0) return index;
  std::string rest = row;
  for (std::size_t axis = axes; axis-- > 1;) {
    code.line(
        fmt::format("const ix i{0} = {1} % e{2}, r{0} = {1} / e{2};", axis, rest, first + axis));
    index[axis] = fmt::format("i{}", axis);
    rest = fmt::format("r{}", axis);
  }
  index[0] = rest;
  return index;
}

void store_write(ScalarCode& code, const Region& element, std::span<const Value> written) {
  const Names results = ScalarCode::names(written);
  std::optional<ScalarCode::Scope> kept;
  const std::optional<core::Bits> known = kernels::constant_of(element, written[0]);
  if (!known || known->lo == 0) kept.emplace(code, "if (" + results[0] + ")");
  for (std::size_t i = 2; i < results.size(); ++i) code.store(i - 2, results[1], results[i]);
}

Names leaf_names(const Kernel& kernel, std::string_view prefix) {
  Names names;
  for (std::size_t i = 0; i < kernel.combine.results.size(); ++i)
    names.push_back(std::string(prefix) + std::to_string(i));
  return names;
}

void declare(ScalarCode& code, const std::vector<Value>& like, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    code.line(fmt::format("{} {} = 0;", register_type(code.type(like[i])), names[i]));
}

void assign(ScalarCode& code, const Names& to, const Names& from) {
  for (std::size_t i = 0; i < to.size(); ++i) code.line(to[i] + " = " + from[i] + ";");
}

void combine(ScalarCode& code, const Names& left, const Names& right, const Names& to) {
  Names both = left;
  both.insert(both.end(), right.begin(), right.end());
  code.run_into(code.kernel().combine, both, to);
}

void accumulate(ScalarCode& code, const Names& acc, const Names& x) {
  {
    const ScalarCode::Scope more(code, "if (some)");
    combine(code, acc, x, acc);
  }
  const ScalarCode::Scope begin(code, "else");
  assign(code, acc, x);
  code.line("some = 1;");
}

// -0 + x is x, whatever the sign of a zero; 0 + -0 is not -0.
std::string identity_element(ScalarCode& code, core::ScalarOp op, ScalarType type) {
  return code.expressions.literal(type, core::identity_of(op, type));
}

Names identity_elements(ScalarCode& code) {
  const Kernel& kernel = code.kernel();
  Names result;
  for (std::size_t i = 0; i < kernel.lane_operator.leaves.size(); ++i)
    result.push_back(identity_element(code, kernel.lane_operator.leaves[i], leaf_type(kernel, i)));
  return result;
}

bool is_light(const Kernel& kernel) {
  std::size_t statements = 0;
  return is_light(kernel.element, statements);
}

namespace {

// The remainder after the groups of four is a loop of its own, or compilers would unroll it.
void for_places_by_four(ScalarCode& code, const Places& places, const std::function<void()>& body) {
  const std::string first = places.name + "_0";
  code.line(fmt::format("{} {} = {};", places.type, first, places.from));
  {
    const ScalarCode::Scope groups(
        code, fmt::format("ROLLED for (; {0} + 3 * {1} < {2}; {0} += 4 * {1})", first, places.step,
                          places.end));
    const ScalarCode::Scope each(code, "WHOLLY for (i32 u = 0; u < 4; ++u)");
    code.line(
        fmt::format("const {} {} = {} + u * {};", places.type, places.name, first, places.step));
    body();
  }
  const ScalarCode::Scope rest(
      code, fmt::format("ROLLED for ({0} {1} = {2}; {1} < {3}; {1} += {4})", places.type,
                        places.name, first, places.end, places.step));
  body();
}

}  // namespace

void for_places(ScalarCode& code, const Places& places, const std::function<void()>& body) {
  const bool light = is_light(code.kernel());
  if (!code.expressions.dialect().items_in_lanes && light)
    return for_places_by_four(code, places, body);
  const std::string step =
      places.step == "1" ? "++" + places.name : places.name + " += " + places.step;
  const ScalarCode::Scope loop(
      code, fmt::format("ROLLED for ({0} {1} = {2}; {1} < {3}; {4})", places.type, places.name,
                        places.from, places.end, step));
  body();
}

namespace {

// Values computed together. A batch of eight takes registers that more resident groups need (sums
// of 2^28 floats on an H200: 0.285 ms, with four 0.264).
constexpr int batch_size = 4;

// One batch of places from `name`_0 on: all values are computed, then all are used.
void batch(ScalarCode& code, const Places& places, std::span<const Value> values, bool is_last,
           const std::function<void()>& find, const std::function<void(const Names&)>& use) {
  const auto name = [&](std::size_t i) { return fmt::format("{}_{}", places.name, i + 1); };
  Names found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    code.line(
        fmt::format("{} {}[{}];", register_type(code.held_type(values[i])), name(i), batch_size));
    found.push_back(name(i) + "[u]");
  }
  const auto each = [&](const std::function<void()>& body) {
    const ScalarCode::Scope all(code,
                                fmt::format("WHOLLY for (i32 u = 0; u < {}; ++u)", batch_size));
    code.line(fmt::format("const {} {} = {}_0 + u * {};", places.type, places.name, places.name,
                          places.step));
    const ScalarCode::Scope there(
        code, is_last ? fmt::format("if ({} < {})", places.name, places.end) : "");
    body();
  };
  each([&] {
    find();
    assign(code, found, ScalarCode::names(values));
  });
  each([&] { use(found); });
}

}  // namespace

// The remainder after the whole batches is one batch that tests each place.
void for_values(ScalarCode& code, const Places& places, std::span<const Value> values,
                const std::function<void()>& find, const std::function<void(const Names&)>& use) {
  if (code.expressions.dialect().items_in_lanes || !is_light(code.kernel()))
    return for_places(code, places, [&] {
      find();
      use(ScalarCode::names(values));
    });
  const std::string first = places.name + "_0";
  code.line(fmt::format("{} {} = {};", places.type, first, places.from));
  {
    const ScalarCode::Scope batches(
        code, fmt::format("ROLLED for (; {0} + {3} * {1} < {2}; {0} += {4} * {1})", first,
                          places.step, places.end, batch_size - 1, batch_size));
    batch(code, places, values, false, find, use);
  }
  const ScalarCode::Scope some(code, fmt::format("if ({} < {})", first, places.end));
  batch(code, places, values, true, find, use);
}

Names shuffled(ScalarCode& code, std::string_view shuffle, const Names& values,
               std::string_view prefix) {
  const Names names = leaf_names(code.kernel(), prefix);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ScalarType type = leaf_type(code.kernel(), i);
    const bool is_short = detail::size_in_bytes(type) < 4 && !detail::is_floating(type);
    code.line(fmt::format("const {0} {1} = ({0}){2}(0xffffffffu, {3}{4}, step);",
                          register_type(type), names[i], shuffle, is_short ? "(i32)" : "",
                          values[i]));
  }
  return names;
}

void declare_local(ScalarCode& code, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    code.line(fmt::format("LOCAL {} {}[{}];", register_type(leaf_type(code.kernel(), i)), names[i],
                          group_size));
}

Names elements(const Names& names, const std::string& index) {
  Names result;
  for (const std::string& name : names) result.push_back(name + "[" + index + "]");
  return result;
}

std::string scratch_parameters(const Kernel& kernel, std::string_view prefix) {
  std::string text;
  for (std::size_t i = 0; i < kernel.combine.results.size(); ++i)
    text += fmt::format("{}GLOBAL {}* {}{}", i > 0 ? ", " : "", memory_type(leaf_type(kernel, i)),
                        prefix, i);
  return text;
}

Names from_scratch(ScalarCode& code, std::string_view prefix, const std::string& index) {
  Names values;
  for (std::size_t i = 0; i < code.kernel().combine.results.size(); ++i)
    values.push_back(code.expressions.from_memory(leaf_type(code.kernel(), i),
                                                  fmt::format("{}{}[{}]", prefix, i, index)));
  return values;
}

void to_scratch(ScalarCode& code, std::string_view prefix, const std::string& index,
                const Names& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    code.line(fmt::format("{}{}[{}] = {};", prefix, i, index,
                          code.expressions.to_memory(leaf_type(code.kernel(), i), values[i])));
}

bool joins_items(const Kernel& kernel) {
  if (kernel.in_order) return false;
  std::size_t bytes = 0;
  for (const Value v : kernel.combine.results)
    bytes += std::max<std::size_t>(detail::size_in_bytes(kernel.value_types[v]), 4);
  return bytes * static_cast<std::size_t>(group_size) <= local_bytes_max;
}

bool scans_by_item(const Kernel& kernel) { return kernel.rank > 1 || !joins_items(kernel); }

}  // namespace hasten::backends::c_like
