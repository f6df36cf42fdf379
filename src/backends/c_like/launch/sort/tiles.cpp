// Each pass counts the digits of every tile, sums the counts in the order (digit, tile), and moves.
// Marco Zagha and Guy Blelloch, "Radix sort for vector multiprocessors" (1991).
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/radix.hpp"
#include "backends/c_like/launch/sort/radix_text.hpp"
#include "backends/c_like/text/expressions.hpp"

namespace hasten::backends::c_like {
namespace {

// How a pass traverses memory.
struct TiledPass {
  const char* count;
  const char* move;
  unsigned digit_bits;
  std::int64_t tile;

  [[nodiscard]] std::int64_t digits() const { return std::int64_t{1} << digit_bits; }
};
// An item has eight neighbouring elements; local memory holds 16 counts of each item.
constexpr TiledPass by_groups = {"sort_count", "sort_move", 4, std::int64_t{group_size} * 8};
// A processor's caches hold more counts, and its items run one after the other anyway.
constexpr TiledPass by_items = {"sort_count_alone", "sort_move_alone", 8, std::int64_t{1} << 15};
constexpr TiledPass by_items_short = {"sort_count_alone", "sort_move_alone", 8, 4096};

const TiledPass& pass_for(const SortWork& work) {
  constexpr std::int64_t few = std::int64_t{1} << 17;
  if (!work.driver.is_processor()) return by_groups;
  return work.shape.rows * work.shape.size > few ? by_items : by_items_short;
}

// An item owns eight neighbouring elements, so that equal digits keep their order: by item, and
// within an item by place. `how`: 1, keys are written; 2, values are not read, but are the places.
constexpr const char* tiled_passes = R"(
KERNEL sort_count(const GLOBAL key* RESTRICT keys, GLOBAL i64* count, const i64 n, const i64 tiles,
                  const i32 shift) {
  LOCAL i32 seen[16 * 256];
  TASK(tile, tiles) {
    for (i32 d = 0; d < 16; ++d) seen[d * 256 + ITEM] = 0;
    const i64 first = (tile * 256 + ITEM) * 8, past = first + 8 < n ? first + 8 : n;
    for (i64 i = first; i < past; ++i) ++seen[(i32)(keys[i] >> shift & 15) * 256 + ITEM];
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

KERNEL sort_move(const GLOBAL key* RESTRICT keys, const GLOBAL value* values,
                 const GLOBAL i64* count, GLOBAL key* keys_to, GLOBAL value* values_to,
                 const i64 n, const i64 tiles, const i32 shift, const i32 how) {
  LOCAL i32 seen[16 * 256];
  TASK(tile, tiles) {
    for (i32 d = 0; d < 16; ++d) seen[d * 256 + ITEM] = 0;
    const i64 first = (tile * 256 + ITEM) * 8, past = first + 8 < n ? first + 8 : n;
    for (i64 i = first; i < past; ++i) ++seen[(i32)(keys[i] >> shift & 15) * 256 + ITEM];
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
      const i32 digit = (i32)(keys[i] >> shift & 15);
      const i64 to = count[digit * tiles + tile] + seen[digit * 256 + ITEM]++;
      if (how & 1) keys_to[to] = keys[i];
#if HAS_VALUES
      values_to[to] = how & 2 ? (value)i : values[i];
#endif
    }
    BARRIER;
  }
}

// An item goes through a tile alone.
KERNEL sort_count_alone(const GLOBAL key* RESTRICT keys, GLOBAL i64* count, const i64 n,
                        const i64 tiles, const i64 tile_size, const i32 shift) {
  LOCAL i32 seen[256];
  TASK(tile, tiles) {
    if (ITEM == 0) {
      const i64 first = tile * tile_size, past = first + tile_size < n ? first + tile_size : n;
      for (i32 d = 0; d < 256; ++d) seen[d] = 0;
      for (i64 i = first; i < past; ++i) ++seen[(i32)(keys[i] >> shift & 255)];
      for (i32 d = 0; d < 256; ++d) count[d * tiles + tile] = seen[d];
    }
  }
}

KERNEL sort_move_alone(const GLOBAL key* RESTRICT keys, const GLOBAL value* values,
                       const GLOBAL i64* count, GLOBAL key* keys_to, GLOBAL value* values_to,
                       const i64 n, const i64 tiles, const i64 tile_size, const i32 shift,
                       const i32 how) {
  LOCAL i64 at[256];
  TASK(tile, tiles) {
    if (ITEM == 0) {
      const i64 first = tile * tile_size, past = first + tile_size < n ? first + tile_size : n;
      for (i32 d = 0; d < 256; ++d) at[d] = count[d * tiles + tile];
      for (i64 i = first; i < past; ++i) {
        const key here = keys[i];
        const i64 to = at[(i32)(here >> shift & 255)]++;
        if (how & 1) keys_to[to] = here;
#if HAS_VALUES
        values_to[to] = how & 2 ? (value)i : values[i];
#endif
      }
    }
  }
}
)";

std::string name_of_tiled(std::size_t key_bytes, std::size_t value_bytes) {
  return "sort-tiles-" + std::to_string(key_bytes) + "-" + std::to_string(value_bytes);
}

std::string tiled_sort_source(const Dialect& dialect, std::size_t key_bytes,
                              std::size_t value_bytes) {
  return prelude_types(dialect, IndexWidth::wide) + "typedef " + word_of(key_bytes) +
         " key;\ntypedef " + word_of(value_bytes) + " value;\n" +
         defined("HAS_VALUES", value_bytes > 0 ? 1 : 0) + tiled_passes;
}

class TiledSort final : public RadixSort {
 public:
  explicit TiledSort(const SortWork& sort_work)
      : RadixSort(sort_work, pass_for(sort_work).digit_bits),
        pass_(pass_for(sort_work)),
        tiles_((count() + pass_.tile - 1) / pass_.tile),
        counts_(sort_work.take(pass_.digits() * tiles_ * 8)) {}

 private:
  // Passes alternate between `between` and the result, so that the last pass writes the result.
  void move(const SortedComponent& it) override {
    Program& program = work().sorter.program(name_of_tiled(it.key_bytes, it.value_bytes));
    const std::int32_t digits = digits_of(it.bits);
    // Where an array is missing, its substitute is not accessed.
    const auto given = [&](Address memory) { return memory ? memory : counts_; };
    Address keys = it.keys.from, values = it.values.from;
    for (std::int32_t digit = 0; digit < digits; ++digit) {
      const bool is_last = digit + 1 == digits, is_result = (digits - digit) % 2 == 1;
      const Address keys_to = is_result ? it.keys.to : it.keys.between;
      const Address values_to = is_result ? it.values.to : it.values.between;
      const bool is_numbered = digit == 0 && it.value_bytes > 0 && !values;
      const std::int32_t how = (!is_last || it.keeps_keys ? 1 : 0) | (is_numbered ? 2 : 0);
      const Number shift = number(digit * static_cast<std::int32_t>(pass_.digit_bits));
      each_tile(program, pass_.count, {Input{keys}, counts_}, {shift});
      const Argument sum[] = {counts_, number(pass_.digits() * tiles_)};
      work().driver.launch(program, "sort_sum", {1}, sum);
      each_tile(
          program, pass_.move,
          {Input{keys}, Input{given(values)}, Input{counts_}, given(keys_to), given(values_to)},
          {shift, number(how)});
      keys = keys_to;
      values = values_to;
    }
  }

  void each_tile(Program& program, const char* function, std::vector<Argument> arguments,
                 std::initializer_list<Argument> last) const {
    arguments.insert(arguments.end(), {number(count()), number(tiles_)});
    if (&pass_ != &by_groups) arguments.emplace_back(number(pass_.tile));
    arguments.insert(arguments.end(), last);
    launch(program, function, tiles_, arguments);
  }

  const TiledPass& pass_;
  std::int64_t tiles_;
  Address counts_;
};

std::vector<SortProgram> tiled_sort_programs() {
  std::vector<SortProgram> programs = RadixSort::end_programs();
  for (const std::size_t key : {1, 4, 8})
    for (const std::size_t value : {0, 4, 8})
      programs.push_back({name_of_tiled(key, value), [=](const Dialect& dialect) {
                            return tiled_sort_source(dialect, key, value);
                          }});
  return programs;
}

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
