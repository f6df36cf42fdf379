// Pull and push arrays beside plain arrays, and beside plain loops on all threads.
#include "ours/pushes.hpp"
#include "plain.hpp"

#include <cmath>
#include <complex>

#include "cases/cases.hpp"
#include "collectives.hpp"
#include "contenders.hpp"
#include "everyday/everyday.hpp"
#include "inputs.hpp"

namespace bench {
namespace {

using contenders::Buffer, contenders::EverydayForm;
using Complex = std::complex<float>;

constexpr int64_t stride = 61;  // only every `stride`-th number of a long result is compared

std::vector<float> some(const float* data, int64_t n) {
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += stride) result.push_back(data[i]);
  return result;
}

Case started(const char* name, std::string size, double bytes, std::vector<Contender> ours) {
  Case work;
  work.name = name;
  work.size = std::move(size);
  work.bytes = bytes;
  work.contenders = std::move(ours);
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream()};
  return work;
}

// Compares with plain loops that compute out.size() results from the numbers x.
std::vector<Record> loops(Case work, const Settings& settings, const Buffer<float>& x,
                          const Buffer<float>& out,
                          void (*EverydayForm::*loop)(const float* x, float* out, int64_t n)) {
  for (const EverydayForm* form : {&contenders::everyday_strict, &contenders::everyday_o3})
    work.contenders.push_back({form->name, form->rules, false,
                               [&, form] { (form->*loop)(x.data(), out.data(), x.size()); },
                               [&] { return some(out.data(), out.size()); }});
  (contenders::everyday_strict.*loop)(x.data(), out.data(), x.size());
  work.expected = some(out.data(), out.size());
  return measure(work, settings);
}

std::vector<Record> pairs(const Settings& settings) {
  constexpr int64_t n = 30'000'000;
  const auto x = contenders::random_floats(n, -1, 1, 81);
  const Buffer<float> out(2 * n);
  Case work = started("push/pairs", "30000000 f32 twice", 12.0 * n, our_pairs(x.data(), n, some));
  for (const auto& c : contenders::pairs_side_by_side())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(x.data(), out.data(), n); },
                               [&] { return some(out.data(), out.size()); }});
  return loops(std::move(work), settings, x, out, &EverydayForm::pairs);
}

std::vector<Record> parts(const Settings& settings) {
  constexpr int64_t n = 5'000'000;
  const auto x = contenders::random_floats(n, -1, 1, 82);
  const Buffer<float> out(8 * n);
  return loops(started("push/parts", "8 of 5000000 f32", 64.0 * n, our_parts(x.data(), n, some)),
               settings, x, out, &EverydayForm::eight_parts);
}

/// A program that makes a picture from a picture, beside plain loops and hand-written programs.
std::vector<Record> pictures(
    const char* name, const Settings& settings,
    std::vector<Contender> (*ours)(contenders::GreyImage image, SampleFloats sample),
    void (*plain)(contenders::GreyImage image, float* out),
    const std::vector<contenders::Named<void(contenders::GreyImage, float*)>>& others) {
  constexpr int64_t width = 3000, height = 2400;
  const auto pixels = contenders::test_image(width, height);
  const contenders::GreyImage image{pixels.data(), width, height};
  const Buffer<float> out(width * height);
  Case work = started(name, "3000x2400 f32", 8.0 * width * height, ours(image, some));
  const auto few = [&] { return some(out.data(), out.size()); };
  plain(image, out.data());
  work.expected = few();
  for (const auto& c : others)
    work.contenders.push_back(
        {c.name, c.rules, false, [&, run = c.run] { run(image, out.data()); }, few});
  return measure(work, settings);
}

std::vector<Record> blur(const Settings& settings) {
  return pictures("push/blur", settings, our_pulled_blur, contenders::plain::blur,
                  contenders::blurs());
}

std::vector<Record> edges(const Settings& settings) {
  return pictures("push/edges", settings, our_pulled_edges, contenders::plain::sobel,
                  contenders::sobels());
}

std::vector<Record> matmul(const Settings& settings) {
  constexpr int64_t n = 512;
  const auto a = contenders::random_floats(n * n, -1, 1, 84);
  const auto b = contenders::random_floats(n * n, -1, 1, 85);
  const Buffer<float> out(n * n);
  const auto few = [&] { return some(out.data(), out.size()); };
  Case work = started("push/matmul", "512x512 f32", 12.0 * n * n,
                      our_pulled_matmul(a.data(), b.data(), n, some));
  work.limits = {contenders::limit_fma_f32()};
  work.f32_operations = 2.0 * n * n * n;
  contenders::plain::matmul(a.data(), b.data(), out.data(), n);
  work.expected = few();
  for (auto& c : contenders::matmuls())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(a.data(), b.data(), out.data(), n); }, few});
  return measure(work, settings);
}

std::vector<float> some_steps(const int32_t* data, int64_t n) {
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += stride) result.push_back(static_cast<float>(data[i]));
  return result;
}

std::vector<Record> mandelbrot(const Settings& settings) {
  const contenders::Picture picture{contenders::whole_set, 1920, 1080, 255};
  const Buffer<int32_t> steps(picture.width * picture.height);
  const auto few = [&] { return some_steps(steps.data(), steps.size()); };
  Case work = started("push/mandelbrot", "1920x1080 limit 255", 0,
                      our_pulled_mandelbrot(picture, some_steps));
  work.limits = {contenders::limit_fma_f32()};
  contenders::plain::mandelbrot(picture, steps.data());
  work.expected = few();
  for (int64_t i = 0; i < steps.size(); ++i) work.f32_operations += 8.0 * steps.data()[i];
  work.tolerance = 1e-6;
  work.may_differ = 0.02;  // as in the case for plain arrays
  for (auto& c : contenders::mandelbrots())
    work.contenders.push_back(
        {c.name, c.rules, false, [&, run = c.run] { run(picture, steps.data()); }, few});
  return measure(work, settings);
}

std::vector<Record> bitonic(const Settings& settings) {
  constexpr int64_t n = 1 << 16;
  const auto x = contenders::random_floats(n, -1, 1, 86);
  const Buffer<float> out(n);
  return loops(started("push/bitonic", "65536 f32", 8.0 * n, our_bitonic(x.data(), n, some)),
               settings, x, out, &EverydayForm::bitonic);
}

std::vector<Record> pascal(const Settings& settings) {
  constexpr int64_t n = 1 << 16, rows = contenders::pascal_rows;
  const auto x = contenders::random_floats(n, -1, 1, 87);
  const Buffer<float> out(n);
  return loops(started("push/pascal", "500 of 65536 f32", 8.0 * n * rows,
                       our_pascal(rows, x.data(), n, some)),
               settings, x, out, &EverydayForm::pascal);
}

std::vector<float> few_of_complex(const Complex* data, int64_t n) {
  std::vector<float> result;
  const auto* const numbers = reinterpret_cast<const float*>(data);
  for (int64_t i = 0; i < 2 * n; i += stride * stride) result.push_back(numbers[i]);
  return result;
}

// The others are compared with FFTW's result.
std::vector<Record> fft(const Settings& settings) {
  constexpr int64_t n = 1 << 18;
  const auto x = contenders::random_floats(2 * n, -1, 1, 83);
  const Buffer<float> out(2 * n);
  const auto* const numbers = reinterpret_cast<const Complex*>(x.data());
  const auto few = [&] { return few_of_complex(reinterpret_cast<const Complex*>(out.data()), n); };
  Case work =
      started("push/fft", "262144 c32", 16.0 * n, our_butterflies(numbers, n, few_of_complex));
  work.tolerance = 1e-2;
  if (auto run = contenders::fftw_transform(n, true)) {
    run(x.data(), out.data());
    work.expected = few();
    work.contenders.push_back(
        {"fftw", Rules::strict, false, [&, run] { run(x.data(), out.data()); }, few});
  } else {
    work.contenders[0].run();
    work.expected = work.contenders[0].output();
  }
  return measure(work, settings);
}

}  // namespace

std::vector<Benchmark> push_benchmarks() {
  return {{"push/pairs", pairs},
          {"push/parts", parts},
          {"push/blur", blur},
          {"push/fft", fft},
          {"push/edges", edges},
          {"push/matmul", matmul},
          {"push/mandelbrot", mandelbrot},
          {"push/bitonic", bitonic},
          {"push/pascal", pascal}};
}

}  // namespace bench
