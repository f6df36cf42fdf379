// A violated condition on whole arrays is an error on every rank, even for arrays that no rank
// needs; later calls work again.
#include "tests/support/wrong_shapes.hpp"

#include <hasten/hasten.hpp>
#include <hasten/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace hs = hasten;

namespace {

using Ints = hs::test::WrongShapes::Ints;

Ints numbers(std::int64_t n) {
  return Ints::from_function(n, [](hs::Ix<1> i) { return static_cast<std::int32_t>(i[0] % 1009); });
}

/// This rank's rows of `n`; their number differs between ranks.
Ints own(std::int64_t n) {
  const std::int64_t ranks = hs::mpi::size(), rank = hs::mpi::rank();
  const auto begin = [&](std::int64_t k) { return n * k * k / (ranks * ranks); };
  return numbers(begin(rank + 1) - begin(rank));
}

TEST(RanksOfWrongShapes, AreErrorsOnAll) {
  const hs::Options options{.target = hs::mpi::target()};
  auto sum = hs::compile([](hs::Acc<Ints> a) { return hs::sum(a); }, options);
  for (const hs::test::WrongShapes& wrong : hs::test::programs_of_wrong_shapes()) {
    auto f = hs::compile<hs::Acc<Ints>(hs::Acc<Ints>, hs::Acc<Ints>)>(wrong.program, options);
    EXPECT_THROW(static_cast<void>(f(numbers(wrong.left), numbers(wrong.right))), hs::ShapeError)
        << wrong.name << ", rank " << hs::mpi::rank();
    const auto left = hs::mpi::distributed(own(wrong.left));
    EXPECT_THROW(static_cast<void>(f(left, numbers(wrong.right))), hs::ShapeError)
        << wrong.name << ", distributed, rank " << hs::mpi::rank();
  }
  EXPECT_EQ(sum(numbers(5)).item(), 10);
}

}  // namespace
