// Stencils over pictures whose innermost axis is short: lines of rows are one row where nothing is
// corrected. Around the thresholds of lines and of rows, against the interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>

using hasten_test::numbers_of;
using hs::Acc, hs::Array, hs::Exp, hs::Ix;

namespace {

class Lines : public hasten_test::AgainstInterpreter {};

const std::int64_t channel_counts[] = {1, 3, 4, 6, 8, 13, 31, 33};

const auto neighbours = [](const auto& at) {
  return at(0, 1, 0) - at(-1, 0, 0) + at(1, -2, 0) + at(0, 0, 0);
};

template <class T>
void pictures(auto check) {
  for (const Ix<2>& size : {Ix<2>{1, 64}, Ix<2>{3, 63}, Ix<2>{2, 70}, Ix<2>{5, 131}, Ix<2>{70, 3}})
    for (const std::int64_t channels : channel_counts)
      check(numbers_of<T>(hs::ix(size[0], size[1], channels)),
            std::to_string(size[0]) + " x " + std::to_string(size[1]) + " of " +
                std::to_string(channels));
}

template <class T>
void boundaries(auto same) {
  pictures<T>([&](const auto& x, const std::string& what) {
    same(hs::stencil(neighbours, hs::boundary::clamp, x), "clamped, " + what);
    same(hs::stencil(neighbours, hs::boundary::wrap, x), "wrapped, " + what);
    same(hs::stencil(neighbours, hs::boundary::mirror, x), "mirrored, " + what);
    same(hs::stencil(neighbours, hs::boundary::outside(T{7}), x), "outside, " + what);
  });
}
TEST_P(Lines, BoundariesOfFloats) {
  boundaries<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(Lines, BoundariesOfBytes) {
  boundaries<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Rows do not follow each other in what is read.
TEST_P(Lines, SomeOfTheChannels) {
  pictures<float>([](const auto& x, const std::string& what) {
    const auto shape = hs::shape(x);
    const auto fewer = hs::generate(
        hs::ix(shape[0], shape[1], (shape[2] + 1) / 2),
        [=](const Exp<Ix<3>>& i) { return 2.0f * x(i[0], i[1], i[2] + shape[2] / 2); });
    expect_same(hs::stencil(neighbours, hs::boundary::clamp, fewer), what);
  });
}

// Elements that depend on their channel have no lines that are one row.
TEST_P(Lines, FactorsOfChannels) {
  pictures<float>([](const auto& x, const std::string& what) {
    const auto shape = hs::shape(x);
    const auto factors = numbers_of<float>(hs::ix(40));
    expect_same(
        hs::imap([=](const Exp<Ix<3>>& i, const Exp<float>& v) { return v * factors[i[2]]; },
                 hs::stencil(neighbours, hs::boundary::clamp, x)),
        what);
  });
}

// Several results, and lines that are all there is.
TEST_P(Lines, OfPoints) {
  for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 200})
    for (const std::int64_t channels : channel_counts) {
      const auto x = numbers_of<std::int32_t>(hs::ix(n, channels));
      const auto f = [](const auto& at) {
        return std::tuple{at(1, 0) - at(-1, 0), hs::cast<double>(at(-2, 0)) * 0.5};
      };
      expect_same(hs::stencil(f, hs::boundary::clamp, x),
                  std::to_string(n) + " of " + std::to_string(channels));
    }
}

// The state of a loop, which may go on in place.
TEST_P(Lines, InLoops) {
  for (const std::int64_t channels : channel_counts) {
    const auto x = numbers_of<float>(hs::ix(4, 70, channels));
    expect_same(hs::aiterate(
                    3,
                    [](const auto& state) {
                      return hs::stencil(
                          [](const auto& at) { return 0.5f * at(0, 0, 0) + 0.25f * at(0, 1, 0); },
                          hs::boundary::wrap, state);
                    },
                    x),
                std::to_string(channels) + " channels");
  }
}

HASTEN_ON_EVERY_DEVICE(Lines);

}  // namespace
