// Chooses the widest vectors that the processor has.
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"

#include "backends/cpu/launch/sort/vectors/width.hpp"

#if defined(__x86_64__)
#include "backends/cpu/launch/sort/vectors/avx2_block_sort.hpp"
#include "backends/cpu/launch/sort/vectors/avx2_partition.hpp"
#include "backends/cpu/launch/sort/vectors/division.hpp"
#include "backends/cpu/launch/sort/vectors/network.hpp"
#include "backends/cpu/launch/sort/vectors/partition.hpp"
#include "backends/cpu/launch/sort/vectors/quick_sort.hpp"
#endif

#include <algorithm>

namespace hasten::backends::cpu {

#if defined(__x86_64__)

namespace {

template <class Lanes>
struct By256 {
  using Word = typename Lanes::Word;
  using Partition = Partition256<Lanes>;
  static constexpr std::int64_t network_most = BlockSort<Lanes>::most;
  static void sort_by_network(Word* words, std::int64_t n) { BlockSort<Lanes>::sort(words, n); }
};

// Networks of 256-bit vectors are as fast for these, and sort more words.
struct By512Of32Bits : By256<Lanes32By8> {
  using Partition = Partition512<Lanes32>;
};

struct By512Of64Bits {
  using Lanes = Lanes64;
  using Word = Lanes::Word;
  using Partition = Partition512<Lanes>;
  static constexpr std::int64_t network_most = Network<Lanes, 16>::most;

  static void sort_by_network(Word* words, std::int64_t n) {
    switch ((n + Lanes::count - 1) / Lanes::count) {
      case 0:
      case 1: return Network<Lanes, 1>::sort(words, n);
      case 2: return Network<Lanes, 2>::sort(words, n);
      case 3:
      case 4: return Network<Lanes, 4>::sort(words, n);
      case 5:
      case 6: return Network<Lanes, 6>::sort(words, n);
      case 7:
      case 8: return Network<Lanes, 8>::sort(words, n);
      case 9:
      case 10: return Network<Lanes, 10>::sort(words, n);
      case 11:
      case 12: return Network<Lanes, 12>::sort(words, n);
      case 13:
      case 14: return Network<Lanes, 14>::sort(words, n);
      default: return Network<Lanes, 16>::sort(words, n);
    }
  }
};

template <class By512, class By256>
struct ByWidth {
  template <class... Words>
  static void sort(std::int64_t n, Words... words) {
    if (compared_width() == 512)
      QuickSort<By512>::run(words..., n);
    else
      QuickSort<By256>::run(words..., n);
  }
};
using By32Bits = ByWidth<By512Of32Bits, By256<Lanes32By8>>;
using By64Bits = ByWidth<By512Of64Bits, By256<Lanes64By4>>;

template <class Lanes, class F>
void with_division(int parts, F f) {
  if (parts == 8)
    f(Division512<Lanes, 8>());
  else
    f(Division512<Lanes, 16>());
}

template <class Lanes, class Word>
void count_words(const Word* from, std::int64_t n, const Word* bounds, int parts,
                 std::int64_t* counts) {
  with_division<Lanes>(parts, [&](auto by) { by.count(from, n, bounds, counts); });
}

template <class Lanes, class Word>
void divide_words(const Word* from, std::int64_t n, const Word* bounds, int parts, Word* const* to,
                  Word* const* ends) {
  with_division<Lanes>(parts, [&](auto by) { by.move(from, n, bounds, to, ends); });
}

}  // namespace

bool sorts_by_vectors() { return compared_width() > 0; }
void sort_by_vectors(std::uint32_t* words, std::int64_t n) { By32Bits::sort(n, words); }
void sort_by_vectors(std::uint64_t* words, std::int64_t n) { By64Bits::sort(n, words); }
void sort_by_vectors(const std::uint32_t* from, std::uint32_t* to, std::int64_t n) {
  By32Bits::sort(n, from, to);
}
void sort_by_vectors(const std::uint64_t* from, std::uint64_t* to, std::int64_t n) {
  By64Bits::sort(n, from, to);
}

bool divides_by_vectors() { return compared_width() == 512; }
void count_by_vectors(const std::uint32_t* from, std::int64_t n, const std::uint32_t* bounds,
                      int parts, std::int64_t* counts) {
  count_words<Lanes32>(from, n, bounds, parts, counts);
}
void count_by_vectors(const std::uint64_t* from, std::int64_t n, const std::uint64_t* bounds,
                      int parts, std::int64_t* counts) {
  count_words<Lanes64>(from, n, bounds, parts, counts);
}
void divide_by_vectors(const std::uint32_t* from, std::int64_t n, const std::uint32_t* bounds,
                       int parts, std::uint32_t* const* to, std::uint32_t* const* ends) {
  divide_words<Lanes32>(from, n, bounds, parts, to, ends);
}
void divide_by_vectors(const std::uint64_t* from, std::int64_t n, const std::uint64_t* bounds,
                       int parts, std::uint64_t* const* to, std::uint64_t* const* ends) {
  divide_words<Lanes64>(from, n, bounds, parts, to, ends);
}

#else

bool sorts_by_vectors() { return false; }
void sort_by_vectors(std::uint32_t* words, std::int64_t n) { std::sort(words, words + n); }
void sort_by_vectors(std::uint64_t* words, std::int64_t n) { std::sort(words, words + n); }
void sort_by_vectors(const std::uint32_t* from, std::uint32_t* to, std::int64_t n) {
  std::partial_sort_copy(from, from + n, to, to + n);
}
void sort_by_vectors(const std::uint64_t* from, std::uint64_t* to, std::int64_t n) {
  std::partial_sort_copy(from, from + n, to, to + n);
}
bool divides_by_vectors() { return false; }
void count_by_vectors(const std::uint32_t*, std::int64_t, const std::uint32_t*, int,
                      std::int64_t*) {}
void count_by_vectors(const std::uint64_t*, std::int64_t, const std::uint64_t*, int,
                      std::int64_t*) {}
void divide_by_vectors(const std::uint32_t*, std::int64_t, const std::uint32_t*, int,
                       std::uint32_t* const*, std::uint32_t* const*) {}
void divide_by_vectors(const std::uint64_t*, std::int64_t, const std::uint64_t*, int,
                       std::uint64_t* const*, std::uint64_t* const*) {}

#endif

}  // namespace hasten::backends::cpu
