// The first keys are sorted; others are inserted.
#include "backends/cpu/launch/sort/select_few.hpp"

#include "backends/cpu/launch/sort/vectors/search.hpp"
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hasten::backends::cpu {
namespace {

constexpr std::int64_t few_most = 16, row_least = 128;
constexpr std::int64_t keys_for_each = 32;  // position that is wanted, at least
constexpr std::int64_t sorted_at_once = 64;

template <class Key>
class FewFirst {
 public:
  FewFirst(const Key* keys, std::int64_t n, std::int64_t count)
      : keys_(keys),
        n_(n),
        count_(count) {}

  /// Whether few were inserted.
  bool find() {
    const std::int64_t inserted_most = 64 + n_ / 32;
    std::int64_t at = sort_beginning();
    for (std::int64_t inserted = 0; inserted <= inserted_most; ++inserted, ++at) {
      at = first_below(keys_, at, n_, found_[last()].key);
      if (at == n_) return true;
      insert(last(), at);
    }
    return false;
  }

  void store(std::int64_t* positions) const {
    for (std::int64_t i = 0; i < count_; ++i)
      positions[i] = found_[static_cast<std::size_t>(i)].position;
  }

 private:
  struct Found {
    Key key;
    std::int64_t position;
  };

  [[nodiscard]] std::size_t last() const { return static_cast<std::size_t>(count_ - 1); }

  // Returns the number of keys that were looked at.
  std::int64_t sort_beginning() {
    if constexpr (sizeof(Key) < sizeof(std::uint64_t))
      if (sorts_by_vectors()) return sort_words();
    for (std::size_t i = 0; i <= last(); ++i) insert(i, static_cast<std::int64_t>(i));
    return count_;
  }

  // A key above its place: no two words are equal.
  std::int64_t sort_words() {
    constexpr unsigned place_bits = 32;
    alignas(64) std::array<std::uint64_t, sorted_at_once> words;
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = std::uint64_t{keys_[i]} << place_bits | i;
    sort_by_vectors(words.data(), sorted_at_once);
    for (std::size_t i = 0; i <= last(); ++i)
      found_[i] = {static_cast<Key>(words[i] >> place_bits),
                   static_cast<std::int64_t>(words[i] & (sorted_at_once - 1))};
    return sorted_at_once;
  }

  // Behind equal keys; of those up to `free`, the last is lost.
  void insert(std::size_t free, std::int64_t position) {
    const Key key = keys_[position];
    std::size_t at = free;
    for (; at > 0 && key < found_[at - 1].key; --at) found_[at] = found_[at - 1];
    found_[at] = {key, position};
  }

  const Key* keys_;
  std::int64_t n_, count_;
  std::array<Found, few_most> found_;
};

}  // namespace

bool select_few(const Keys& keys, std::int64_t first, std::int64_t n, std::int64_t count,
                std::int64_t* positions) {
  if (count > few_most || count > n / keys_for_each || n < row_least || keys.types.size() != 1)
    return false;
  return with_keys(keys.types[0], keys.data[0], first, [=]<class Key>(const Key* row) {
    if constexpr (sizeof(Key) < sizeof(std::uint32_t)) {
      return false;
    } else {
      FewFirst<Key> few(row, n, count);
      const bool is_found = few.find();
      if (is_found) few.store(positions);
      return is_found;
    }
  });
}

}  // namespace hasten::backends::cpu
