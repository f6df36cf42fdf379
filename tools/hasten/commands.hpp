// The subcommands of `hasten`.
#pragma once

#include "backends/facts.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace hasten_tool {

/// `remeasures`: measures the machine even if measurements of it are stored.
void info(std::ostream& out, bool remeasures);
/// Prints the lines of `hasten info` for facts that are known.
void machine(std::ostream& out, const hasten::backends::Facts& facts);
void cache(std::ostream& out, bool clears);

struct HirOptions {
  std::string file;
  std::vector<std::string> passes;  // in order; "all": the whole pipeline; none: as read
  std::string emit = "core";        // core, plan, kernels, or a stage of the target: llvm, asm
  std::string target;               // empty: the default
  bool runs = false;                // shows the results instead of a stage
  std::vector<std::string> arrays;  // extents of arguments, "3x4"; element i is i modulo 10
  std::vector<double> scalars;      // arguments
};
/// Throws the exceptions of reading, passes and running.
void hir(std::ostream& out, const HirOptions& options);

struct SimulateOptions {
  std::string file, machine;  // a core program; a machine (runtime/simulate)
  std::vector<std::int64_t> devices = {1};
  std::vector<std::string> arrays;  // extents of arguments, "3x4"
  std::vector<double> scalars;      // arguments
  double kept = 0.5;                // fraction that a compaction keeps
};
/// Prints one line for each number of devices.
void simulate(std::ostream& out, const SimulateOptions& options);

}  // namespace hasten_tool
