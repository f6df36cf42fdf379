// Cases bound by arithmetic: Black-Scholes and the n-body.
#include <cmath>

#include "../contenders/plain.hpp"
#include "../ours/ours.hpp"
#include "cases.hpp"
#include "contenders.hpp"
#include "inputs.hpp"

namespace bench::gpu {
namespace {

// The number of n-body results that are recomputed for the check, spread over the whole range.
constexpr std::int64_t bodies_checked = 256;

// Call and put of every option. An exponential counts as 14 operations and a logarithm as 20.
std::vector<Record> black_scholes(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements / 4;
  const auto price = random_floats(n, 5, 30, 1), strike = random_floats(n, 1, 100, 2),
             years = random_floats(n, 0.25f, 10, 3);
  Case work;
  work.name = "black_scholes";
  work.size = std::to_string(n) + " call+put f32";
  work.bytes = 20.0 * static_cast<double>(n);
  work.f32_operations = 115.0 * static_cast<double>(n);
  const contenders::OptionColumns columns{price.data(), strike.data(), years.data()};
  work.contenders = our_black_scholes(columns, n);
  for (Contender& c : work.contenders) c.output = [all = c.output] { return sampled(all()); };
  std::vector<float> expected(2 * price.size());
  contenders::plain::black_scholes(columns, {expected.data(), expected.data() + n}, n);
  work.expected = sampled(std::move(expected));
  const auto s = on_device<float>(price), x = on_device<float>(strike), t = on_device<float>(years),
             call = on_device<float>(n), put = on_device<float>(n);
  for (Contender& c : hand_by_each_rule(
           [=](Rules rules) {
             Device& device = Device::get();
             device.launch(
                 "black_scholes", rules, device.blocks_for(n),
                 {call->address(), put->address(), s->address(), x->address(), t->address(), n});
           },
           [=] {
             std::vector<float> all = call->home();
             const std::vector<float> puts = put->home();
             all.insert(all.end(), puts.begin(), puts.end());
             return sampled(std::move(all));
           }))
    work.contenders.push_back(std::move(c));
  work.limits = limits_copy(n);
  work.limits.push_back(limit_multiply_adds());
  return measure(work, settings);
}

struct Bodies {
  std::vector<float> x, y, z, mass;
};

// x, y and z of some of the results, one component after the other.
std::vector<float> some_of(const std::vector<float>& all, std::int64_t n) {
  std::vector<float> some;
  const std::int64_t step = std::max<std::int64_t>(n / bodies_checked, 1);
  for (std::int64_t axis = 0; axis < 3; ++axis)
    for (std::int64_t i = 0; i < n; i += step)
      some.push_back(all[static_cast<std::size_t>(axis * n + i)]);
  return some;
}

// The same for the reference results.
std::vector<float> some_accelerations(const Bodies& b) {
  const std::size_t n = b.x.size(), step = std::max<std::size_t>(n / bodies_checked, 1);
  std::vector<float> x, y, z;
  for (std::size_t i = 0; i < n; i += step) {
    double ax = 0, ay = 0, az = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double dx = double{b.x[j]} - b.x[i], dy = double{b.y[j]} - b.y[i],
                   dz = double{b.z[j]} - b.z[i];
      const double inverse =
          1 / std::sqrt(dx * dx + dy * dy + dz * dz + double{contenders::softening});
      const double pull = b.mass[j] * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    x.push_back(static_cast<float>(ax));
    y.push_back(static_cast<float>(ay));
    z.push_back(static_cast<float>(az));
  }
  x.insert(x.end(), y.begin(), y.end());
  x.insert(x.end(), z.begin(), z.end());
  return x;
}

// Twenty operations per pair, the usual count.
std::vector<Record> nbody(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.bodies;
  const Bodies bodies{random_floats(n, -10, 10, 4), random_floats(n, -10, 10, 5),
                      random_floats(n, -10, 10, 6), random_floats(n, 0.1f, 1, 7)};
  Case work;
  work.name = "nbody";
  work.size = std::to_string(n) + " bodies f32";
  work.f32_operations = 20.0 * static_cast<double>(n) * static_cast<double>(n);
  work.contenders =
      our_nbody({bodies.x.data(), bodies.y.data(), bodies.z.data(), bodies.mass.data()}, n);
  for (Contender& c : work.contenders) c.output = [all = c.output, n] { return some_of(all(), n); };
  work.expected = some_accelerations(bodies);
  work.tolerance = 1e-3;  // attractions of both signs nearly cancel
  std::vector<float> packed;
  for (std::size_t i = 0; i < bodies.x.size(); ++i)
    packed.insert(packed.end(), {bodies.x[i], bodies.y[i], bodies.z[i], bodies.mass[i]});
  const auto there = on_device<float>(packed), x = on_device<float>(n), y = on_device<float>(n),
             z = on_device<float>(n);
  for (Contender& c : hand_by_each_rule(
           [=](Rules rules) {
             Device::get().launch("nbody", rules, (n + 255) / 256,
                                  {x->address(), y->address(), z->address(), there->address(), n});
           },
           [=] {
             std::vector<float> all = x->home();
             for (const auto& axis : {y->home(), z->home()})
               all.insert(all.end(), axis.begin(), axis.end());
             return some_of(all, n);
           }))
    work.contenders.push_back(std::move(c));
  work.limits = {limit_multiply_adds()};
  return measure(work, settings);
}

}  // namespace

std::vector<GpuBenchmark> compute_benchmarks() {
  return {{"black_scholes", black_scholes}, {"nbody", nbody}};
}

}  // namespace bench::gpu
