// Random arrays, awkward shapes, and sweeps over both.
#include "tests/conformance/tool/harness.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace hasten::conformance {
namespace {

using detail::HostArray, detail::ScalarType;

/// A small generator with a fixed sequence; the standard library's distributions have none.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

template <class T>
T random_integer(Random& random) {
  using Limits = std::numeric_limits<T>;
  constexpr T extremes[] = {Limits::min(),
                            Limits::max(),
                            static_cast<T>(Limits::max() - 1),
                            static_cast<T>(Limits::max() / 2),
                            static_cast<T>(-1),
                            T(0)};
  switch (random.below(8)) {
    case 0: return extremes[random.below(std::size(extremes))];
    case 1:
    case 2:
    case 3: return static_cast<T>(random.below(19)) - static_cast<T>(9);
    default: return static_cast<T>(random.next());
  }
}

template <class T>
T random_float(Random& random, Data data) {
  using Limits = std::numeric_limits<T>;
  constexpr T specials[] = {T(0),
                            -T(0),
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN(),
                            Limits::denorm_min(),
                            -Limits::min(),
                            Limits::max(),
                            Limits::lowest(),
                            Limits::epsilon(),
                            T(0.5),
                            T(-1.5),
                            T(2147483648.0),
                            T(-9223372036854775808.0)};
  if (data == Data::bits) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(static_cast<Bits>(random.next()));
  }
  if (data == Data::signs) return random.below(2) == 0 ? T(1) : T(-1);
  const auto small = static_cast<T>(static_cast<std::int64_t>(random.below(17)) - 8);
  if (data == Data::tame) return small;
  const auto unit = static_cast<T>(static_cast<double>(random.next() >> 11) * 0x1p-53);
  switch (random.below(8)) {
    case 0: return specials[random.below(std::size(specials))];
    case 1: return small;
    case 2: return (unit - T(0.5)) * T(1e6);
    case 3: return unit;
    default: return (unit - T(0.5)) * T(20);
  }
}

template <class T>
void fill(std::byte* data, std::int64_t count, Random& random, Data kind) {
  T* values = reinterpret_cast<T*>(data);
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      values[i] = random.below(2) == 1;
    } else if constexpr (detail::is_floating_number<T> && sizeof(T) == 2) {
      values[i] = kind == Data::bits ? T::from_bits(static_cast<std::uint16_t>(random.next()))
                                     : T(random_float<float>(random, kind));
      // Machines quiet the signalling NaNs of halves when they load them.
      if (std::isnan(float{values[i]})) values[i] = T(float{values[i]});
    } else if constexpr (std::is_floating_point_v<T>) {
      values[i] = random_float<T>(random, kind);
    } else {
      values[i] = random_integer<T>(random);
    }
  }
}

void fill(ScalarType type, std::byte* data, std::int64_t count, Random& random, Data kind) {
  switch (type) {
    case ScalarType::boolean: return fill<bool>(data, count, random, kind);
    case ScalarType::i8: return fill<std::int8_t>(data, count, random, kind);
    case ScalarType::i16: return fill<std::int16_t>(data, count, random, kind);
    case ScalarType::i32: return fill<std::int32_t>(data, count, random, kind);
    case ScalarType::i64: return fill<std::int64_t>(data, count, random, kind);
    case ScalarType::u8: return fill<std::uint8_t>(data, count, random, kind);
    case ScalarType::u16: return fill<std::uint16_t>(data, count, random, kind);
    case ScalarType::u32: return fill<std::uint32_t>(data, count, random, kind);
    case ScalarType::u64: return fill<std::uint64_t>(data, count, random, kind);
    case ScalarType::f16: return fill<half>(data, count, random, kind);
    case ScalarType::bf16: return fill<bfloat16>(data, count, random, kind);
    case ScalarType::f32: return fill<float>(data, count, random, kind);
    case ScalarType::f64: return fill<double>(data, count, random, kind);
    case ScalarType::c64: return fill<float>(data, 2 * count, random, kind);
    case ScalarType::c128: return fill<double>(data, 2 * count, random, kind);
  }
  throw InternalError("conformance suite: a type it does not know");
}

std::uint64_t hash(const std::string& text) {  // FNV-1a: the same everywhere
  std::uint64_t h = 0xCBF29CE484222325U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

Inputs inputs_for(const detail::Traced& traced, std::uint64_t seed, std::size_t round,
                  const Sweep& how) {
  Inputs inputs;
  for (std::size_t p = 0; p < traced.array_params.size(); ++p) {
    const detail::Scope::ArrayParam& param = traced.array_params[p];
    const auto& small = shapes_of_rank(param.rank);
    const auto& large = large_shapes_of_rank(param.rank);
    // Later parameters run through the shapes at another pace, in every second round.
    const std::size_t at = p == 0 || round % 2 == 0 ? round : round * (p + 2) + p;
    const bool is_large = how.large && at % (small.size() + large.size()) >= small.size();
    const Shape& shape = is_large
                             ? large[at % (small.size() + large.size()) - small.size()]
                             : small[at % (how.large ? small.size() + large.size() : small.size())];
    inputs.arrays.push_back(
        random_array(param.type->leaves, shape, seed + round * 31 + p, how.data));
  }
  for (std::size_t s = 0; s < traced.scalar_params.size(); ++s) {
    const std::size_t at = round * (2 * s + 1) + s;
    const std::int64_t number = how.numbers.empty() ? 0 : how.numbers[at % how.numbers.size()];
    inputs.scalars.push_back({static_cast<std::uint64_t>(number), 0});
  }
  return inputs;
}

std::size_t rounds_of(const detail::Traced& traced, const Sweep& how) {
  std::size_t rounds = std::max<std::size_t>(how.numbers.size(), 1);
  for (const detail::Scope::ArrayParam& param : traced.array_params) {
    const std::size_t large = how.large ? large_shapes_of_rank(param.rank).size() : 0;
    rounds = std::max(rounds, shapes_of_rank(param.rank).size() + large);
  }
  return rounds;
}

}  // namespace

Host random_array(const std::vector<ScalarType>& leaves, const Shape& shape, std::uint64_t seed,
                  Data data) {
  const auto array = HostArray::allocate(shape, leaves);
  Random random(seed);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
    fill(leaves[leaf], array->data(leaf), array->size(), random, data);
  return array;
}

namespace {

using Shapes = std::array<std::vector<Shape>, 5>;  // by rank

std::int64_t elements_max = std::numeric_limits<std::int64_t>::max();

Shapes within_limit(Shapes shapes) {
  for (std::vector<Shape>& of_rank : shapes)
    std::erase_if(of_rank, [](const Shape& shape) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : shape) elements *= extent;
      return elements > elements_max;
    });
  return shapes;
}

}  // namespace

void limit_elements(std::int64_t most) { elements_max = most; }

const std::vector<Shape>& shapes_of_rank(std::size_t rank) {
  static const Shapes shapes = within_limit(Shapes{{
      {{}, {}, {}},
      {{0},
       {1},
       {2},
       {3},
       {7},
       {15},
       {16},
       {17},
       {31},
       {32},
       {33},
       {63},
       {64},
       {65},
       {127},
       {128},
       {129},
       {1009}},
      {{0, 0},
       {0, 5},
       {5, 0},
       {1, 1},
       {1, 17},
       {17, 1},
       {7, 13},
       {16, 64},
       {33, 65},
       {64, 33},
       {3, 1009},
       {257, 4}},
      {{0, 1, 2},
       {2, 0, 3},
       {3, 2, 0},
       {1, 1, 1},
       {2, 3, 5},
       {7, 16, 17},
       {16, 3, 33},
       {33, 2, 64}},
      {{1, 1, 1, 1}, {2, 3, 0, 2}, {2, 3, 5, 7}, {3, 1, 17, 16}, {2, 2, 2, 33}},
  }});
  return shapes[rank];
}

const std::vector<Shape>& large_shapes_of_rank(std::size_t rank) {
  static const Shapes shapes = within_limit(Shapes{{
      {},
      {{65535}, {65536}, {65537}},
      {{257, 255}, {2, 40000}, {40000, 2}},
      {{3, 5, 4099}, {4099, 5, 3}},
      {{2, 3, 5, 2053}},
  }});
  return shapes[rank];
}

void sweep(const Options& target, Program program, const Sweep& how) {
  Options options = target;
  options.checks = how.checks;
  const std::uint64_t seed = hash(program.name);
  const detail::Traced traced = program.traced;
  const std::string name = program.name;
  try {
    const Comparison comparison(std::move(program), options, how.tolerance);
    for (std::size_t round = 0; round < rounds_of(traced, how); ++round)
      ASSERT_TRUE(comparison.agrees_on(inputs_for(traced, seed, round, how)));
  } catch (const std::exception& error) {
    FAIL() << "program " << name << ": " << error.what();
  }
}

}  // namespace hasten::conformance
