// `hasten hir`: reads a core program from text, runs passes on it, shows any stage, and runs it on
// a target.
#include "commands.hpp"
#include "programs.hpp"

#include "core/print.hpp"
#include "core/scalar_ops.hpp"
#include "core/text/parse.hpp"
#include "core/traverse.hpp"
#include "core/verify.hpp"
#include "interpreter/interpreter.hpp"
#include "kernels/finish.hpp"
#include "kernels/lowering/lower.hpp"
#include "kernels/text/parse.hpp"
#include "passes/fix_order.hpp"
#include "passes/foreign.hpp"
#include "passes/pipeline.hpp"
#include "runtime/compile/program_cache.hpp"
#include "runtime/report/print_plan.hpp"
#include "runtime/targets.hpp"

#include <fmt/format.h>
#include <hasten/array/array.hpp>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace hasten_tool {
namespace {

using namespace hasten;
using HostArrayRef = std::shared_ptr<const detail::HostArray>;

// The passes before the pass list, which knows neither targets nor options. They are those of the
// cpu target.
core::Program choose_foreign_of_cpu(core::Program program) {
  return passes::choose_foreign(std::move(program), detail::ForeignTarget::cpu);
}
constexpr passes::Pass passes_before[] = {
    {"choose_foreign", "leave one function of each foreign call", choose_foreign_of_cpu},
    {"fix_order", "one grouping of folds and scans for all targets", passes::fix_order},
};

// "fission:3" splits for three devices, two by default; "fission:2x4" gives each device four parts.
core::Program after_fission(core::Program program, const std::string& name) {
  const std::string count = name.substr(std::min(name.size(), std::string("fission:").size()));
  const std::size_t devices = count.empty() ? 2 : std::stoul(count), times = count.find('x');
  const std::size_t parts = times == std::string::npos ? 1 : std::stoul(count.substr(times + 1));
  return passes::split_over_devices(std::move(program),
                                    {.works_apart = std::vector<bool>(devices), .parts = parts});
}

core::Program run_pass(const passes::Pass& pass, core::Program program, const std::string& name) {
  if (pass.split) return after_fission(std::move(program), name);
  return pass.check ? pass.check(std::move(program), Checks::all) : pass.run(std::move(program));
}

core::Program after_pass(core::Program program, const std::string& name) {
  std::string known;
  for (const std::span<const passes::Pass> list :
       {std::span<const passes::Pass>(passes_before), passes::passes()})
    for (const passes::Pass& pass : list) {
      if (pass.name == name || (pass.split && name.starts_with(std::string(pass.name) + ":"))) {
        program = run_pass(pass, std::move(program), name);
        core::verify(program, name.c_str());
        return program;
      }
      known += fmt::format(" {}", pass.name);
    }
  throw Error(fmt::format("there is no pass {}; there are{}", name, known));
}

core::Program after_passes(core::Program program, const std::vector<std::string>& names) {
  if (names.empty()) return program;
  program = with_literals_bound(std::move(program));
  if (names == std::vector<std::string>{"all"}) return passes::optimise(std::move(program));
  for (const std::string& name : names) program = after_pass(std::move(program), name);
  return program;
}

std::string kernel_text(const kernels::Kernel& kernel, const std::string& stage,
                        const std::string& target) {
  if (stage == "kernels") return kernels::print(kernel);
  const auto device = runtime::find_device(Target(target), {});
  const std::string text = device->backend ? device->backend->dump(kernel, {}, stage) : "";
  if (text.empty()) throw Error(fmt::format("the target {} has no stage {}", device->name, stage));
  return text;
}

std::string stage_text(core::Program program, const HirOptions& options) {
  if (options.emit == "core") return core::print(program);
  program = passes::choose_foreign(std::move(program), detail::ForeignTarget::cpu);
  if (options.passes.empty()) program = after_passes(std::move(program), {"all"});
  const kernels::Plan plan =
      kernels::lower(std::move(program), Checks::none, Determinism::run_to_run);
  if (options.emit == "plan") return runtime::print(plan);
  std::string text;
  for (const kernels::Kernel& kernel : plan.kernels)
    text += kernel_text(kernel, options.emit, options.target);
  return text;
}

// -- kernels ------------------------------------------------------------------------------------

// Whether the first word is "kernel".
bool holds_kernels(std::string_view text) {
  core::Lexer lexer(text);
  core::skip_separators(lexer);
  return lexer.peek().text == "kernel";
}

// Each input is treated as a separate vector, and each scalar as a separate host value.
kernels::Kernel after_kernel_passes(kernels::Kernel kernel, const std::vector<std::string>& names) {
  core::Program vectors;
  for (const core::ScalarType type : kernel.inputs) vectors.array_types.push_back({1, {type}});
  kernels::Environment environment;
  environment.program = &vectors;
  environment.producer.resize(kernel.inputs.size());
  kernels::KernelBuilder builder(environment);
  for (std::uint32_t i = 0; i < kernel.inputs.size(); ++i) builder.inputs.push_back({i, 0});
  for (const core::Value scalar : kernel.scalars) builder.arguments.push_back({.host = scalar});
  builder.kernel = std::move(kernel);
  for (const std::string& name : names) {
    std::string known;
    bool found = false;
    for (const kernels::KernelPass& pass : kernels::kernel_passes()) {
      if (name == pass.name || name == "all") pass.run(builder), found = true;
      known += fmt::format(" {}", pass.name);
    }
    if (!found)
      throw Error(fmt::format("there is no pass {} of kernels; there are{}", name, known));
  }
  if (!names.empty()) kernels::verify(builder.kernel);
  return std::move(builder.kernel);
}

void kernel_file(std::ostream& out, std::string_view text, const HirOptions& options) {
  if (options.runs) throw Error("a kernel is no program: nothing checks what it reads; see --emit");
  for (kernels::Kernel& kernel : kernels::parse_kernels(text)) {
    kernels::verify(kernel);
    kernel = after_kernel_passes(std::move(kernel), options.passes);
    const std::string stage = options.emit == "core" ? "kernels" : options.emit;
    if (stage == "plan") throw Error("a kernel has no plan; --emit kernels, llvm or asm");
    out << kernel_text(kernel, stage, options.target);
  }
}

// -- running ------------------------------------------------------------------------------------

// An array whose element i is i modulo 10.
HostArrayRef counting_array(const core::ArrayType& type, std::vector<std::int64_t> extents) {
  if (extents.size() != type.rank)
    throw Error(fmt::format("an argument of rank {} got {} extents", type.rank, extents.size()));
  auto array = detail::HostArray::allocate(std::move(extents), type.leaves);
  for (std::size_t leaf = 0; leaf < type.leaves.size(); ++leaf) {
    const core::ScalarType to = type.leaves[leaf];
    for (std::int64_t i = 0; i < array->size(); ++i) {
      const core::ScalarType from[] = {core::ScalarType::i64};
      const core::Bits number[] = {core::bits_of(i % 10)};
      core::store_bits(to, core::evaluate(core::ScalarOp::cast, to, from, number),
                       array->data(leaf) + static_cast<std::size_t>(i) * detail::size_in_bytes(to));
    }
  }
  return array;
}

detail::Type element_type_of(const core::ArrayType& type) {
  if (type.leaves.size() == 1) return detail::leaf_type(type.leaves[0]);
  std::vector<detail::Type> members;
  for (const core::ScalarType leaf : type.leaves) members.push_back(detail::leaf_type(leaf));
  return detail::tuple_type(members);
}

std::vector<HostArrayRef> array_arguments(const core::Program& program,
                                          const std::vector<std::string>& extents) {
  if (extents.size() != program.inputs.size() + program.arrays_used.size())
    throw Error(fmt::format("the program has {} arrays as arguments (--array), {} are given",
                            program.inputs.size(), extents.size()));
  std::vector<HostArrayRef> result;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    result.push_back(counting_array(program.inputs[i], extents_of(extents[i])));
  return result;
}

// -- arrays that the program holds ----------------------------------------------------------------

// A text lacks the elements of arrays that were brought in by `use`. Other arrays replace them: if
// the program runs, of the extents that follow those of the arguments, else empty ones.
void stand_in(core::Program& program, const HirOptions& options) {
  const std::vector<core::ArrayType> types = types_used(program);
  const std::size_t arguments = program.inputs.size();
  if (options.runs && !types.empty() && options.arrays.size() != arguments + types.size())
    throw Error(
        fmt::format("the program has {} arrays as arguments and {} of its own (--array), "
                    "{} are given",
                    arguments, types.size(), options.arrays.size()));
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::vector<std::int64_t> extents(types[i].rank, 0);
    if (options.runs) extents = extents_of(options.arrays[arguments + i]);
    program.arrays_used.push_back(counting_array(types[i], std::move(extents)));
  }
}

bool names_devices(const core::Block& block) {
  return std::ranges::any_of(block.bindings, [](const core::Binding& binding) {
    bool inside = binding.device != core::none;
    core::visit_blocks(binding.op,
                       [&](const core::Block& inner) { inside = inside || names_devices(inner); });
    return inside;
  });
}

std::vector<HostArrayRef> run_compiled(const core::Program& program,
                                       const std::shared_ptr<const runtime::Device>& device,
                                       const std::vector<HostArrayRef>& arrays,
                                       const std::vector<core::Bits>& scalars) {
  if (names_devices(program.body))
    throw Error(
        "the program is split already (\"on 1\"), and targets split programs themselves; "
        "run it by --target interpreter, or what it was split from");
  const std::source_location here;  // a program without a file
  runtime::Dump dump(here, true);
  const core::Program chosen = passes::choose_foreign(program, device->backend->foreign_target());
  const runtime::CompiledProgram compiled = runtime::compile_cached(chosen, device, {}, here, dump);
  std::vector<detail::LiteralBits> numbers;
  for (const core::Bits& bits : scalars) numbers.push_back({bits.lo, bits.hi});
  const auto recording = std::make_shared<runtime::Recording>(compiled.loaded->plan.sites);
  runtime::CallRecord record(*recording);
  runtime::RunCounts counts;
  return runtime::run_plan(
      *compiled.loaded,
      {program.arrays_used, arrays, numbers, compiled.literals, 0, {}, &recording}, record, counts);
}

void run(std::ostream& out, const core::Program& program, const HirOptions& options) {
  const auto device = runtime::find_device(Target(options.target), {});
  const std::vector<HostArrayRef> arrays = array_arguments(program, options.arrays);
  const std::vector<core::Bits> scalars = scalar_arguments(program, options.scalars);
  const std::vector<HostArrayRef> results =
      device->backend ? run_compiled(program, device, arrays, scalars)
                      : interp::interpret(program, arrays, scalars, Checks::none);
  for (const HostArrayRef& result : results) {
    const core::ArrayType type{static_cast<std::uint32_t>(result->shape().size()),
                               result->leaves()};
    out << core::print(type) << ' ';
    detail::print_array(out, *result, element_type_of(type));
    out << '\n';
  }
}

void one_text(std::ostream& out, const std::string& text, const HirOptions& options) {
  if (holds_kernels(text)) return kernel_file(out, text, options);
  core::Program program = core::parse_program(text);
  stand_in(program, options);
  core::verify(program, "reading it");
  program = after_passes(std::move(program), options.passes);
  if (options.runs)
    run(out, program, options);
  else
    out << stage_text(std::move(program), options);
}

}  // namespace

void hir(std::ostream& out, const HirOptions& options) {
  const std::vector<Part> parts = parts_of(contents(options.file));
  if (parts.empty())
    throw Error(options.file + " has no stage that reads back; those are core, fused and kernels");
  for (const Part& part : parts) {
    if (parts.size() > 1) out << "// " << part.heading << '\n';
    one_text(out, part.text, options);
  }
}

}  // namespace hasten_tool
