// Borrowed memory: none at all, and invalid pointers.
#include "../support.hpp"

#include <functional>
#include <vector>

using hs::Acc, hs::Matrix, hs::Vector;

namespace {

class AttacksBorrowing : public hasten_test::OnEveryDevice {};

TEST_P(AttacksBorrowing, OfNothing) {
  int released = 0;
  {
    std::vector<float> none;
    const auto lent = Vector<float>::borrow(0, none.data(), [&] { ++released; });
    EXPECT_EQ(lent.size(), 0);
    EXPECT_TRUE(lent.span().empty());
    EXPECT_EQ(run(hs::sum(hs::use(lent))).item(), 0);
    EXPECT_EQ(run(hs::map([](auto x) { return x + 1; }, hs::use(lent))).size(), 0);
    EXPECT_EQ(run(hs::concat(hs::use(lent), hs::use(Vector<float>{1, 2}))).size(), 2);
    EXPECT_EQ(run(hs::scanl(std::plus<>{}, 7.0F, hs::use(lent))).size(), 1);
    EXPECT_EQ(run(hs::sort(hs::use(lent))).size(), 0);
    const auto doubled = hs::compile(
        [](const Acc<Vector<float>>& a) { return hs::zip_with(std::plus<>{}, a, a); }, GetParam());
    EXPECT_EQ(doubled(lent), lent);
    const auto rows = Matrix<float>::borrow(hs::ix(3, 0), nullptr, [&] { ++released; });
    EXPECT_EQ(run(hs::sum(hs::use(rows))).to_vector(), (std::vector<float>{0, 0, 0}));
  }
  EXPECT_EQ(released, 2);
}

// Violates the promise; what happens then is still defined.
TEST_P(AttacksBorrowing, OfWhatChangesBetweenCalls) {
  std::vector<float> numbers{1, 2, 3};
  const auto lent = Vector<float>::borrow(3, numbers.data(), [] {});
  const auto total =
      hs::compile([](const Acc<Vector<float>>& a) { return hs::sum(a); }, GetParam());
  EXPECT_EQ(total(lent).item(), 6);
  numbers[0] = 10;
  const float then = total(lent).item();
  EXPECT_TRUE(then == 15 || then == 6) << then;
  const std::string& target = GetParam().target.name();
  if (target == "cpu" || target == "interpreter") {
    EXPECT_EQ(then, 15);
  }
  hs::release(lent);
  EXPECT_EQ(total(lent).item(), 15);
}

// Lengths that were right once are checked again.
TEST_P(AttacksBorrowing, OfLengthsThatChange) {
  std::vector<std::int32_t> lengths{1, 2};
  const auto lent = Vector<std::int32_t>::borrow(2, lengths.data(), [] {});
  const auto sums = hs::compile(
      [](const Acc<Vector<float>>& a, const Acc<Vector<std::int32_t>>& l) {
        return hs::fold_seg(std::plus<>{}, 0.0F, a, l);
      },
      GetParam());
  const Vector<float> numbers{1, 2, 3};
  EXPECT_EQ(sums(numbers, lent), (Vector<float>{1, 5}));
  lengths[1] = 1000;
  hs::release(lent);
  EXPECT_THROW((void)sums(numbers, lent), hs::ShapeError);
}

HASTEN_ON_EVERY_DEVICE(AttacksBorrowing);

TEST(Borrowing, OfSomethingThatIsNotThere) {
  EXPECT_THROW((Vector<float>::borrow(3, nullptr, [] {})), hs::ShapeError);
}

}  // namespace
