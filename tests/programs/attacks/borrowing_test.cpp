// Borrowed memory: none at all, and pointers that are wrong.
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

HASTEN_ON_EVERY_DEVICE(AttacksBorrowing);

TEST(Borrowing, OfSomethingThatIsNotThere) {
  EXPECT_THROW((Vector<float>::borrow(3, nullptr, [] {})), hs::ShapeError);
}

}  // namespace
