// By Batcher's network. The compared words include a key's place in its row, so that no two words
// are equal.
#include "backends/cpu/launch/sort/short_rows.hpp"

#include "backends/cpu/launch/sort/batcher.hpp"
#include "backends/cpu/launch/sort/radix_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {
namespace {

constexpr std::int64_t task_keys = std::int64_t{1} << 14;

// Without branches, because the outcome is unpredictable.
void put_in_order(PackedWord& a, PackedWord& b) {
  const std::uint64_t x = a.bits, y = b.bits;
  const std::uint64_t changed = (x ^ y) & (std::uint64_t{0} - std::uint64_t{y < x});
  a.bits = x ^ changed, b.bits = y ^ changed;
}
void put_in_order(WideWord& a, WideWord& b) {
  const WideWord x = a, y = b;
  const bool is_less = (y.bits < x.bits) | ((y.bits == x.bits) & (y.at < x.at));
  const std::uint64_t mask = std::uint64_t{0} - std::uint64_t{is_less};
  const std::uint64_t bits = (x.bits ^ y.bits) & mask, at = (x.at ^ y.at) & mask;
  a = {x.bits ^ bits, x.at ^ at}, b = {y.bits ^ bits, y.at ^ at};
}

// All comparisons, unrolled: words stay in registers.
template <std::size_t N, class Word, std::size_t... C>
void sort_words(std::array<Word, N>& words, std::index_sequence<C...>) {
  (put_in_order(words[batcher<N>[C].a], words[batcher<N>[C].b]), ...);
}

template <std::size_t N, class Key>
void order_rows(const Key* keys, std::int64_t rows, std::int64_t* positions) {
  using Word = std::conditional_t<(sizeof(Key) <= 4), PackedWord, WideWord>;
  for (std::int64_t row = 0; row < rows; ++row, keys += N, positions += N) {
    std::array<Word, N> words;
    for (std::size_t i = 0; i < N; ++i) words[i] = Word::of(keys[i], i);
    sort_words(words, std::make_index_sequence<batcher<N>.size()>());
    for (std::size_t i = 0; i < N; ++i) positions[i] = static_cast<std::int64_t>(words[i].beside());
  }
}

template <class Key, std::size_t... N>
void order_rows_of(std::size_t n, const Key* keys, std::int64_t rows, std::int64_t* positions,
                   std::index_sequence<N...>) {
  (void)((n == N + 1 && (order_rows<N + 1>(keys, rows, positions), true)) || ...);
}

}  // namespace

void order_short_rows(const Keys& keys, std::int64_t rows, std::int64_t n, std::int64_t* positions,
                      const Team& team) {
  const std::int64_t step = task_keys / n;
  const auto task = [&](std::int64_t i) {
    const std::int64_t first = i * step, count = std::min(step, rows - first);
    const auto order = [&](const auto* row) {
      order_rows_of(static_cast<std::size_t>(n), row, count, positions + first * n,
                    std::make_index_sequence<network_most>());
    };
    with_keys(keys.types[0], keys.data[0], first * n, [&]<class Key>(const Key* row) {
      // Networks for keys of every size would be much code.
      if constexpr (sizeof(Key) < 4)
        order(std::vector<std::uint32_t>(row, row + count * n).data());
      else
        order(row);
    });
  };
  const std::int64_t tasks = (rows + step - 1) / step;
  if (tasks > 1)
    team.for_each(tasks, task);
  else
    task(0);
}

}  // namespace hasten::backends::cpu
