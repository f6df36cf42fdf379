// Whether the profiles of the everyday programs are true: the times of all rows beside what the
// calls took by the clock, and the greatest share of a limit. Exit status 1 where the times are
// more than 5 % apart, or a share is beyond 1.1. `./dev bench --profiles` runs it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>

#include "../examples/programs/everyday/barrier.hpp"
#include "../examples/programs/everyday/group_by.hpp"
#include "../examples/programs/everyday/heat.hpp"
#include "../examples/programs/everyday/lattice.hpp"
#include "../examples/programs/everyday/neighbours.hpp"
#include "../examples/programs/everyday/network.hpp"
#include "../examples/programs/everyday/regression.hpp"
#include "../examples/programs/everyday/word_count.hpp"

namespace {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

constexpr int calls = 10;
constexpr double apart_max = 0.05, share_max = 1.1;

std::mt19937 random_bits(7);
float random_float() { return static_cast<float>(random_bits() >> 8) * 0x1p-24f; }

Matrix<float> random_matrix(int64_t rows, int64_t columns) {
  return Matrix<float>::from_function(hs::ix(rows, columns), [](auto) { return random_float(); });
}
Vector<float> random_vector(int64_t n) {
  return Vector<float>::from_function(n, [](auto) { return random_float(); });
}

template <class T>
Vector<T> random_numbers(int64_t n, uint32_t below) {
  return Vector<T>::from_function(n, [=](auto) { return static_cast<T>(random_bits() % below); });
}

bool is_true(const char* name, const hs::Profile& profile, double clock_ms) {
  double rows = 0, greatest = 0;
  std::string where;
  for (const hs::ProfileRow& row : profile.rows()) {
    rows += row.total_ms;
    const double share = std::max(row.bandwidth_share, row.arithmetic_share);
    if (share > greatest) greatest = share, where = row.name;
  }
  const bool good = std::abs(rows / clock_ms - 1) <= apart_max && greatest <= share_max;
  std::printf("%-12s rows %9.2f ms, clock %9.2f ms (%5.1f %%), greatest share %.2f %s%s\n", name,
              rows, clock_ms, 100 * (rows / clock_ms - 1), greatest, where.c_str(),
              good ? "" : "  WRONG");
  std::fflush(stdout);
  return good;
}

template <class Program, class... Arguments>
bool profiled(const char* name, const Program& program, const Arguments&... arguments) {
  const auto f = hs::compile(program);
  static_cast<void>(f(arguments...));  // the first call compiles
  f.profile().reset();
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) static_cast<void>(f(arguments...));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return is_true(name, f.profile(), took.count());
}

Acc<Matrix<programs::Populations>> flow(Exp<int64_t> steps, Exp<float> rate,
                                        Acc<Matrix<programs::Populations>> cells) {
  return hs::aiterate(steps, [=](auto now) { return programs::lattice_step(rate, now); }, cells);
}

bool all_are_true() {
  using namespace programs;
  const Network<hs::Host> net{random_matrix(256, 128), random_vector(128), random_matrix(128, 10),
                              random_vector(10)};
  const auto points = Vector<Point>::from_function(
      50'000, [](auto) { return Point{random_float(), random_float()}; });
  const auto cells = Matrix<Populations>::from_function(hs::ix(512, 512), [](auto) {
    Populations p{};
    std::ranges::generate(p, [] { return 0.05f + 0.1f * random_float(); });
    return p;
  });
  const auto text = Vector<char>::from_function(1 << 22, [](auto) {
    return static_cast<char>(random_bits() % 5 ? 'a' + random_bits() % 4 : ' ');
  });
  const bool results[] = {
      profiled("regression", regression, int64_t{20}, 0.5f, random_matrix(50'000, 16),
               random_vector(50'000)),
      profiled("network", trained, 0.1f, net, random_matrix(1024, 256),
               random_numbers<int32_t>(1024, 10)),
      profiled("lattice", flow, int64_t{10}, 1.2f, cells),
      profiled("heat", heat, int64_t{100}, 0.2f, 10.0f, -3.0f, random_matrix(1024, 1024)),
      profiled("barrier", barrier_call, int64_t{100'000}, int64_t{13}, uint64_t{7},
               BarrierOption{100, 100, 130, 1, 0.05f, 0.2f}),
      profiled("group-by", top_customers, int64_t{10}, random_numbers<int64_t>(1'000'000, 10'000),
               random_vector(1'000'000)),
      profiled("categories", top_categories, int64_t{10}, int64_t{10'000},
               random_numbers<int32_t>(1'000'000, 10'000), random_vector(1'000'000)),
      profiled("neighbours", nearest_neighbours, points),
      profiled("words", word_count, int64_t{10}, text)};
  return std::ranges::all_of(results, std::identity{});
}

}  // namespace

int main() { return all_are_true() ? 0 : 1; }
