// Push arrays, compared with arrays and with loops over host arrays.
#include "../../../examples/programs/pull_push.hpp"
#include "tests/programs/support.hpp"

#include <array>
#include <bit>
#include <complex>
#include <functional>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

using hs::Acc, hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Pull, hs::Push, hs::Vector;

namespace {

using Index = std::int64_t;

class PushArrays : public hasten_test::OnEveryDevice {
 protected:
  template <class T, std::size_t N>
  static void expect_same(const Push<T, N>& pushed, const Acc<Array<T, N>>& expected) {
    EXPECT_EQ(run(hs::force(pushed)), run(expected));
  }
};

Vector<Index> line(Index n) { return hasten_test::vector_of(hasten_test::numbers<Index>(n, 3)); }
Matrix<Index> table(Index rows, Index columns) {
  return Matrix<Index>::from_function({rows, columns}, [](Ix<2> at) { return at[0] * 31 + at[1]; });
}

/// 0, 10, 1, 11, ... by two writes per iteration.
Push<Index, 1> pairs_of(const Exp<Index>& n) {
  return hs::push_many<2>(n, 2 * n, [](auto i) {
    return std::tuple{std::pair{2 * i, i}, std::pair{2 * i + 1, i + 10}};
  });
}
Vector<Index> expected_pairs(Index n) {
  return Vector<Index>::from_function(hs::ix(2 * n),
                                      [](Ix<1> i) { return i[0] / 2 + i[0] % 2 * 10; });
}

TEST_P(PushArrays, SeveralWritesAnIteration) {
  for (const Index n : {0, 1, 5, 1000}) {
    EXPECT_EQ(run(hs::force(pairs_of(n))), expected_pairs(n));
    // The writes as a std::array; three of them, backwards.
    const auto thrice = hs::push_many<3>(n, 3 * n, [n](auto i) {
      const auto at = [&](Index k) { return 3 * n - 1 - (3 * i + k); };
      return std::array{std::pair{at(0), i}, std::pair{at(1), i * 2}, std::pair{at(2), i * 3}};
    });
    EXPECT_EQ(run(hs::force(thrice)), Vector<Index>::from_function(hs::ix(3 * n), [n](Ix<1> i) {
                const Index from = 3 * n - 1 - i[0];
                return from / 3 * (from % 3 + 1);
              }));
  }
  // Writes of another rank than the loop's, of groups, and a single write.
  const auto corners = hs::push_many<1>(Ix(3, 2), Ix(2, 3), [](auto i, auto j) {
    return std::tuple{std::pair{hs::ix(j, i), std::pair{i, hs::cast<float>(j)}}};
  });
  const auto swapped = run(hs::force(corners));
  EXPECT_EQ(swapped.shape(), (Ix<2>(2, 3)));
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_EQ(swapped(i, j), (std::pair<Index, float>{j, static_cast<float>(i)}));
}

TEST_P(PushArrays, MapsChangeWhatIsWritten) {
  const auto p = pairs_of(6);
  EXPECT_EQ(run(hs::force(hs::map([](auto x) { return x * x; }, p))),
            run(hs::map([](auto x) { return x * x; }, hs::use(expected_pairs(6)))));
  const auto weighted = [](auto i, auto x) { return hs::cast<double>(i) + x * 0.5; };
  const auto halves = [](auto x) { return hs::cast<double>(x); };
  EXPECT_EQ(run(hs::force(hs::imap(weighted, hs::map(halves, p)))),
            run(hs::imap(weighted, hs::map(halves, hs::use(expected_pairs(6))))));
}

TEST_P(PushArrays, ReversedAndTransposed) {
  const auto m = hs::use(table(4, 7));
  const auto whole = hs::push(m);
  const auto loops =
      hs::permute_bijective(Ix(4, 7), [](auto i, auto j) { return hs::ix(i, j); }, m);
  const auto parts = hs::concat(hs::take(3, hs::pull(m)), hs::drop(3, hs::pull(m)));
  for (const auto& p : {whole, loops, parts}) {
    expect_same(p, m);
    expect_same(hs::reverse(p), hs::reverse(m));
    expect_same(hs::reverse_on<0>(p), hs::reverse_on<0>(m));
    expect_same(hs::transpose(p), hs::transpose(m));
    expect_same(hs::reverse(hs::transpose_on<1, 0>(p)), hs::reverse(hs::transpose(m)));
    expect_same(hs::imap([](auto ix, auto x) { return ix[0] * 100 + ix[1] * 10 + x; }, p),
                hs::imap([](auto ix, auto x) { return ix[0] * 100 + ix[1] * 10 + x; }, m));
    EXPECT_EQ(run(hs::generate(1, [&](auto) { return hs::size(p); }))(0), 28);
  }
}

TEST_P(PushArrays, Joined) {
  for (const Index n : {0, 1, 100}) {
    const auto a = hs::use(line(n)), b = hs::use(line(n / 2));
    const auto twice = [](auto x) { return 2 * x; };
    expect_same(hs::concat(hs::push(a), hs::map(twice, hs::pull(b)), a),
                hs::concat(a, hs::map(twice, b), a));
    expect_same(hs::concat(hs::pull(a), hs::pull(b)), hs::concat(a, b));
    expect_same(hs::concat(pairs_of(n), a, pairs_of(3)),
                hs::concat(hs::use(expected_pairs(n)), a, hs::use(expected_pairs(3))));
  }
  const auto m = hs::use(table(3, 4)), wide = hs::use(table(3, 9)), high = hs::use(table(5, 4));
  expect_same(hs::concat(hs::push(m), wide, m), hs::concat(m, wide, m));
  expect_same(hs::concat_on<0>(hs::push(m), high), hs::concat_on<0>(m, high));
  // Concatenates vertically what is concatenated horizontally, and the reverse.
  expect_same(hs::concat_on<0>(hs::concat(hs::pull(m), m), hs::concat(hs::pull(m), m)),
              hs::concat_on<0>(hs::concat(m, m), hs::concat(m, m)));
  expect_same(hs::concat(hs::concat_on<0>(hs::pull(m), m), hs::concat_on<0>(hs::pull(m), m)),
              hs::concat(hs::concat_on<0>(m, m), hs::concat_on<0>(m, m)));
}

TEST_P(PushArrays, OtherExtentsAreErrors) {
  const auto m = hs::pull(hs::use(table(3, 4))), other = hs::pull(hs::use(table(2, 4)));
  EXPECT_THROW(run(hs::force(hs::concat(m, other))), hs::ShapeError);
  try {
    run(hs::force(hs::concat(m, other)));
  } catch (const hs::ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("push_test.cpp"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("where they meet: 3 and 2"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(run(hs::force(hs::concat(hs::interleave(m, m), other))), hs::ShapeError);
  EXPECT_THROW(run(hs::force(hs::interleave(m, other))), hs::ShapeError);
  EXPECT_THROW(run(hs::force(hs::interleave(hs::use(line(3)), pairs_of(2)))), hs::ShapeError);
}

TEST_P(PushArrays, Interleaved) {
  for (const Index n : {0, 1, 9, 500}) {
    const auto a = hs::use(line(n));
    const auto odd = hs::map([](auto x) { return -x; }, hs::pull(a));
    const Vector<Index> v = line(n);
    const auto expected = Vector<Index>::from_function(
        hs::ix(2 * n), [&](Ix<1> i) { return i[0] % 2 == 0 ? v(i[0] / 2) : -v(i[0] / 2); });
    EXPECT_EQ(run(hs::force(hs::interleave(a, odd))), expected);
    EXPECT_EQ(run(hs::force(hs::interleave(hs::push(a), odd))), expected);
  }
  const auto m = hs::pull(hs::use(table(2, 2)));
  EXPECT_EQ(run(hs::force(hs::interleave(m, hs::transpose(m)))),
            (Matrix<Index>{{0, 0, 1, 31}, {31, 1, 32, 32}}));
  EXPECT_EQ(run(hs::force(hs::interleave(hs::interleave(m, m), hs::concat(m, m)))),
            (Matrix<Index>{{0, 0, 0, 1, 1, 0, 1, 1}, {31, 31, 31, 32, 32, 31, 32, 32}}));
}

TEST_P(PushArrays, Stencils) {
  const auto cross = [](auto at) {
    return at(-1, 0) + 2 * at(2, -3) - 5 * at(0, 1) + 7 * at(0, 0);
  };
  for (const Ix<2> shape : {Ix<2>(30, 50), Ix<2>(1, 1), Ix<2>(2, 1), Ix<2>(0, 4), Ix<2>(4, 0)}) {
    const auto m = hs::use(table(shape[0], shape[1]));
    const auto twice = [](auto x) { return 2 * x; };
    const auto p = hs::map(twice, hs::pull(m));
    const auto check = [&](const auto& boundary) {
      expect_same(hs::stencil(cross, boundary, p), hs::stencil(cross, boundary, hs::map(twice, m)));
    };
    check(hs::boundary::clamp);
    check(hs::boundary::mirror);
    check(hs::boundary::wrap);
    check(hs::boundary::outside(Index{100}));
    check(hs::boundary::function([](auto ix) { return ix[0] - ix[1]; }));
  }
  const auto v = hs::use(line(9));
  const auto with_index = [](auto i, auto at) { return at(-1) * i + at(1); };
  expect_same(hs::stencil(with_index, hs::boundary::clamp, hs::pull(v)),
              hs::stencil(with_index, hs::boundary::clamp, v));
}

// Indices out of range are dropped, whatever the user promised; unwritten elements are arbitrary.
TEST_P(PushArrays, BrokenPromises) {
  const auto beyond = hs::push_many<2>(
      6, 12, [](auto i) { return std::tuple{std::pair{2 * i - 4, i}, std::pair{2 * i - 3, -i}}; });
  const auto far = hs::permute_bijective(
      3, [](auto i) { return (i - 1) * 1'000'000'000'000; }, hs::use(line(3)));
  if (GetParam().target.name() == "interpreter") {  // the interpreter always checks
    EXPECT_THROW(run(hs::force(beyond)), hs::IndexError);
    EXPECT_THROW(run(hs::force(far)), hs::IndexError);
    return;
  }
  const auto got = run(hs::force(beyond));
  EXPECT_EQ(got.shape(), hs::ix(12));
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(got(i), i % 2 == 0 ? i / 2 + 2 : -(i / 2 + 2)) << i;
  EXPECT_EQ(run(hs::force(far))(0), 4);
}

TEST_P(PushArrays, EveryIndexIsWrittenOnce) {
  hs::Options checked = GetParam();
  checked.checks = hs::Checks::all;
  const auto run_checked = [&](const auto& p) { return hs::run(hs::force(p), checked); };
  const auto a = hs::pull(hs::use(line(20)));
  const auto every = [&](auto to) { return hs::permute_bijective(20, to, a); };
  const auto message = [&](const auto& p) -> std::string {
    try {
      run_checked(p);
    } catch (const hs::IndexError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(run_checked(every([](auto i) { return (7 * i) % 20; }))(7), line(20)(1));
  EXPECT_EQ(run_checked(pairs_of(9)), expected_pairs(9));
  EXPECT_EQ(run_checked(hs::concat(pairs_of(9), pairs_of(9)))(20), 1);
  EXPECT_EQ(run_checked(hs::interleave(pairs_of(9), pairs_of(9)))(4), 1);
  const std::string twice = message(every([](auto i) { return (6 * i) % 20; }));
  EXPECT_NE(twice.find("index (0) of the push array is written more than once"), std::string::npos)
      << twice;
  EXPECT_NE(twice.find("push_test.cpp"), std::string::npos) << twice;
  const std::string never = message(every([](auto i) { return i + 1; }));
  EXPECT_NE(never.find("index (0) of the push array is never written"), std::string::npos) << never;
  // The wrong index is in one of several loops, in the second of two writes.
  const auto wrong = hs::push_many<2>(10, 20, [](auto i) {
    return std::tuple{std::pair{i, i}, std::pair{hs::min(i + 10, 18), i}};
  });
  const std::string late = message(hs::concat(pairs_of(2), hs::reverse(wrong), pairs_of(3)));
  EXPECT_NE(late.find("index (4) of the push array is never written"), std::string::npos) << late;
  const auto rows = hs::push_many<1>(hs::ix(4, 3), hs::ix(4, 3),
                                     [](auto i, auto j) { return std::pair{hs::ix(i, j * j), i}; });
  const std::string matrix = message(rows);
  EXPECT_NE(matrix.find("index (0, 2) of the push array is never written"), std::string::npos)
      << matrix;
}

TEST_P(PushArrays, EmptyOnes) {
  EXPECT_EQ(run(hs::force(Push<float, 1>{})), Vector<float>{});
  EXPECT_EQ(run(hs::force(Push<int, 0>{})).item(), 0);
  // A negative extent counts as none, at any position.
  EXPECT_EQ(run(hs::force(hs::concat(pairs_of(-3), pairs_of(2), pairs_of(-1)))), expected_pairs(2));
  const auto none = hs::pull(-3, [](auto i) { return i; });
  EXPECT_EQ(run(hs::force(hs::concat(pairs_of(2), none, pairs_of(1))))(4), 0);
  EXPECT_EQ(run(hs::generate(1, [&](auto) { return hs::size(none); }))(0), 0);
  EXPECT_EQ(
      run(hs::force(hs::push(hs::use(Matrix<int>::from_function({0, 3}, [](Ix<2>) { return 0; })))))
          .shape(),
      (Ix<2>(0, 3)));
}

/// The fast Fourier transform by decimation in frequency: each stage writes two elements per
/// iteration, and the last permutation reverses the bits of indices.
Acc<Vector<std::complex<double>>> fft(Acc<Vector<std::complex<double>>> a, int bits) {
  using Complex = std::complex<double>;
  const Index n = Index{1} << bits;
  for (int stage = bits - 1; stage >= 0; --stage) {
    const Index half = Index{1} << stage;
    const auto x = hs::pull(a);
    a = hs::force(hs::push_many<2>(n / 2, n, [=](auto i) {
      const auto k = i % half;
      const auto at = (i / half) * (2 * half) + k;
      const auto low = x(at), high = x(at + half);
      const auto angle = hs::cast<double>(k) * (-std::numbers::pi / static_cast<double>(half));
      const auto turn = Exp<Complex>(hs::cos(angle), hs::sin(angle));
      return std::tuple{std::pair{at, low + high}, std::pair{at + half, (low - high) * turn}};
    }));
  }
  return hs::force(hs::permute_bijective(
      n,
      [bits](auto i) {
        Exp<Index> reversed = 0;
        for (int b = 0; b < bits; ++b) reversed = reversed * 2 + (i >> b) % 2;
        return reversed;
      },
      hs::pull(a)));
}

TEST_P(PushArrays, FourierTransformByButterflies) {
  constexpr int bits = 6;
  constexpr Index n = Index{1} << bits;
  std::vector<std::complex<double>> x;
  for (Index i = 0; i < n; ++i)
    x.emplace_back(static_cast<double>(i * 7 % 13), static_cast<double>(i * 5 % 11));
  const auto got = run(fft(hs::use(hasten_test::vector_of(x)), bits));
  for (Index k = 0; k < n; ++k) {
    std::complex<double> expected;
    for (Index i = 0; i < n; ++i)
      expected += x[static_cast<std::size_t>(i)] *
                  std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % n) / n);
    EXPECT_LT(std::abs(got(k) - expected), 1e-10) << k;
  }
}

// Radix 4, and a last stage of radix 2 for odd powers: short inner loops and long ones.
TEST_P(PushArrays, FourierTransformOfFourWrites) {
  for (const Index n : {1, 2, 4, 8, 32, 256, 512}) {
    std::vector<std::complex<float>> x;
    for (Index i = 0; i < n; ++i)
      x.emplace_back(static_cast<float>(i * 7 % 13), static_cast<float>(i * 5 % 11));
    const auto transform = [n](Acc<Vector<std::complex<float>>> a) {
      return programs::wide_butterflies(n, a);
    };
    const auto f = hs::compile(transform, GetParam());
    EXPECT_EQ(f.kernel_count(), (std::bit_width(static_cast<std::size_t>(n))) / 2) << n;
    const Vector<std::complex<float>> got = f(hasten_test::vector_of(x));
    for (Index k = 0; k < n; ++k) {
      std::complex<double> expected;
      for (Index i = 0; i < n; ++i)
        expected += std::complex<double>(x[static_cast<std::size_t>(i)]) *
                    std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % n) /
                                        static_cast<double>(n));
      EXPECT_LT(std::abs(std::complex<double>(got(k)) - expected), 1e-3) << n << ", " << k;
    }
  }
}

/// Bitonic sort: each step compares elements and writes both, exchanged or not.
TEST_P(PushArrays, BitonicSort) {
  constexpr Index n = 128;
  std::vector<Index> x;
  for (Index i = 0; i < n; ++i) x.push_back(i * 89 % 127);
  Acc<Vector<Index>> a = hs::use(hasten_test::vector_of(x));
  for (Index run = 2; run <= n; run *= 2)
    for (Index distance = run / 2; distance > 0; distance /= 2) {
      const auto p = hs::pull(a);
      a = hs::force(hs::push_many<2>(n / 2, n, [=](auto i) {
        const auto low = (i / distance) * (2 * distance) + i % distance;
        const auto high = low + distance;
        const auto first = hs::min(p(low), p(high)), second = hs::max(p(low), p(high));
        const auto rising = (low / run) % 2 == 0;
        return std::tuple{std::pair{low, hs::select(rising, first, second)},
                          std::pair{high, hs::select(rising, second, first)}};
      }));
    }
  std::sort(x.begin(), x.end());
  EXPECT_EQ(run(a), hasten_test::vector_of(x));
}

/// Loops over one index space are one kernel, also those of parts that are joined.
TEST_P(PushArrays, LoopsOverOneSpaceAreOneKernel) {
  const auto kernels = [](const auto& f) { return hs::compile(f, GetParam()).kernel_count(); };
  using A = Acc<Vector<float>>;
  EXPECT_EQ(kernels([](A a) {
              const auto p = hs::pull(a);
              return hs::force(hs::push_many<2>(hs::size(a), 2 * hs::size(a), [=](auto i) {
                return std::tuple{std::pair{2 * i, p(i)}, std::pair{2 * i + 1, -p(i)}};
              }));
            }),
            1);
  EXPECT_EQ(kernels([](A a) {
              const auto p = hs::pull(a);
              return hs::force(hs::interleave(p, hs::map([](auto x) { return -x; }, p)));
            }),
            1);
  EXPECT_EQ(kernels([](A a) {
              return hs::force(hs::permute_bijective(
                  hs::size(a), [=](auto i) { return hs::size(a) - 1 - i; }, a));
            }),
            1);
  EXPECT_EQ(kernels([](A a) {
              const auto part = [&](float k) {
                return hs::map([k](auto x) { return x * x - k; }, hs::pull(a));
              };
              return hs::force(hs::concat(part(1), part(2), part(3), part(4), part(5), part(6),
                                          part(7), part(8)));
            }),
            1);
  EXPECT_EQ(kernels([](A a) {
              const auto p = hs::pull(a);
              return hs::force(hs::concat(hs::interleave(p, p), hs::reverse(p)));
            }),
            1);
  EXPECT_EQ(kernels([](Acc<Matrix<float>> a) {
              return hs::force(hs::stencil([](auto at) { return at(-1, 0) + at(1, 1); },
                                           hs::boundary::clamp, hs::pull(a)));
            }),
            1);
}

/// Parts of different extents, joined pairs, a stencil among them, and tables.
Push<Index, 1> joined(const Acc<Vector<Index>>& a, const Acc<Vector<Index>>& b) {
  const auto p = hs::pull(a), q = hs::pull(b);
  const auto pairs = hs::push_many<2>(hs::size(a), 2 * hs::size(a), [=](auto i) {
    return std::tuple{std::pair{2 * i + 1, p(i)}, std::pair{2 * i, -p(i)}};
  });
  const auto near =
      hs::stencil([](auto at) { return at(-1) + 2 * at(0) - at(1); }, hs::boundary::clamp, q);
  return hs::concat(hs::reverse(p), pairs, hs::map([](auto x) { return x * 5; }, q), near,
                    hs::interleave(q, hs::reverse(q)), hs::take(3, p));
}
Vector<Index> joined_by_hand(const Vector<Index>& a, const Vector<Index>& b) {
  std::vector<Index> result;
  const Index n = a.size(), m = b.size();
  const auto clamped = [&](Index i) { return b(std::clamp<Index>(i, 0, m - 1)); };
  for (Index i = n; i-- > 0;) result.push_back(a(i));
  for (Index i = 0; i < n; ++i) result.push_back(-a(i)), result.push_back(a(i));
  for (Index i = 0; i < m; ++i) result.push_back(b(i) * 5);
  for (Index i = 0; i < m; ++i) result.push_back(clamped(i - 1) + 2 * b(i) - clamped(i + 1));
  for (Index i = 0; i < m; ++i) result.push_back(b(i)), result.push_back(b(m - 1 - i));
  for (Index i = 0; i < std::min<Index>(3, n); ++i) result.push_back(a(i));
  return hasten_test::vector_of(result);
}

/// A push array is one kernel, launched once, whatever the index spaces of its loops are.
TEST_P(PushArrays, LoopsOverDifferentSpacesAreOneLaunch) {
  const auto f = hs::compile(
      [](Acc<Vector<Index>> a, Acc<Vector<Index>> b) { return hs::force(joined(a, b)); },
      GetParam());
  const bool compiles = GetParam().target.name() != "interpreter";
  if (compiles) {
    EXPECT_EQ(f.kernel_count(), 1) << f.explain();
    EXPECT_NE(f.explain().str().find("scatter of 4 loops"), std::string::npos) << f.explain();
  }
  const Index sizes[] = {0, 1, 2, 7, 1009, 40009};
  std::int64_t calls = 0;
  for (const Index n : sizes)
    for (const Index m : sizes) {
      const auto a = line(n), b = hasten_test::vector_of(hasten_test::numbers<Index>(m, 11));
      EXPECT_EQ(f(a, b), joined_by_hand(a, b)) << n << " and " << m;
      calls += n + m > 0 ? 1 : 0;
    }
  if (!compiles) return;
  EXPECT_EQ(f.statistics().launches, calls);
  EXPECT_EQ(f.statistics().kernels_compiled + f.statistics().kernels_from_cache, 1);
}

TEST_P(PushArrays, LoopsOverDifferentTablesAreOneLaunch) {
  const auto f = hs::compile(
      [](Acc<Matrix<Index>> a, Acc<Matrix<Index>> b) {
        const auto p = hs::pull(a), q = hs::pull(b);
        const auto above = hs::concat_on<0>(p, hs::map([](auto x) { return -x; }, q));
        return hs::force(hs::concat_on<0>(hs::transpose(hs::transpose(above)), hs::reverse(q)));
      },
      GetParam());
  for (const Index high : {0, 1, 3, 67})
    for (const Index low : {0, 1, 5, 131})
      for (const Index columns : {1, 17, 300}) {
        const auto a = table(high, columns), b = table(low, columns);
        const auto expected =
            Matrix<Index>::from_function({high + 2 * low, columns}, [&](Ix<2> at) {
              const Index row = at[0], column = at[1];
              if (row < high) return a(row, column);
              if (row < high + low) return -b(row - high, column);
              return b(row - high - low, columns - 1 - column);
            });
        EXPECT_EQ(f(a, b), expected) << high << ", " << low << ", " << columns;
      }
  if (GetParam().target.name() != "interpreter") {
    EXPECT_EQ(f.kernel_count(), 1) << f.explain();
  }
}

/// More loops than one kernel takes become two kernels; the elements are the same.
TEST_P(PushArrays, ManyLoops) {
  const auto f = hs::compile(
      [](Acc<Vector<Index>> a) {
        Push<Index, 1> all = hs::push(hs::pull(a));
        for (Index k = 1; k < 40; ++k) all = hs::concat(all, hs::drop(k, hs::pull(a)));
        return hs::force(all);
      },
      GetParam());
  for (const Index n : {0, 1, 39, 1000}) {
    const auto a = line(n);
    std::vector<Index> expected;
    for (Index k = 0; k < 40; ++k)
      for (Index i = k; i < n; ++i) expected.push_back(a(i));
    EXPECT_EQ(f(a), hasten_test::vector_of(expected)) << n;
  }
  if (GetParam().target.name() != "interpreter") {
    EXPECT_EQ(f.launch_count(), 3) << f.explain();  // the copy between them is in place
    EXPECT_EQ(f.statistics().launches, 6);
  }
}

HASTEN_ON_EVERY_DEVICE(PushArrays);

}  // namespace
