// Queries the processor directly: LLVM is absent here, and compilers' builtins do not know levels.
#include "backends/cpu/machine/levels.hpp"

#include "support/env.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace hasten::backends::cpu {
namespace {

constexpr const char* names[] = {"", "baseline", "avx2", "avx512"};

#ifdef __x86_64__
struct Answer {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Answer ask(unsigned leaf) {
  Answer x;
  __get_cpuid_count(leaf, 0, &x.a, &x.b, &x.c, &x.d);
  return x;
}

constexpr unsigned bit(unsigned n) { return 1U << n; }
constexpr bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

// Whether the system saves these registers when it switches threads.
bool system_keeps(unsigned bits) {
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return has(low, bits);
}

Level ask_processor() {
  const unsigned fma = bit(12), movbe = bit(22), osxsave = bit(27), avx = bit(28), f16c = bit(29);
  const unsigned bmi = bit(3), avx2 = bit(5), bmi2 = bit(8), lzcnt = bit(5);
  const unsigned f = bit(16), dq = bit(17), cd = bit(28), bw = bit(30), vl = bit(31);
  const unsigned wide = 0x6, widest = 0xE6;  // registers of 256 bits; of 512, and of masks
  const Answer first = ask(1), seventh = ask(7);
  const bool second = has(first.c, fma | movbe | osxsave | avx | f16c) &&
                      has(seventh.b, bmi | avx2 | bmi2) && has(ask(0x80000001).c, lzcnt) &&
                      system_keeps(wide);
  if (!second) return Level::baseline;
  return has(seventh.b, f | dq | cd | bw | vl) && system_keeps(widest) ? Level::avx512
                                                                       : Level::avx2;
}
#else
Level ask_processor() { return Level::baseline; }
#endif

}  // namespace

const char* name_of(Level level) { return names[static_cast<int>(level)]; }

std::optional<Level> level_named(std::string_view name) {
  for (const Level level : {Level::baseline, Level::avx2, Level::avx512})
    if (name == name_of(level)) return level;
  return std::nullopt;
}

Level level_of_processor() {
  static const Level level = ask_processor();
  return level;
}

std::optional<unsigned> permitted_width() {
  const auto bits = support::env_number("HASTEN_CPU_WIDTH");
  if (bits != 128 && bits != 256 && bits != 512) return std::nullopt;
  return static_cast<unsigned>(*bits);
}

}  // namespace hasten::backends::cpu
