// Outputs in the memory of inputs that are no longer needed, on targets that work in host memory.
// Results are the same as with separate memory, and arrays that anyone still holds stay unchanged.
#include "../support.hpp"

#include <array>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

using Floats = Vector<float>;
using Grid = Matrix<float>;

class Overwriting : public hasten_test::OnEveryDevice {
 protected:
  static bool is_cpu() { return GetParam().target.name() == "cpu"; }

  // The bytes of arrays that the call allocates.
  template <class F>
  static std::int64_t taken_by(F&& call) {
    const hs::Statistics before = hs::statistics();
    call();
    return (hs::statistics() - before).bytes_allocated;
  }

  template <class P, class... A>
  static void expect_as_interpreted(const P& program, const A&... arguments) {
    const auto result = hs::compile(program, GetParam())(arguments...);
    const auto expected = hs::compile(program, {.target = hs::interpreter()})(arguments...);
    EXPECT_EQ(result.shape(), expected.shape());
    EXPECT_EQ(result.to_vector(), expected.to_vector());
  }
};

constexpr std::array<std::int64_t, 7> sizes{1, 2, 15, 16, 65, 1'001, 100'003};

Floats ramp(std::int64_t n) { return hasten_test::vector_of(hasten_test::numbers<float>(n)); }

Grid grid(std::int64_t rows, std::int64_t columns) {
  return Grid(hs::ix(rows, columns),
              std::span<const float>(hasten_test::numbers<float>(rows * columns)));
}

TEST_P(Overwriting, RoundsOfALoopTakeNoMemory) {
  const auto f = hs::compile(
      [](Acc<Floats> x, Exp<std::int64_t> rounds) {
        return hs::aiterate(rounds, [](const Acc<Floats>& s) { return s * 0.5F + 1.0F; }, x);
      },
      GetParam());
  for (const std::int64_t n : sizes) {
    const Floats x = ramp(n);
    const std::vector<float> before = x.to_vector();
    std::vector<float> expected = before;
    for (int round = 0; round < 4; ++round)
      for (float& e : expected) e = e * 0.5F + 1.0F;
    Floats result;
    const std::int64_t four = taken_by([&] { result = f(x, 4); });
    EXPECT_EQ(result.to_vector(), expected);
    EXPECT_EQ(x.to_vector(), before);  // the caller's
    const std::int64_t nine = taken_by([&] { (void)f(x, 9); });
    if (is_cpu() && n > 100) {
      EXPECT_LT(nine - four, n);  // the counter's states, but no array
    }
    EXPECT_EQ(result.to_vector(), expected);  // an earlier call's result is unchanged, too
  }
}

// Each output takes the place of an input that the other output reads as well.
TEST_P(Overwriting, TwoArraysOfEachOther) {
  const auto program = [](Acc<Floats> x, Acc<Floats> y) {
    const auto [a, b] = hs::aiterate(
        5,
        [](const Acc<Floats>& p, const Acc<Floats>& q) {
          return std::pair{q - p * 0.25F, p + q * 0.125F};
        },
        std::pair{x, y});
    return hs::zip(a, b);
  };
  for (const std::int64_t n : sizes) expect_as_interpreted(program, ramp(n), ramp(n));
}

// Integers take the place of floats, and floats that of integers.
TEST_P(Overwriting, OtherTypesOfTheSameSize) {
  const auto program = [](Acc<Vector<std::int32_t>> x) {
    return hs::aiterate(
        3,
        [](const Acc<Vector<std::int32_t>>& s) {
          const auto floats = hs::compute(
              hs::map([](auto e) { return hs::cast<float>(e) * 1.5F; }, hs::compute(s + 1)));
          return hs::map([](auto e) { return hs::cast<std::int32_t>(e); }, floats);
        },
        x);
  };
  for (const std::int64_t n : sizes)
    expect_as_interpreted(
        program, hs::Vector<std::int32_t>(
                     n, std::span<const std::int32_t>(hasten_test::numbers<std::int32_t>(n))));
}

// The bytes are as many, but the elements are not: two shorts in place of a float.
TEST_P(Overwriting, NotOfAsManyBytesInOtherElements) {
  const auto program = [](Acc<Floats> x) {
    const auto made = hs::compute(x + 1.0F);
    const auto shorts = hs::map([](auto e) { return hs::cast<std::int16_t>(e); }, made);
    return hs::concat(shorts, shorts);
  };
  for (const std::int64_t n : sizes) expect_as_interpreted(program, ramp(n));
}

// The state is read again after its successor has been computed.
TEST_P(Overwriting, WhatIsNeededLaterStays) {
  const auto program = [](Acc<Floats> x) {
    return hs::aiterate(
        3,
        [](const Acc<Floats>& s) {
          const auto doubled = hs::compute(s * 2.0F);
          const auto last =
              hs::compute(hs::scanl1([](auto a, auto b) { return hs::max(a, b); }, doubled));
          return hs::zip_with([](auto a, auto b, auto c) { return a - b + c * 0.25F; }, last, s,
                              hs::reverse(doubled));
        },
        x);
  };
  for (const std::int64_t n : sizes) expect_as_interpreted(program, ramp(n));
}

// Neighbours, and arbitrary elements, are read before they are overwritten.
TEST_P(Overwriting, NotWhereOthersReadIt) {
  const auto near = [](auto at) { return at(-1) * 0.25F + at(0) + at(1) * 0.5F; };
  const auto program = [=](Acc<Floats> x) {
    return hs::aiterate(
        3,
        [=](const Acc<Floats>& s) {
          const auto smooth = hs::stencil(near, hs::boundary::clamp, s);
          return hs::imap([=](const auto& i, auto e) { return e + s[hs::size(s) - 1 - i]; },
                          hs::compute(smooth));
        },
        x);
  };
  for (const std::int64_t n : sizes) expect_as_interpreted(program, ramp(n));
}

// An array is stored beside a fold, as in a solver; each round waits for the fold's result.
TEST_P(Overwriting, BesideAFold) {
  const auto program = [](Acc<Grid> b) {
    const auto [x, rest] = hs::aiterate(
        4,
        [](const Acc<Grid>& s, const Acc<Scalar<float>>& r) {
          const auto next = s * 0.5F + hs::min(hs::the(r), 4.0F);
          return std::pair{next,
                           hs::fold_all([](auto p, auto q) { return hs::max(p, q); }, 0.0F, next)};
        },
        std::pair{b, hs::unit(Exp<float>(1.0F))});
    return x;
  };
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 5}, {17, 33}, {64, 64}, {301, 257}})
    expect_as_interpreted(program, grid(rows, columns));
}

// Rows of a matrix inside a larger one: the index space has the smaller extents and is not one row.
TEST_P(Overwriting, RowsThatEndWithinVectors) {
  const auto program = [](Acc<Grid> small, Acc<Grid> large) {
    return hs::aiterate(
        4,
        [=](const Acc<Grid>& s) {
          return hs::zip_with([](auto a, auto b) { return a * 0.5F + b; }, s, large);
        },
        small);
  };
  for (const std::int64_t columns : {1, 7, 16, 19, 63, 130})
    expect_as_interpreted(program, grid(37, columns), grid(40, columns + 3));
  const auto bytes = [](Acc<Matrix<std::uint8_t>> small, Acc<Matrix<std::uint8_t>> large) {
    return hs::aiterate(
        4,
        [=](const Acc<Matrix<std::uint8_t>>& s) { return hs::zip_with(std::plus<>{}, s, large); },
        small);
  };
  const auto matrix = [](std::int64_t rows, std::int64_t columns) {
    return Matrix<std::uint8_t>(
        hs::ix(rows, columns),
        std::span<const std::uint8_t>(hasten_test::numbers<std::uint8_t>(rows * columns)));
  };
  for (const std::int64_t columns : {1, 7, 33, 65, 130})
    expect_as_interpreted(bytes, matrix(23, columns), matrix(23, columns + 1));
}

TEST_P(Overwriting, BytesOfARow) {
  const auto program = [](Acc<Vector<std::uint8_t>> x) {
    return hs::aiterate(
        6, [](const Acc<Vector<std::uint8_t>>& s) { return s * std::uint8_t{3} + std::uint8_t{1}; },
        x);
  };
  for (const std::int64_t n : {1, 31, 33, 63, 64, 100, 129, 5'003})
    expect_as_interpreted(program, hasten_test::vector_of(hasten_test::numbers<std::uint8_t>(n)));
}

// Both branches may overwrite the state; the branch that returns it keeps it.
TEST_P(Overwriting, InBranches) {
  const auto program = [](Acc<Floats> x) {
    return hs::aiterate(
        6,
        [](const Exp<std::int64_t>& k, const Acc<Floats>& s) {
          const auto more = hs::acond(k % 2 == 0, s + 1.0F, s);
          return hs::acond(k % 3 == 0, hs::zip_with(std::plus<>{}, more, s), more);
        },
        x);
  };
  for (const std::int64_t n : sizes) expect_as_interpreted(program, ramp(n));
}

TEST_P(Overwriting, IsExplained) {
  const auto f = hs::compile(
      [](Acc<Floats> x) {
        return hs::aiterate(3, [](const Acc<Floats>& s) { return s + 1.0F; }, x);
      },
      GetParam());
  (void)f(ramp(3));
  EXPECT_EQ(f.explain().str().find("in place of") != std::string::npos, is_cpu());
}

HASTEN_ON_EVERY_DEVICE(Overwriting);

}  // namespace
