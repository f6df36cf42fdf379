// Asks LLVM what the host is.
#include "backends/cpu/machine/machine.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <sleef.h>

#include <map>

namespace hasten::backends::cpu {
namespace {

// What wide enough registers are called, and what SLEEF calls the code for them.
struct Level {
  unsigned bits;
  const char* needs[4];
  const char* math;
  const char* off;  // switches this level and all above it off
};
constexpr Level levels[] = {
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
  std::map<std::string, bool> host;  // sorted: the string is part of the fingerprint
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    host[feature.first().str()] = feature.second;
  for (const auto& [name, present] : host)
    m.features += (m.features.empty() ? "" : ",") + std::string(present ? "+" : "-") + name;
  for (const Level& level : levels) {
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

std::string llvm_version() { return LLVM_VERSION_STRING; }

std::string sleef_version() {
  return std::to_string(SLEEF_VERSION_MAJOR) + "." + std::to_string(SLEEF_VERSION_MINOR) + "." +
         std::to_string(SLEEF_VERSION_PATCHLEVEL);
}

}  // namespace hasten::backends::cpu
