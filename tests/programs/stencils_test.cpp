// Stencils, compared with loops over host arrays.
#include "support.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <vector>

using hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

class Stencils : public hasten_test::OnEveryTarget {};

using Index = std::int64_t;

Index clamped(Index i, Index n) { return std::clamp<Index>(i, 0, n - 1); }
Index wrapped(Index i, Index n) { return ((i % n) + n) % n; }
Index mirrored(Index i, Index n) {
  while (i < 0 || i >= n) {
    if (n == 1) return 0;
    i = i < 0 ? -i : 2 * (n - 1) - i;
  }
  return i;
}

/// 3 * v[i - 2] + v[i] - v[i + far], by the given reader.
template <class Read>
Vector<Index> expected_line(Index n, Index far, Read read) {
  return Vector<Index>::from_function(
      hs::ix(n), [&](Ix<1> at) { return 3 * read(at[0] - 2) + read(at[0]) - read(at[0] + far); });
}

TEST_P(Stencils, BordersOfLines) {
  for (const Index n : {0, 1, 2, 3, 4, 17}) {
    const auto v = hasten_test::vector_of(hasten_test::numbers<Index>(n, 5));
    for (const int far : {1, 3, 9}) {
      const auto f = [far](auto at) { return 3 * at(-2) + at(0) - at(far); };
      const auto check = [&](const auto& boundary, const std::function<Index(Index)>& read) {
        EXPECT_EQ(run(hs::stencil(f, boundary, hs::use(v))), expected_line(n, far, read))
            << n << " elements, offset " << far;
      };
      check(hs::boundary::clamp, [&](Index i) { return v(clamped(i, n)); });
      check(hs::boundary::mirror, [&](Index i) { return v(mirrored(i, n)); });
      check(hs::boundary::wrap, [&](Index i) { return v(wrapped(i, n)); });
      check(hs::boundary::outside(Index{100}),
            [&](Index i) { return i >= 0 && i < n ? v(i) : 100; });
      check(hs::boundary::function([](const Exp<Index>& i) { return i * 10; }),
            [&](Index i) { return i >= 0 && i < n ? v(i) : 10 * i; });
    }
  }
}

TEST_P(Stencils, BordersOfMatrices) {
  const auto f = [](auto at) { return at(-1, 0) + 2 * at(2, -3) - 5 * at(0, 1) + 7 * at(0, 0); };
  for (const Ix<2> shape : {Ix<2>(3, 5), Ix<2>(1, 1), Ix<2>(2, 1), Ix<2>(0, 4), Ix<2>(4, 0)}) {
    const Index rows = shape[0], columns = shape[1];
    const auto m =
        Matrix<int>::from_function(shape, [](Ix<2> at) { return int(at[0] * 31 + at[1] * 7); });
    const auto check = [&](const auto& boundary, const std::function<int(Index, Index)>& read) {
      const auto expected = Matrix<int>::from_function(shape, [&](Ix<2> at) {
        const auto [i, j] = at;
        return read(i - 1, j) + 2 * read(i + 2, j - 3) - 5 * read(i, j + 1) + 7 * read(i, j);
      });
      EXPECT_EQ(run(hs::stencil(f, boundary, hs::use(m))), expected);
    };
    check(hs::boundary::clamp,
          [&](Index i, Index j) { return m(clamped(i, rows), clamped(j, columns)); });
    check(hs::boundary::mirror,
          [&](Index i, Index j) { return m(mirrored(i, rows), mirrored(j, columns)); });
    check(hs::boundary::wrap,
          [&](Index i, Index j) { return m(wrapped(i, rows), wrapped(j, columns)); });
    const auto inside = [&](Index i, Index j) {
      return i >= 0 && i < rows && j >= 0 && j < columns;
    };
    check(hs::boundary::outside(-1), [&](Index i, Index j) { return inside(i, j) ? m(i, j) : -1; });
    check(hs::boundary::function(
              [](const Exp<Ix<2>>& at) { return hs::cast<int>(at[0] * 100 + at[1]); }),
          [&](Index i, Index j) { return inside(i, j) ? m(i, j) : int(i * 100 + j); });
  }
}

TEST_P(Stencils, BoundaryFunctionsMayTakeTheComponents) {
  const auto m = Matrix<float>{{1, 2}, {3, 4}};
  const auto border = hs::boundary::function(
      [](const Exp<Index>& i, const Exp<Index>& j) { return hs::cast<float>(i - j); });
  EXPECT_EQ(run(hs::stencil([](auto at) { return at(0, 1); }, border, hs::use(m))),
            (Matrix<float>{{2, -2}, {4, -1}}));
}

TEST_P(Stencils, OfHigherRank) {
  using Block = Array<int, 3>;
  const auto a = Block::from_function(
      hs::ix(2, 3, 4), [](Ix<3> at) { return int(at[0] * 100 + at[1] * 10 + at[2]); });
  const auto expected = Block::from_function(a.shape(), [&](Ix<3> at) {
    return a(clamped(at[0] - 1, 2), at[1], at[2]) + a(at[0], clamped(at[1] + 1, 3), at[2]) +
           a(at[0], at[1], clamped(at[2] + 2, 4));
  });
  const auto f = [](auto at) { return at(-1, 0, 0) + at(0, 1, 0) + at(0, 0, 2); };
  EXPECT_EQ(run(hs::stencil(f, hs::boundary::clamp, hs::use(a))), expected);
}

TEST_P(Stencils, OfTwoArraysWithTheirOwnBorders) {
  const Vector<int> v{1, 2, 3, 4, 5};
  const Vector<double> w{10, 20, 30};
  const auto f = [](auto at, auto bt) { return hs::cast<double>(at(2)) + bt(1) * 100.0; };
  const auto r =
      hs::stencil2(f, hs::boundary::clamp, hs::use(v), hs::boundary::outside(0.5), hs::use(w));
  EXPECT_EQ(run(r), (Vector<double>{2003, 3004, 55}));
  const auto s = hs::stencil2(f, hs::boundary::wrap, hs::use(v), hs::boundary::mirror, hs::use(w));
  EXPECT_EQ(run(s), (Vector<double>{2003, 3004, 2005}));
}

TEST_P(Stencils, OfGroupsAndOfComputedArrays) {
  using Pair = std::pair<int, float>;
  const auto pairs = hs::zip_with([](auto x, auto y) { return std::pair{x, y}; },
                                  hs::use(Vector<int>{1, 2, 3}), hs::use(Vector<float>{4, 5, 6}));
  const auto swapped = [](auto at) { return std::pair{hs::get<0>(at(1)), hs::get<1>(at(-1))}; };
  const auto r = hs::stencil(swapped, hs::boundary::outside(Pair{-1, -2.0F}), pairs);
  EXPECT_EQ(run(r).to_vector(), (std::vector<Pair>{{2, -2.0F}, {3, 4.0F}, {-1, 5.0F}}));
  const auto twice = [](auto at) { return at(-1) + at(1); };
  const auto b =
      hs::stencil(twice, hs::boundary::clamp, hs::stencil(twice, hs::boundary::clamp, hs::iota(4)));
  EXPECT_EQ(run(b), (Vector<Index>{3, 5, 7, 9}));
}

TEST_P(Stencils, BordersAreOnlyComputedBeyondTheBorder) {
  hs::Options checked = GetParam();
  checked.checks = hs::Checks::all;
  const auto v = hs::use(Vector<int>{1, 2, 3});
  const auto table = hs::use(Vector<int>{70, 80});
  const auto border = hs::boundary::function(  // in the table's range at -1 and 3 only
      [=](const Exp<Index>& i) { return table[hs::select(i < 0, i + 1, i - 2)]; });
  const auto f = [](auto at) { return at(-1) + at(1); };
  EXPECT_EQ(hs::run(hs::stencil(f, border, v), checked), (Vector<int>{72, 4, 82}));
}

// Sizes around the neighbourhood, the vectors and the chunks of rows.
TEST_P(Stencils, OfEverySize) {
  const auto f = [](auto at) { return at(-1, -2) + 3 * at(0, 1) - at(2, 2) + 5 * at(0, 0); };
  const auto check = [&](const Matrix<int>& m, const auto& boundary, auto read) {
    const Index rows = m.shape()[0], columns = m.shape()[1];
    const auto at = [&](Index i, Index j) { return read(m, i, j, rows, columns); };
    const auto expected = Matrix<int>::from_function(m.shape(), [&](Ix<2> ix) {
      const auto [i, j] = ix;
      return at(i - 1, j - 2) + 3 * at(i, j + 1) - at(i + 2, j + 2) + 5 * at(i, j);
    });
    EXPECT_EQ(run(hs::stencil(f, boundary, hs::use(m))), expected) << rows << " x " << columns;
  };
  for (const Index rows : {1, 2, 3, 4, 7})
    for (const Index columns : {1, 2, 3, 4, 5, 15, 17, 32, 33, 36, 64, 67, 131, 1030}) {
      const auto m = Matrix<int>::from_function(
          hs::ix(rows, columns), [](Ix<2> at) { return int(at[0] * 101 + at[1] * 7) % 1009; });
      check(m, hs::boundary::clamp, [](const auto& a, Index i, Index j, Index r, Index c) {
        return a(clamped(i, r), clamped(j, c));
      });
      check(m, hs::boundary::mirror, [](const auto& a, Index i, Index j, Index r, Index c) {
        return a(mirrored(i, r), mirrored(j, c));
      });
      check(m, hs::boundary::wrap, [](const auto& a, Index i, Index j, Index r, Index c) {
        return a(wrapped(i, r), wrapped(j, c));
      });
      check(m, hs::boundary::outside(9), [](const auto& a, Index i, Index j, Index r, Index c) {
        return i >= 0 && i < r && j >= 0 && j < c ? a(i, j) : 9;
      });
    }
}

TEST_P(Stencils, OfComplexAndSmallFloats) {
  using C = std::complex<float>;
  for (const Index n : {1, 2, 5, 16, 33, 70}) {
    const auto v = Vector<C>::from_function(
        hs::ix(n), [](Ix<1> at) { return C(float(at[0] % 13), float(at[0] % 7)); });
    const auto f = [](auto at) { return at(-1) - at(2); };
    EXPECT_EQ(run(hs::stencil(f, hs::boundary::clamp, hs::use(v))),
              Vector<C>::from_function(hs::ix(n), [&](Ix<1> at) {
                return v(clamped(at[0] - 1, n)) - v(clamped(at[0] + 2, n));
              }));
    const auto halves = Vector<hs::half>::from_function(
        hs::ix(n), [](Ix<1> at) { return hs::half(float(at[0] % 13)); });
    EXPECT_EQ(run(hs::stencil(f, hs::boundary::wrap, hs::use(halves))),
              Vector<hs::half>::from_function(hs::ix(n), [&](Ix<1> at) {
                return hs::half(float(halves(wrapped(at[0] - 1, n))) -
                                float(halves(wrapped(at[0] + 2, n))));
              }));
  }
}

// With every boundary, for reads shifted by hand and for stencils of stencils, the interior has no
// tests.
TEST(StencilKernels, BordersAreApart) {
  const auto apart = [](const auto& program) {
    hs::Options cpu;
    cpu.target = hs::cpu();
    const auto text = hs::compile(program, cpu).explain().str();
    return text.find("borders peeled") != std::string::npos;
  };
  using A = hs::Acc<Matrix<float>>;
  const auto cross = [](auto at) { return at(-1, 0) + at(0, -1) + at(0, 1) + at(1, 0); };
  EXPECT_TRUE(apart([&](A a) { return hs::stencil(cross, hs::boundary::clamp, a); }));
  EXPECT_TRUE(apart([&](A a) { return hs::stencil(cross, hs::boundary::mirror, a); }));
  EXPECT_TRUE(apart([&](A a) { return hs::stencil(cross, hs::boundary::wrap, a); }));
  EXPECT_TRUE(apart([&](A a) { return hs::stencil(cross, hs::boundary::outside(0.0F), a); }));
  EXPECT_TRUE(apart([](A a) {
    return hs::generate(hs::shape(a), [=](Exp<Ix<2>> at) {
      return a(at[0], hs::clamp(at[1] - 3, 0, hs::shape(a)[1] - 1));
    });
  }));
  EXPECT_FALSE(apart([](A a) { return hs::map([](auto x) { return x + 1.0F; }, a); }));
  EXPECT_FALSE(apart([](A a) { return hs::transpose(a); }));
}

TEST_P(Stencils, TheIndexMayComeFirst) {
  const auto v = hs::use(Vector<int>{1, 2, 3});
  const auto number = [](auto i) { return 100 * hs::cast<int>(i); };
  EXPECT_EQ(run(hs::stencil([=](auto i, auto at) { return at(-1) + at(1) + number(i); },
                            hs::boundary::clamp, v)),
            (Vector<int>{3, 104, 205}));
  const auto m = hs::use(Matrix<int>{{1, 2}, {3, 4}});
  EXPECT_EQ(run(hs::stencil([=](Exp<Ix<2>> ix, auto at) { return at(0, 1) + number(ix[0]); },
                            hs::boundary::outside(7), m)),
            (Matrix<int>{{2, 7}, {104, 107}}));
  EXPECT_EQ(run(hs::stencil2([=](auto i, auto x, auto y) { return x(0) + y(1) + number(i); },
                             hs::boundary::clamp, v, hs::boundary::wrap, v)),
            (Vector<int>{3, 105, 204}));
}

HASTEN_ON_EVERY_TARGET(Stencils);

}  // namespace
