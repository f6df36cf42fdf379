// `hasten simulate`: predicts a program's time on machines that are not present.
#include "commands.hpp"
#include "programs.hpp"

#include "core/text/parse.hpp"
#include "core/verify.hpp"
#include "kernels/lowering/lower.hpp"
#include "kernels/plan.hpp"
#include "passes/foreign.hpp"
#include "passes/pipeline.hpp"
#include "runtime/simulate/simulate.hpp"

#include <fmt/format.h>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <ostream>

namespace hasten_tool {
namespace {

using namespace hasten;

kernels::Plan plan_for(const core::Program& program, std::int64_t devices) {
  passes::FissionDevices split{std::vector<bool>(static_cast<std::size_t>(devices))};
  split.is_exact = true;
  const auto unwatched = [](std::string_view, const core::Program&) {};
  kernels::Plan plan = kernels::lower(passes::optimise(program, unwatched, Checks::none, split),
                                      Checks::none, Determinism::run_to_run);
  kernels::number_sites(plan);
  return plan;
}

void row(std::ostream& out, std::int64_t devices, const runtime::Simulated& found, double alone) {
  double busy = 0;
  std::int64_t messages = 0, bytes = 0;
  for (const runtime::Simulated::Device& device : found.devices) {
    busy += device.busy;
    messages = std::max(messages, device.messages);
    bytes = std::max(bytes, device.bytes);
  }
  const auto count = static_cast<double>(devices);
  out << fmt::format("{:>8} {:>12.3f} {:>9.2f} {:>7.0f} % {:>7.0f} % {:>10} {:>14}\n", devices,
                     1000 * found.seconds, alone / found.seconds,
                     100 * alone / found.seconds / count, 100 * busy / count / found.seconds,
                     messages, bytes);
}

// The only core program of a file, which may be a dump.
std::string text_of(const std::string& file) {
  std::vector<Part> parts = parts_of(contents(file));
  std::erase_if(parts, [](const Part& part) {
    return !part.heading.empty() && !part.heading.starts_with("core:");
  });
  if (parts.size() != 1)
    throw Error(fmt::format("{} has {} core programs; give a file with one", file, parts.size()));
  return parts[0].text;
}

}  // namespace

void simulate(std::ostream& out, const SimulateOptions& options) {
  core::Program program = core::parse_program(text_of(options.file));
  core::verify(program, "reading it");
  runtime::SimulatedCall call;
  call.scalars = scalar_arguments(program, options.scalars);
  for (const core::Literal& literal : program.literals)
    if (literal.kind == core::LiteralKind::parameter) call.scalars.push_back(literal.bits);
  program = with_literals_bound(std::move(program));
  program = passes::choose_foreign(std::move(program), std::nullopt);
  const runtime::ModelMachine machine = runtime::parse_machine(contents(options.machine));
  for (const std::string& extents : options.arrays) call.shapes.push_back(extents_of(extents));
  call.kept = options.kept;
  out << " devices           ms   speedup efficiency      busy   messages          bytes\n"
         "                                                         of the busiest sender\n";
  double alone = 0;
  for (const std::int64_t devices : options.devices) {
    if (devices < 1) throw Error("--devices are at least 1");
    const auto found = runtime::simulate(plan_for(program, devices), devices, machine, call);
    if (alone == 0) alone = found.seconds * static_cast<double>(devices);
    row(out, devices, found, alone);
  }
}

}  // namespace hasten_tool
