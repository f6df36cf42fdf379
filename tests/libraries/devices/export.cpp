// Exports programs for the processor and for devices. If the tests have an NVRTC, it compiles
// CUDA's code.
#include "tests/libraries/programs.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
  using namespace library_programs;
#ifdef HASTEN_TEST_CUDA_LIBRARY
  setenv("HASTEN_CUDA_LIBRARY", HASTEN_TEST_CUDA_LIBRARY, 1);
  setenv("HASTEN_NVRTC_LIBRARY", HASTEN_TEST_CUDA_LIBRARY, 1);
#endif
  const hs::Options checked{.checks = hs::Checks::arithmetic};
  return hs::export_main(argc, argv,
                         hs::library("device_programs")
                             .entry("dot", programs::dotp)
                             .entry("blurred", programs::blurred)
                             .entry("positive", positive)
                             .entry("sorted", sorted)
                             .entry("relaxed", relaxed, {"x", "rounds", "doubled"})
                             .entry("running_counts", running_counts)
                             .entry("joined", joined)
                             .entry("product", product)
                             .entry("divided", divided, {}, checked));
}
