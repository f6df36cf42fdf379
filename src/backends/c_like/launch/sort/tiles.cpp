// Each pass counts the digits of every tile, sums the counts in the order (digit, tile), and moves.
// Marco Zagha and Guy Blelloch, "Radix sort for vector multiprocessors" (1991). All rows are sorted
// as one: by their keys first, by the row last, and stable passes do the rest.
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/work.hpp"
#include "backends/c_like/text/expressions.hpp"

#include <algorithm>
#include <bit>

namespace hasten::backends::c_like {
namespace {

constexpr std::int64_t sort_items = 8;
constexpr std::int64_t sort_tile = group_size * sort_items;
constexpr std::int64_t small_digits = 16;
constexpr unsigned small_digit_bits = 4;
constexpr const char* tiled_sort_program = "sort";

// `order` holds places in all rows together. An item owns eight neighbours, so that equal digits
// keep their order: by item, and within one by place.
constexpr const char* functions = R"(
KERNEL sort_start(GLOBAL i64* order, const i64 n) {
  EACH(i, n) order[i] = i;
}

#define KEYS(name, T) \
KERNEL name(const GLOBAL T* RESTRICT key, const GLOBAL i64* RESTRICT order, GLOBAL u64* at, const i64 n) { \
  EACH(i, n) at[i] = (u64)key[order[i]]; \
}
KEYS(sort_keys_1, u8)
KEYS(sort_keys_2, u16)
KEYS(sort_keys_4, u32)
KEYS(sort_keys_8, u64)

KERNEL sort_rows(const GLOBAL i64* RESTRICT order, GLOBAL u64* at, const i64 n, const i64 size) {
  EACH(i, n) at[i] = (u64)(order[i] / size);
}

KERNEL sort_count(const GLOBAL u64* RESTRICT key, GLOBAL i64* count, const i64 n, const i64 tiles,
                  const i32 shift) {
  LOCAL i32 seen[16 * 256];
  TASK(tile, tiles) {
    for (i32 d = 0; d < 16; ++d) seen[d * 256 + ITEM] = 0;
    const i64 first = (tile * 256 + ITEM) * 8, past = first + 8 < n ? first + 8 : n;
    for (i64 i = first; i < past; ++i) ++seen[(i32)(key[i] >> shift & 15) * 256 + ITEM];
    BARRIER;
    if (ITEM < 16) {
      i64 sum = 0;
      for (i32 i = 0; i < 256; ++i) sum += seen[ITEM * 256 + i];
      count[ITEM * tiles + tile] = sum;
    }
    BARRIER;
  }
}

KERNEL sort_sum(GLOBAL i64* count, const i64 n) {
  LOCAL i64 part[256];
  const i64 each = (n + 255) / 256, first = ITEM * each;
  const i64 past = first + each < n ? first + each : n;
  i64 sum = 0;
  for (i64 i = first; i < past; ++i) sum += count[i];
  part[ITEM] = sum;
  BARRIER;
  i64 before = 0;
  for (i32 i = 0; i < ITEM; ++i) before += part[i];
  for (i64 i = first; i < past; ++i) {
    const i64 here = count[i];
    count[i] = before;
    before += here;
  }
}

KERNEL sort_move(const GLOBAL u64* RESTRICT key, const GLOBAL i64* RESTRICT order,
                 const GLOBAL i64* RESTRICT count, GLOBAL u64* key_to, GLOBAL i64* order_to,
                 const i64 n, const i64 tiles, const i32 shift) {
  LOCAL i32 seen[16 * 256];
  TASK(tile, tiles) {
    for (i32 d = 0; d < 16; ++d) seen[d * 256 + ITEM] = 0;
    const i64 first = (tile * 256 + ITEM) * 8, past = first + 8 < n ? first + 8 : n;
    for (i64 i = first; i < past; ++i) ++seen[(i32)(key[i] >> shift & 15) * 256 + ITEM];
    BARRIER;
    if (ITEM < 16) {
      i32 before = 0;
      for (i32 i = 0; i < 256; ++i) {
        const i32 here = seen[ITEM * 256 + i];
        seen[ITEM * 256 + i] = before;
        before += here;
      }
    }
    BARRIER;
    for (i64 i = first; i < past; ++i) {
      const i32 digit = (i32)(key[i] >> shift & 15);
      const i64 to = count[digit * tiles + tile] + seen[digit * 256 + ITEM]++;
      key_to[to] = key[i];
      order_to[to] = order[i];
    }
    BARRIER;
  }
}

#define NOTE(name, T) \
KERNEL name(const GLOBAL T* RESTRICT key, const GLOBAL i64* RESTRICT order, GLOBAL u8* head, const i64 n, const i64 size) { \
  EACH(i, n) if (i % size == 0 || key[order[i]] != key[order[i - 1]]) head[i] = 1; \
}
NOTE(sort_note_1, u8)
NOTE(sort_note_2, u16)
NOTE(sort_note_4, u32)
NOTE(sort_note_8, u64)

KERNEL sort_clear(GLOBAL u8* head, const i64 n) {
  EACH(i, n) head[i] = 0;
}

#define CARRY(name, T, words) \
KERNEL name(const GLOBAL T* RESTRICT from, const GLOBAL i64* RESTRICT order, GLOBAL T* to, const i64 n) { \
  EACH(i, n) for (i32 word = 0; word < words; ++word) \
    to[i * words + word] = from[order[i] * words + word]; \
}
CARRY(sort_carry_1, u8, 1)
CARRY(sort_carry_2, u16, 1)
CARRY(sort_carry_4, u32, 1)
CARRY(sort_carry_8, u64, 1)
CARRY(sort_carry_16, u64, 2)

KERNEL sort_end(const GLOBAL i64* RESTRICT order, GLOBAL i64* positions, const i64 n,
                const i64 size) {
  EACH(i, n)
    positions[i] = order[i] - i / size * size;
}
)";

class TiledSort {
 public:
  explicit TiledSort(const SortWork& work)
      : driver_(work.driver),
        program_(work.sorter.program(tiled_sort_program)),
        n_(work.shape.rows * work.shape.size),
        size_(work.shape.size),
        tiles_((n_ + sort_tile - 1) / sort_tile),
        key_(work.take(n_ * 8)),
        other_key_(work.take(n_ * 8)),
        order_(work.take(n_ * 8)),
        other_order_(work.take(n_ * 8)),
        count_(work.take(small_digits * tiles_ * 8)) {}

  void run_short(unsigned bits, Address keys, Address positions) {
    each("sort_start", {order_, number(n_)});
    each("sort_keys_8", {keys, order_, key_, number(n_)});
    passes(bits);
    each("sort_end", {order_, positions, number(n_), number(size_)});
  }

  void run(std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
           const SortedKeys& to) {
    each("sort_start", {order_, number(n_)});
    for (std::size_t leaf = types.size(); leaf-- > 0;) {
      const std::size_t bytes = detail::size_in_bytes(types[leaf]);
      const std::string function = "sort_keys_" + std::to_string(bytes);
      each(function.c_str(), {Input{const_cast<Address>(keys[leaf])}, order_, key_, number(n_)});
      passes(detail::is_bool(types[leaf]) ? 1 : static_cast<unsigned>(8 * bytes));
    }
    const std::int64_t rows = n_ / size_;
    if (rows > 1) {
      each("sort_rows", {order_, key_, number(n_), number(size_)});
      passes(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(rows - 1))));
    }
    if (to.positions)
      each("sort_end",
           {order_, reinterpret_cast<Address>(to.positions), number(n_), number(size_)});
    if (to.heads) note_runs(types, keys, reinterpret_cast<Address>(to.heads));
    for (const CarriedComponent& component : to.carried) {
      const std::string function = "sort_carry_" + std::to_string(component.bytes);
      each(function.c_str(), {Input{const_cast<Address>(component.from)}, order_,
                              reinterpret_cast<Address>(component.to), number(n_)});
    }
  }

 private:
  // An element begins a run if it differs in any component.
  void note_runs(std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
                 Address heads) {
    each("sort_clear", {heads, number(n_)});
    for (std::size_t leaf = 0; leaf < types.size(); ++leaf) {
      const std::string function =
          "sort_note_" + std::to_string(detail::size_in_bytes(types[leaf]));
      each(function.c_str(),
           {Input{const_cast<Address>(keys[leaf])}, order_, heads, number(n_), number(size_)});
    }
  }

  void each(const char* function, std::initializer_list<Argument> arguments) {
    driver_.launch(program_, function, {groups_for_each(driver_, program_, function, n_)},
                   {arguments.begin(), arguments.size()});
  }

  [[nodiscard]] std::int64_t tiles(const char* function) const {
    return groups_for_tasks(driver_, program_, function, tiles_);
  }

  void passes(unsigned bits) {
    for (unsigned shift = 0; shift < bits; shift += small_digit_bits) {
      const Number by = number(static_cast<std::int32_t>(shift));
      const Argument count[] = {key_, count_, number(n_), number(tiles_), by};
      driver_.launch(program_, "sort_count", {tiles("sort_count")}, count);
      const Argument sum[] = {count_, number(small_digits * tiles_)};
      driver_.launch(program_, "sort_sum", {1}, sum);
      const Argument move[] = {key_,         order_,     count_,         other_key_,
                               other_order_, number(n_), number(tiles_), by};
      driver_.launch(program_, "sort_move", {tiles("sort_move")}, move);
      std::swap(key_, other_key_);
      std::swap(order_, other_order_);
    }
  }

  Driver& driver_;
  Program& program_;
  std::int64_t n_, size_, tiles_;
  Address key_, other_key_, order_, other_order_, count_;
};

std::string tiled_sort_source(const Dialect& dialect) {
  return prelude_types(dialect, IndexWidth::wide) + functions;
}

std::vector<SortProgram> tiled_sort_programs() { return {{tiled_sort_program, tiled_sort_source}}; }

void sort_in_tiles(const SortWork& work, std::span<const core::ScalarType> types,
                   std::span<const std::byte* const> keys, const SortedKeys& to) {
  TiledSort(work).run(types, keys, to);
}

void sort_short_in_tiles(const SortWork& work, unsigned bits, Address keys, Address positions) {
  TiledSort(work).run_short(bits, keys, positions);
}

}  // namespace

const SortMethod tiled_sort = {tiled_sort_programs, sort_in_tiles, sort_short_in_tiles};

}  // namespace hasten::backends::c_like
