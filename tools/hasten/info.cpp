// `hasten info`: shows what this machine offers.
#include "commands.hpp"
#include "runtime/compile/disk_cache.hpp"
#include "runtime/report/machine_facts.hpp"
#include "runtime/targets.hpp"
#include "support/env.hpp"

#include <fmt/format.h>
#include <hasten/run/error.hpp>

#include <ostream>
#include <string>
#include <thread>

namespace hasten_tool {
namespace {

using namespace hasten;

void row(std::ostream& out, const std::string& name, const std::string& value) {
  out << fmt::format("  {:<18} {}\n", name, value);
}

void versions(std::ostream& out) {
  out << "hasten " HASTEN_VERSION "\n";
#if defined(__clang__)
  row(out, "compiled with", "Clang " __clang_version__);
#else
  row(out, "compiled with", "GCC " __VERSION__);
#endif
  row(out, "cores", std::to_string(std::thread::hardware_concurrency()));
}

std::string default_target() {
  try {
    return runtime::find_device(Target(), std::source_location::current())->name;
  } catch (const TargetError& e) {
    return std::string("none: ") + e.what();
  }
}

// Prints the facts of a target. A target without a `device` has not been used yet.
void facts(std::ostream& out, const runtime::TargetState& state, bool remeasures) {
  if (!state.is_available) return;
  if (!state.device) return machine(out, state.facts);
  machine(out, remeasures ? runtime::facts_measured_anew(*state.device)
                          : runtime::measured_facts(*state.device));
}

void targets(std::ostream& out, bool remeasures) {
  out << "targets\n";
  for (const runtime::TargetState& state : runtime::target_states()) {
    row(out, state.name, (state.is_available ? "" : "absent: ") + state.description);
    facts(out, state, remeasures);
  }
  row(out, "default", default_target());
}

void libraries(std::ostream& out) {
  out << "libraries looked for\n";
  for (const runtime::Library& library : runtime::probe_libraries())
    row(out, library.file,
        fmt::format("{} (for {}){}{}", library.is_found ? "found" : "not found", library.purpose,
                    library.detail.empty() ? "" : ": ", library.detail));
}

void switches(std::ostream& out) {
  out << "environment\n";
  for (const support::Switch& s : support::switches()) {
    const std::string value = support::env(s.name);
    row(out, s.name, value.empty() ? fmt::format("not set ({})", s.default_value) : value);
  }
}

}  // namespace

void info(std::ostream& out, bool remeasures) {
  versions(out);
  targets(out, remeasures);
  libraries(out);
  const std::string folder = runtime::cache_folder().string();
  out << "kernels and facts on disk\n";
  row(out, "folder", folder.empty() ? "none: they stay in memory" : folder);
  switches(out);
}

}  // namespace hasten_tool
