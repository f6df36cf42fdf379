// Convolutions of many channels, as sums over several axes: by panels where there are many output
// channels, by lanes across the columns of the picture where there are few. Compared with the
// interpreter, bit for bit: numbers are small and whole.
#include "../support.hpp"

#include <functional>

using hs::Acc, hs::Array, hs::Exp, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

struct Sizes {
  Index inputs, outputs, height, width;  // of the results
  Index lines, columns;                  // of the weights
};

class Convolutions : public hasten_test::OnEveryDevice {
 protected:
  template <class T>
  using Planes = Array<T, 3>;
  template <class T>
  using Weights = Array<T, 4>;

  template <class T>
  static Planes<T> planes(Index channels, Index height, Index width) {
    return Planes<T>::from_function({channels, height, width}, [](hs::Ix<3> i) {
      return static_cast<T>(static_cast<float>((i[0] * 7 + i[1] * 3 + i[2] * 5) % 11 - 5));
    });
  }
  template <class T>
  static Weights<T> weights(const Sizes& n) {
    return Weights<T>::from_function({n.outputs, n.inputs, n.lines, n.columns}, [](hs::Ix<4> i) {
      return static_cast<T>(static_cast<float>((i[0] * 3 + i[1] * 5 + i[2] * 2 + i[3]) % 7 - 3));
    });
  }

  // All products, of which the last three axes are to be summed up. Results are `step` apart.
  template <class T>
  static auto products(const Acc<Planes<T>>& x, const Acc<Weights<T>>& w, Index step = 1) {
    const auto size = hs::shape(x);
    const auto n = hs::shape(w);
    const auto all = [=](auto whole, auto part) { return (whole - part) / step + 1; };
    return hs::generate(hs::ix(n[0], all(size[1], n[2]), all(size[2], n[3]), n[1], n[2], n[3]),
                        [=](auto at) {
                          return w[hs::ix(at[0], at[3], at[4], at[5])] *
                                 x[hs::ix(at[3], step * at[1] + at[4], step * at[2] + at[5])];
                        });
  }

  template <class F, class... Args>
  static void agrees(const F& program, const Args&... args) {
    auto f = hs::compile(program, GetParam());
    const auto defined = hs::compile(program, {.target = hs::interpreter()});
    EXPECT_EQ(f(args...), defined(args...)) << f.explain();
  }
  template <class T, class F>
  static void agrees_on(const F& program, const Sizes& n, Index step = 1) {
    agrees(program,
           planes<T>(n.inputs, step * (n.height - 1) + n.lines, step * (n.width - 1) + n.columns),
           weights<T>(n));
  }
};

// Few and many output channels, on both sides of what tiles need; narrow and wide pictures.
TEST_P(Convolutions, EverySize) {
  const auto program = [](Acc<Planes<float>> x, Acc<Weights<float>> w) {
    return hs::sum(hs::sum(hs::sum(products<float>(x, w))));
  };
  for (const Index outputs : {1, 7, 8, 15, 30})
    for (const Index width : {1, 7, 16, 33, 70})
      agrees_on<float>(program, {3, outputs, 5, width, 3, 3});
  agrees_on<float>(program, {1, 9, 4, 40, 1, 1});
  agrees_on<float>(program, {5, 9, 4, 40, 1, 70});  // the last axis is not short
  agrees_on<float>(program, {0, 9, 4, 40, 3, 3});
  agrees_on<float>(program, {200, 9, 4, 40, 3, 2});
}

TEST_P(Convolutions, EveryType) {
  const auto of = [&]<class T>(T) {
    agrees_on<T>([](Acc<Planes<T>> x,
                    Acc<Weights<T>> w) { return hs::sum(hs::sum(hs::sum(products<T>(x, w)))); },
                 {4, 10, 6, 20, 3, 3});
  };
  of(double{});
  of(std::int8_t{});
  of(std::int16_t{});
  of(int{});
  of(std::int64_t{});
  of(hs::half{});
}

// Steps of two; a bias and a limit after the sum; and maxima in place of sums.
TEST_P(Convolutions, StepsAndEpilogues) {
  const Sizes n{6, 12, 9, 35, 3, 3};
  agrees_on<float>(
      [](Acc<Planes<float>> x, Acc<Weights<float>> w) {
        const auto sums = hs::sum(hs::sum(hs::sum(products<float>(x, w, 2))));
        return hs::imap(
            [](auto at, auto sum) { return hs::max(sum + hs::cast<float>(at[0]), 0.0F); }, sums);
      },
      n, 2);
  agrees_on<int>(
      [](Acc<Planes<int>> x, Acc<Weights<int>> w) {
        return hs::maximum(hs::maximum(hs::maximum(products<int>(x, w))));
      },
      n);
}

// Sums of two axes and of four; sums of which the innermost has another operator.
TEST_P(Convolutions, OtherNumbersOfAxes) {
  const Sizes n{6, 12, 9, 35, 3, 5};
  agrees_on<int>(
      [](Acc<Planes<int>> x, Acc<Weights<int>> w) { return hs::sum(hs::sum(products<int>(x, w))); },
      n);
  agrees_on<int>(
      [](Acc<Planes<int>> x, Acc<Weights<int>> w) {
        return hs::sum(hs::sum(hs::sum(hs::sum(products<int>(x, w)))));
      },
      n);
  agrees_on<int>(
      [](Acc<Planes<int>> x, Acc<Weights<int>> w) {
        return hs::sum(hs::sum(hs::maximum(products<int>(x, w))));
      },
      n);
}

// The picture continues with zeros, or its last elements, beyond its border.
TEST_P(Convolutions, Borders) {
  const Sizes n{4, 10, 7, 33, 3, 3};
  const auto beyond = [](const auto& at_border) {
    return [=](Acc<Planes<float>> x, Acc<Weights<float>> w) {
      const auto size = hs::shape(x);
      const auto channels = hs::shape(w);
      const auto all =
          hs::generate(hs::ix(channels[0], size[1], size[2], channels[1], 3, 3), [=](auto at) {
            return w[hs::ix(at[0], at[3], at[4], at[5])] *
                   at_border(x, at[3], at[1] + at[4] - 1, at[2] + at[5] - 1);
          });
      return hs::sum(hs::sum(hs::sum(all)));
    };
  };
  agrees_on<float>(beyond([](const auto& x, auto c, auto i, auto j) {
                     const auto size = hs::shape(x);
                     const auto is_in = (i >= 0) & (size[1] > i) & (j >= 0) & (size[2] > j);
                     return hs::if_(is_in, x[hs::ix(c, i, j)], Exp<float>(0.0F));
                   }),
                   n);
  agrees_on<float>(beyond([](const auto& x, auto c, auto i, auto j) {
                     const auto size = hs::shape(x);
                     return x[hs::ix(c, hs::min(hs::max(i, 0), size[1] - 1),
                                     hs::min(hs::max(j, 0), size[2] - 1))];
                   }),
                   n);
}

HASTEN_ON_EVERY_DEVICE(Convolutions);

}  // namespace
