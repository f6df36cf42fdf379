// The functions here run on any device, one item for each element.
#include "backends/c_like/launch/sort/radix_text.hpp"

#include "backends/c_like/text/expressions.hpp"

namespace hasten::backends::c_like {
namespace {

// `order` may be null: then places are the numbers of elements.
constexpr const char* ends = R"(
#define AT(i) (is_ordered ? order[i] : (place)(i))

#define KEYS(name, T, to) \
KERNEL name(const GLOBAL T* RESTRICT key, const GLOBAL place* RESTRICT order, GLOBAL to* at, const i64 n, \
            const i32 is_ordered) { \
  EACH(i, n) at[i] = (to)key[AT(i)]; \
}
KEYS(sort_keys_1, u8, u8)
KEYS(sort_keys_2, u16, u32)
KEYS(sort_keys_4, u32, u32)
KEYS(sort_keys_8, u64, u64)
KEYS(sort_low_keys, u64, u32)
KEYS(sort_shorten, u32, u16)

#define ROWS(name, T) \
KERNEL name(const GLOBAL place* RESTRICT order, GLOBAL T* at, const i64 n, const i64 size) { \
  EACH(i, n) at[i] = (T)(order[i] / (place)size); \
}
ROWS(sort_rows_4, u32)
ROWS(sort_rows_8, u64)

#define NOTE(name, T) \
KERNEL name(const GLOBAL T* RESTRICT key, const GLOBAL place* RESTRICT order, GLOBAL u8* head, const i64 n, \
            const i64 size, const i32 is_ordered) { \
  EACH(i, n) if (i % size == 0 || key[AT(i)] != key[AT(i - 1)]) head[i] = 1; \
}
NOTE(sort_note_1, u8)
NOTE(sort_note_2, u16)
NOTE(sort_note_4, u32)
NOTE(sort_note_8, u64)

KERNEL sort_clear_heads(GLOBAL u8* head, const i64 n) {
  EACH(i, n) head[i] = 0;
}

#define CARRY(name, T, words) \
KERNEL name(const GLOBAL T* RESTRICT from, const GLOBAL place* RESTRICT order, GLOBAL T* to, const i64 n) { \
  EACH(i, n) for (i32 word = 0; word < words; ++word) \
    to[i * words + word] = from[(i64)order[i] * words + word]; \
}
CARRY(sort_carry_1, u8, 1)
CARRY(sort_carry_2, u16, 1)
CARRY(sort_carry_4, u32, 1)
CARRY(sort_carry_8, u64, 1)
CARRY(sort_carry_16, u64, 2)

KERNEL sort_end(const GLOBAL place* RESTRICT order, GLOBAL i64* positions, const i64 n,
                const i64 size) {
  EACH(i, n) positions[i] = (i64)order[i] - (i64)((place)i / (place)size) * size;
}
)";

}  // namespace

const char* word_of(std::size_t bytes) {
  constexpr std::size_t of_u32 = 4;
  return bytes == 1 ? "u8" : bytes <= of_u32 ? "u32" : "u64";
}

std::string defined(const char* name, int number) {
  return std::string("#define ") + name + " " + std::to_string(number) + "\n";
}

std::string sort_ends_source(const Dialect& dialect, std::size_t order_bytes) {
  return prelude_types(dialect, IndexWidth::wide) + "typedef " + word_of(order_bytes) +
         " place;\n" + ends;
}

}  // namespace hasten::backends::c_like
