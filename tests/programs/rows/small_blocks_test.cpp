// Maps whose last two axes are short, with lanes across the axis before: many small matrices,
// around every threshold, against the interpreter.
#include "against_interpreter.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using hasten_test::numbers_of;
using hs::Exp, hs::Ix;

namespace {

class SmallBlocks : public hasten_test::AgainstInterpreter {};

template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t n : {0, 1, 15, 16, 31, 32, 33, 64, 131})
    for (const auto& [rows, columns] :
         {std::pair{1, 1}, {2, 3}, {3, 3}, {4, 4}, {8, 8}, {3, 15}, {15, 3}, {9, 8}, {16, 2}})
      check(n, rows, columns,
            std::to_string(n) + " of " + std::to_string(rows) + " by " + std::to_string(columns));
}

// Each matrix reads its own elements in another order.
template <class T>
void reordered(auto check) {
  of_all_sizes([&](std::int64_t n, std::int64_t rows, std::int64_t columns, const auto& what) {
    const auto x = numbers_of<T>(hs::ix(n, rows, columns));
    check(hs::generate(hs::ix(n, columns, rows),
                       [=](const Exp<Ix<3>>& i) { return x(i[0], i[2], i[1]); }),
          what);
    check(hs::generate(hs::shape(x),
                       [=](const Exp<Ix<3>>& i) {
                         const auto next = x(i[0], (i[1] + 1) % rows, (i[2] + 2) % columns);
                         return next - x(i[0], rows - 1 - i[1], 0);
                       }),
          what);
  });
}
TEST_P(SmallBlocks, ReorderedFloats) {
  reordered<float>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(SmallBlocks, ReorderedBytes) {
  reordered<std::uint8_t>([](const auto& p, const std::string& what) { expect_same(p, what); });
}
TEST_P(SmallBlocks, ReorderedDoubles) {
  reordered<double>([](const auto& p, const std::string& what) { expect_same(p, what); });
}

// Products written out, also for arrays with fewer matrices, whose last matrix replaces the missing
// ones.
TEST_P(SmallBlocks, ProductsOfMatrices) {
  for (const std::int64_t n : {1, 31, 32, 33, 100})
    for (const std::int64_t others : {1, 32, 33, 100}) {
      const auto x = numbers_of<std::int32_t>(hs::ix(n, 3, 3));
      const auto y = numbers_of<std::int32_t>(hs::ix(others, 3, 3));
      expect_same(hs::generate(hs::ix(n, 3, 3),
                               [=](const Exp<Ix<3>>& i) {
                                 const auto other = hs::min(i[0], Exp<std::int64_t>(others - 1));
                                 auto sum = x(i[0], i[1], 0) * y(other, 0, i[2]);
                                 for (int k = 1; k < 3; ++k)
                                   sum = sum + x(i[0], i[1], k) * y(other, k, i[2]);
                                 return sum;
                               }),
                  std::to_string(n) + " and " + std::to_string(others));
    }
}

// Reads further apart than a block, backward from matrix to matrix, or between matrices.
TEST_P(SmallBlocks, ReadsOfOtherKinds) {
  for (const std::int64_t n : {31, 32, 70}) {
    const auto x = numbers_of<std::int32_t>(hs::ix(n, 100, 3));
    const auto y = numbers_of<std::int32_t>(hs::ix(2 * n + 40));
    const auto z = numbers_of<std::int32_t>(hs::ix(3, 3, n));
    const auto program = hs::generate(hs::ix(n, 3, 3), [=](const Exp<Ix<3>>& i) {
      const auto far = x(i[0], 40 * i[1], i[2]), back = x(n - 1 - i[0], i[1] + i[2], 1);
      const auto overlapping = y[2 * i[0] + 5 * i[1] + i[2]], wild = y[(i[0] * i[0]) % n];
      return far + back * 3 + overlapping * 5 + wild * 7 + z(i[1], i[2], i[0]) * 11;
    });
    expect_same(program, std::to_string(n));
  }
}

// Neighbours outside the block's axes, which do not exist for the first and the last blocks, and
// rows of one matrix each.
TEST_P(SmallBlocks, Neighbours) {
  for (const std::int64_t n : {1, 2, 16, 31, 32, 33, 34, 100})
    for (const std::int64_t columns : {1, 2, 3, 8, 15}) {
      const auto x = numbers_of<std::int32_t>(hs::ix(n, columns));
      const auto y = numbers_of<std::int32_t>(hs::ix(n, 3, columns));
      const auto before = [](const Exp<std::int64_t>& i) {
        return hs::max(i - 1, Exp<std::int64_t>(0));
      };
      const auto after = [=](const Exp<std::int64_t>& i) {
        return hs::min(i + 1, Exp<std::int64_t>(n - 1));
      };
      const auto of_rows = hs::generate(hs::shape(x), [=](const Exp<Ix<2>>& i) {
        return x(after(i[0]), i[1]) * 3 - x(before(i[0]), columns - 1 - i[1]);
      });
      const auto of_matrices = hs::generate(hs::shape(y), [=](const Exp<Ix<3>>& i) {
        const auto far = y(before(i[0]), (i[1] + 1) % 3, i[2]);
        return y(after(i[0]), i[1], before(i[2])) * 3 - far;
      });
      expect_same(std::tuple{of_rows, of_matrices},
                  std::to_string(n) + " of " + std::to_string(columns));
    }
}

// Several results, of different sizes; indices alone; and axes outside.
TEST_P(SmallBlocks, SeveralResultsAndAxesOutside) {
  for (const std::int64_t outside : {0, 1, 3})
    for (const std::int64_t n : {1, 32, 45}) {
      const auto x = numbers_of<std::int16_t>(hs::ix(outside, n, 4, 3));
      const auto program = hs::generate(hs::ix(outside, n, 3, 4), [=](const Exp<Ix<4>>& i) {
        const auto moved = x(i[0], i[1], i[3], i[2]);
        return std::tuple{moved, hs::cast<double>(moved) * 0.5, i[0] * 1000 + i[1] * 100 + i[2]};
      });
      expect_same(program, std::to_string(outside) + " of " + std::to_string(n));
    }
}

// A loop over small matrices goes on in place.
TEST_P(SmallBlocks, InALoop) {
  for (const std::int64_t n : {33, 100}) {
    const auto x = numbers_of<std::int32_t>(hs::ix(n, 3, 3));
    const auto program = hs::aiterate(
        5,
        [](const auto& a) {
          return hs::generate(hs::shape(a), [=](const Exp<Ix<3>>& i) {
            return a(i[0], i[2], i[1]) * 2 + a(i[0], i[1], (i[2] + 1) % 3) + hs::cast<int>(i[0]);
          });
        },
        x);
    expect_same(program, std::to_string(n));
  }
}

// Tiles of a matrix, whose rows are further apart than a block has elements.
TEST_P(SmallBlocks, TilesOfMatrices) {
  for (const std::int64_t across : {1, 31, 32, 67})
    for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 5}, {8, 8}, {3, 12}, {4, 15}}) {
      const auto x = numbers_of<float>(hs::ix(3 * rows, across * columns));
      const auto tiles = hs::reshape(hs::ix(3, rows, across, columns), x);
      const auto apart = hs::generate(hs::ix(3, across, rows, columns), [=](const Exp<Ix<4>>& i) {
        return tiles(i[0], i[2], i[1], i[3]) - tiles(i[0], 0, i[1], i[3]);
      });
      expect_same(
          std::tuple{hs::reshape(hs::ix(3 * across, rows * columns), hs::transpose_on<1, 2>(tiles)),
                     apart},
          std::to_string(across) + " of " + std::to_string(rows) + " by " +
              std::to_string(columns));
    }
}

HASTEN_ON_EVERY_DEVICE(SmallBlocks);

}  // namespace
