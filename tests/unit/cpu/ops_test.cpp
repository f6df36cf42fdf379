// Every built-in operation on every type that it takes, in vectors and as scalars.
#include "tests/unit/cpu/kernels.hpp"

namespace hasten::test::cpu {
namespace {

constexpr ScalarType types[] = {
    ScalarType::boolean, ScalarType::i8,  ScalarType::i16, ScalarType::i32, ScalarType::i64,
    ScalarType::u8,      ScalarType::u16, ScalarType::u32, ScalarType::u64, ScalarType::f16,
    ScalarType::bf16,    ScalarType::f32, ScalarType::f64};

std::vector<ScalarType> argument_types(const core::ScalarOpRow& row, ScalarType type,
                                       ScalarType amount) {
  if (row.signature == core::Signature::shift) return {type, amount};
  std::vector<ScalarType> result(row.arity, type);
  if (row.signature == core::Signature::choice) result[0] = ScalarType::boolean;
  return result;
}

// SLEEF guarantees one unit in the last place, the C library's functions half a unit or slightly
// more.
double tolerance(const core::ScalarOpRow& row) {
  if (row.op == ScalarOp::fmod) return 0;
  return row.expensive ? 4 : row.op == ScalarOp::rsqrt ? 2.5 : 0;
}

// One output for vectors of arguments, and one for the first arguments, which is the same in all
// lanes.
void check_operation(ScalarOp op, const std::vector<ScalarType>& args, ScalarType result,
                     std::int64_t count) {
  Maker m(1, args, {result, result});
  m.element([&](const Maker::Values& index) {
    Maker::Values lanes, first;
    const Value zero = m.integer(0);
    for (std::uint32_t i = 0; i < args.size(); ++i) {
      lanes.push_back(m.load(i, index[0]));
      first.push_back(m.load(i, zero));
    }
    const bool converts = core::row(op).signature == core::Signature::convert;
    if (converts)
      return Maker::Values{m.convert(op, result, lanes[0]), m.convert(op, result, first[0])};
    return Maker::Values{m.prim(op, lanes), m.prim(op, first)};
  });
  Trial run{{count}, {}, {}, tolerance(core::row(op))};
  for (std::size_t i = 0; i < args.size(); ++i)
    run.inputs.push_back(some_numbers(args[i], count, 100 * static_cast<std::uint64_t>(op) + i));
  check(m.kernel, run);
}

class CpuOperation : public testing::TestWithParam<ScalarOp> {};

TEST_P(CpuOperation, EqualsTheEvaluator) {
  const core::ScalarOpRow& row = core::row(GetParam());
  for (ScalarType type : types) {
    if (!core::contains(row.domain, type)) continue;
    if (row.signature == core::Signature::convert) {
      for (ScalarType to : types)
        if (core::type_error(row.op, to, std::array{type}).empty())
          check_operation(row.op, {type}, to, 333);
      continue;
    }
    const bool shifts = row.signature == core::Signature::shift;
    for (ScalarType amount : {type, ScalarType::i8, ScalarType::u16, ScalarType::i64}) {
      if (shifts && !detail::is_integral(amount)) continue;
      const auto args = argument_types(row, type, amount);
      check_operation(row.op, args, core::result_type(row.op, args), 1000);
      if (!shifts) break;
    }
  }
}

std::vector<ScalarOp> operations() {
  std::vector<ScalarOp> result;
  for (const core::ScalarOpRow& row : core::scalar_ops())
    if (row.op < ScalarOp::complex_make) result.push_back(row.op);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Table, CpuOperation, testing::ValuesIn(operations()),
                         [](const auto& test) { return core::row(test.param).name; });

// Constant divisors and shift amounts take other ways.
TEST(CpuOperations, ConstantsOnTheRight) {
  for (ScalarType type : {ScalarType::i32, ScalarType::u32, ScalarType::i64, ScalarType::u8})
    for (ScalarOp op : {ScalarOp::quot, ScalarOp::rem, ScalarOp::idiv, ScalarOp::mod, ScalarOp::shl,
                        ScalarOp::shr, ScalarOp::rotl})
      for (std::int64_t right : {0, 1, -1, 3, 8, -7}) {
        std::byte memory[8];
        core::store_bits(type, core::bits_of(right), memory);
        Maker m(1, {type}, {type});
        m.element([&](const Maker::Values& index) {
          const Value b = m.constant(type, core::load_bits(type, memory));
          return Maker::Values{m.prim(op, {m.load(0, index[0]), b})};
        });
        check(m.kernel, {{200}, {some_numbers(type, 200)}, {}});
      }
}

// Numbers that some way to convert vectors does not take, at every lane of a vector of others.
TEST(CpuOperations, FloatsAsWideIntegersBesideOthers) {
  std::vector<double> all;
  for (std::size_t at = 0; at < 32; ++at)
    for (const double special :
         {0x1p51, -0x1p51, 0x1.fffffcp50, -0x1.8p51, 0x1p53, 0x1p62, 0x1p63, -0x1p63, 0x1p64,
          0x1p90, -0x1p90, double{INFINITY}, -double{INFINITY}, double{NAN}, -0.0, -0.75, 0.75}) {
      all.resize(all.size() + 32, 1234.5);
      all[all.size() - 32 + at] = special;
    }
  for (const ScalarType from : {ScalarType::f32, ScalarType::f64})
    for (const ScalarType to : {ScalarType::i64, ScalarType::u64}) {
      Maker m(1, {from}, {to});
      m.element([&](const Maker::Values& index) {
        return Maker::Values{m.convert(ScalarOp::cast, to, m.load(0, index[0]))};
      });
      Column column(from, static_cast<std::int64_t>(all.size()));
      for (std::int64_t i = 0; i < column.size(); ++i) {
        const double x = all[static_cast<std::size_t>(i)];
        column.set(i, from == ScalarType::f64
                          ? core::Bits{std::bit_cast<std::uint64_t>(x), 0}
                          : core::Bits{std::bit_cast<std::uint32_t>(float(x)), 0});
      }
      check(m.kernel, {{column.size()}, {column}, {}});
    }
}

// Indices with more than 32 bits in all lanes of a vector, in some, and in none.
TEST(CpuOperations, IndicesAsFloats) {
  constexpr std::int64_t end = std::int64_t{1} << 31;
  for (const std::int64_t first : {std::int64_t{0}, end - 100, -end - 100, 3 * end,
                                   -(std::int64_t{1} << 62) + 3, (std::int64_t{1} << 53) - 100})
    for (const auto step :
         {std::int64_t{1}, std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 37})
      for (const ScalarType to : {ScalarType::f32, ScalarType::f64}) {
        Maker m(1, {}, {to});
        m.element([&](const Maker::Values& index) {
          const Value steps = m.prim(ScalarOp::mul, {index[0], m.integer(step)});
          return Maker::Values{
              m.convert(ScalarOp::cast, to, m.prim(ScalarOp::add, {steps, m.integer(first)}))};
        });
        check(m.kernel, {{333}, {}, {}});
      }
}

// Every exponent, including denormals, and special numbers at every lane of a vector.
Column roots_of() {
  std::vector<float> all;
  for (int exponent = -149; exponent < 128; ++exponent)
    for (const float x : {1.0F, 1.37F, -1.0F})
      all.push_back(exponent % 5 == 0 || x > 0 ? std::ldexp(x, exponent) : 2.0F);
  for (std::size_t at = 0; at < 32; ++at)
    for (const float special : {0.0F, -0.0F, INFINITY, NAN, 1e-42F}) {
      all.resize(all.size() + 32, 1.5F);
      all[all.size() - 32 + at] = special;
    }
  Column column(f32, static_cast<std::int64_t>(all.size()));
  for (std::int64_t i = 0; i < column.size(); ++i)
    column.set(i, {std::bit_cast<std::uint32_t>(all[static_cast<std::size_t>(i)]), 0});
  return column;
}

TEST(CpuOperations, ReciprocalRootsOfSpecialNumbersBesideOthers) {
  Maker m(1, {f32}, {f32});
  m.element([&](const Maker::Values& index) {
    return Maker::Values{m.prim(ScalarOp::rsqrt, {m.load(0, index[0])})};
  });
  const Column numbers = roots_of();
  check(m.kernel, {{numbers.size()}, {numbers}, {}, 1.5});
}

// Under a mask, without a mask, and for a single number.
TEST(CpuOperations, ReciprocalRootsHaveTheSameBitsInAnyForm) {
  Maker m(1, {f32}, {boolean, boolean});
  m.element([&](const Maker::Values& index) {
    const auto root_of = [&](Value x) { return m.prim(ScalarOp::rsqrt, {x}); };
    const Value x = m.load(0, index[0]), first = m.load(0, m.integer(0));
    const auto same = [&](Value a, Value b) {
      const Value nan =
          m.prim(ScalarOp::and_, {m.prim(ScalarOp::ne, {a, a}), m.prim(ScalarOp::ne, {b, b})});
      return m.prim(ScalarOp::or_, {m.prim(ScalarOp::eq, {a, b}), nan});
    };
    const Value masked = m.branch(
        m.prim(ScalarOp::lt, {x, m.f32(1)}), [&] { return Maker::Values{root_of(x)}; },
        [&] { return Maker::Values{m.prim(ScalarOp::add, {root_of(x), m.f32(-0.0F)})}; })[0];
    const Value zero = m.prim(ScalarOp::min, {m.prim(ScalarOp::abs, {x}), m.f32(0)});
    const Value in_lanes = m.prim(
        ScalarOp::add,
        {first, m.prim(ScalarOp::select, {m.prim(ScalarOp::ne, {zero, zero}), m.f32(0), zero})});
    return Maker::Values{same(masked, root_of(x)), same(root_of(first), root_of(in_lanes))};
  });
  const Column numbers = roots_of();
  check(m.kernel, {{numbers.size()}, {numbers}, {}});
}

}  // namespace
}  // namespace hasten::test::cpu
