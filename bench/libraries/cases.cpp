// The arguments of each program, in the forms that a library and this process take.
#include "cases.hpp"

#include "../../tests/libraries/programs.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <utility>

namespace library_bench {
namespace {

namespace hs = hasten;
using namespace library_programs;
using Context = bench_programs::context;

const hs::Options on_cpu{.target = hs::cpu()};

// Numbers between 0.1 and 1.1.
template <class T>
std::shared_ptr<const std::vector<T>> numbers(std::int64_t n) {
  std::vector<T> list(static_cast<std::size_t>(n));
  std::uint32_t random = 1;
  for (T& x : list) {
    random = random * 1664525U + 1013904223U;
    x = static_cast<T>(0.1 + static_cast<double>(random >> 8) / 16777216.0);
  }
  return std::make_shared<const std::vector<T>>(std::move(list));
}

template <class T, std::size_t N>
auto borrowed(const hs::Ix<N>& shape, const std::vector<T>& list) {
  return hs::Array<T, N>::borrow(shape, list.data(), [] {});
}
template <class T>
auto borrowed(const std::vector<T>& list) {
  return borrowed(hs::Ix{std::ssize(list)}, list);
}

// One component of a struct of arrays.
template <class A>
const float* component(const A& list, std::size_t leaf) {
  return reinterpret_cast<const float*>(hs::detail::Access::host(list)->data(leaf));
}

Case dot(std::int64_t n) {
  const auto x = numbers<float>(n), y = numbers<float>(n);
  return {
      [=](const Context& library) {
        (void)library.dot(bench_programs_f32_1(x->data(), n), bench_programs_f32_1(y->data(), n));
      },
      [=] {
        return
            [=, f = hs::compile(programs::dotp, on_cpu)] { (void)f(borrowed(*x), borrowed(*y)); };
      }};
}

// The case of a program that takes one vector.
Case of_vector(std::int64_t n,
               bench_programs::array (Context::*entry)(const bench_programs_array&) const,
               Acc<Vector<float>> (*program)(Acc<Vector<float>>)) {
  const auto x = numbers<float>(n);
  return {
      [=](const Context& library) { (void)(library.*entry)(bench_programs_f32_1(x->data(), n)); },
      [=] { return [=, f = hs::compile(program, on_cpu)] { (void)f(borrowed(*x)); }; }};
}
Case filter(std::int64_t n) { return of_vector(n, &Context::positive, positive); }
Case sort(std::int64_t n) { return of_vector(n, &Context::sorted, sorted); }

Case black_scholes(std::int64_t n) {
  const auto x = numbers<float>(n);
  const auto list = hs::Vector<programs::Option>::from_function(hs::Ix{n}, [&](hs::Ix<1> i) {
    const float at = (*x)[static_cast<std::size_t>(i[0])];
    return programs::Option{10 * at, 20 * at, at};
  });
  return {[=](const Context& library) {
            (void)library.black_scholes(bench_programs_f32x3_1(
                component(list, 0), component(list, 1), component(list, 2), n));
          },
          [=] { return [=, f = hs::compile(programs::black_scholes, on_cpu)] { (void)f(list); }; }};
}

Case bodies(std::int64_t n) {
  const auto x = numbers<float>(n);
  const auto list = hs::Vector<programs::Body>::from_function(hs::Ix{n}, [&](hs::Ix<1> i) {
    const float at = (*x)[static_cast<std::size_t>(i[0])];
    return programs::Body{{at, 1 / at, at * at}, at};
  });
  return {[=](const Context& library) {
            (void)library.accelerations(bench_programs_f32x4_1(
                component(list, 0), component(list, 1), component(list, 2), component(list, 3), n));
          },
          [=] { return [=, f = hs::compile(programs::accelerations, on_cpu)] { (void)f(list); }; }};
}

Case blur(std::int64_t n) {
  const auto x = numbers<float>(n * n);
  return {
      [=](const Context& library) { (void)library.blurred(bench_programs_f32_2(x->data(), n, n)); },
      [=] {
        return [=, f = hs::compile(programs::blurred, on_cpu)] {
          (void)f(borrowed(hs::Ix{n, n}, *x));
        };
      }};
}

Case product_of(std::int64_t n) {
  const auto x = numbers<float>(n * n);
  return {[=](const Context& library) {
            const auto of = bench_programs_f32_2(x->data(), n, n);
            (void)library.product(of, of);
          },
          [=] {
            return [=, f = hs::compile(product, on_cpu)] {
              const auto of = borrowed(hs::Ix{n, n}, *x);
              (void)f(of, of);
            };
          }};
}

// The case of a program that takes one row.
Case transform(std::int64_t n) {
  const auto x = numbers<std::complex<float>>(n);
  return {[=](const Context& library) {
            const auto* data = reinterpret_cast<const bench_programs_c64*>(x->data());
            (void)library.fft_rows(-1.0F, bench_programs_c64_2(data, 1, n));
          },
          [=] {
            return [=, f = hs::compile(programs::fft_rows, on_cpu)] {
              (void)f(-1.0F, borrowed(hs::Ix{std::int64_t{1}, n}, *x));
            };
          }};
}

// The second difference plus a hundredth of the identity, in compressed rows: takes some hundred
// steps.
struct Band {
  std::vector<std::int64_t> lengths, columns;
  std::vector<double> values;
};
std::shared_ptr<const Band> band(std::int64_t n) {
  Band m;
  for (std::int64_t row = 0; row < n; ++row) {
    const std::int64_t begin = std::max<std::int64_t>(row - 1, 0), end = std::min(n, row + 2);
    for (std::int64_t column = begin; column < end; ++column) {
      m.columns.push_back(column);
      m.values.push_back(row == column ? 2.01 : -1.0);
    }
    m.lengths.push_back(end - begin);
  }
  return std::make_shared<const Band>(std::move(m));
}

Case gradients(std::int64_t n) {
  const auto m = band(n);
  const auto b = numbers<double>(n);
  return {[=](const Context& library) {
            const auto size = std::ssize(m->columns);
            (void)library.conjugate_gradient(bench_programs_i64_1(m->lengths.data(), n),
                                             bench_programs_i64_1(m->columns.data(), size),
                                             bench_programs_f64_1(m->values.data(), size),
                                             bench_programs_f64_1(b->data(), n), 1e-9, 1000);
          },
          [=] {
            return [=, f = hs::compile(programs::conjugate_gradient, on_cpu)] {
              (void)f({borrowed(m->lengths), borrowed(m->columns), borrowed(m->values)},
                      borrowed(*b), 1e-9, 1000);
            };
          }};
}

NamedCase named(const std::string& name, Case (*of)(std::int64_t), std::int64_t n) {
  return {name + " of " + std::to_string(n), [=] { return of(n); }};
}

}  // namespace

std::vector<NamedCase> small_cases() {
  return {named("dot", dot, 1000),       named("Black-Scholes", black_scholes, 1000),
          named("n-body", bodies, 100),  named("blur of rows", blur, 32),
          named("filter", filter, 1000), named("sort", sort, 1000),
          named("FFT", transform, 1024), named("gradients", gradients, 100)};
}

std::vector<NamedCase> large_cases() {
  return {named("dot", dot, 1'000'000),
          named("Black-Scholes", black_scholes, 1'000'000),
          named("n-body", bodies, 4000),
          named("blur of rows", blur, 1024),
          named("filter", filter, 1'000'000),
          named("sort", sort, 1'000'000),
          named("FFT", transform, 1 << 18),
          named("gradients", gradients, 20'000),
          named("product of rows", product_of, 1024)};
}

}  // namespace library_bench
