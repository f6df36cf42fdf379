// Ranks of different speeds: the points where arrays are split are learned, the same on all ranks.
#include <hasten/hasten.hpp>
#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Ix, hs::Vector;

namespace {

constexpr std::int64_t elements = 3000;

// x + 1; the first rank takes some 20 us for each, the others a tenth of that.
Exp<double> next(Exp<double> x) {
  const auto slow = hs::on_cpu("test::next", [](double y) noexcept {
    const int rounds = hs::mpi::rank() == 0 ? 20'000 : 2'000;
    volatile double sum = 0;
    for (int i = 0; i < rounds; ++i) sum = sum + 1;
    return y + 1 + 0 * sum;
  });
  return hs::foreign_exp(slow, [](Exp<double> y) { return y + 1; }, x);
}

Vector<double> numbers() {
  return Vector<double>::from_function(elements, [](Ix<1> i) { return static_cast<double>(i[0]); });
}

TEST(RankShares, FollowWhatRanksTake) {
  auto f = hs::compile([](Acc<Vector<double>> a) { return hs::map(next, a); },
                       {.target = hs::mpi::target()});
  const Vector<double> start = numbers();
  Vector<double> result;
  for (int call = 0; call < 5; ++call) result = f(start);
  const std::int64_t own = hs::mpi::local(result).shape()[0];
  const std::int64_t even = elements / hs::mpi::size();
  if (hs::mpi::size() > 1 && hs::mpi::rank() == 0) {
    EXPECT_LT(own, even / 2);
    std::ostringstream text;
    text << f.explain();
    EXPECT_NE(text.str().find("shares of ranks"), std::string::npos);
  }
  // The parts of all ranks come from one split.
  const Vector<double> counts =
      hs::run(hs::use(hs::mpi::distributed(Vector<double>{static_cast<double>(own)})),
              {.target = hs::mpi::target()});
  double sum = 0;
  for (std::int64_t k = 0; k < hs::mpi::size(); ++k) sum += counts(k);
  EXPECT_EQ(sum, static_cast<double>(elements));
  for (const std::int64_t i : {std::int64_t{0}, elements / 2, elements - 1})
    EXPECT_EQ(result(i), static_cast<double>(i) + 1);
  // A fixed split is not learned.
  const std::vector<double> alike(static_cast<std::size_t>(hs::mpi::size()), 1);
  auto fixed = hs::compile([](Acc<Vector<double>> a) { return hs::map(next, a); },
                           {.target = hs::mpi::target(), .split = alike});
  for (int call = 0; call < 5; ++call) result = fixed(start);
  EXPECT_NEAR(static_cast<double>(hs::mpi::local(result).shape()[0]), static_cast<double>(even), 1);
}

}  // namespace
