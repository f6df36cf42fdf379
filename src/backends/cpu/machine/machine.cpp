// Queries LLVM about the host.
#include "backends/cpu/machine/machine.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <sleef.h>

#include <map>

namespace hasten::backends::cpu {
namespace {

// The feature that indicates registers of some width, and SLEEF's suffix for them.
struct Width {
  unsigned bits;
  const char* needs[4];
  const char* math;
  const char* off;  // switches this level and all above it off
};
constexpr Width widths[] = {
    {512, {"avx512f", "avx512dq", "avx512bw", "avx512vl"}, "avx512f", ",-avx512f,-evex512"},
    {256, {"avx2", "fma", "avx2", "avx2"}, "avx2", ",-avx"},
    {128, {"sse4.1", "sse4.1", "sse4.1", "sse4.1"}, "sse4", ""},
};

}  // namespace

Machine detect_machine(unsigned bits_max) {
  Machine m;
  m.triple = llvm::sys::getProcessTriple();
  m.cpu = llvm::sys::getHostCPUName().str();
  m.math = "sse2";
  m.follows_blocks = m.cpu == "znver4";  // measured: docs/cpu-target.md, A row for each lane
  std::map<std::string, bool> host;      // sorted: the string is part of the fingerprint
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    host[feature.first().str()] = feature.second;
  for (const auto& [name, present] : host)
    m.features += (m.features.empty() ? "" : ",") + std::string(present ? "+" : "-") + name;
  for (const Width& level : widths) {
    bool usable = bits_max == 0 || level.bits <= bits_max;
    for (const char* needed : level.needs) usable &= host[needed];
    if (!usable) {
      m.features += level.off;
      continue;
    }
    m.bits = level.bits;
    m.math = level.math;
    m.fma = m.gather = level.bits > 128;
    break;
  }
  return m;
}

Machine machine_of(Level level) {
  Machine m;
  m.triple = llvm::sys::getProcessTriple();
#ifdef __x86_64__
  switch (level) {
    case Level::baseline: m.cpu = "x86-64", m.math = "sse2"; break;
    // LLVM would order code for Haswell, the level's first processor: Black-Scholes takes a twelfth
    // longer on a Zen 3 then. Servers that have AVX2 and no AVX-512 are Zen 2 and Zen 3.
    case Level::avx2: m.cpu = "x86-64-v3", m.tune = "znver3", m.math = "avx2", m.bits = 256; break;
    case Level::avx512: m.cpu = "x86-64-v4", m.math = "avx512f", m.bits = 512; break;
  }
  m.fma = m.gather = m.bits > 128;
#else
  static_cast<void>(level);
  m.cpu = "generic";
  m.math = detect_machine(0).math;
#endif
  return m;
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

std::string sleef_version() {
  return std::to_string(SLEEF_VERSION_MAJOR) + "." + std::to_string(SLEEF_VERSION_MINOR) + "." +
         std::to_string(SLEEF_VERSION_PATCHLEVEL);
}

}  // namespace hasten::backends::cpu
