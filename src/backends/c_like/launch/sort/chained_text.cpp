// A radix sort by digits of eight bits, each in one pass that reads and writes every element once:
// Andy Adinets and Duane Merrill, "Onesweep: a faster least significant digit radix sort for GPUs"
// (2022). All digits are counted first. A tile then ranks its elements in local memory, says how
// many it has of each digit, finds how many the tiles before it have (as chained scans do, but for
// each digit by itself: sums of integers are the same in any order), and writes them out by digit.
//
// A digit that all keys share moves nothing: the plan of the passes, which the device makes from
// the counts, skips it, so that small numbers of 64 bits take only as many passes as they have
// digits.
#include "backends/c_like/launch/sort/chained_text.hpp"

#include "backends/c_like/launch/sort/radix_text.hpp"
#include "backends/c_like/text/expressions.hpp"

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

// `work` holds a ticket and a plan for each pass of the sort, counts for each pass and digit, and
// the state of the tiles. A plan says whether the pass runs, where it reads (0: from the start's
// memory, 1: from a, 2: from b) and whether it writes to b, as the last pass that runs does.
constexpr const char* counting = R"(
#define ALL 0xffffffffu
#define DIGIT(x, digit) ((i32)((x) >> (8 * (digit))) & 255)
#define TICKET(pass) (work + (pass))
#define PLAN(pass) (work + passes + (pass))
#define COUNTS(pass) (work + 2 * passes + 256 * (pass))
#define STATE (work + 258 * passes)

KERNEL sort_clear(GLOBAL u64* words, const i64 n) {
  EACH(i, n) words[i] = 0;
}

KERNEL sort_digits(const GLOBAL key* RESTRICT keys, GLOBAL u64* work, const i64 n,
                   const i32 passes, const i32 pass, const i32 digits) {
  LOCAL u32 seen[sizeof(key) * 256];
  for (i32 i = (i32)ITEM; i < digits * 256; i += 256) seen[i] = 0;
  BARRIER;
  ROLLED for (i64 first = GROUP * 1024; first < n; first += GROUPS * 1024) {
    key x[4];
    WHOLLY for (i32 j = 0; j < 4; ++j) {
      const i64 i = first + j * 256 + ITEM;
      x[j] = i < n ? keys[i] : 0;
    }
    WHOLLY for (i32 j = 0; j < 4; ++j) {
      if (first + j * 256 + ITEM >= n) break;
      WHOLLY for (i32 digit = 0; digit < (i32)sizeof(key); ++digit)
        if (digit < digits) atomicAdd(&seen[digit * 256 + DIGIT(x[j], digit)], 1u);
    }
  }
  BARRIER;
  for (i32 i = (i32)ITEM; i < digits * 256; i += 256)
    if (seen[i] != 0) atomicAdd(COUNTS(pass) + i, (u64)seen[i]);
}

KERNEL sort_plan(GLOBAL u64* work, const i64 n, const i32 passes, const i32 pass, const i32 digits) {
  LOCAL u64 warp_sums[8];
  const i32 lane = (i32)ITEM & 31, warp = (i32)ITEM >> 5;
  u32 runs = 0;
  for (i32 digit = 0; digit < digits; ++digit) {
    const u64 count = COUNTS(pass + digit)[ITEM];
    if (!__syncthreads_or(count == (u64)n)) runs |= 1u << digit;
    u64 sum = count;
    for (i32 d = 1; d < 32; d *= 2) {
      const u64 left = __shfl_up_sync(ALL, sum, d);
      if (lane >= d) sum += left;
    }
    if (lane == 31) warp_sums[warp] = sum;
    BARRIER;
    for (i32 w = 0; w < warp; ++w) sum += warp_sums[w];
    COUNTS(pass + digit)[ITEM] = sum - count;
    BARRIER;
  }
  if (ITEM > 0) return;
  if (runs == 0) runs = 1;
  i32 left = __popc(runs), from = 0;
  for (i32 digit = 0; digit < digits; ++digit) {
    *PLAN(pass + digit) = 0;
    if (!(runs >> digit & 1)) continue;
    const i32 is_b = left & 1;
    *PLAN(pass + digit) = (u64)(1 | from << 1 | is_b << 3 | (--left == 0 ? 16 : 0));
    from = 1 + is_b;
  }
}
)";

// A word of the state has in its high 16 bits the number of the pass and whether all tiles before
// are counted, and below them the count: nothing is cleared between passes, and no fence is needed.
constexpr const char* moving = R"(
#define PLACE(j) (two_places[(j) / 2] >> (16 * ((j) % 2)) & 0xffff)
#define COUNT 0xffffffffffffULL
#define TAG(pass, is_whole) ((u64)(2 * (pass) + 1 + (is_whole)) << 48)

static __device__ __forceinline__ u64 elements_before(u64* state, const i64 tile, const i32 pass) {
  u64 sum = 0;
  for (i64 t = tile - 1; t >= 0; --t) {
    u64 word;
    do {
      word = *(volatile u64*)(state + t * 256 + ITEM);
    } while ((word >> 48) - (TAG(pass, 0) >> 48) > 1);
    sum += word & COUNT;
    if ((word >> 48) == (TAG(pass, 1) >> 48)) break;
  }
  return sum;
}

static __device__ __forceinline__ u32 lanes_with(const i32 d) {
  u32 same = ALL;
  WHOLLY for (i32 bit = 0; bit < 8; ++bit) {
    const i32 is_on = d >> bit & 1;
    const u32 on = __ballot_sync(ALL, is_on);
    same &= is_on ? on : ~on;
  }
  return same;
}

extern "C" __global__ void __launch_bounds__(256, BLOCKS)
sort_move(const GLOBAL key* keys, GLOBAL key* key_a, GLOBAL key* key_b, const GLOBAL value* values,
          GLOBAL value* value_a, GLOBAL value* value_b, GLOBAL u64* work, const i64 n,
          const i64 tiles, const i32 passes, const i32 pass, const i32 digit, const i32 how) {
  LOCAL u32 seen[8 * 256];
  LOCAL u64 target[256];
  LOCAL ALIGNED(8) u8 ranked_bytes[256 * ITEMS * RANKED_BYTES];
  key* const ranked = (key*)ranked_bytes;
  LOCAL u32 warp_sums[8];
  LOCAL i64 next;
  const i32 what = (i32)*PLAN(pass);
  if (what == 0) return;
  const key* const from = (what >> 1 & 3) == 0 ? keys : (what >> 1 & 3) == 1 ? key_a : key_b;
  key* const to = (what & 8) ? key_b : key_a;
  const i32 item = (i32)ITEM, lane = item & 31, warp = item >> 5;
  const u32 before = (1u << lane) - 1;
  for (;;) {
    if (item == 0) next = (i64)atomicAdd(TICKET(pass), (u64)1);
    WHOLLY for (i32 w = 0; w < 8; ++w) seen[w * 256 + item] = 0;
    BARRIER;
    const i64 tile = next;
    if (tile >= tiles) break;
    const i64 first = tile * (256 * ITEMS);
    const i32 size = n - first < 256 * ITEMS ? (i32)(n - first) : 256 * ITEMS;
    const i32 mine = warp * (32 * ITEMS) + lane;
    key x[ITEMS];
    WHOLLY for (i32 j = 0; j < ITEMS; ++j)
      x[j] = mine + j * 32 < size ? from[first + mine + j * 32] : (key)~(key)0;
    WHOLLY for (i32 j = 0; j < ITEMS; ++j)
      atomicAdd(&seen[warp * 256 + DIGIT(x[j], digit)], 1u);
    BARRIER;
    u32 of_warp[8], count = 0;
    WHOLLY for (i32 w = 0; w < 8; ++w) {
      of_warp[w] = count;
      count += seen[w * 256 + item];
    }
    if (tile > 0) *(volatile u64*)(STATE + tile * 256 + item) = TAG(pass, 0) | count;
    u32 sum = count;
    WHOLLY for (i32 d = 1; d < 32; d *= 2) {
      const u32 left = __shfl_up_sync(ALL, sum, d);
      if (lane >= d) sum += left;
    }
    if (lane == 31) warp_sums[warp] = sum;
    BARRIER;
    u32 start = sum - count;
    for (i32 w = 0; w < warp; ++w) start += warp_sums[w];
    WHOLLY for (i32 w = 0; w < 8; ++w) seen[w * 256 + item] = of_warp[w] + start;
    BARRIER;
#if HAS_VALUES
    u32 two_places[ITEMS / 2];
#endif
    WHOLLY for (i32 j = 0; j < ITEMS; ++j) {
      const i32 d = DIGIT(x[j], digit);
      const u32 same = lanes_with(d);
      const i32 leader = 31 - __clz((i32)same);
      u32 place = 0;
      if (lane == leader) {
        place = seen[warp * 256 + d];
        seen[warp * 256 + d] = place + (u32)__popc(same);
      }
      place = __shfl_sync(ALL, place, leader) + (u32)__popc(same & before);
      ranked[place] = x[j];
#if HAS_VALUES
      two_places[j / 2] = j % 2 == 0 ? place : two_places[j / 2] | place << 16;
#endif
      __syncwarp();
    }
#if HAS_VALUES
    const value* const values_from = (what >> 1 & 3) == 0 ? values : (what >> 1 & 3) == 1 ? value_a : value_b;
    const i32 is_number = (what >> 1 & 3) == 0 && (how & 2);
    value y[ITEMS];
    WHOLLY for (i32 j = 0; j < ITEMS; ++j) {
      const i64 i = first + mine + j * 32;
      y[j] = is_number ? (value)i : mine + j * 32 < size ? values_from[i] : 0;
    }
    u32 four_digits[ITEMS / 4];
#endif
    const u64 earlier = elements_before(STATE, tile, pass);
    *(volatile u64*)(STATE + tile * 256 + item) = TAG(pass, 1) | (earlier + count);
    target[item] = COUNTS(pass)[item] + earlier - start;
    BARRIER;
    const i32 moves_keys = !(what & 16) || (how & 1);
    WHOLLY for (i32 j = 0; j < ITEMS; ++j) {
      const i32 i = item + j * 256;
      const key k = ranked[i];
      const u32 d = (u32)DIGIT(k, digit);
      if (moves_keys && i < size) to[target[d] + (u64)i] = k;
#if HAS_VALUES
      four_digits[j / 4] = j % 4 == 0 ? d : four_digits[j / 4] | d << (8 * (j % 4));
#endif
    }
#if HAS_VALUES
    value* const ranked_values = (value*)ranked_bytes;
    BARRIER;
    WHOLLY for (i32 j = 0; j < ITEMS; ++j) ranked_values[PLACE(j)] = y[j];
    BARRIER;
    WHOLLY for (i32 j = 0; j < ITEMS; ++j) {
      const i32 i = item + j * 256;
      const u64 at = target[four_digits[j / 4] >> (8 * (j % 4)) & 255] + (u64)i;
      if (i < size) ((what & 8) ? value_b : value_a)[at] = ranked_values[i];
    }
#endif
    BARRIER;
  }
}
)";

constexpr std::size_t word_bytes = 4;

}  // namespace

int moved_items(MovedBytes bytes) {
  constexpr int few = 4, many = 24, many_long = 16;
  if (bytes.is_short) return few;
  return std::max(bytes.key, bytes.value) <= word_bytes ? many : many_long;
}

std::string chained_sort_source(const Dialect& dialect, MovedBytes bytes) {
  const bool has_values = bytes.value > 0;
  return prelude_types(dialect, IndexWidth::wide) + "typedef " + word_of(bytes.key) +
         " key;\ntypedef " + word_of(bytes.value) + " value;\n" +
         defined("ITEMS", moved_items(bytes)) + defined("BLOCKS", has_values ? 2 : 3) +
         defined("HAS_VALUES", has_values ? 1 : 0) +
         defined("RANKED_BYTES", static_cast<int>(std::max(bytes.key, bytes.value))) + counting +
         moving;
}

}  // namespace hasten::backends::c_like
