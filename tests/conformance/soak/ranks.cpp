// Random whole programs on the ranks that mpirun has started, split at random, and on the
// interpreter: every rank runs and compares all programs.
//     mpirun -n 3 hasten_soak_ranks PROGRAMS [SEED]
#include "tests/conformance/tool/random/program.hpp"

#include <hasten/mpi.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace hasten::conformance {
namespace {

// For one program: the operations that are split, the kernels that are merged, and where arrays are
// split.
Options decided(std::int64_t index) {
  setenv("HASTEN_FISSION_SEED", std::to_string(index % 3 == 0 ? 0 : index).c_str(), 1);
  setenv("HASTEN_FUSION_SEED", std::to_string(index % 2 == 0 ? 0 : index).c_str(), 1);
  Options options{.target = mpi::target()};
  for (int rank = 0; rank < mpi::size(); ++rank)
    options.split.push_back(static_cast<double>((index + 3 * rank) % 5));
  options.split[static_cast<std::size_t>(index % mpi::size())] += 1;
  return options;
}

std::optional<std::string> failure(const std::vector<Step>& steps, const Options& options) {
  try {
    return disagreement(steps, options);
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  }
}

int soak(std::int64_t programs, std::uint64_t seed) {
  std::int64_t failed = 0;
  for (std::int64_t index = 0; index < programs; ++index) {
    const std::uint64_t own = seed * 1'000'003 + static_cast<std::uint64_t>(index);
    const auto steps = random_steps()(rc::Random(own), 2 + static_cast<int>(index % 11)).value();
    const auto what = failure(steps, decided(index));
    if (!what) continue;
    ++failed;
    std::cout << "rank " << mpi::rank() << ", program " << index << " of seed " << seed << ": "
              << *what << "\n"
              << describe(steps) << std::endl;
  }
  if (mpi::rank() == 0 || failed > 0)
    std::cout << "rank " << mpi::rank() << ": " << programs << " programs, " << failed << " failed"
              << std::endl;
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hasten::conformance

int main(int argc, char** argv) {
  setenv("HASTEN_CACHE_DIR", "off", 0);
  hasten::mpi::init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: mpirun -n RANKS hasten_soak_ranks PROGRAMS [SEED]\n";
    return 2;
  }
  return hasten::conformance::soak(std::atoll(argv[1]),
                                   argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
}
