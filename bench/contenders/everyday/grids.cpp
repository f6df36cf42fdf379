// A lattice-Boltzmann fluid and heat in a plate, as plain loops.
#include <algorithm>

#include "everyday/programs.hpp"
#include "parallel.hpp"

namespace contenders::CONTENDER_SPACE {
namespace {

constexpr int down_of[9] = {0, 0, 0, 1, -1, 1, 1, -1, -1};
constexpr int right_of[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1};
constexpr float weight_of[9] = {4 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f, 1 / 9.0f,
                                1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};

constexpr int64_t rows_at_once = 16;

// Computes the cell at `to` from the populations that move there: population k comes from come[k].
inline void collide(const float (&come)[9], float* const (&to)[9], int64_t at, float rate) {
  float density = 0, down = 0, right = 0;
  for (int k = 0; k < 9; ++k) {
    density += come[k];
    down += static_cast<float>(down_of[k]) * come[k];
    right += static_cast<float>(right_of[k]) * come[k];
  }
  down /= density;
  right /= density;
  const float energy = 1.5f * (down * down + right * right);
  for (int k = 0; k < 9; ++k) {
    const float along =
        3.0f * (static_cast<float>(down_of[k]) * down + static_cast<float>(right_of[k]) * right);
    const float rest = weight_of[k] * density * (1.0f + along + 0.5f * along * along - energy);
    to[k][at] = come[k] + rate * (rest - come[k]);
  }
}

void lattice_row(const float* from, float* to, int64_t rows, int64_t columns, float rate,
                 int64_t row) {
  const int64_t plane = rows * columns;
  const float* sources[9];
  float* results[9];
  for (int k = 0; k < 9; ++k) {
    sources[k] = from + k * plane + (row - down_of[k] + rows) % rows * columns;
    results[k] = to + k * plane + row * columns;
  }
  const auto at_border = [&](int64_t column) {
    float come[9];
    for (int k = 0; k < 9; ++k) come[k] = sources[k][(column - right_of[k] + columns) % columns];
    collide(come, results, column, rate);
  };
  at_border(0);
#pragma GCC ivdep
  for (int64_t column = 1; column < columns - 1; ++column) {
    float come[9];
    for (int k = 0; k < 9; ++k) come[k] = sources[k][column - right_of[k]];
    collide(come, results, column, rate);
  }
  at_border(columns - 1);
}

struct Sides {
  float hot, cold;
};

void heat_row(const float* from, float* to, int64_t rows, int64_t columns, float rate, Sides sides,
              int64_t row) {
  const float* here = from + row * columns;
  const float* above = row > 0 ? here - columns : here;
  const float* below = row + 1 < rows ? here + columns : here;
  float* __restrict out = to + row * columns;
  const auto next = [&](int64_t j, float left, float right) {
    return here[j] + rate * (above[j] + below[j] + left + right - 4.0f * here[j]);
  };
  out[0] = next(0, sides.hot, here[1]);
  for (int64_t j = 1; j < columns - 1; ++j) out[j] = next(j, here[j - 1], here[j + 1]);
  out[columns - 1] = next(columns - 1, here[columns - 2], sides.cold);
}

// Calls step(from, to, row) for each row, `steps` times; `result` has the last result.
template <class Step>
void iterate_rows(const float* start, float* result, float* scratch, int64_t rows, int64_t steps,
                  const Step& step) {
  const float* from = start;
  for (int64_t k = 0; k < steps; ++k) {
    float* to = (steps - k) % 2 == 1 ? result : scratch;
    parallel_blocks(rows, rows_at_once, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) step(from, to, row);
    });
    from = to;
  }
}

}  // namespace

void lattice(const float* start, float* result, float* scratch, int64_t rows, int64_t columns,
             float rate, int64_t steps) {
  iterate_rows(start, result, scratch, rows, steps, [=](const float* from, float* to, int64_t row) {
    lattice_row(from, to, rows, columns, rate, row);
  });
}

void heat(const float* start, float* result, float* scratch, int64_t rows, int64_t columns,
          float rate, float hot, float cold, int64_t steps) {
  iterate_rows(start, result, scratch, rows, steps, [=](const float* from, float* to, int64_t row) {
    heat_row(from, to, rows, columns, rate, {hot, cold}, row);
  });
}

}  // namespace contenders::CONTENDER_SPACE
