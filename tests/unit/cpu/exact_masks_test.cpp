// Eight bytes are loaded and stored under masks that are off beyond the eighth;
// transforms/exact_masks.hpp describes LLVM's code for other masks.
#include "backends/cpu/compile.hpp"
#include "support/sanitizers.hpp"
#include "tests/unit/cpu/kernels.hpp"

#include <sstream>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// A 64-bit number and a byte: elements below index 1000 are read, the rest are constant.
Maker beside_each_other() {
  Maker m(1, {i64, u8}, {i64, u8});
  m.element([&](const Values& ix) {
    const Value is_left = m.prim(ScalarOp::lt, {ix[0], m.constant(i64, {1000, 0})});
    return m.branch(
        is_left, [&] { return Values{m.load(0, ix[0]), m.load(1, ix[0])}; },
        [&] { return Values{m.constant(i64, {7, 0}), m.constant(u8, {9, 0})}; });
  });
  return m;
}

struct Accesses {
  int all = 0, cleared = 0;
};

// Masked accesses to eight bytes, and those whose mask comes from an addition.
Accesses accesses_in(const std::string& text) {
  Accesses found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_access = line.find("llvm.masked.load.v8i8") != std::string::npos ||
                           line.find("llvm.masked.store.v8i8") != std::string::npos;
    const std::size_t mask = line.find("<8 x i1> %");
    if (!is_access || mask == std::string::npos || line.starts_with("declare")) continue;
    const std::size_t name = line.find('%', mask);
    const std::string defined = "  " + line.substr(name, line.find_first_of(",)", name) - name) +
                                " = call <8 x i1> @llvm.x86.avx512.kadd.b(";
    ++found.all;
    found.cleared += text.find(defined) != std::string::npos ? 1 : 0;
  }
  return found;
}

TEST(CpuExactMasks, EightBytesHaveNoBitsBeyond) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address stands in between";
  const Maker m = beside_each_other();
  const auto text_for = [&](backends::cpu::Level level) {
    return backends::cpu::llvm_text(m.kernel, {}, backends::cpu::machine_of(level));
  };
  const Accesses found = accesses_in(text_for(backends::cpu::Level::avx512));
  EXPECT_GT(found.all, 0);
  EXPECT_EQ(found.cleared, found.all);
  EXPECT_EQ(text_for(backends::cpu::Level::avx2).find("kadd"), std::string::npos);
}

TEST(CpuExactMasks, ResultsStay) {
  const Maker m = beside_each_other();
  for (std::int64_t n : {1, 7, 8, 9, 31, 33, 999, 1000, 1001, 1100})
    check(m.kernel, {{n}, {small_numbers(i64, n), small_numbers(u8, n)}, {}});
}

}  // namespace
}  // namespace hasten::test::cpu
