// Arrays repeated to a shape, compared with NumPy's rule in a loop.
#include "tests/programs/support.hpp"

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;

class Broadcast : public hasten_test::OnEveryDevice {};

template <std::size_t M, std::size_t N>
Ix<N> source_of(const Ix<M>& ix, const Ix<N>& extent) {
  Ix<N> source;
  for (std::size_t k = 0; k < N; ++k) source[k] = extent[k] == 1 ? 0 : ix[M - N + k];
  return source;
}
template <std::size_t N>
Array<int, N> counted(const Ix<N>& shape) {
  Index next = 0;
  return Array<int, N>::from_function(shape, [&](Ix<N>) { return static_cast<int>(next++); });
}
template <std::size_t M, std::size_t N>
void check(const hs::Options& options, const Ix<M>& shape, const Ix<N>& extent) {
  const auto a = counted(extent);
  const auto f = hs::compile(
      [](Acc<Array<int, N>> x, Exp<Ix<M>> to) { return hs::broadcast(to, x); }, options);
  const auto expected = Array<int, M>::from_function(shape, [&](const Ix<M>& ix) {
    Index at = 0;
    const Ix<N> source = source_of(ix, extent);
    for (std::size_t k = 0; k < N; ++k) at = at * extent[k] + source[k];
    return static_cast<int>(at);
  });
  EXPECT_EQ(f(a, shape), expected);
  EXPECT_EQ(hs::run(hs::broadcast(shape, hs::use(a)), options), expected);
}

TEST_P(Broadcast, EveryAxis) {
  const auto& options = GetParam();
  for (const Index n : {0, 1, 2, 67}) check(options, Ix<1>(n), Ix<1>(1));
  check(options, hs::ix(5, 7), Ix<1>(7));
  check(options, hs::ix(5, 7), Ix<1>(1));
  check(options, hs::ix(5, 7), hs::ix(5, 1));
  check(options, hs::ix(5, 7), hs::ix(1, 7));
  check(options, hs::ix(5, 7), hs::ix(1, 1));
  check(options, hs::ix(5, 7), hs::ix(5, 7));
  check(options, hs::ix(0, 7), hs::ix(0, 7));
  check(options, hs::ix(0, 7), hs::ix(1, 7));
  check(options, hs::ix(3, 0, 7), hs::ix(1, 7));
  check(options, hs::ix(3, 5, 7), hs::ix(5, 1));
  check(options, hs::ix(3, 5, 7), hs::ix(3, 1, 7));
  check(options, hs::ix(3, 5, 67), hs::ix(1, 5, 1));
}

TEST_P(Broadcast, Scalars) {
  EXPECT_EQ(run(hs::broadcast(hs::ix(2, 2), hs::unit(7))), (Matrix<int>{{7, 7}, {7, 7}}));
  EXPECT_EQ(run(hs::broadcast(Ix<0>{}, hs::unit(7))).item(), 7);
  EXPECT_EQ(run(hs::broadcast(3, hs::use(Vector<float>{2}))), (Vector<float>{2, 2, 2}));
  EXPECT_EQ(run(hs::broadcast(-3, hs::use(Vector<float>{2}))), Vector<float>{});
}

// Both operands of an operator are broadcast, as in NumPy.
TEST_P(Broadcast, ARowAndAColumn) {
  const auto row = hs::use(Vector<int>{1, 2, 3}), column = hs::use(Vector<int>{10, 20});
  const auto standing = hs::reshape(hs::ix(2, 1), column);
  const auto shape = hs::ix(hs::size(column), hs::size(row));
  const auto sum = hs::broadcast(shape, row) + hs::broadcast(shape, standing);
  EXPECT_EQ(run(sum), (Matrix<int>{{11, 12, 13}, {21, 22, 23}}));
}

HASTEN_ON_EVERY_DEVICE(Broadcast);

}  // namespace
