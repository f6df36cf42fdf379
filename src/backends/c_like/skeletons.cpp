// What the functions of all skeletons have in common.
#include "backends/c_like/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {

namespace {

// Of a group that runs beside others: half of what every device has.
constexpr std::size_t local_bytes_max = 16384;

bool differs_in_memory(ScalarType type) {
  return std::string_view(memory_type(type)) != register_type(type);
}

ScalarType leaf_type(const Kernel& kernel, std::size_t leaf) {
  return kernel.value_types[kernel.combine.results[leaf]];
}

}  // namespace

std::string parameters(const Kernel& kernel, std::string_view extra) {
  std::string text = "(";
  const auto add = [&](const std::string& parameter) {
    text += (text.size() > 1 ? ", " : "") + parameter;
  };
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i)
    add(fmt::format("const GLOBAL {}* RESTRICT in{}",
                    memory_type(detail::part_of(kernel.inputs[i])), i));
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
    add(fmt::format("GLOBAL {}* out{}", memory_type(detail::part_of(kernel.outputs[i])), i));
  for (const Value v : kernel.scalars) {
    const ScalarType type = kernel.value_types[v];
    add(fmt::format("const {} {}{}", memory_type(type), differs_in_memory(type) ? "m" : "v", v));
  }
  for (std::uint32_t axis = 0; axis < kernel.rank; ++axis) add(fmt::format("const i64 e{}", axis));
  if (!extra.empty()) add(std::string(extra));
  return text + ")";
}

void begin_function(ScalarCode& code) {
  for (const Value v : code.kernel().scalars)
    if (differs_in_memory(code.type(v)))
      code.define(v, code.speller.from_memory(code.type(v), "m" + std::to_string(v)));
}

Names split_row(ScalarCode& code, const std::string& row, std::size_t axes) {
  Names index(axes);
  if (axes == 0) return index;
  std::string rest = row;
  for (std::size_t axis = axes; axis-- > 1;) {
    code.line(fmt::format("const i64 i{0} = {1} % e{0}, r{0} = {1} / e{0};", axis, rest));
    index[axis] = fmt::format("i{}", axis);
    rest = fmt::format("r{}", axis);
  }
  index[0] = rest;
  return index;
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
    values.push_back(code.speller.from_memory(leaf_type(code.kernel(), i),
                                              fmt::format("{}{}[{}]", prefix, i, index)));
  return values;
}

void to_scratch(ScalarCode& code, std::string_view prefix, const std::string& index,
                const Names& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    code.line(fmt::format("{}{}[{}] = {};", prefix, i, index,
                          code.speller.to_memory(leaf_type(code.kernel(), i), values[i])));
}

bool fits_local_memory(const Kernel& kernel) {
  std::size_t bytes = 0;
  for (const Value v : kernel.combine.results)
    bytes += std::max<std::size_t>(detail::size_in_bytes(kernel.value_types[v]), 4);
  return bytes * static_cast<std::size_t>(group_size) <= local_bytes_max;
}

}  // namespace hasten::backends::c_like
