// From a core program to a plan. Verification is cheap compared with compiling kernels, and turns a
// wrong pass into an error instead of a wrong result.
#include "runtime/compile/stages.hpp"

#include "core/print.hpp"
#include "core/verify.hpp"
#include "kernels/lowering/lower.hpp"
#include "kernels/text/parse.hpp"
#include "passes/copies.hpp"
#include "passes/literals.hpp"
#include "passes/pipeline.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/print_plan.hpp"
#include "runtime/report/trace.hpp"
#include "support/env.hpp"

#include <fmt/format.h>
#include <hasten/run/error.hpp>

#include <string>

namespace hasten::runtime {
namespace {

std::string print_kernels(const kernels::Plan& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i)
    text += fmt::format("// kernel {}, key {}\n{}\n", i, support::to_hex(plan.keys[i]),
                        kernels::print(plan.kernels[i]));
  return text;
}

core::Program optimise(core::Program program, Checks checks,
                       const passes::FissionDevices& devices) {
  const TraceSpan all("compile", "passes");
  double before = 0;
  const auto observe = [&](std::string_view pass, const core::Program& p) {
    const double now = all.milliseconds();
    log(3, [&] { return fmt::format("pass {}: {:.2f} ms", pass, now - before); });
    core::verify(p, std::string(pass).c_str());
    before = all.milliseconds();
  };
  return passes::optimise(std::move(program), observe, checks, devices);
}

bool checks_texts() {
#ifdef NDEBUG
  return support::env_number("HASTEN_DEBUG").value_or(0) > 0;
#else
  return true;
#endif
}

// Printed kernels read back, so that dumped files are valid kernels: checked where time permits.
void verify_text(const kernels::Kernel& kernel) {
  if (!checks_texts()) return;
  const std::string text = kernels::print(kernel);
  const kernels::Kernel read = kernels::parse_kernel(text);
  kernels::verify(read);
  if (kernels::print(read) == text) return;
  throw InternalError("the text of a kernel reads back as another:\n" + text + "\n" +
                      kernels::print(read));
}

kernels::Plan lower(core::Program program, const Options& options) {
  const TraceSpan span("compile", "lower");
  kernels::Plan plan =
      kernels::lower(std::move(program), options.checks, options.determinism, options.fast_math);
  for (const kernels::Kernel& kernel : plan.kernels) {
    kernels::verify(kernel);
    verify_text(kernel);
  }
  log(3, [&] { return fmt::format("lower: {:.2f} ms", span.milliseconds()); });
  return plan;
}

}  // namespace

kernels::Plan make_plan(core::Program program, const passes::Parameters& parameters,
                        const Options& options, Dump& dump, const passes::FissionDevices& devices) {
  core::verify(program, "sharing");
  core::Program fused =
      optimise(passes::bind_literals(std::move(program), parameters), options.checks, devices);
  dump.stage("fused", [&] { return core::print(fused); });
  kernels::Plan plan = lower(std::move(fused), options);
  kernels::number_sites(plan);
  dump.stage("kernels", [&] { return print_kernels(plan); });
  dump.stage("plan", [&] { return print(plan); });
  return plan;
}

passes::Parameters declared_parameters(const core::Program& program) {
  passes::Parameters result = passes::numbers_of_copies(program);
  for (std::size_t slot = 0; slot < result.chosen.size(); ++slot)
    if (program.literals[slot].kind == core::LiteralKind::parameter) result.chosen[slot] = true;
  return result;
}

}  // namespace hasten::runtime
