// The jobs of the main demonstration: each program at a realistic size, beside hand-written C++.
#include "main_jobs.hpp"

#include "contenders.hpp"
#include "image.hpp"
#include "inputs.hpp"
#include "plain.hpp"
#include "programs/black_scholes.hpp"
#include "programs/dotp.hpp"
#include "programs/mandelbrot.hpp"
#include "programs/matmul.hpp"
#include "programs/nbody.hpp"

namespace demo {
namespace {

using contenders::Buffer;

template <class T>
std::vector<float> join(std::initializer_list<const Buffer<T>*> columns) {
  std::vector<float> all;
  for (const auto* column : columns)
    all.insert(all.end(), column->data(), column->data() + column->size());
  return all;
}

template <class T, int N>
std::vector<float> flat(const hs::Array<T, N>& result) {
  const auto values = result.span();
  return {values.begin(), values.end()};
}

Row dot_product(const Plan& plan) {
  constexpr int64_t n = 20'000'000;
  const auto x = contenders::random_floats(n, 0, 1, 1), y = contenders::random_floats(n, 0, 1, 2);
  const hs::Vector<float> xs(n, x.span()), ys(n, y.span());
  const auto flatten = [](const hs::Scalar<float>& s) { return std::vector<float>{s.item()}; };

  Job job("dot product", 8.0 * n, "GB/s");
  job.expect({static_cast<float>(contenders::plain::dot(x.data(), y.data(), n))}, 1e-5);
  job.run(programs::dotp, flatten, xs, ys);
  const hs::Vector<float> few(1000, x.span().first(1000)), others(999, y.span().first(999));
  job.agree_with_interpreter(programs::dotp, flatten, few, others);
  float sum = 0;
  for (auto& c : contenders::dots())
    job.beside(
        c.name, [&, run = c.run] { sum = run(x.data(), y.data(), n); },
        [&] { return std::vector<float>{sum}; });
  return job.finish(plan.rounds, plan.threads);
}

hs::Vector<programs::Option> as_options(const contenders::OptionColumns& in, int64_t n) {
  return hs::Vector<programs::Option>::from_function(n, [=](hs::Ix<1> i) {
    return programs::Option{in.price[i[0]], in.strike[i[0]], in.years[i[0]]};
  });
}

Row black_scholes(const Plan& plan) {
  constexpr int64_t n = 20'000'000;
  const auto options = contenders::random_options(n);
  const contenders::Prices prices{Buffer<float>(n), Buffer<float>(n)};
  const auto joined = [&] { return join<float>({&prices.call, &prices.put}); };
  const auto flatten = [](const hs::Vector<programs::Quote>& quotes) {
    std::vector<float> all;
    for (const auto& column : {quotes.component<0>(), quotes.component<1>()})
      all.insert(all.end(), column.begin(), column.end());
    return all;
  };

  Job job("Black-Scholes", 20.0 * n, "GB/s");
  contenders::plain::black_scholes(options.columns(), prices.columns(), n);
  job.expect(joined(), 1e-4);
  job.run(programs::black_scholes, flatten, as_options(options.columns(), n));
  job.agree_with_interpreter(programs::black_scholes, flatten, as_options(options.columns(), 1000));
  for (auto& c : contenders::black_scholes())
    job.beside(c.name, [&, run = c.run] { run(options.columns(), prices.columns(), n); }, joined);
  return job.finish(plan.rounds, plan.threads);
}

hs::Vector<programs::Body> as_bodies(const contenders::BodyColumns& in, int64_t n) {
  return hs::Vector<programs::Body>::from_function(n, [=](hs::Ix<1> i) {
    return programs::Body{{in.x[i[0]], in.y[i[0]], in.z[i[0]]}, in.mass[i[0]]};
  });
}

Row nbody(const Plan& plan) {
  constexpr int64_t n = 8192;
  const auto bodies = contenders::random_bodies(n);
  const contenders::Accelerations out{Buffer<float>(n), Buffer<float>(n), Buffer<float>(n)};
  const auto joined = [&] { return join<float>({&out.x, &out.y, &out.z}); };
  const auto flatten = [](const hs::Vector<programs::Vec3>& result) {
    std::vector<float> all;
    for (const auto& column : {result.component<0>(), result.component<1>(), result.component<2>()})
      all.insert(all.end(), column.begin(), column.end());
    return all;
  };

  Job job("n-body", 20.0 * n * n, "GFLOP/s");
  contenders::plain::nbody(bodies.columns(), out.columns(), n);
  job.expect(joined(), 1e-3);
  job.run(programs::accelerations, flatten, as_bodies(bodies.columns(), n));
  job.agree_with_interpreter(programs::accelerations, flatten, as_bodies(bodies.columns(), 50));
  for (auto& c : contenders::nbodies())
    job.beside(c.name, [&, run = c.run] { run(bodies.columns(), out.columns(), n); }, joined);
  return job.finish(plan.rounds, plan.threads);
}

Row mandelbrot(const Plan& plan) {
  const contenders::Window w = contenders::whole_set;
  const contenders::Picture picture{w, 1920, 1080, 255};
  const programs::View view{w.left, w.top, w.width, w.height};
  const hs::Ix<2> size = hs::ix(picture.height, picture.width);
  const Buffer<int32_t> steps(picture.width * picture.height);
  const auto joined = [&] { return join<int32_t>({&steps}); };

  contenders::plain::mandelbrot(picture, steps.data());
  double operations = 0;
  for (const int32_t s : steps.span()) operations += 8.0 * s;
  Job job("Mandelbrot", operations, "GFLOP/s");
  // On the border of the set, the last bit of a number decides whether a point belongs to it.
  job.expect(joined(), 1e-6, 0.02);
  const auto ours = job.run(programs::mandelbrot, flat<int32_t, 2>, size, view, picture.limit);
  job.agree_with_interpreter(programs::mandelbrot, flat<int32_t, 2>, hs::ix(20, 30), view, 50);
  write_png(plan.picture, hs::compile(programs::coloured)(ours, picture.limit));
  for (auto& c : contenders::mandelbrots())
    job.beside(c.name, [&, run = c.run] { run(picture, steps.data()); }, joined);
  return job.finish(plan.rounds, plan.threads);
}

Row matmul(const Plan& plan) {
  constexpr int64_t n = 1024;
  const auto a = contenders::random_floats(n * n, -1, 1, 3);
  const auto b = contenders::random_floats(n * n, -1, 1, 4);
  const Buffer<float> c(n * n);
  const auto joined = [&] { return join<float>({&c}); };

  Job job("matrix product", 2.0 * n * n * n, "GFLOP/s");
  contenders::plain::matmul(a.data(), b.data(), c.data(), n);
  job.expect(joined(), 1e-4);
  job.run(programs::matmul, flat<float, 2>, hs::Matrix<float>(hs::ix(n, n), a.span()),
          hs::Matrix<float>(hs::ix(n, n), b.span()));
  job.agree_with_interpreter(programs::matmul, flat<float, 2>,
                             hs::Matrix<float>(hs::ix(7, 30), a.span().first(210)),
                             hs::Matrix<float>(hs::ix(30, 9), b.span().first(270)));
  for (auto& contender : contenders::matmuls())
    job.beside(
        contender.name, [&, run = contender.run] { run(a.data(), b.data(), c.data(), n); }, joined);
  return job.finish(plan.rounds, plan.threads);
}

}  // namespace

std::vector<NamedJob> main_jobs() {
  return {{"dot", "dot product of 20 million pairs", "programs/dotp.hpp", dot_product},
          {"black-scholes", "call and put of 20 million options", "programs/black_scholes.hpp",
           black_scholes},
          {"nbody", "accelerations of 8,192 bodies, all pairs", "programs/nbody.hpp", nbody},
          {"mandelbrot", "1920 x 1080 points, at most 255 steps", "programs/mandelbrot.hpp",
           mandelbrot},
          {"matmul", "product of two 1024 x 1024 matrices", "programs/matmul.hpp", matmul}};
}

}  // namespace demo
