// Programs on rows of matrices: products, soft-max, layer norm, nearest centres, a dense layer.
#include "../../../examples/programs/matmul.hpp"
#include "../../ours/programs.hpp"
#include "entries.hpp"

#include <tuple>

namespace bench::peers {
namespace {

using Grid = Acc<Matrix<float>>;
using Row = Acc<Vector<float>>;

// Subtracts each row's mean and divides by its deviation, then scales and shifts by column.
Grid layer_norm(Grid x, Row scale, Row shift) {
  constexpr float least = 1e-5f;
  const auto size = hs::shape(x);
  const auto along = [&](Row of_rows) {
    return hs::replicate(hs::over(hs::keep, size[1]), of_rows);
  };
  const auto down = [&](Row of_columns) {
    return hs::replicate(hs::over(size[0], hs::keep), of_columns);
  };
  auto inverse = hs::map([](Exp<float> v) { return hs::rsqrt(v + least); }, hs::variance(x));
  auto centred = (x - along(hs::mean(x))) * along(inverse);
  return centred * down(scale) + down(shift);
}

// relu(x w + b); then, from the gradient of that, the gradients of w, b and x.
std::tuple<Grid, Grid, Row, Grid> dense(Grid x, Grid w, Row b, Grid gradient) {
  auto product = hs::matmul(x, w);
  auto biases = hs::replicate(hs::over(hs::shape(x)[0], hs::keep), b);
  auto active = hs::max(product + biases, 0.0f);
  auto back = hs::select(active > 0.0f, gradient, 0.0f);
  return {active, hs::matmul(hs::transpose(x), back), hs::sum_on<0>(back),
          hs::matmul(back, hs::transpose(w))};
}

}  // namespace

void add_rows(hs::Library& library) {
  library.entry("product", ::programs::matmul, {}, fast())
      .entry("softmax", softmax, {}, fast())
      .entry("layer_norm", layer_norm, {}, fast())
      .entry("nearest", nearest, {}, fast())
      .entry("dense", dense, {}, fast());
}

}  // namespace bench::peers
