// Stencils and shifted reads on devices that compute several rows of an interior at once: index
// spaces large enough for that, with and without partial tiles. Compared with the interpreter, bit
// for bit.
#include <hasten/hasten.hpp>

#include "tests/support/on_devices.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <tuple>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix;

namespace {

class NeighbourhoodsOnDevices : public hs::test::OnDevices {
 protected:
  static Acc<Matrix<int>> matrix(std::int64_t rows, std::int64_t columns) {
    return hs::compute(hs::generate(hs::ix(rows, columns), [](Exp<hs::Ix<2>> ix) {
      return hs::cast<int>(ix[0] * 31 + ix[1] * 17) % 101;
    }));
  }
};

constexpr auto around = [](auto at) {
  return at(-1, -1) + at(-1, 0) * 2 + at(-1, 1) * 3 + at(0, -1) * 4 + at(0, 1) * 5 + at(1, -1) * 6 +
         at(1, 0) * 7 + at(1, 1) * 8;
};

TEST_P(NeighbourhoodsOnDevices, EveryBorder) {
  run(hs::stencil(around, hs::boundary::clamp, matrix(512, 512)));
  run(hs::stencil(around, hs::boundary::mirror, matrix(513, 575)));
  run(hs::stencil(around, hs::boundary::wrap, matrix(511, 577)));
  run(hs::stencil(around, hs::boundary::outside(-7), matrix(540, 509)));
  const auto corner =
      hs::boundary::function([](Exp<hs::Ix<2>> ix) { return hs::cast<int>(ix[0] * 3 - ix[1]); });
  run(hs::stencil(around, corner, matrix(1023, 260)));
}

// Wide stencils, and stencils with all neighbours on one side: more rows of tiles touch borders.
TEST_P(NeighbourhoodsOnDevices, EveryReach) {
  run(hs::stencil([](auto at) { return at(-40, 3) - at(25, -70); }, hs::boundary::wrap,
                  matrix(700, 450)));
  run(hs::stencil([](auto at) { return at(0, 0) - at(33, 0); }, hs::boundary::clamp,
                  matrix(450, 640)));
  run(hs::stencil([](auto at) { return at(0, -65) - at(0, 0) * 3; }, hs::boundary::mirror,
                  matrix(450, 640)));
  // No element is that far from every border.
  run(hs::stencil([](auto at) { return at(-300, 0) - at(300, 0); }, hs::boundary::wrap,
                  matrix(512, 512)));
}

TEST_P(NeighbourhoodsOnDevices, EveryRank) {
  const auto cube = hs::compute(hs::generate(hs::ix(34, 63, 127), [](Exp<hs::Ix<3>> ix) {
    return hs::cast<int>(ix[0] * 5 + ix[1] * 3 + ix[2] * 7) % 97;
  }));
  const auto cross = [](auto at) {
    return at(-1, 0, 0) + at(1, 0, 0) * 2 + at(0, -1, 0) * 3 + at(0, 1, 0) * 4 + at(0, 0, -1) * 5 +
           at(0, 0, 1) * 6;
  };
  run(hs::stencil(cross, hs::boundary::clamp, cube));
  run(hs::stencil(cross, hs::boundary::outside(3), cube));
  const auto more = hs::compute(hs::generate(hs::ix(4, 5, 128, 110), [](Exp<hs::Ix<4>> ix) {
    return hs::cast<int>(ix[0] * 5 + ix[1] * 3 + ix[2] * 7 - ix[3]) % 97;
  }));
  run(hs::stencil([](auto at) { return at(0, 1, -1, 0) - at(0, 0, 1, 1) + at(1, 0, 0, -1); },
                  hs::boundary::mirror, more));
  const auto line = hs::flatten(matrix(512, 520));
  run(hs::stencil([](auto at) { return at(-1) * 2 + at(0) + at(1) * 5; }, hs::boundary::wrap,
                  line));
}

TEST_P(NeighbourhoodsOnDevices, EveryElement) {
  const auto pairs = hs::compute(hs::map(
      [](Exp<int> x) { return std::tuple{hs::cast<double>(x), hs::cast<std::int8_t>(x * 3)}; },
      matrix(530, 510)));
  run(hs::stencil(
      [](auto at) {
        auto [a, b] = at(-1, 0);
        auto [c, d] = at(1, 1);
        return std::tuple{a + c * 2.0, hs::cast<int>(b) - hs::cast<int>(d)};
      },
      hs::boundary::clamp, pairs));
  const auto halves = hs::compute(hs::cast<hs::half>(matrix(520, 510)));
  run(hs::stencil([](auto at) { return (at(-1, 0) + at(1, 0)) * at(0, 1); }, hs::boundary::wrap,
                  halves));
  const auto complex = hs::compute(hs::map(
      [](Exp<int> x) {
        return Exp<std::complex<float>>{hs::cast<float>(x), hs::cast<float>(x - 7)};
      },
      matrix(520, 510)));
  run(hs::stencil([](auto at) { return at(-1, 0) * at(0, 1) + at(0, 0); }, hs::boundary::mirror,
                  complex));
}

// Two arrays with different borders, the smaller of which bounds the index space; reads shifted by
// hand.
TEST_P(NeighbourhoodsOnDevices, SeveralArrays) {
  run(hs::stencil2([](auto a, auto b) { return a(-1, 0) + a(1, 0) - b(0, 2) * b(-2, 0); },
                   hs::boundary::clamp, matrix(600, 520), hs::boundary::wrap, matrix(513, 640)));
  const auto m = matrix(513, 516);
  run(hs::imap(
      [=](Exp<hs::Ix<2>> ix, Exp<int> x) {
        return hs::select(ix[0] > 0 && ix[1] < 515, x - m(ix[0] - 1, ix[1] + 1), x);
      },
      m));
}

INSTANTIATE_TEST_SUITE_P(First, NeighbourhoodsOnDevices, hs::test::first_devices(),
                         hs::test::device_kind);

}  // namespace
