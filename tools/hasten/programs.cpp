// Functions shared by the subcommands that take a program in text form.
#include "programs.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "passes/literals.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace hasten_tool {

using namespace hasten;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) throw Error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

core::Program with_literals_bound(core::Program program) {
  std::vector<bool> is_parameter;
  for (const core::Literal& literal : program.literals)
    is_parameter.push_back(literal.kind == core::LiteralKind::parameter);
  return passes::bind_literals(std::move(program), passes::Parameters(std::move(is_parameter)));
}

std::vector<core::Bits> scalar_arguments(const core::Program& program,
                                         const std::vector<double>& numbers) {
  if (numbers.size() != program.scalar_inputs.size())
    throw Error(fmt::format("the program has {} numbers as arguments (--scalar), {} are given",
                            program.scalar_inputs.size(), numbers.size()));
  std::vector<core::Bits> result;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const core::ScalarType from[] = {core::ScalarType::f64};
    const core::Bits number[] = {{std::bit_cast<std::uint64_t>(numbers[i]), 0}};
    result.push_back(core::evaluate(core::ScalarOp::cast,
                                    program.value_types[program.scalar_inputs[i]], from, number));
  }
  return result;
}

namespace {

std::int64_t extent_of(std::string_view text) {
  std::int64_t extent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, extent);
  if (error != std::errc{} || end != last || extent < 0)
    throw Error(fmt::format("\"{}\" is no extent; --array takes them as in 3x4", text));
  return extent;
}

}  // namespace

std::vector<std::int64_t> extents_of(std::string_view text) {
  std::vector<std::int64_t> shape;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    shape.push_back(extent_of(text.substr(at, end - at)));
    at = end + 1;
  }
  return shape;
}

std::vector<core::ArrayType> types_used(const core::Program& program) {
  constexpr std::size_t most = 1 << 16;
  std::vector<core::ArrayType> types;
  std::vector<const core::Block*> blocks{&program.body};
  while (!blocks.empty()) {
    const core::Block& block = *blocks.back();
    blocks.pop_back();
    for (const core::Binding& binding : block.bindings) {
      core::visit_blocks(binding.op, [&](const core::Block& inner) { blocks.push_back(&inner); });
      const auto* use = std::get_if<core::Use>(&binding.op);
      if (!use || use->index >= most || binding.results.size() != 1) continue;
      types.resize(std::max<std::size_t>(types.size(), use->index + 1));
      types[use->index] = program.array_types[binding.results[0]];
    }
  }
  return types;
}

namespace {

// "==== core: program 1 main.cpp:7", or, in files of HASTEN_DUMP=dir=..., with slashes.
bool is_heading(std::string_view line) {
  if (!line.starts_with("==== ") && !line.starts_with("// ")) return false;
  line.remove_prefix(line.find(' ') + 1);
  constexpr std::string_view after = ": program ";
  const std::size_t stage = std::min(line.find(after), line.size());
  const std::string_view number = line.substr(std::min(stage + after.size(), line.size()));
  return std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(stage),
                     [](char c) { return c >= 'a' && c <= 'z'; }) &&
         !number.empty() && number[0] >= '0' && number[0] <= '9';
}

}  // namespace

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts{{}};
  std::string lines_before;
  bool is_dump = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    lines_before += '\n';
    if (is_heading(line)) {
      is_dump = true;
      parts.push_back({std::string(line.substr(line.find(' ') + 1)), lines_before});
    } else {
      parts.back().text += std::string(line) + '\n';
    }
  }
  if (!is_dump) return parts;
  std::erase_if(parts, [](const Part& part) {
    const std::string stage = part.heading.substr(0, part.heading.find(':'));
    return stage != "core" && stage != "fused" && stage != "kernels";
  });
  return parts;
}

}  // namespace hasten_tool
