// A sample yields a bound that slightly more than enough keys do not exceed; only these are sorted.
#include "backends/cpu/launch/sort/select_first.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace hasten::backends::cpu {
namespace {

constexpr std::int64_t sample_most = 1024;
constexpr std::int64_t worth_it = 32;  // at most one key in this many is wanted

/// Positions, in order, of keys that do not exceed a bound.
struct Found {
  std::vector<std::int64_t> positions;
  bool too_many = false;
};

// A key that more than `count` of the n keys likely do not exceed: four deviations beyond the
// expected place in the sample. Nothing if that is no small part of it.
template <class Key>
std::optional<Key> likely_bound(const Key* keys, std::int64_t n, std::int64_t count) {
  const std::int64_t size = std::min(sample_most, n / 4);
  const double expected =
      static_cast<double>(count) * static_cast<double>(size) / static_cast<double>(n);
  const auto rank = static_cast<std::int64_t>(std::ceil(expected + 4 * std::sqrt(expected) + 4));
  if (rank >= size / 2) return std::nullopt;
  std::vector<Key> sample(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) sample[static_cast<std::size_t>(i)] = keys[n * i / size];
  std::nth_element(sample.begin(), sample.begin() + rank, sample.end());
  return sample[static_cast<std::size_t>(rank)];
}

template <class Key>
bool any_within(const Key* keys, std::int64_t count, Key bound) {
  unsigned found = 0;
  for (std::int64_t i = 0; i < count; ++i) found |= static_cast<unsigned>(keys[i] <= bound);
  return found != 0;
}

// Of the keys that equal the bound, the first `equals` suffice.
template <class Key>
void collect(const Key* keys, std::int64_t begin, std::int64_t end, const Key bound,
             std::int64_t equals, std::size_t most, Found& found) {
  constexpr std::int64_t block = 64;
  bool takes_equals = true;
  for (std::int64_t from = begin; from < end; from += block) {
    const std::int64_t to = std::min(from + block, end);
    const Key limit = takes_equals ? bound : static_cast<Key>(bound - 1);
    if (!any_within(keys + from, to - from, limit)) continue;
    for (std::int64_t i = from; i < to; ++i) {
      if (keys[i] > bound || (keys[i] == bound && !takes_equals)) continue;
      found.positions.push_back(i);
      if (keys[i] == bound) takes_equals = --equals > 0;
    }
    if (bound == 0 && !takes_equals) return;
    found.too_many = found.positions.size() > most;
    if (found.too_many) return;
  }
}

std::vector<Found> collect_all(const Keys& keys, std::int64_t first, const Chunks& chunks,
                               std::int64_t count) {
  std::vector<Found> found;
  with_keys(keys.types[0], keys.data[0], first, [&](const auto* row) {
    const auto bound = likely_bound(row, chunks.size, count);
    if (!bound) return;
    // Other components decide between equal keys.
    const bool is_all = keys.types.size() == 1;
    const std::int64_t equals = is_all ? count : std::numeric_limits<std::int64_t>::max();
    const std::size_t most = static_cast<std::size_t>(chunks.size / chunks.count / 8 + 64);
    found.resize(static_cast<std::size_t>(chunks.count));
    chunks.for_each([&](std::int64_t c, std::int64_t begin, std::int64_t end) {
      collect(row, begin, end, *bound, equals, most, found[static_cast<std::size_t>(c)]);
    });
  });
  return found;
}

}  // namespace

bool select_first(const Keys& keys, std::int64_t first, const Chunks& chunks, std::int64_t count,
                  std::int64_t* positions) {
  if (count > chunks.size / worth_it) return false;
  std::vector<std::int64_t> all;
  for (const Found& each : collect_all(keys, first, chunks, count)) {
    if (each.too_many) return false;
    all.insert(all.end(), each.positions.begin(), each.positions.end());
  }
  if (std::ssize(all) < count) return false;
  std::partial_sort(all.begin(), all.begin() + count, all.end(),
                    [&](std::int64_t a, std::int64_t b) { return is_before(keys, first, a, b); });
  std::copy_n(all.begin(), count, positions);
  return true;
}

}  // namespace hasten::backends::cpu
