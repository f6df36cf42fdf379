// Each pass counts the digits of every tile, sums the counts in the order (digit, tile), and moves.
// Marco Zagha and Guy Blelloch, "Radix sort for vector multiprocessors" (1991).
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/radix.hpp"
#include "backends/c_like/launch/sort/radix_text.hpp"
#include "backends/c_like/text/expressions.hpp"

namespace hasten::backends::c_like {
namespace {

constexpr std::int64_t sort_items = 8;
constexpr std::int64_t sort_tile = group_size * sort_items;
constexpr std::int64_t small_digits = 16;
constexpr unsigned small_digit_bits = 4;

// An item owns eight neighbours, so that equal digits keep their order: by item, and within one by
// place. `how`: 1, keys are written; 2, values are not read, but are the places.
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
      : RadixSort(sort_work, small_digit_bits),
        tiles_((count() + sort_tile - 1) / sort_tile),
        counts_(sort_work.take(small_digits * tiles_ * 8)) {}

 private:
  // Passes write in turn between and to the result, so that the last one writes the result.
  void move(const SortedComponent& it) override {
    Program& program = work().sorter.program(name_of_tiled(it.key_bytes, it.value_bytes));
    const Number n = number(count()), tiles = number(tiles_);
    const std::int32_t digits = digits_of(it.bits);
    // Where there are none, what is given in their place is not touched.
    const auto given = [&](Address memory) { return memory ? memory : counts_; };
    Address keys = it.keys.from, values = it.values.from;
    for (std::int32_t digit = 0; digit < digits; ++digit) {
      const bool is_last = digit + 1 == digits, is_result = (digits - digit) % 2 == 1;
      const Address keys_to = is_result ? it.keys.to : it.keys.between;
      const Address values_to = is_result ? it.values.to : it.values.between;
      const bool is_numbered = digit == 0 && it.value_bytes > 0 && !values;
      const std::int32_t how = (!is_last || it.keeps_keys ? 1 : 0) | (is_numbered ? 2 : 0);
      const Number shift = number(digit * static_cast<std::int32_t>(small_digit_bits));
      launch(program, "sort_count", tiles_, {Input{keys}, counts_, n, tiles, shift});
      const Argument sum[] = {counts_, number(small_digits * tiles_)};
      work().driver.launch(program, "sort_sum", {1}, sum);
      launch(program, "sort_move", tiles_,
             {Input{keys}, Input{given(values)}, Input{counts_}, given(keys_to), given(values_to),
              n, tiles, shift, number(how)});
      keys = keys_to;
      values = values_to;
    }
  }

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
