// Programs that stream arrays through a device on which they do not fit, beside a plain copy of the
// same bytes to the device and back; see docs/memory.md. The argument may be a file that is mapped
// into memory and read from the disk each time.
#include "runtime/targets.hpp"

#include <hasten/hasten.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace hs = hasten;

namespace {

using Clock = std::chrono::steady_clock;
using Floats = hs::Vector<float>;
constexpr std::int64_t MiB = 1 << 20;

struct Setting {
  hs::Target target;
  std::int64_t bytes, limit;
  std::string file;                // empty: the argument is in memory
  std::vector<std::string> cases;  // empty: all
  // Arrays that fit on the device are also measured with copies of everything there.
  [[nodiscard]] bool has_room_for_all() const { return bytes <= 2048 * MiB; }
  [[nodiscard]] int rounds() const { return has_room_for_all() ? 3 : 1; }
};

float number_at(std::int64_t i) { return static_cast<float>(i * 7919 % 1009) - 500.0F; }

/// The argument, in memory or in a file.
class Given {
 public:
  explicit Given(const Setting& setting) : bytes_(static_cast<std::size_t>(setting.bytes)) {
    const std::int64_t n = setting.bytes / 4;
    if (setting.file.empty()) {
      array_ = Floats::from_function(n, [](hs::Ix<1> i) { return number_at(i[0]); });
      return;
    }
    file_ = open(setting.file.c_str(), O_RDWR | O_CREAT, 0600);
    if (file_ < 0) throw std::runtime_error("cannot open " + setting.file);
    if (lseek(file_, 0, SEEK_END) != setting.bytes) write_all(n);
    pages_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file_, 0);
    if (pages_ == MAP_FAILED) throw std::runtime_error("cannot map " + setting.file);
    array_ = Floats::borrow(
        std::span(static_cast<const float*>(pages_), static_cast<std::size_t>(n)), [] {});
  }
  ~Given() {
    if (pages_) munmap(pages_, bytes_);
    if (file_ >= 0) close(file_);
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  [[nodiscard]] const Floats& array() const { return array_; }
  /// Restores the state before a call: nothing on the device, and no page of the file in memory.
  void forget() const {
    hs::release(array_);
    if (!pages_) return;
    madvise(pages_, bytes_, MADV_DONTNEED);
    posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
  }

 private:
  void write_all(std::int64_t n) const {
    if (ftruncate(file_, 0) != 0) throw std::runtime_error("cannot write the file");
    std::vector<float> some(1 << 22);
    for (std::int64_t at = 0; at < n; at += std::ssize(some)) {
      const std::int64_t count = std::min<std::int64_t>(std::ssize(some), n - at);
      for (std::int64_t i = 0; i < count; ++i)
        some[static_cast<std::size_t>(i)] = number_at(at + i);
      const auto bytes = static_cast<std::size_t>(count) * 4;
      if (write(file_, some.data(), bytes) != static_cast<ssize_t>(bytes))
        throw std::runtime_error("there is no room for the file");
    }
    fsync(file_);
  }

  const std::size_t bytes_;
  int file_ = -1;
  void* pages_ = nullptr;
  Floats array_;
};

double median_of(const std::function<void()>& f, int rounds) {
  f();  // compiles, and learns the number of parts
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    f();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::ranges::sort(seconds);
  return seconds[static_cast<std::size_t>(rounds / 2)];
}

/// Copies the bytes in blocks, one after the other, to the device and back.
double plain_copy(const Setting& setting, const Given& given, std::int64_t from) {
  const std::int64_t to = setting.bytes;
  const auto* const there = reinterpret_cast<const std::byte*>(given.array().span().data());
  const auto device = hs::runtime::find_device(setting.target, std::source_location::current());
  hs::backends::Backend& backend = *device->backend;
  const std::int64_t block = setting.limit / 8;
  std::vector<std::byte> back(static_cast<std::size_t>(from));
  std::byte* const memory = backend.allocate(static_cast<std::size_t>(block));
  if (!memory) throw std::runtime_error("no memory for a copy");
  const double seconds = median_of(
      [&] {
        given.forget();
        for (std::int64_t at = 0; at < std::max(to, from); at += block) {
          const auto part = [&](std::int64_t all) {
            return static_cast<std::size_t>(std::clamp<std::int64_t>(all - at, 0, block));
          };
          if (part(to) > 0) backend.write(memory, there + at, part(to));
          if (part(from) > 0) backend.read(back.data() + at, memory, part(from));
        }
        backend.finish();
      },
      setting.rounds());
  backend.free(memory);
  return seconds;
}

class Bench {
 public:
  Bench(const Setting& setting, const Given& given) : setting_(setting), given_(given) {}

  /// `from` is the number of bytes that come back; `is_right` checks the result.
  template <class Program, class Check>
  void measure(const char* name, std::int64_t from, Program program, Check is_right) const {
    const auto& cases = setting_.cases;
    if (!cases.empty() && std::ranges::find(cases, name) == cases.end()) return;
    bool right = true;
    const auto here = [&](const auto& g) {
      given_.forget();
      const auto result = g(given_.array());
      if (result.size() > 0) static_cast<void>(result.span());
      right = right && is_right(result);
    };
    const int rounds = setting_.rounds();
    const auto f =
        hs::compile(program, {.target = setting_.target, .memory_limit = setting_.limit});
    const double ours = median_of([&] { here(f); }, rounds);
    const double plain = plain_copy(setting_, given_, from);
    const double all = static_cast<double>(setting_.bytes + from) / 1e9;
    std::printf("%-10s %9.1f ms %6.2f GB/s   plain copy %9.1f ms, of its rate %5.2f", name,
                ours * 1e3, all / ours, plain * 1e3, plain / ours);
    if (setting_.has_room_for_all()) {
      const auto whole = hs::compile(program, {.target = setting_.target});
      const double at_once = median_of([&] { here(whole); }, rounds);
      std::printf("   with room for all %9.1f ms, ratio %.2f", at_once * 1e3, ours / at_once);
    }
    std::printf("%s\n", right ? "" : "   WRONG");
    std::fflush(stdout);
  }

 private:
  const Setting& setting_;
  const Given& given_;
};

// The argument's numbers are periodic: -500 to 508, in some order.
constexpr std::int64_t period = 1009;

/// Whether f(i) holds at about a thousand indices.
template <class F>
bool holds_at_some(std::int64_t n, F f) {
  for (std::int64_t k = 0; k < 1000; ++k)
    if (!f((n - 1) / 999 * k)) return false;
  return n == 0 || f(n - 1);
}

bool is_near(float x, double expected) {
  return std::abs(static_cast<double>(x) - expected) <= 1e-3 * std::abs(expected) + 1e6;
}

void measure_all(const Setting& setting) {
  const Given given(setting);
  const Bench bench(setting, given);
  const std::int64_t all = setting.bytes, n = all / 4;
  const double total = static_cast<double>(n) * 4.0;  // the mean of the numbers is 4
  using Xs = hs::Acc<Floats>;
  bench.measure(
      "map", all, [](const Xs& a) { return a * 3.0F + 1.0F; },
      [=](const Floats& r) {
        return holds_at_some(n, [&](std::int64_t i) { return r[i] == number_at(i) * 3 + 1; });
      });
  bench.measure(
      "fold", 0, [](const Xs& a) { return hs::sum(a); },
      [=](const auto& r) { return is_near(r.item(), total); });
  bench.measure(
      "scan", all, [](const Xs& a) { return hs::scanl1(std::plus<>{}, a); },
      [=](const Floats& r) {
        return r[0] == number_at(0) && is_near(r[n / 2], total / 2) && is_near(r[n - 1], total);
      });
  bench.measure(
      "stencil", all,
      [](const Xs& a) {
        return hs::stencil([](auto at) { return at(-1) + at(1) - 2.0F * at(0); },
                           hs::boundary::clamp, a);
      },
      [=](const Floats& r) {
        return holds_at_some(n, [&](std::int64_t i) {
          const std::int64_t left = std::max<std::int64_t>(i - 1, 0),
                             right = std::min(i + 1, n - 1);
          return r[i] == number_at(left) + number_at(right) - 2 * number_at(i);
        });
      });
  bench.measure(
      "histogram", 0,
      [](const Xs& a) {
        return hs::histogram(period, [](auto x) { return hs::cast<std::int64_t>(x + 500.0F); }, a);
      },
      [=](const auto& r) {
        return holds_at_some(
            period, [&](std::int64_t i) { return r[i] == n / period || r[i] == n / period + 1; });
      });
  bench.measure(
      "filter", all / 2, [](const Xs& a) { return hs::filter([](auto x) { return x < 4.0F; }, a); },
      [=](const Floats& r) {
        const std::int64_t chosen = r.size() - n / period * 504;
        return chosen >= 0 && chosen <= n % period &&
               holds_at_some(r.size(), [&](std::int64_t i) { return r[i] < 4.0F; });
      });
  bench.measure(
      "sort", all, [](const Xs& a) { return hs::sort(a); },
      [=](const Floats& r) {
        return holds_at_some(n, [&](std::int64_t i) {
          const double expected = static_cast<double>(i) / static_cast<double>(n) * period - 500.5;
          return std::abs(static_cast<double>(r[i]) - expected) <= 1.0 &&
                 (i == 0 || r[i - 1] <= r[i]);
        });
      });
  bench.measure(
      "loop", all,
      [](const Xs& a) {
        return hs::aiterate(std::int64_t{3}, [](const Xs& v) { return hs::compute(v * 0.5F); }, a);
      },
      [=](const Floats& r) {
        return holds_at_some(n, [&](std::int64_t i) { return r[i] == number_at(i) * 0.125F; });
      });
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at, std::int64_t otherwise) {
    return argc > at ? std::atoll(argv[at]) * MiB : otherwise * MiB;
  };
  Setting setting{
      hs::Target(argc > 1 ? argv[1] : "opencl:0"), number(2, 1024), number(3, 100), "", {}};
  for (int i = 4; i < argc; ++i) {
    if (std::strchr(argv[i], '/'))
      setting.file = argv[i];
    else
      setting.cases.emplace_back(argv[i]);
  }
  try {
    std::printf("%s: %lld MiB of floats%s through %lld MiB\n", setting.target.name().c_str(),
                static_cast<long long>(setting.bytes / MiB), setting.file.empty() ? "" : " on disk",
                static_cast<long long>(setting.limit / MiB));
    measure_all(setting);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hasten-streaming: %s\n", error.what());
    return 1;
  }
  return 0;
}
