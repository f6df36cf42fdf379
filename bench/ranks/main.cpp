// One program on the ranks of mpirun, or in one process with as many threads: prints the
// milliseconds of a call and a sum of its results. bench/ranks/run.py compares both.
#include "programs.hpp"
#include "programs/everyday/heat.hpp"
#include "programs/nbody.hpp"

#include <hasten/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace hs = hasten;
using hs::Ix, hs::Matrix, hs::Vector;

bool is_alone = false;

hs::Options where() { return {.target = is_alone ? hs::cpu() : hs::mpi::target()}; }

// Each rank provides its rows of an array that is a function of the index.
template <class T, std::size_t N, class F>
hs::Array<T, N> made(Ix<N> shape, F f) {
  if (is_alone) return hs::Array<T, N>::from_function(shape, f);
  const std::int64_t begin = shape[0] * hs::mpi::rank() / hs::mpi::size();
  Ix<N> own = shape;
  own[0] = shape[0] * (hs::mpi::rank() + 1) / hs::mpi::size() - begin;
  return hs::mpi::distributed(hs::Array<T, N>::from_function(own, [&](Ix<N> ix) {
    ix[0] += begin;
    return f(ix);
  }));
}

struct Case {
  std::function<void()> call;
  std::function<double()> check;
};

Case heat() {
  auto f = hs::compile(programs::heat, where());
  auto start = made<float, 2>(
      {4096, 4096}, [](Ix<2> ix) { return static_cast<float>(ix[0] * 31 % 17 + ix[1] % 5); });
  auto result = std::make_shared<Matrix<float>>();
  return {[=] { *result = f(10, 0.2f, 100.0f, 0.0f, start); },
          [=] { return static_cast<double>((*result)(2048, 7)); }};
}

Case nbody() {
  auto f = hs::compile(programs::accelerations, where());
  auto bodies = made<programs::Body, 1>({16384}, [](Ix<1> ix) {
    const auto t = static_cast<float>(ix[0]);
    return programs::Body{{t * 0.37f - static_cast<float>(static_cast<int>(t * 0.37f)), t * 0.001f,
                           1.0f / (1.0f + t)},
                          1.0f};
  });
  auto result = std::make_shared<Vector<programs::Vec3>>();
  return {[=] { *result = f(bodies); }, [=] { return static_cast<double>((*result)(77).x); }};
}

Case gradients() {
  auto f = hs::compile(programs::grid_gradients, where());
  auto right = made<double, 2>(
      {2048, 2048}, [](Ix<2> ix) { return static_cast<double>(ix[0] * 7 % 11 - ix[1] % 13); });
  auto residual = std::make_shared<double>();
  return {[=] { *residual = std::get<1>(f(10, right)).item(); }, [=] { return *residual; }};
}

Case k_means() {
  auto f = hs::compile(programs::k_means_round, where());
  const auto value = [](Ix<2> ix) {
    return static_cast<float>((ix[0] * 7919 + ix[1] * 31) % 1000) * 0.001f;
  };
  auto points = made<float, 2>({500000, 8}, value);
  const auto centres = Matrix<float>::from_function({16, 8}, value);
  auto result = std::make_shared<Matrix<float>>();
  return {[=] { *result = f(points, centres); },
          [=] { return static_cast<double>((*result)(3, 3)); }};
}

Case heat_3d() {
  auto f = hs::compile(programs::heat_3d, where());
  auto start = made<float, 3>({256, 256, 256}, [](Ix<3> ix) {
    return static_cast<float>(ix[0] * 31 % 17 + ix[1] % 5 + ix[2] % 3);
  });
  auto result = std::make_shared<hs::Array<float, 3>>();
  return {[=] { *result = f(10, start); },
          [=] { return static_cast<double>((*result)(100, 3, 7)); }};
}

/// The memory bandwidth: four bytes loaded and four stored for each number.
Case stream() {
  auto f = hs::compile([](hs::Acc<Vector<float>> xs) { return xs * 2.0f + 1.0f; }, where());
  auto values =
      made<float, 1>({64'000'000}, [](Ix<1> ix) { return static_cast<float>(ix[0] % 1009); });
  auto result = std::make_shared<Vector<float>>();
  return {[=] { *result = f(values); }, [=] { return static_cast<double>((*result)(77)); }};
}

Vector<std::uint32_t> mixed_numbers() {
  return made<std::uint32_t, 1>({16'000'000}, [](Ix<1> ix) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(ix[0]) * 2654435761U >> 7);
  });
}

Case histogram() {
  auto f = hs::compile(programs::histogram_of, where());
  auto values = mixed_numbers();
  auto result = std::make_shared<Vector<std::int64_t>>();
  return {[=] { *result = f(values); }, [=] { return static_cast<double>((*result)(77)); }};
}

Case sorted() {
  auto f = hs::compile(programs::sorted, where());
  auto values = mixed_numbers();
  auto result = std::make_shared<Vector<std::uint32_t>>();
  return {[=] { *result = f(values); }, [=] { return static_cast<double>((*result)(1234567)); }};
}

int run(const std::string& name, int calls) {
  const std::map<std::string, std::function<Case()>> cases{
      {"heat", heat},       {"heat_3d", heat_3d},     {"nbody", nbody}, {"gradients", gradients},
      {"k_means", k_means}, {"histogram", histogram}, {"sort", sorted}, {"stream", stream}};
  const auto found = cases.find(name);
  if (found == cases.end()) {
    std::fprintf(stderr, "there is no case %s\n", name.c_str());
    return 2;
  }
  const Case work = found->second();
  if (calls == 0) return 0;  // for HASTEN_DUMP
  std::vector<double> times;
  work.call();
  const auto before = is_alone ? hs::mpi::Traffic{} : hs::mpi::traffic();
  for (int k = 0; k < calls; ++k) {
    const auto start = std::chrono::steady_clock::now();
    work.call();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  const auto sent = is_alone ? hs::mpi::Traffic{} : hs::mpi::traffic();
  std::ranges::sort(times);
  const double check = work.check();
  if (is_alone || hs::mpi::rank() == 0)
    std::printf("{\"ms\": %.4f, \"check\": %.17g, \"bytes\": %lld}\n", times[times.size() / 2],
                check, static_cast<long long>((sent.bytes - before.bytes) / calls));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: hasten-ranks-bench CASE CALLS [alone]\n");
    return 2;
  }
  is_alone = argc > 3;
  if (!is_alone) hs::mpi::init(argc, argv);
  return run(argv[1], std::atoi(argv[2]));
}
