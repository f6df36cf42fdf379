// Exports the programs that the tests call.
#include "programs.hpp"

int main(int argc, char** argv) {
  using namespace library_programs;
  const hs::Options checked{.checks = hs::Checks::all};
  const hs::Options everywhere{.determinism = hs::Determinism::everywhere};
  return hs::export_main(argc, argv,
                         hs::library(HASTEN_TEST_LIBRARY)
                             .entry("dot", programs::dotp, {"xs", "ys"})
                             .entry("black_scholes", programs::black_scholes, {"options_"})
                             .entry("accelerations", programs::accelerations, {"bodies"})
                             .entry("blurred", programs::blurred, {"image"})
                             .entry("fft_rows", programs::fft_rows, {"sign", "rows"})
                             .entry("conjugate_gradient", programs::conjugate_gradient)
                             .entry("positive", positive)
                             .entry("sorted", sorted)
                             .entry("relaxed", relaxed, {"x", "rounds", "doubled"})
                             .entry("running_counts", running_counts)
                             .entry("joined", joined)
                             .entry("waves", waves)
                             .entry("product", product)
                             .entry("halved", halved)
                             .entry("flat", flat)
                             .entry("stepped", stepped, {"now", "before"})
                             .entry("gathered", gathered, {}, checked)
                             .entry("divided", divided, {}, checked)
                             .entry("as_rows", as_rows)
                             .entry("filled", filled)
                             .entry("waves_everywhere", waves, {}, everywhere)
                             .entry("quotes_everywhere", programs::black_scholes, {}, everywhere)
                             .entry("pulls_everywhere", programs::accelerations, {}, everywhere)
                             .entry("halved_everywhere", halved, {}, everywhere));
}
