// Programs on elements: each result, or a sum of all elements, is computed from a few numbers.
#include "../../../examples/programs/black_scholes.hpp"
#include "../../../examples/programs/dotp.hpp"
#include "../../../examples/programs/mandelbrot.hpp"
#include "../../../examples/programs/nbody.hpp"
#include "../../ours/programs.hpp"
#include "entries.hpp"

#include <tuple>

namespace bench::peers {
namespace {

std::tuple<Acc<Scalar<float>>, Acc<Scalar<float>>> mean_and_variance(Acc<Vector<float>> x) {
  return {hs::mean_all(x), hs::variance_all(x)};
}

}  // namespace

void add_elements(hs::Library& library) {
  library.entry("dot", ::programs::dotp, {}, fast())
      .entry("sum", sum_of, {}, fast())
      .entry("saxpy", ::programs::saxpy, {}, fast())
      .entry("mean_and_variance", mean_and_variance, {}, fast())
      .entry("black_scholes", ::programs::black_scholes, {}, fast())
      .entry("nbody", ::programs::accelerations, {}, fast())
      .entry("mandelbrot", ::programs::mandelbrot, {}, fast());
}

}  // namespace bench::peers
