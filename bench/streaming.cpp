// Programs that stream through a device which has not room for their arrays, beside a plain copy of
// the same bytes to the device and from it; see docs/memory.md.
#include "runtime/targets.hpp"

#include <hasten/hasten.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

namespace hs = hasten;

namespace {

using Clock = std::chrono::steady_clock;
using Floats = hs::Vector<float>;
constexpr std::int64_t MiB = 1 << 20;
constexpr int rounds = 3;

struct Setting {
  hs::Target target;
  std::int64_t bytes, limit;
};

double median_of(const std::function<void()>& f) {
  f();  // compiles, and learns in how many parts it goes
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    f();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  return seconds[rounds / 2];
}

/// Blocks of so many bytes, one after the other, there and back.
double plain_copy(const Setting& setting, std::int64_t to, std::int64_t from) {
  const auto device = hs::runtime::find_device(setting.target, std::source_location::current());
  hs::backends::Backend& backend = *device->backend;
  const std::int64_t block = setting.limit / 8;
  std::vector<std::byte> there(static_cast<std::size_t>(to)), back(static_cast<std::size_t>(from));
  std::byte* const memory = backend.allocate(static_cast<std::size_t>(block));
  if (!memory) throw std::runtime_error("no memory for a copy");
  const double seconds = median_of([&] {
    for (std::int64_t at = 0; at < std::max(to, from); at += block) {
      const auto part = [&](std::int64_t all) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(all - at, 0, block));
      };
      if (part(to) > 0) backend.write(memory, there.data() + at, part(to));
      if (part(from) > 0) backend.read(back.data() + at, memory, part(from));
    }
    backend.finish();
  });
  backend.free(memory);
  return seconds;
}

template <class Program>
void measure(const Setting& setting, const char* name, const Floats& xs, std::int64_t from,
             Program program) {
  const auto f = hs::compile(program, {.target = setting.target, .memory_limit = setting.limit});
  const auto whole = hs::compile(program, {.target = setting.target});
  const auto here = [&](const auto& g) {
    hs::release(xs);
    const auto result = g(xs);
    if (result.size() > 0) static_cast<void>(result.span());
  };
  const double ours = median_of([&] { here(f); });
  const double at_once = median_of([&] { here(whole); });
  const double plain = plain_copy(setting, setting.bytes, from);
  const double all = static_cast<double>(setting.bytes + from) / 1e9;
  std::printf(
      "%-10s %8.1f ms %6.2f GB/s   plain copy %8.1f ms, ratio %5.2f   "
      "with room for all %8.1f ms, ratio %.2f\n",
      name, ours * 1e3, all / ours, plain * 1e3, ours / plain, at_once * 1e3, ours / at_once);
  std::fflush(stdout);
}

void measure_all(const Setting& setting) {
  const std::int64_t n = setting.bytes / 4;
  const Floats xs = Floats::from_function(
      n, [](hs::Ix<1> i) { return static_cast<float>(i[0] * 7919 % 1009) - 500.0F; });
  using Xs = hs::Acc<Floats>;
  measure(setting, "map", xs, n * 4, [](const Xs& a) { return a * 3.0F + 1.0F; });
  measure(setting, "fold", xs, 0, [](const Xs& a) { return hs::sum(a); });
  measure(setting, "scan", xs, n * 4, [](const Xs& a) { return hs::scanl1(std::plus<>{}, a); });
  measure(setting, "stencil", xs, n * 4, [](const Xs& a) {
    return hs::stencil([](auto at) { return at(-1) + at(1) - 2.0F * at(0); }, hs::boundary::clamp,
                       a);
  });
  measure(setting, "histogram", xs, 0, [](const Xs& a) {
    return hs::histogram(1009, [](auto x) { return hs::cast<std::int64_t>(x + 500.0F); }, a);
  });
  measure(setting, "filter", xs, n * 4 / 2,
          [](const Xs& a) { return hs::filter([](auto x) { return x < 4.0F; }, a); });
  measure(setting, "loop", xs, n * 4, [](const Xs& a) {
    return hs::aiterate(std::int64_t{3}, [](const Xs& v) { return hs::compute(v * 0.5F); }, a);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, std::int64_t otherwise) {
    return argc > at ? std::atoll(argv[at]) * MiB : otherwise * MiB;
  };
  const Setting setting{hs::Target(argc > 1 ? argv[1] : "opencl:0"), number(2, 1024),
                        number(3, 100)};
  try {
    std::printf("%s: %lld MiB of floats through %lld MiB\n", setting.target.name().c_str(),
                static_cast<long long>(setting.bytes / MiB),
                static_cast<long long>(setting.limit / MiB));
    measure_all(setting);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hasten-streaming: %s\n", error.what());
    return 1;
  }
  return 0;
}
