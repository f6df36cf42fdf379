// hasten-library-bench: entries of a library against the same programs in this process, on the same
// memory, which is borrowed for each call; both in turns, medians of many.
//
//   hasten-library-bench [ROUNDS]
#include "bench_programs.hpp"

#include "../../tests/libraries/programs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

namespace hs = hasten;
using namespace library_programs;
using Clock = std::chrono::steady_clock;

// Of one call; short ones are timed several at once.
double microseconds(const std::function<void()>& f, int calls) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

double median(std::vector<double> list) {
  std::ranges::nth_element(list, list.begin() + std::ssize(list) / 2);
  return list[list.size() / 2];
}

int rounds = 200;

// In turns, so that what else the machine does meets both.
void row(const std::string& name, const std::function<void()>& library,
         const std::function<void()>& in_process) {
  constexpr double long_enough = 50;
  for (int i = 0; i < 10; ++i) library(), in_process();
  const int calls = 1 + static_cast<int>(long_enough / microseconds(in_process, 10));
  std::vector<double> of_library, of_process;
  for (int i = 0; i < rounds; ++i) {
    of_library.push_back(microseconds(library, calls));
    of_process.push_back(microseconds(in_process, calls));
  }
  const double a = median(of_library), b = median(of_process);
  std::printf("%-28s %10.2f us %10.2f us %8.3f\n", name.c_str(), a, b, a / b);
}

template <class T>
std::vector<T> numbers(std::int64_t n) {
  std::vector<T> list(static_cast<std::size_t>(n));
  std::uint32_t random = 1;
  for (T& x : list) {
    random = random * 1664525U + 1013904223U;
    x = static_cast<T>(0.1 + static_cast<double>(random >> 8) / 16777216.0);
  }
  return list;
}

template <class T, std::size_t N>
auto borrowed(const hs::Ix<N>& shape, const std::vector<T>& list) {
  return hs::Array<T, N>::borrow(shape, list.data(), [] {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) rounds = std::max(1, std::atoi(argv[1]));
  const hs::Options on_cpu{.target = hs::cpu()};
  const bench_programs::context library;
  std::printf("%-28s %13s %13s %8s\n", "", "library", "in process", "ratio");
  for (const std::int64_t n : {1000L, 1'000'000L}) {
    const auto x = numbers<float>(n), y = numbers<float>(n);
    const auto cx = bench_programs_f32_1(x.data(), n), cy = bench_programs_f32_1(y.data(), n);
    const std::string of = " of " + std::to_string(n);
    const auto dot = hs::compile(programs::dotp, on_cpu);
    row(
        "dot" + of, [&] { (void)library.dot(cx, cy); },
        [&] { (void)dot(borrowed(hs::Ix{n}, x), borrowed(hs::Ix{n}, y)); });
    const auto keep = hs::compile(positive, on_cpu);
    row(
        "filter" + of, [&] { (void)library.positive(cx); },
        [&] { (void)keep(borrowed(hs::Ix{n}, x)); });
    const auto sort = hs::compile(sorted, on_cpu);
    row(
        "sort" + of, [&] { (void)library.sorted(cx); },
        [&] { (void)sort(borrowed(hs::Ix{n}, x)); });
  }
  {
    constexpr std::int64_t n = 1'000'000;
    const auto x = numbers<float>(n);
    const auto list = hs::Vector<programs::Option>::from_function(hs::Ix{n}, [&](hs::Ix<1> i) {
      const float at = x[static_cast<std::size_t>(i[0])];
      return programs::Option{10 * at, 20 * at, at};
    });
    const auto& host = *hs::detail::Access::host(list);
    const auto data = [&](std::size_t leaf) {
      return reinterpret_cast<const float*>(host.data(leaf));
    };
    const auto options = bench_programs_f32x3_1(data(0), data(1), data(2), n);
    const auto quotes = hs::compile(programs::black_scholes, on_cpu);
    row(
        "Black-Scholes of 1000000", [&] { (void)library.black_scholes(options); },
        [&] { (void)quotes(list); });
  }
  {
    constexpr std::int64_t n = 4000;
    const auto x = numbers<float>(n);
    const auto list = hs::Vector<programs::Body>::from_function(hs::Ix{n}, [&](hs::Ix<1> i) {
      const float at = x[static_cast<std::size_t>(i[0])];
      return programs::Body{{at, 1 / at, at * at}, at};
    });
    const auto& host = *hs::detail::Access::host(list);
    const auto data = [&](std::size_t leaf) {
      return reinterpret_cast<const float*>(host.data(leaf));
    };
    const auto bodies = bench_programs_f32x4_1(data(0), data(1), data(2), data(3), n);
    const auto pull = hs::compile(programs::accelerations, on_cpu);
    row("n-body of 4000", [&] { (void)library.accelerations(bodies); }, [&] { (void)pull(list); });
  }
  {
    constexpr std::int64_t n = 1024;
    const auto x = numbers<float>(n * n);
    const auto image = bench_programs_f32_2(x.data(), n, n);
    const auto host = borrowed(hs::Ix{n, n}, x);
    const auto blur = hs::compile(programs::blurred, on_cpu);
    row("blur of 1024 x 1024", [&] { (void)library.blurred(image); }, [&] { (void)blur(host); });
    const auto multiply = hs::compile(product, on_cpu);
    row(
        "product of 1024 x 1024", [&] { (void)library.product(image, image); },
        [&] { (void)multiply(host, host); });
  }
  return 0;
}
