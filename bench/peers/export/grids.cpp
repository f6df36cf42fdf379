// Programs on grids: stencils, applied once or in a loop.
#include "../../../examples/programs/edges.hpp"
#include "../../ours/programs.hpp"
#include "entries.hpp"

#include <tuple>

namespace bench::peers {
namespace {

using Volume = Acc<hs::Array<float, 3>>;
using Grid = Acc<Matrix<float>>;
using Number = Acc<Scalar<float>>;
using Cells = Acc<Matrix<uint8_t>>;

// The walls are insulated.
Volume heat(Exp<int64_t> steps, Exp<float> rate, Volume start) {
  const auto step = [=](Volume room) {
    return hs::stencil(
        [=](auto at) {
          auto around =
              at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1);
          return at(0, 0, 0) + rate * (around - 6.0f * at(0, 0, 0));
        },
        hs::boundary::clamp, room);
  };
  return hs::aiterate(steps, step, start);
}

Cells life(Exp<int64_t> steps, Cells start) {
  const auto step = [](Cells cells) {
    return hs::stencil(
        [](auto at) {
          Exp<uint8_t> around = at(-1, -1) + at(-1, 0) + at(-1, 1) + at(0, -1) + at(0, 1) +
                                at(1, -1) + at(1, 0) + at(1, 1);
          auto stays = (around == uint8_t{2}) & (at(0, 0) == uint8_t{1});
          auto lives = (around == uint8_t{3}) | stays;
          return hs::select(lives, uint8_t{1}, uint8_t{0});
        },
        hs::boundary::wrap, cells);
  };
  return hs::aiterate(steps, step, start);
}

// Minus the Laplacian of a grid that is 0 outside.
Grid image_of(Grid p) {
  return hs::stencil(
      [](auto at) { return 4.0f * at(0, 0) - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1); },
      hs::boundary::outside(0.0f), p);
}

Number inner(Grid a, Grid b) { return hs::sum_all(a * b); }

// `steps` steps of the method of conjugate gradients, starting from 0.
Grid conjugate_gradients(Exp<int64_t> steps, Grid b) {
  const auto step = [](Grid x, Grid residual, Grid direction, Number rest) {
    auto image = image_of(direction);
    auto length = hs::the(rest) / hs::the(inner(direction, image));
    auto next = residual - length * image;
    auto next_rest = inner(next, next);
    auto turn = hs::the(next_rest) / hs::the(rest);
    return std::tuple{x + length * direction, next, next + turn * direction, next_rest};
  };
  auto zeros = hs::fill(hs::shape(b), Exp<float>(0.0f));
  auto [x, residual, direction, rest] =
      hs::aiterate(steps, step, std::tuple{zeros, b, b, inner(b, b)});
  return x;
}

}  // namespace

void add_grids(hs::Library& library) {
  library.entry("sobel", ::programs::sobel, {}, fast())
      .entry("blur", mean_5_by_5, {}, fast())
      .entry("heat", heat, {}, fast())
      .entry("life", life, {}, fast())
      .entry("conjugate_gradients", conjugate_gradients, {}, fast());
}

}  // namespace bench::peers
