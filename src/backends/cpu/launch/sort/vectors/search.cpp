// Vector by vector, and one by one what is left.
#include "backends/cpu/launch/sort/vectors/search.hpp"

#include "backends/cpu/launch/sort/vectors/width.hpp"

#if defined(__x86_64__)
#include "backends/cpu/launch/sort/vectors/avx2_lanes.hpp"
#include "backends/cpu/launch/sort/vectors/lanes.hpp"
#endif

#include <bit>

namespace hasten::backends::cpu {
namespace {

template <class Word>
std::int64_t one_by_one(const Word* words, std::int64_t begin, std::int64_t end, Word limit) {
  while (begin < end && words[begin] >= limit) ++begin;
  return begin;
}

#if defined(__x86_64__)

template <class Lanes>
[[gnu::target("avx512f")]] std::int64_t by_512(const typename Lanes::Word* words,
                                               std::int64_t begin, std::int64_t end,
                                               typename Lanes::Word limit) {
  const Vector512 bound = Lanes::all(limit);
  for (; begin + Lanes::count <= end; begin += Lanes::count) {
    const unsigned below = Lanes::less(Lanes::load(words + begin), bound);
    if (below != 0) return begin + std::countr_zero(below);
  }
  return one_by_one(words, begin, end, limit);
}

template <class Lanes>
[[gnu::target("avx2")]] std::int64_t by_256(const typename Lanes::Word* words, std::int64_t begin,
                                            std::int64_t end, typename Lanes::Word limit) {
  const Vector256 bound = Lanes::bound(limit);
  for (; begin + Lanes::count <= end; begin += Lanes::count) {
    const auto below = static_cast<unsigned>(Lanes::below(Lanes::load(words + begin), bound));
    if (below != 0) return begin + std::countr_zero(below);
  }
  return one_by_one(words, begin, end, limit);
}

template <class By512, class By256, class Word>
std::int64_t search(const Word* words, std::int64_t begin, std::int64_t end, Word limit) {
  switch (compared_width()) {
    case 512: return by_512<By512>(words, begin, end, limit);
    case 256: return by_256<By256>(words, begin, end, limit);
    default: return one_by_one(words, begin, end, limit);
  }
}

}  // namespace

std::int64_t first_below(const std::uint32_t* words, std::int64_t begin, std::int64_t end,
                         std::uint32_t limit) {
  return search<Lanes32, Lanes32By8>(words, begin, end, limit);
}
std::int64_t first_below(const std::uint64_t* words, std::int64_t begin, std::int64_t end,
                         std::uint64_t limit) {
  return search<Lanes64, Lanes64By4>(words, begin, end, limit);
}

#else

}  // namespace

std::int64_t first_below(const std::uint32_t* words, std::int64_t begin, std::int64_t end,
                         std::uint32_t limit) {
  return one_by_one(words, begin, end, limit);
}
std::int64_t first_below(const std::uint64_t* words, std::int64_t begin, std::int64_t end,
                         std::uint64_t limit) {
  return one_by_one(words, begin, end, limit);
}

#endif

}  // namespace hasten::backends::cpu
