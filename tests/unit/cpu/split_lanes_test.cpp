// Lanes are split according to the widths of their numbers.
#include "backends/cpu/compile.hpp"
#include "support/sanitizers.hpp"
#include "tests/unit/cpu/kernels.hpp"

#include <fmt/format.h>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// 1 if the byte is 3, or if the other byte is 2, which is read only then; else 0.
Maker rule_of_bytes() {
  Maker m(1, {u8, u8}, {u8});
  m.element([&](const Values& ix) {
    const Value a = m.load(0, ix[0]);
    const Value is_three = m.prim(ScalarOp::eq, {a, m.constant(u8, {3, 0})});
    const Values chosen = m.branch(
        is_three, [&] { return Values{m.constant(ScalarType::boolean, {1, 0})}; },
        [&] { return Values{m.prim(ScalarOp::eq, {m.load(1, ix[0]), m.constant(u8, {2, 0})})}; });
    return Values{
        m.prim(ScalarOp::select, {chosen[0], m.constant(u8, {1, 0}), m.constant(u8, {0, 0})})};
  });
  return m;
}

TEST(CpuSplitLanes, BytesFillRegisters) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address stands in between";
  const Maker m = rule_of_bytes();
  const backends::cpu::Machine machine = backends::cpu::detect_machine(0);
  const std::string text = backends::cpu::llvm_text(m.kernel, {}, machine);
  // This would be the width for 64-bit numbers.
  EXPECT_EQ(text.find(fmt::format("<{} x i8>", machine.bits / 64)), std::string::npos);
  EXPECT_NE(text.find(fmt::format("<{} x i8>", machine.bits / 8)), std::string::npos);
}

TEST(CpuSplitLanes, ResultsOfBytesStay) {
  const Maker m = rule_of_bytes();
  for (std::int64_t n : {1, 31, 32, 64, 65, 1000})
    check(m.kernel, {{n}, {small_numbers(u8, n), some_numbers(u8, n)}, {}});
}

}  // namespace
}  // namespace hasten::test::cpu
