// Elements of type std::array<T, K> that loops read and change at computed indices: they are in the
// kernel's private memory on every target, however their versions branch. Compared with plain C++.
#include "tests/programs/support.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <tuple>
#include <utility>
#include <vector>

using hs::Exp, hs::Vector;

namespace {

using Index = std::int64_t;
using Word = std::uint32_t;

constexpr Index count = 37;  // some lanes are inactive at the end

class PrivateArrays : public hasten_test::OnEveryDevice {
 protected:
  // For each of a few numbers.
  template <class T, class F, class Plain>
  void expect_same(F f, Plain plain) {
    const auto numbers = Vector<Word>::from_function(
        count, [](auto ix) { return static_cast<Word>(ix[0] * 7 + 3); });
    const Vector<T> result = run(hs::map(f, hs::use(numbers)));
    for (Index i = 0; i < count; ++i) EXPECT_EQ(result(i), plain(numbers(i))) << i;
  }
};

// Works on the host and in programs.
template <class W>
W next(W x) {
  return x * 1664525u + 1013904223u;
}

Exp<Index> place(Exp<Word> x, Word size) { return hs::cast<Index>((x >> 16) % size); }
std::size_t place(Word x, Word size) { return (x >> 16) % size; }

template <class T, std::size_t K>
std::array<T, K> first_of() {
  std::array<T, K> a{};
  for (std::size_t k = 0; k < K; ++k) a[k] = static_cast<T>(static_cast<int>(k % 11));
  return a;
}

// Elements move and are added, in a number of rounds that differs between lanes.
template <class T, std::size_t K>
struct Wandering {
  using Array = std::array<T, K>;
  static Exp<Array> in_language(Exp<Word> x) {
    const auto [a, s, left] = hs::while_loop(
        [](const auto& state) { return hs::get<2>(state) > 0u; },
        [](const auto& state) {
          const auto& [b, seed, rounds] = state;
          const Exp<Word> one = next(seed), two = next(one);
          const auto from = place(one, K), to = place(two, K);
          return std::tuple{hs::update(b, to, combined(b[from], b[to])), two, rounds - 1u};
        },
        std::tuple{Exp<Array>(first_of<T, K>()), x, x % 13u});
    return a;
  }
  static Array plain(Word x) {
    Array a = first_of<T, K>();
    Word s = x;
    for (Word left = x % 13; left > 0; --left) {
      const Word one = next(s), two = next(one);
      a[place(two, K)] = combined(a[place(one, K)], a[place(two, K)]);
      s = two;
    }
    return a;
  }
  template <class E>
  static E combined(const E& a, const E& b) {
    if constexpr (std::is_same_v<T, bool>)
      return a != b;
    else
      return static_cast<E>(a + b);
  }
};

TEST_P(PrivateArrays, EverySize) {
  const auto of = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    expect_same<std::array<int, K>>(Wandering<int, K>::in_language, Wandering<int, K>::plain);
  };
  of(std::integral_constant<std::size_t, 2>());
  of(std::integral_constant<std::size_t, 5>());
  of(std::integral_constant<std::size_t, 12>());
  of(std::integral_constant<std::size_t, 13>());
  of(std::integral_constant<std::size_t, 64>());
  of(std::integral_constant<std::size_t, 101>());
}

TEST_P(PrivateArrays, EveryElementType) {
  const auto of = [&]<class T>(T) {
    expect_same<std::array<T, 17>>(Wandering<T, 17>::in_language, Wandering<T, 17>::plain);
  };
  of(bool()), of(std::int8_t()), of(std::uint8_t()), of(std::int16_t()), of(std::uint16_t());
  of(int()), of(Word()), of(Index()), of(std::uint64_t());
  of(hs::half()), of(hs::bfloat16()), of(float()), of(double());
  of(std::complex<float>()), of(std::complex<double>());
}

// More bytes than a kernel keeps in private memory: one of these arrays is not kept there; the
// results are right all the same.
TEST_P(PrivateArrays, ManyBytes) {
  using Array = std::array<double, 200>;
  expect_same<Array>(
      [](Exp<Word> x) {
        const Exp<Array> start(first_of<double, 200>());
        const auto [a, b, c, s] = hs::iterate(
            5,
            [](const auto& state) {
              const auto& [p, q, r, seed] = state;
              const auto i = place(seed, 200), j = place(next(seed), 200);
              return std::tuple{hs::update(p, i, r[j] + 1), hs::update(q, j, p[i] + r[i]),
                                hs::update(r, i, q[j] - p[j]), next(seed)};
            },
            std::tuple{start, start, start, x});
        return hs::update(c, 0, a[place(s, 200)] + b[place(s, 200)]);
      },
      [](Word x) {
        Array a = first_of<double, 200>(), b = a, c = a;
        for (int round = 0; round < 5; ++round, x = next(x)) {
          const std::size_t i = place(x, 200), j = place(next(x), 200);
          const double at_i = a[i], at_j = a[j], b_j = b[j], c_i = c[i], c_j = c[j];
          a[i] = c_j + 1, b[j] = at_i + c_i, c[i] = b_j - at_j;
        }
        c[0] = a[place(x, 200)] + b[place(x, 200)];
        return c;
      });
}

// An old value that is read while the array changes must be the value before the change.
TEST_P(PrivateArrays, OldVersions) {
  using Array = std::array<int, 16>;
  expect_same<std::pair<Array, int>>(
      [](Exp<Word> x) {
        const auto [a, sum, s] = hs::iterate(
            9,
            [](const auto& state) {
              const auto& [b, total, seed] = state;
              const Exp<Word> one = next(seed), two = next(one);
              const auto i = place(one, 16), j = place(two, 16);
              const auto with_i = hs::update(b, i, b[j]);
              const auto swapped = hs::update(with_i, j, b[i]);
              return std::tuple{swapped, total + b[3] + with_i[i] * 2 + b[i] * 5, two};
            },
            std::tuple{Exp<Array>(first_of<int, 16>()), Exp<int>(0), x});
        return std::pair{a, sum};
      },
      [](Word x) {
        Array a = first_of<int, 16>();
        int sum = 0;
        for (int round = 0; round < 9; ++round) {
          const Word one = next(x);
          x = next(one);
          const std::size_t i = place(one, 16), j = place(x, 16);
          const Array b = a;
          a[i] = b[j];
          sum += b[3] + a[i] * 2 + b[i] * 5;
          a[j] = b[i];
        }
        return std::pair{a, sum};
      });
}

// A version that is dropped: the next round starts with the old version.
TEST_P(PrivateArrays, ChangesThatAreDropped) {
  using Array = std::array<int, 20>;
  expect_same<Array>(
      [](Exp<Word> x) {
        const auto [a, s] = hs::iterate(
            7,
            [](const auto& state) {
              const auto& [b, seed] = state;
              const auto i = place(seed, 20);
              const auto tried = hs::update(b, i, b[i] * 3 + 1);
              const auto keeps = tried[place(next(seed), 20)] % 2 == 0;
              return std::tuple{hs::select(keeps, tried, b), next(seed)};
            },
            std::tuple{Exp<Array>(first_of<int, 20>()), x});
        return a;
      },
      [](Word x) {
        Array a = first_of<int, 20>();
        for (int round = 0; round < 7; ++round) {
          Array tried = a;
          const std::size_t i = place(x, 20);
          tried[i] = tried[i] * 3 + 1;
          if (tried[place(next(x), 20)] % 2 == 0) a = tried;
          x = next(x);
        }
        return a;
      });
}

// One branch changes the array at a computed index, one at known indices, one not at all.
TEST_P(PrivateArrays, Branches) {
  using Array = std::array<float, 15>;
  expect_same<Array>(
      [](Exp<Word> x) {
        const auto [a, s] = hs::iterate(
            11,
            [](const auto& state) {
              const auto& [b, seed] = state;
              const auto i = place(seed, 15);
              const auto third = seed % 3u;
              const auto known = hs::update(hs::update(b, 4, b[i] + 1), 9, b[4] - 2);
              const auto changed = hs::select(third == 0u, hs::update(b, i, b[i] + b[(i + 1) % 15]),
                                              hs::select(third == 1u, known, b));
              return std::tuple{changed, next(seed)};
            },
            std::tuple{Exp<Array>(first_of<float, 15>()), x});
        return a;
      },
      [](Word x) {
        Array a = first_of<float, 15>();
        for (int round = 0; round < 11; ++round) {
          const std::size_t i = place(x, 15);
          const float old = a[4];
          if (x % 3 == 0) a[i] += a[(i + 1) % 15];
          if (x % 3 == 1) a[4] = a[i] + 1, a[9] = old - 2;
          x = next(x);
        }
        return a;
      });
}

// Inserts into a sorted array, for each element of a stream: nested loops, indices that are the
// same in all lanes, and an element that is not.
TEST_P(PrivateArrays, LoopsInside) {
  using Array = std::array<int, 14>;
  expect_same<Array>(
      [](Exp<Word> x) {
        const auto [sorted, s] = hs::iterate(
            20,
            [](const auto& state) {
              const auto& [b, seed] = state;
              const auto [with, rest] = hs::fold_range(
                  14, std::pair{b, hs::cast<int>(seed >> 20)}, [](auto k, auto c, auto carried) {
                    const auto here = c[k];
                    return std::pair{hs::update(c, k, hs::min(here, carried)),
                                     hs::max(here, carried)};
                  });
              return std::tuple{with, next(seed) + hs::cast<Word>(rest)};
            },
            std::tuple{Exp<Array>(first_of<int, 14>()), x});
        return sorted;
      },
      [](Word x) {
        Array a = first_of<int, 14>();
        for (int round = 0; round < 20; ++round) {
          int carried = static_cast<int>(x >> 20);
          for (int& here : a)
            std::tie(here, carried) = std::pair(std::min(here, carried), std::max(here, carried));
          x = next(x) + static_cast<Word>(carried);
        }
        return a;
      });
}

// A loop of one array reads an array from outside, and an array that an earlier loop has made.
TEST_P(PrivateArrays, SeveralArrays) {
  using Array = std::array<int, 18>;
  expect_same<std::pair<Array, Array>>(
      [](Exp<Word> x) {
        const auto turn = [](Exp<Word> seed, const auto& from, const auto& to) {
          return hs::iterate(
              5,
              [&](const auto& state) {
                const auto& [b, s] = state;
                const auto i = place(s, 18);
                return std::tuple{hs::update(b, i, from[place(next(s), 18)] + b[i]), next(s)};
              },
              std::tuple{to, seed});
        };
        const auto [a, b, s] = hs::iterate(
            4,
            [&](const auto& state) {
              const auto& [p, q, seed] = state;
              const auto [r, after] = turn(seed, q, p);
              const auto [t, end] = turn(after, r, q);
              return std::tuple{t, r, end};  // swapped
            },
            std::tuple{Exp<Array>(first_of<int, 18>()), Exp<Array>(Array{}), x});
        return std::pair{a, b};
      },
      [](Word x) {
        Array a = first_of<int, 18>(), b{};
        const auto turn = [&](const Array& from, Array& to) {
          for (int k = 0; k < 5; ++k, x = next(x)) to[place(x, 18)] += from[place(next(x), 18)];
        };
        for (int round = 0; round < 4; ++round) {
          turn(b, a);
          turn(a, b);
          std::swap(a, b);
        }
        return std::pair{a, b};
      });
}

// Leaves of elements alternate; each is an array.
TEST_P(PrivateArrays, ElementsOfSeveralLeaves) {
  using Element = std::pair<int, double>;
  using Array = std::array<Element, 16>;
  expect_same<Array>(
      [](Exp<Word> x) {
        const auto [a, s] = hs::iterate(
            9,
            [](const auto& state) {
              const auto& [b, seed] = state;
              const auto [n, y] = b[place(next(seed), 16)];
              return std::tuple{
                  hs::update(b, place(seed, 16), std::pair{n + hs::cast<int>(seed % 5u), y + 0.5}),
                  next(seed)};
            },
            std::tuple{Exp<Array>(Array{}), x});
        return a;
      },
      [](Word x) {
        Array a{};
        for (int round = 0; round < 9; ++round, x = next(x)) {
          const Element from = a[place(next(x), 16)];
          a[place(x, 16)] = {from.first + static_cast<int>(x % 5), from.second + 0.5};
        }
        return a;
      });
}

using Deep = std::array<int, 16>;

// Branches too deeply nested to be written inline become functions in the text for devices; the
// array is their argument.
Exp<Deep> deep(Word levels, const Exp<Deep>& a, const Exp<Word>& x, const hs::Acc<Vector<int>>& t) {
  if (levels == 0) return hs::update(a, place(x, 16), a[place(next(x), 16)] + 1);
  const auto y = next(x + levels);
  return hs::select(t[place(y, 64)] > 0, deep(levels - 1, a, y, t),
                    hs::update(a, place(y, 16), hs::cast<int>(y % levels)));
}

void deep(Word levels, Deep& a, Word x, const Vector<int>& t) {
  for (; levels > 0; --levels) {
    x = next(x + levels);
    if (t(static_cast<Index>(place(x, 64))) <= 0) {
      a[place(x, 16)] = static_cast<int>(x % levels);
      return;
    }
  }
  a[place(x, 16)] = a[place(next(x), 16)] + 1;
}

TEST_P(PrivateArrays, DeepConditions) {
  const auto table =
      Vector<int>::from_function(64, [](auto ix) { return static_cast<int>(ix[0]); });
  const auto t = hs::use(table);
  expect_same<Deep>(
      [&](Exp<Word> x) {
        const auto [a, s] = hs::iterate(
            3,
            [&](const auto& state) {
              const auto& [b, seed] = state;
              return std::tuple{deep(130, b, seed, t), next(seed)};
            },
            std::tuple{Exp<Deep>(first_of<int, 16>()), x});
        return a;
      },
      [&](Word x) {
        Deep a = first_of<int, 16>();
        for (int round = 0; round < 3; ++round, x = next(x)) deep(130, a, x, table);
        return a;
      });
}

// Indices out of range mean the nearest element, also in loops.
TEST_P(PrivateArrays, AnyIndex) {
  using Array = std::array<int, 19>;
  const auto of_plain = [](Index i) {
    return static_cast<std::size_t>(std::clamp<Index>(i, 0, 18));
  };
  expect_same<Array>(
      [](Exp<Word> x) {
        const auto [a, s] = hs::iterate(
            9,
            [](const auto& state) {
              const auto& [b, seed] = state;
              const auto i = hs::cast<Index>(seed % 64u) - 20;
              return std::tuple{hs::update(b, i, b[i * 100000000000] + 1), next(seed)};
            },
            std::tuple{Exp<Array>(first_of<int, 19>()), x});
        return a;
      },
      [&](Word x) {
        Array a = first_of<int, 19>();
        for (int round = 0; round < 9; ++round, x = next(x)) {
          const Index i = static_cast<Index>(x % 64) - 20;
          a[of_plain(i)] = a[of_plain(i * 100000000000)] + 1;
        }
        return a;
      });
}

// Private arrays in operators, in the elements of folds, and in loops that are uniform.
TEST_P(PrivateArrays, InsideFoldsAndOutsideLanes) {
  using Array = std::array<int, 24>;
  const auto counted = [](Exp<Word> x) {
    return Wandering<int, 24>::in_language(x)[place(next(x), 24)];
  };
  const auto counted_plain = [](Word x) {
    return Wandering<int, 24>::plain(x)[place(next(x), 24)];
  };
  const auto numbers =
      Vector<Word>::from_function(1000, [](auto ix) { return static_cast<Word>(ix[0] * 31 + 5); });
  int sum = 0;
  for (Index i = 0; i < 1000; ++i) sum += counted_plain(numbers(i));
  EXPECT_EQ(run(hs::sum(hs::map(counted, hs::use(numbers)))).item(), sum);
  // One number for a whole row, and another for each element.
  const auto table = hs::Matrix<int>(run(hs::generate(hs::Ix<2>{3, 70}, [&](auto ix) {
    const auto a = Wandering<int, 24>::in_language(hs::cast<Word>(ix[0]) + 100u);
    return a[ix[1] % 24];
  })));
  for (Index i = 0; i < 3; ++i)
    for (Index k = 0; k < 70; ++k)
      EXPECT_EQ(table(i, k), (Wandering<int, 24>::plain(static_cast<Word>(i) +
                                                        100)[static_cast<std::size_t>(k % 24)]));
  const auto join = [](Exp<Array> x, Exp<Array> y) {
    const auto [both, at] =
        hs::fold_range(24, std::pair{x, Exp<int>(0)}, [&](auto k, auto so_far, auto n) {
          return std::pair{hs::update(so_far, k, so_far[k] + y[k]), n + 1};
        });
    return both;
  };
  const auto arrays = hs::map(Wandering<int, 24>::in_language, hs::use(numbers));
  Array all{};
  for (Index i = 0; i < 1000; ++i)
    for (std::size_t k = 0; k < 24; ++k) all[k] += Wandering<int, 24>::plain(numbers(i))[k];
  EXPECT_EQ(run(hs::fold(join, Exp<Array>(Array{}), arrays)).item(), all);
}

// The mask alone depends on a private array, or the chosen elements do, or both.
TEST_P(PrivateArrays, ChooseElements) {
  using Wander = Wandering<Word, 7>;
  const auto numbers =
      Vector<Word>::from_function(count, [](auto ix) { return static_cast<Word>(ix[0] * 7 + 3); });
  const auto is_chosen = [](const Exp<Word>& x) {
    return Wander::in_language(x)[x % 7u] % 2u == 0u;
  };
  const auto wander = [](const Exp<Word>& x) { return Wander::in_language(x)[2]; };
  std::vector<Word> chosen, wandered, both;
  for (Index i = 0; i < count; ++i) {
    const Word x = numbers(i), y = Wander::plain(x)[2];
    if (Wander::plain(x)[x % 7] % 2 == 0) chosen.push_back(x);
    if (x % 2 == 0) wandered.push_back(y);
    if (Wander::plain(y)[y % 7] % 2 == 0) both.push_back(y);
  }
  ASSERT_FALSE(chosen.empty());
  ASSERT_LT(chosen.size(), static_cast<std::size_t>(count));
  const auto xs = hs::use(numbers);
  const auto expect = [&](const hs::Acc<Vector<Word>>& program, const std::vector<Word>& expected) {
    const Vector<Word> result = run(program);
    ASSERT_EQ(result.size(), static_cast<Index>(expected.size()));
    for (Index i = 0; i < result.size(); ++i)
      EXPECT_EQ(result(i), expected[static_cast<std::size_t>(i)]) << i;
  };
  expect(hs::filter(is_chosen, xs), chosen);
  expect(hs::map(wander, hs::filter([](const Exp<Word>& x) { return x % 2u == 0u; }, xs)),
         wandered);
  expect(hs::filter(is_chosen, hs::map(wander, xs)), both);
}

HASTEN_ON_EVERY_DEVICE(PrivateArrays);

}  // namespace
