// Arrays that a loop drops and makes again: only those that nothing else can see.
#include "runtime/memory/spare_arrays.hpp"
#include "runtime/memory/memory.hpp"
#include "tests/unit/runtime/support.hpp"

#include <functional>

namespace hasten::test {
namespace {

using detail::HostArray, detail::ScalarType;
using Shared = std::shared_ptr<const HostArray>;

constexpr ScalarType floats[] = {ScalarType::f32};
constexpr ScalarType integers[] = {ScalarType::i32};

class RuntimeSpareArrays : public testing::Test {
 protected:
  Shared made(std::vector<std::int64_t> shape) {
    return runtime::allocate_array(std::move(shape), {ScalarType::f32}, account_);
  }
  /// Whether the array is kept; `array` is empty afterwards.
  bool keeps(Shared array) {
    const std::vector<std::int64_t> shape = array->shape();
    spare_.keep(array);
    EXPECT_EQ(array, nullptr);
    return spare_.take(shape, floats) != nullptr;
  }

  std::shared_ptr<runtime::Account> account_ = std::make_shared<runtime::Account>();
  runtime::SpareArrays spare_;
};

TEST_F(RuntimeSpareArrays, GiveWhatIsLikeIt) {
  Shared array = made({2, 3});
  const HostArray* const address = array.get();
  spare_.keep(array);
  EXPECT_EQ(array, nullptr);
  EXPECT_EQ(spare_.take(std::vector<std::int64_t>{3, 2}, floats), nullptr);
  EXPECT_EQ(spare_.take(std::vector<std::int64_t>{6}, floats), nullptr);
  EXPECT_EQ(spare_.take(std::vector<std::int64_t>{2, 3}, integers), nullptr);
  EXPECT_EQ(spare_.take(std::vector<std::int64_t>{2, 3}, floats).get(), address);
  EXPECT_EQ(spare_.take(std::vector<std::int64_t>{2, 3}, floats), nullptr);
  EXPECT_EQ(account_->live, 0);
}

TEST_F(RuntimeSpareArrays, LeaveOutWhatOthersHold) {
  EXPECT_TRUE(keeps(made({5})));
  const Shared held = made({5});
  EXPECT_FALSE(keeps(held));
  const Shared viewed = made({6});
  EXPECT_FALSE(keeps(viewed->reshaped({2, 3})));
  Shared whole = made({7});
  const std::shared_ptr<detail::Buffer> component = whole->component(0);
  EXPECT_FALSE(keeps(std::move(whole)));
  Shared none;
  spare_.keep(none);
}

TEST_F(RuntimeSpareArrays, LeaveOutMemoryOfOthers) {
  float numbers[4] = {};
  bool released = false;
  auto lent = detail::Buffer::borrow(numbers, sizeof numbers, [&] { released = true; });
  std::vector<std::shared_ptr<detail::Buffer>> components;
  components.push_back(std::move(lent));
  Shared array = std::make_shared<const HostArray>(
      std::vector<std::int64_t>{4}, std::vector{ScalarType::f32}, std::move(components));
  spare_.keep(array);
  EXPECT_TRUE(released);
  EXPECT_EQ(spare_.take(std::vector<std::int64_t>{4}, floats), nullptr);
}

TEST_F(RuntimeSpareArrays, AreFewAndSmall) {
  EXPECT_TRUE(keeps(made({1 << 14})));
  EXPECT_FALSE(keeps(made({(1 << 14) + 1})));
  for (std::int64_t size = 1; size <= 20; ++size) {
    Shared array = made({size});
    spare_.keep(array);
  }
  int kept = 0;
  for (std::int64_t size = 1; size <= 20; ++size)
    kept += spare_.take(std::vector<std::int64_t>{size}, floats) != nullptr;
  EXPECT_EQ(kept, 8);
  EXPECT_EQ(account_->live, 0);
}

// The result of a loop belongs to the user alone, whatever its iterations reuse.
TEST(LoopsThatReuseArrays, ReturnResultsOfTheirOwn) {
  const auto steps = compile(
      [](Exp<std::int64_t> n, Acc<Vector<float>> x) {
        return aiterate(
            n,
            [](Acc<Vector<float>> v) { return map([](auto a) { return a + 1.0f; }, reverse(v)); },
            x);
      },
      {.target = cpu()});
  const Vector<float> x{1, 2, 3};
  std::vector<Vector<float>> results;
  for (std::int64_t n = 0; n < 8; ++n) results.push_back(steps(n, x));
  for (std::int64_t n = 0; n < 8; ++n) {
    const auto add = static_cast<float>(n);
    const Vector<float> expected = n % 2 == 0 ? Vector<float>{1 + add, 2 + add, 3 + add}
                                              : Vector<float>{3 + add, 2 + add, 1 + add};
    EXPECT_EQ(results[static_cast<std::size_t>(n)], expected) << n;
  }
  EXPECT_EQ(x, (Vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace hasten::test
