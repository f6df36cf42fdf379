// Cases bound by arithmetic: Black-Scholes, n-body, Mandelbrot, matrix product.
#include <memory>

#include "cases/cases.hpp"
#include "contenders.hpp"
#include "inputs.hpp"
#include "ours/ours.hpp"
#include "plain.hpp"

namespace bench {
namespace {

void append(std::vector<float>& all, const contenders::Buffer<float>& column) {
  all.insert(all.end(), column.data(), column.data() + column.size());
}

std::vector<float> joined(const contenders::Prices& prices) {
  std::vector<float> all;
  append(all, prices.call);
  append(all, prices.put);
  return all;
}

std::vector<float> joined(const contenders::Accelerations& a) {
  std::vector<float> all;
  for (const auto* column : {&a.x, &a.y, &a.z}) append(all, *column);
  return all;
}

// Call and put of every option. An exponential counts as 14 operations and a logarithm as 20.
std::vector<Record> black_scholes_20m(const Settings& settings) {
  constexpr int64_t n = 20'000'000;
  const auto options = contenders::random_options(n);
  const contenders::Prices prices{contenders::Buffer<float>(n), contenders::Buffer<float>(n)};
  Case work;
  work.name = "black_scholes";
  work.size = "20000000 call+put f32";
  work.bytes = 20.0 * n;
  work.f32_operations = 115.0 * n;
  work.contenders = our_black_scholes(options.columns(), n);
  contenders::plain::black_scholes(options.columns(), prices.columns(), n);
  work.expected = joined(prices);
  for (auto& c : contenders::black_scholes())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(options.columns(), prices.columns(), n); },
                               [&] { return joined(prices); }});
  work.limits = {contenders::limit_copy_stream(), contenders::limit_fma_f32()};
  return measure(work, settings);
}

// Twenty operations per pair, the usual count.
std::vector<Record> nbody(int64_t n, const Settings& settings) {
  const auto bodies = contenders::random_bodies(n);
  const contenders::Accelerations out{contenders::Buffer<float>(n), contenders::Buffer<float>(n),
                                      contenders::Buffer<float>(n)};
  Case work;
  work.name = "nbody/" + std::to_string(n);
  work.size = std::to_string(n) + " bodies f32";
  work.f32_operations = 20.0 * static_cast<double>(n) * static_cast<double>(n);
  work.contenders = our_nbody(bodies.columns(), n);
  contenders::plain::nbody(bodies.columns(), out.columns(), n);
  work.expected = joined(out);
  for (auto& c : contenders::nbodies())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(bodies.columns(), out.columns(), n); },
                               [&] { return joined(out); }});
  work.limits = {contenders::limit_fma_f32()};
  return measure(work, settings);
}

std::vector<float> as_floats(const contenders::Buffer<int32_t>& steps) {
  return {steps.data(), steps.data() + steps.size()};
}

// Eight operations per step, for all steps of the picture.
std::vector<Record> mandelbrot_full_hd(const Settings& settings) {
  const contenders::Picture picture{contenders::whole_set, 1920, 1080, 255};
  const contenders::Buffer<int32_t> steps(picture.width * picture.height);
  Case work;
  work.name = "mandelbrot";
  work.size = "1920x1080 limit 255";
  work.contenders = our_mandelbrot(picture);
  contenders::plain::mandelbrot(picture, steps.data());
  work.expected = as_floats(steps);
  for (const float s : work.expected) work.f32_operations += 8.0 * s;
  // On the border of the set, the last bit of a number decides, and contraction changes it.
  work.tolerance = 1e-6;
  work.may_differ = 0.02;
  for (auto& c : contenders::mandelbrots())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(picture, steps.data()); },
                               [&] { return as_floats(steps); }});
  work.limits = {contenders::limit_fma_f32()};
  return measure(work, settings);
}

std::vector<Record> matmul(int64_t n, const Settings& settings) {
  const auto a = contenders::random_floats(n * n, -1, 1, 16);
  const auto b = contenders::random_floats(n * n, -1, 1, 17);
  const contenders::Buffer<float> c(n * n);
  const auto result = [&] { return std::vector<float>(c.data(), c.data() + c.size()); };
  Case work;
  work.name = "matmul/" + std::to_string(n);
  work.size = std::to_string(n) + "x" + std::to_string(n) + " f32";
  work.f32_operations = 2.0 * static_cast<double>(n) * static_cast<double>(n * n);
  work.contenders = our_matmul(a.data(), b.data(), n);
  contenders::plain::matmul(a.data(), b.data(), c.data(), n);
  work.expected = result();
  for (auto& contender : contenders::matmuls())
    work.contenders.push_back({contender.name, contender.rules, false,
                               [&, run = contender.run] { run(a.data(), b.data(), c.data(), n); },
                               result});
  work.limits = {contenders::limit_fma_f32()};
  return measure(work, settings);
}

}  // namespace

std::vector<Benchmark> compute_benchmarks() {
  return {{"black_scholes", black_scholes_20m},
          {"nbody/8192", [](const Settings& s) { return nbody(8192, s); }},
          {"nbody/16384", [](const Settings& s) { return nbody(16384, s); }},
          {"mandelbrot", mandelbrot_full_hd},
          {"matmul/512", [](const Settings& s) { return matmul(512, s); }},
          {"matmul/1024", [](const Settings& s) { return matmul(1024, s); }}};
}

}  // namespace bench
