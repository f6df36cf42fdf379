// The conformance suite on the ranks that mpirun has started, with unequal shares: every rank runs
// the whole suite and compares with its own interpreter.
#include "tests/conformance/tool/suite.hpp"

#include <hasten/mpi.hpp>

#include <vector>

int main(int argc, char** argv) {
  using namespace hasten;
  mpi::init(argc, argv);
  std::vector<double> split;
  for (int k = 0; k < mpi::size(); ++k) split.push_back(1 + k % 3);
  return conformance::run_suite(argc, argv, {Options{.target = mpi::target(), .split = split}});
}
