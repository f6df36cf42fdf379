// One block of memory serves all measurements; each number is the best of several runs, because
// disturbances only ever make a machine slower.
#include "backends/cpu/machine/measure.hpp"

#include "backends/cpu/machine/measured_kernels.hpp"
#include "backends/cpu/machine/processor.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

namespace hasten::backends::cpu {
namespace {

constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::int64_t least_bytes = 32 * MiB, most_bytes = 256 * MiB;  // of the block
constexpr std::int64_t places_min = 512 * KiB;  // random places that are read in memory
constexpr std::int64_t sweep_bytes = 4 * MiB;   // that are read at each size
constexpr double faster_than_memory = 1.25;     // times memory's rate: in a cache
constexpr std::int64_t streams_always = 0;      // bytes of the last cache, for a launcher
constexpr std::int64_t streams_never = std::numeric_limits<std::int64_t>::max();

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

/// The best of this many runs, in nanoseconds.
template <class F>
double best_ns(int times, F&& f) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const double start = now_ns();
    f();
    best = std::min(best, now_ns() - start);
  }
  return std::max(best, 1.0);
}

/// Own memory, in huge pages where available, like that of arrays.
class Block {
 public:
  explicit Block(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ != MAP_FAILED) madvise(data_, bytes_, MADV_HUGEPAGE);  // as far as possible
  }
  ~Block() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  explicit operator bool() const { return data_ != MAP_FAILED; }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_); }

 private:
  std::size_t bytes_;
  void* data_;
};

// Four times the last cache, if that is no large part of the available memory.
std::int64_t block_bytes(const Facts& facts) {
  const std::int64_t wanted = std::clamp(4 * last_cache_bytes(facts), least_bytes, most_bytes);
  const std::int64_t pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  std::int64_t there = pages > 0 && page > 0 ? pages * page : wanted * 4;
  if (const auto quota = memory_quota("/")) there = std::min(there, *quota);
  return std::min(wanted, there / 4) / (2 * MiB) * (2 * MiB);
}

class Measurement {
 public:
  Measurement(Facts facts, const Machine& machine, int threads, const Block& block)
      : facts_(std::move(facts)),
        threads_(threads),
        one_(1, caches(streams_never)),
        one_streams_(1, caches(streams_always)),
        all_(threads, caches(streams_never)),
        all_streams_(threads, caches(streams_always)),
        kernels_(make_measured_kernels(machine, all_)),
        block_(block) {}

  Facts run() {
    touch();
    launches();
    products();
    memory();
    caches();
    gathers();
    return facts_;
  }

 private:
  [[nodiscard]] CacheSizes caches(std::int64_t last) const {
    return {second_cache_bytes(facts_), last};
  }

  // Touches all pages before anything is timed.
  void touch() {
    constexpr std::int64_t step = 2 * MiB;
    all_.in_parallel(block_.bytes() / step, [&](std::int64_t i) {
      std::memset(block_.data() + i * step, 0, static_cast<std::size_t>(step));
    });
  }

  void launches() {
    const std::int64_t extents[] = {1};
    const std::byte* const inputs[] = {block_.data()};
    std::byte* const outputs[] = {block_.data() + 64};
    constexpr int calls = 256;
    facts_.call_ns =
        best_ns(8,
                [&] {
                  for (int i = 0; i < calls; ++i)
                    one_.launch(
                        *kernels_.copy,
                        {.extents = extents, .inputs = inputs, .outputs = outputs, .scalars = {}});
                }) /
        calls;
    facts_.launch_ns = threads_ == 1 ? *facts_.call_ns : meeting_ns();
  }

  // Every task waits until all have begun, so that each has a thread of its own; the median of
  // several runs. If not all tasks begin (the machine is busy), the wait is short.
  double meeting_ns() {
    constexpr double longest_ns = 200'000;
    std::vector<double> times(33);
    for (double& time : times) {
      std::atomic<int> begun{0};
      const double start = now_ns();
      all_.in_parallel(threads_, [&](std::int64_t) {
        ++begun;
        while (begun < threads_ && now_ns() - start < longest_ns) {}
      });
      time = now_ns() - start;
    }
    const auto middle = times.begin() + std::ssize(times) / 2;
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  // Sums rows of one array: consecutive rows, or the same row each time.
  void sum(const Launcher& launcher, const LoadedKernel& kernel, const std::byte* from,
           const std::byte* places, std::int64_t rows, std::int64_t columns) {
    const std::byte* const inputs[] = {from, places};
    sums_.resize(std::max(sums_.size(), static_cast<std::size_t>(rows)));
    std::byte* const outputs[] = {reinterpret_cast<std::byte*>(sums_.data())};
    const std::uint64_t scalars[] = {0};  // stride 0: the same row
    const std::int64_t extents[] = {rows, columns};
    launcher.launch(kernel, {.extents = extents,
                             .inputs = std::span(inputs).first(places ? 2 : 1),
                             .outputs = outputs,
                             .scalars = scalars});
  }

  template <class F>
  Rates rates(double work, int times, F&& f) {
    return {work / best_ns(times, [&] { f(one_); }) * 1e9,
            work / best_ns(times, [&] { f(all_); }) * 1e9};
  }

  // Rates of f(launcher, threads), which does this much work for each thread.
  template <class F>
  Rates rates_of_each(double work, int times, F&& f) {
    return {work / best_ns(times, [&] { f(one_, 1); }) * 1e9,
            work * threads_ / best_ns(times, [&] { f(all_, threads_); }) * 1e9};
  }

  // Products of data in the nearest cache: twenty-two for each load.
  void products() {
    constexpr std::int64_t columns = 4096, rows = 128;
    constexpr auto work = static_cast<double>(rows * columns * products_of_element);
    facts_.fma_f32_per_s = rates_of_each(work, 4, [&](const Launcher& launcher, int threads) {
      sum(launcher, *kernels_.multiply_f32, block_.data(), nullptr, rows * threads, columns);
    });
    facts_.fma_f64_per_s = rates_of_each(work / 2, 4, [&](const Launcher& launcher, int threads) {
      sum(launcher, *kernels_.multiply_f64, block_.data(), nullptr, rows * threads, columns / 2);
    });
  }

  double copy_rate(const Launcher& launcher) {
    const std::int64_t half = block_.bytes() / 2, extents[] = {half / 4};
    const std::byte* const inputs[] = {block_.data()};
    std::byte* const outputs[] = {block_.data() + half};
    const double ns = best_ns(2, [&] {
      launcher.launch(*kernels_.copy,
                      {.extents = extents, .inputs = inputs, .outputs = outputs, .scalars = {}});
    });
    return static_cast<double>(block_.bytes()) / ns * 1e9;
  }

  void memory() {
    const auto bytes = static_cast<double>(block_.bytes());
    facts_.read_bytes_per_s = rates(bytes, 2, [&](const Launcher& launcher) {
      sum(launcher, *kernels_.read, block_.data(), nullptr, 1, block_.bytes() / 4);
    });
    facts_.copy_bytes_per_s = Rates{copy_rate(one_), copy_rate(all_)};
    facts_.stream_bytes_per_s = Rates{copy_rate(one_streams_), copy_rate(all_streams_)};
  }

  // One thread reads this many bytes again and again.
  double read_rate(std::int64_t bytes) {
    const std::int64_t rows = std::max<std::int64_t>(2, sweep_bytes / bytes);
    const double ns =
        best_ns(3, [&] { sum(one_, *kernels_.read, block_.data(), nullptr, rows, bytes / 4); });
    return static_cast<double>(rows * bytes) / ns * 1e9;
  }

  void caches() {
    for (CacheFacts& cache : facts_.caches)
      if (cache.bytes <= block_.bytes()) cache.read_bytes_per_s = read_rate(cache.bytes / 2);
    const double enough = facts_.read_bytes_per_s->one * faster_than_memory;
    for (std::int64_t bytes = block_.bytes() / 2; bytes >= 16 * KiB; bytes /= 2) {
      if (read_rate(bytes) < enough) continue;
      facts_.cache_seen_bytes = bytes;
      return;
    }
  }

  // Random places below `size`, as i32.
  void scatter_places(std::byte* to, std::int64_t count, std::int64_t size) {
    constexpr std::int64_t step = 64 * KiB;
    auto* const places = reinterpret_cast<std::int32_t*>(to);
    all_.in_parallel((count + step - 1) / step, [&](std::int64_t part) {
      for (std::int64_t i = part * step; i < std::min(count, (part + 1) * step); ++i) {
        auto hash = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15;
        hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
        places[i] =
            static_cast<std::int32_t>((hash >> 32) * static_cast<std::uint64_t>(size) >> 32);
      }
    });
  }

  void gathers() {
    const auto second = std::min<std::size_t>(facts_.caches.size(), 2);
    const std::int64_t near_bytes = second ? facts_.caches[second - 1].bytes / 4 : 256 * KiB;
    const std::int64_t near = std::min<std::int64_t>(near_bytes, 4 * MiB) / 4;
    std::byte* const places = block_.data() + block_.bytes() / 2;
    scatter_places(places, near, near);
    constexpr std::int64_t rows = 8;
    facts_.gather_cache_per_s = rates_of_each(
        static_cast<double>(rows * near), 2, [&](const Launcher& launcher, int threads) {
          sum(launcher, *kernels_.gather, block_.data(), places, rows * threads, near);
        });
    // The places are stored behind the data that is read.
    const std::int64_t count =
        std::clamp<std::int64_t>(4 * tile_elements * threads_, places_min, block_.bytes() / 8 / 4);
    const std::int64_t table = block_.bytes() / 4 - count;
    std::byte* const far_places = block_.data() + table * 4;
    scatter_places(far_places, count, table);
    facts_.gather_memory_per_s =
        rates(static_cast<double>(count), 2, [&](const Launcher& launcher) {
          sum(launcher, *kernels_.gather, block_.data(), far_places, 1, count);
        });
  }

  Facts facts_;
  int threads_;
  Launcher one_, one_streams_, all_, all_streams_;
  MeasuredKernels kernels_;
  const Block& block_;
  std::vector<double> sums_;
};

}  // namespace

Facts measure_facts(Facts facts, const Machine& machine, int threads) {
  const Block block(std::max(block_bytes(facts), 2 * MiB));
  if (!block || block.bytes() < least_bytes) return facts;
  return Measurement(std::move(facts), machine, threads, block).run();
}

}  // namespace hasten::backends::cpu
