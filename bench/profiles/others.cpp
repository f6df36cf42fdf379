// The other examples: those on arrays, pictures, graphs and matrices.
#include <algorithm>
#include <cstdint>
#include <functional>

#include "../../examples/programs/black_scholes.hpp"
#include "../../examples/programs/blur.hpp"
#include "../../examples/programs/c_library.hpp"
#include "../../examples/programs/dotp.hpp"
#include "../../examples/programs/edges.hpp"
#include "../../examples/programs/equalize.hpp"
#include "../../examples/programs/fluid.hpp"
#include "../../examples/programs/histogram.hpp"
#include "../../examples/programs/mandelbrot.hpp"
#include "../../examples/programs/matmul.hpp"
#include "../../examples/programs/nbody.hpp"
#include "../../examples/programs/radix_sort.hpp"
#include "../../examples/programs/shortest_paths.hpp"
#include "../../examples/programs/sieve.hpp"
#include "../../examples/programs/smooth_life.hpp"
#include "../../examples/programs/sparse.hpp"
#include "profiled.hpp"

namespace profiles {
namespace {

using hs::Matrix, hs::Vector;

bool arrays_are_true(const hs::Options& options) {
  using namespace programs;
  Numbers random;
  constexpr int64_t n = 1 << 22;
  const auto shares = Vector<Option>::from_function(n, [&](auto) {
    return Option{5 + 25 * random.number(), 1 + 99 * random.number(), 0.25f + random.number()};
  });
  const auto bodies = Vector<Body>::from_function(4'096, [&](auto) {
    return Body{{random.number(), random.number(), random.number()}, random.number()};
  });
  const auto numbers = random.vector_below<int32_t>(1'000'000, 1'000'000);
  const bool results[] = {
      profiled(options, "dotp", dotp, random.vector(n), random.vector(n)),
      profiled(options, "saxpy", saxpy, 2.0f, random.vector(n), random.vector(n)),
      profiled(options, "black-scholes", black_scholes, shares),
      profiled(options, "nbody", accelerations, bodies),
      profiled(options, "radix-sort", radix_sort, random.vector_below<uint32_t>(1'000'000, ~0U)),
      profiled(options, "sieve", primes_below, int64_t{1'000'000}),
      profiled(options, "descending", descending, numbers),
      profiled(options, "matmul", matmul, random.matrix(512, 512), random.matrix(512, 512)),
      profiled(options, "paths", shortest_paths, random.matrix(256, 256))};
  return std::ranges::all_of(results, std::identity{});
}

// A matrix of five diagonals, as for the heat equation.
programs::Csr<hs::Host> diagonals(int64_t n) {
  const int64_t beside[] = {-100, -1, 0, 1, 100};
  std::vector<int64_t> lengths, columns;
  std::vector<double> values;
  for (int64_t row = 0; row < n; ++row) {
    int64_t length = 0;
    for (const int64_t by : beside) {
      if (row + by < 0 || row + by >= n) continue;
      columns.push_back(row + by);
      values.push_back(by == 0 ? 4.5 : -1);
      ++length;
    }
    lengths.push_back(length);
  }
  const auto array = [](const auto& all) {
    using T = typename std::decay_t<decltype(all)>::value_type;
    return Vector<T>(static_cast<int64_t>(all.size()), std::span<const T>(all));
  };
  return {array(lengths), array(columns), array(values)};
}

bool pictures_are_true(const hs::Options& options) {
  using namespace programs;
  Numbers random;
  const hs::Ix<2> size = hs::ix(1'080, 1'920), small = hs::ix(256, 256);
  const auto photo = Matrix<Pixel>::from_function(size, [&](auto) {
    return Pixel{random.below<uint8_t>(256), random.below<uint8_t>(256),
                 random.below<uint8_t>(256)};
  });
  const auto grey =
      Matrix<uint8_t>::from_function(size, [&](auto) { return random.below<uint8_t>(256); });
  const auto field = random.matrix(256, 256);
  const LifeRule rule{0.278f, 0.365f, 0.267f, 0.445f, 0.028f, 0.147f, 0.1f};
  const auto near = hs::run(neighbourhoods(small, 12.0f), options);
  const auto still =
      Matrix<Velocity>::from_function(small, [&](auto) { return Velocity{random.number(), 0}; });
  const auto right = Vector<double>::from_function(100'000, [&](auto) { return random.number(); });
  const bool results[] = {
      profiled(options, "mandelbrot", mandelbrot, size, View{-2.2f, -1.2f, 3.2f, 2.4f},
               int32_t{100}),
      profiled(options, "edges", edges, photo),
      profiled(options, "blur", blur, int64_t{10}, photo),
      profiled(options, "equalize", equalize, grey),
      profiled(options, "histogram", brightness_counts, grey),
      profiled(options, "high-pass", high_pass, 20.0f, field),
      profiled(options, "smooth-life", smooth_life, rule, near, field),
      profiled(options, "fluid", fluid_step, 0.1f, 0.0001f, 0.0001f, Fluid<hs::Host>{field, still}),
      profiled(options, "gradients", conjugate_gradient, diagonals(100'000), right, 1e-9,
               int32_t{1'000})};
  return std::ranges::all_of(results, std::identity{});
}

}  // namespace

bool others_are_true(const hs::Options& options) {
  const bool results[] = {arrays_are_true(options), pictures_are_true(options)};
  return results[0] && results[1];
}

}  // namespace profiles
