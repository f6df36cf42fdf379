// The everyday programs.
#include <algorithm>
#include <functional>

#include "../../examples/programs/everyday/barrier.hpp"
#include "../../examples/programs/everyday/group_by.hpp"
#include "../../examples/programs/everyday/heat.hpp"
#include "../../examples/programs/everyday/lattice.hpp"
#include "../../examples/programs/everyday/neighbours.hpp"
#include "../../examples/programs/everyday/network.hpp"
#include "../../examples/programs/everyday/regression.hpp"
#include "../../examples/programs/everyday/word_count.hpp"
#include "profiled.hpp"

namespace profiles {
namespace {

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

Acc<Matrix<programs::Populations>> flow(Exp<int64_t> steps, Exp<float> rate,
                                        Acc<Matrix<programs::Populations>> cells) {
  return hs::aiterate(steps, [=](auto now) { return programs::lattice_step(rate, now); }, cells);
}

}  // namespace

bool everyday_are_true(const hs::Options& options) {
  using namespace programs;
  Numbers random;
  const Network<hs::Host> net{random.matrix(256, 128), random.vector(128), random.matrix(128, 10),
                              random.vector(10)};
  const auto points = Vector<Point>::from_function(
      50'000, [&](auto) { return Point{random.number(), random.number()}; });
  const auto cells = Matrix<Populations>::from_function(hs::ix(512, 512), [&](auto) {
    Populations p{};
    std::ranges::generate(p, [&] { return 0.05f + 0.1f * random.number(); });
    return p;
  });
  const auto text = Vector<char>::from_function(1 << 22, [&](auto) {
    return static_cast<char>(random.below<int>(5) ? 'a' + random.below<int>(4) : ' ');
  });
  const bool results[] = {
      profiled(options, "regression", regression, int64_t{20}, 0.5f, random.matrix(50'000, 16),
               random.vector(50'000)),
      profiled(options, "network", trained, 0.1f, net, random.matrix(1024, 256),
               random.vector_below<int32_t>(1024, 10)),
      profiled(options, "lattice", flow, int64_t{10}, 1.2f, cells),
      profiled(options, "heat", heat, int64_t{100}, 0.2f, 10.0f, -3.0f, random.matrix(1024, 1024)),
      profiled(options, "barrier", barrier_call, int64_t{100'000}, int64_t{13}, uint64_t{7},
               BarrierOption{100, 100, 130, 1, 0.05f, 0.2f}),
      profiled(options, "group-by", top_customers, int64_t{10},
               random.vector_below<int64_t>(1'000'000, 10'000), random.vector(1'000'000)),
      profiled(options, "categories", top_categories, int64_t{10}, int64_t{10'000},
               random.vector_below<int32_t>(1'000'000, 10'000), random.vector(1'000'000)),
      profiled(options, "neighbours", nearest_neighbours, points),
      profiled(options, "words", word_count, int64_t{10}, text)};
  return std::ranges::all_of(results, std::identity{});
}

}  // namespace profiles
