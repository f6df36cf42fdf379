// Long dependency chains are interleaved and have the same results.
#include "backends/cpu/compile.hpp"
#include "support/sanitizers.hpp"
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// a * 3 * 3 ... + b * 5 * 5 ...; the code has one chain after the other.
Maker two_chains(int length) {
  Maker m(1, {f32, f32}, {f32});
  m.element([&](const Values& ix) {
    Values ends;
    for (const std::uint32_t input : {0U, 1U}) {
      Value x = m.load(input, ix[0]);
      const Value factor = m.f32(input == 0 ? 3.0F : 5.0F);
      for (int i = 0; i < length; ++i)
        x = m.prim(i % 2 == 0 ? ScalarOp::mul : ScalarOp::sub, {x, factor});
      ends.push_back(x);
    }
    return Values{m.prim(ScalarOp::add, {ends[0], ends[1]})};
  });
  return m;
}

struct Places {
  std::size_t first, last;
};

// Where the loop's text has the first and the last product by `factor`.
Places products_by(const std::string& text, const char* factor) {
  const std::string wanted = std::string("float ") + factor;
  std::size_t first = std::string::npos, last = 0;
  for (std::size_t at = text.find("fmul"); at != std::string::npos;
       at = text.find("fmul", at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    if (line.find(wanted) == std::string::npos) continue;
    first = std::min(first, at);
    last = at;
  }
  return {first, last};
}

// With 32 registers, chains alternate. With 16, the order stays. Spilled values are aligned.
TEST(CpuInstructionOrder, ChainsAlternateWhereRegistersAreMany) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address stands in between";
  const Maker m = two_chains(60);
  for (const auto level : {backends::cpu::Level::avx2, backends::cpu::Level::avx512}) {
    const backends::cpu::Machine machine = backends::cpu::machine_of(level);
    std::string text = backends::cpu::llvm_text(m.kernel, {}, machine);
    EXPECT_NE(text.find("stackrealign"), std::string::npos);
    text.resize(text.find("llvm.masked"));  // without the masked copy of the loop
    const auto threes = products_by(text, "3.0"), fives = products_by(text, "5.0");
    ASSERT_NE(threes.first, std::string::npos);
    ASSERT_LT(fives.first, fives.last);
    EXPECT_EQ(fives.first < threes.last && threes.first < fives.last, machine.bits == 512);
  }
}

// LLVM orders short blocks.
TEST(CpuInstructionOrder, ShortBlocksAreLeftAlone) {
  const Maker m = two_chains(4);
  const auto machine = backends::cpu::machine_of(backends::cpu::Level::avx2);
  const std::string text = backends::cpu::llvm_text(m.kernel, {}, machine);
  EXPECT_NE(text.find("fmul"), std::string::npos);
  EXPECT_EQ(text.find("stackrealign"), std::string::npos);
}

TEST(CpuInstructionOrder, ResultsStay) {
  const Maker m = two_chains(60);
  for (std::int64_t n : {1, 63, 64, 65, 1000})
    check(m.kernel, {{n}, {small_numbers(f32, n), some_numbers(f32, n)}, {}});
}

}  // namespace
}  // namespace hasten::test::cpu
