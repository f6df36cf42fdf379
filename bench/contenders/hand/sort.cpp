// Radix sort, least significant digit first: one pass counts all digits, then each digit takes one
// pass over memory.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "collectives.hpp"
#include "parallel.hpp"

namespace contenders {
namespace {

template <int bits>
class RadixSort {
 public:
  RadixSort(int64_t n, int64_t parts)
      : n_(n),
        parts_(parts),
        counts_(static_cast<std::size_t>(parts)) {}

  void pass(const uint32_t* from, uint32_t* to, int shift) {
    pass([=](int64_t i) { return from[i]; }, [](uint32_t x) { return x; },
         [=](int64_t at, uint32_t x) { to[at] = x; }, shift);
  }

  /// put(place, load(i)) for each i, in the order of one digit of key(load(i)).
  template <class Load, class Key, class Put>
  void pass(const Load& load, const Key& key, const Put& put, int shift) {
    each_part([&](Counts& counts, int64_t begin, int64_t end) {
      counts.fill(0);
      for (int64_t i = begin; i < end; ++i) ++counts[key(load(i)) >> shift & mask];
    });
    int64_t next = 0;
    for (std::size_t digit = 0; digit <= mask; ++digit)
      for (Counts& counts : counts_) {
        const int64_t count = counts[digit];
        counts[digit] = next;
        next += count;
      }
    each_part([&](Counts& places, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto x = load(i);
        put(places[key(x) >> shift & mask]++, x);
      }
    });
  }

 private:
  static constexpr uint32_t mask = (1u << bits) - 1;
  using Counts = std::array<int64_t, mask + 1>;

  template <class F>
  void each_part(const F& f) {
    parallel_blocks(parts_, 1, [&](int64_t part, int64_t) {
      f(counts_[static_cast<std::size_t>(part)], n_ * part / parts_, n_ * (part + 1) / parts_);
    });
  }

  int64_t n_, parts_;
  std::vector<Counts> counts_;
};

template <int bits>
void radix_sort(const uint32_t* x, uint32_t* out, int64_t n) {
  const Buffer<uint32_t> other(n);
  RadixSort<bits> sort(n, tbb::this_task_arena::max_concurrency());
  constexpr int passes = (32 + bits - 1) / bits;
  const uint32_t* from = x;
  for (int p = 0; p < passes; ++p) {
    uint32_t* to = (passes - p) % 2 == 1 ? out : other.data();
    sort.pass(from, to, p * bits);
    from = to;
  }
}

// Moves words of a key and a value; the first pass makes them and the last one takes them apart.
template <int bits>
void radix_sort_pairs(const uint32_t* keys, const uint32_t* values, uint32_t* keys_out,
                      uint32_t* values_out, int64_t n) {
  const Buffer<uint64_t> first(n), second(n);
  RadixSort<bits> sort(n, tbb::this_task_arena::max_concurrency());
  constexpr int passes = (32 + bits - 1) / bits;
  uint64_t *from = first.data(), *to = second.data();
  const auto key = [](uint64_t word) { return static_cast<uint32_t>(word >> 32); };
  const auto load = [&](int64_t i) { return from[i]; };
  sort.pass([=](int64_t i) { return uint64_t{keys[i]} << 32 | values[i]; }, key,
            [=](int64_t at, uint64_t word) { from[at] = word; }, 0);
  for (int p = 1; p < passes - 1; ++p) {
    sort.pass(load, key, [=](int64_t at, uint64_t word) { to[at] = word; }, p * bits);
    std::swap(from, to);
  }
  sort.pass(
      load, key,
      [=](int64_t at, uint64_t word) {
        keys_out[at] = static_cast<uint32_t>(word >> 32);
        values_out[at] = static_cast<uint32_t>(word);
      },
      (passes - 1) * bits);
}

// Maps floats to unsigned numbers of the same order.
uint32_t key_of(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return bits ^ (bits >> 31 != 0 ? ~0u : 1u << 31);
}
float float_of(uint32_t key) {
  return std::bit_cast<float>(key ^ (key >> 31 != 0 ? 1u << 31 : ~0u));
}

constexpr int64_t block = 1 << 16;

template <int bits>
void radix_sort_floats(const float* x, float* out, int64_t n) {
  const Buffer<uint32_t> keys(n), sorted(n);
  parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) keys.data()[i] = key_of(x[i]);
  });
  radix_sort<bits>(keys.data(), sorted.data(), n);
  parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = float_of(sorted.data()[i]);
  });
}

void compare_rows(const uint32_t* x, uint32_t* out, int64_t rows, int64_t n) {
  parallel_blocks(rows, 64, [&](int64_t begin, int64_t end) {
    std::copy(x + begin * n, x + end * n, out + begin * n);
    for (int64_t r = begin; r < end; ++r) std::sort(out + r * n, out + (r + 1) * n);
  });
}

// Sorts each row by digits of 8 bits, alternating between two buffers.
void radix_rows(const uint32_t* x, uint32_t* out, int64_t rows, int64_t n) {
  parallel_blocks(rows, 64, [&](int64_t begin, int64_t end) {
    std::vector<uint32_t> other(static_cast<std::size_t>(n));
    for (int64_t r = begin; r < end; ++r) {
      const uint32_t* from = x + r * n;
      for (int shift = 0; shift < 32; shift += 8) {
        uint32_t* to = shift % 16 == 0 ? other.data() : out + r * n;
        std::array<int64_t, 257> places{};
        for (int64_t i = 0; i < n; ++i) ++places[(from[i] >> shift & 255) + 1];
        for (std::size_t digit = 1; digit < 256; ++digit) places[digit] += places[digit - 1];
        for (int64_t i = 0; i < n; ++i) to[places[from[i] >> shift & 255]++] = from[i];
        from = to;
      }
    }
  });
}

}  // namespace

std::vector<Named<void(const float*, float*, int64_t)>> float_sorts() {
  return {{"hand-8-bits", Rules::strict, radix_sort_floats<8>},
          {"hand-11-bits", Rules::strict, radix_sort_floats<11>}};
}

std::vector<Named<void(const uint32_t*, uint32_t*, int64_t, int64_t)>> row_sorts() {
  return {{"std-sort", Rules::strict, compare_rows}, {"hand-8-bits", Rules::strict, radix_rows}};
}

std::vector<Named<PairSort>> pair_sorts() {
  return {{"hand-8-bits", Rules::strict, radix_sort_pairs<8>},
          {"hand-11-bits", Rules::strict, radix_sort_pairs<11>}};
}

std::vector<Named<void(const uint32_t*, uint32_t*, int64_t)>> sorts() {
  return {{"hand-8-bits", Rules::strict, radix_sort<8>},
          {"hand-11-bits", Rules::strict, radix_sort<11>}};
}

}  // namespace contenders
