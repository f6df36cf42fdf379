// Builds kernels by hand, and runs them on the CPU target and element by element for comparison.
#pragma once

#include "backends/backend.hpp"
#include "core/scalar_ops.hpp"
#include "kernels/kernel.hpp"
#include "tests/support/kernel_evaluator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace hasten::test::cpu {

using core::Bits;
using core::ScalarOp;
using core::ScalarType;
using core::Value;
using enum core::ScalarType;
using kernels::Kernel;
using kernels::Region;

/// Creates a kernel's values; `body` writes regions.
class Maker {
 public:
  Kernel kernel;

  explicit Maker(std::uint32_t rank, std::vector<ScalarType> inputs = {},
                 std::vector<ScalarType> outputs = {}) {
    kernel.rank = rank;
    kernel.inputs = std::move(inputs);
    kernel.outputs = std::move(outputs);
  }

  Value fresh(ScalarType type) {
    kernel.value_types.push_back(type);
    return static_cast<Value>(kernel.value_types.size() - 1);
  }
  Value scalar(ScalarType type) { return kernel.scalars.emplace_back(fresh(type)); }
  [[nodiscard]] ScalarType type(Value v) const { return kernel.value_types[v]; }

  // Adds statements to the innermost open region.
  Value constant(ScalarType type, Bits bits) {
    return emit(type, core::Constant{bits, core::none});
  }
  Value integer(std::int64_t x) { return constant(ScalarType::i64, core::bits_of(x)); }
  Value f32(float x) { return constant(ScalarType::f32, {std::bit_cast<std::uint32_t>(x), 0}); }
  Value prim(ScalarOp op, std::vector<Value> args) {
    std::vector<ScalarType> types;
    for (Value v : args) types.push_back(type(v));
    return emit(core::result_type(op, types), core::Prim{op, std::move(args)});
  }
  Value convert(ScalarOp op, ScalarType to, Value x) { return emit(to, core::Prim{op, {x}}); }
  Value cast(ScalarType to, Value x) { return convert(ScalarOp::cast, to, x); }
  Value load(std::uint32_t input, Value index) {
    return emit(kernel.inputs[input], core::LoadLinear{input, 0, index});
  }
  using Values = std::vector<Value>;
  Values branch(Value condition, const std::function<Values()>& yes,
                const std::function<Values()>& no) {
    core::If op{condition, region({}, [&](const Values&) { return yes(); }),
                region({}, [&](const Values&) { return no(); })};
    const auto types = types_of(op.then_.results);
    return emit_all(types, std::move(op));
  }
  Values loop(const Values& init, const std::function<Value(const Values&)>& condition,
              const std::function<Values(const Values&)>& body) {
    const auto types = types_of(init);
    core::While op{init, region(types, [&](const Values& s) { return Values{condition(s)}; }),
                   region(types, body)};
    return emit_all(types, std::move(op));
  }

  /// seed f x0 f ... f x(end - 1), by one built-in operation.
  Value reduce(ScalarOp op, Value seed, Value end, const std::function<Value(Value)>& element) {
    core::Reduce reduce{integer(0), end, {}, {}, {seed}};
    const ScalarType of = type(seed);
    reduce.element =
        region({ScalarType::i64}, [&](const Values& k) { return Values{element(k[0])}; });
    reduce.combine = region({of, of}, [&](const Values& two) { return Values{prim(op, two)}; });
    return emit(of, std::move(reduce));
  }

  Region region(const std::vector<ScalarType>& params,
                const std::function<Values(const Values&)>& body) {
    open_.emplace_back();
    for (ScalarType t : params) {
      const Value v = fresh(t);
      open_.back().params.push_back(v);
    }
    const Values results = body(Values(open_.back().params));
    Region done = std::move(open_.back());
    open_.pop_back();
    done.results = results;
    return done;
  }

  void element(const std::function<Values(const Values&)>& body) {
    kernel.element = region(std::vector(kernel.rank, ScalarType::i64), body);
  }
  /// Sets the skeleton, the operator and an identity epilogue.
  void fold(const std::vector<ScalarType>& leaves,
            const std::function<Values(const Values&, const Values&)>& combine) {
    kernel.skeleton = kernels::Skeleton::fold;
    operate(leaves, combine);
    do_nothing_after(leaves, kernel.rank - 1);
  }
  /// A fold by one built-in operation, lane by lane.
  void fold(ScalarType type, ScalarOp op) {
    fold({type}, [&](const Values& a, const Values& b) { return Values{prim(op, {a[0], b[0]})}; });
    kernel.lane_operator = {true, {op}};
  }

  void scan(const std::vector<ScalarType>& leaves,
            const std::function<Values(const Values&, const Values&)>& combine) {
    kernel.skeleton = kernels::Skeleton::scan;
    operate(leaves, combine);
    do_nothing_after(leaves, kernel.rank);
  }
  void scan(ScalarType type, ScalarOp op) {
    scan({type}, [&](const Values& a, const Values& b) { return Values{prim(op, {a[0], b[0]})}; });
    kernel.lane_operator = {true, {op}};
  }
  /// `combine` receives the new and the old leaves.
  void scatter(const std::vector<ScalarType>& leaves,
               const std::function<Values(const Values&, const Values&)>& combine) {
    kernel.skeleton = kernels::Skeleton::scatter;
    operate(leaves, combine);
  }

  [[nodiscard]] std::vector<ScalarType> types_of(const Values& values) const {
    std::vector<ScalarType> types;
    for (Value v : values) types.push_back(type(v));
    return types;
  }

 private:
  void operate(const std::vector<ScalarType>& leaves,
               const std::function<Values(const Values&, const Values&)>& combine) {
    kernel.outputs = leaves;
    std::vector<ScalarType> pair = leaves;
    pair.insert(pair.end(), leaves.begin(), leaves.end());
    const auto n = static_cast<std::ptrdiff_t>(leaves.size());
    kernel.combine = region(pair, [&](const Values& p) {
      return combine({p.begin(), p.begin() + n}, {p.begin() + n, p.end()});
    });
  }

  void do_nothing_after(const std::vector<ScalarType>& leaves, std::uint32_t indices) {
    const auto n = static_cast<std::ptrdiff_t>(leaves.size());
    std::vector<ScalarType> after(indices, ScalarType::i64);
    after.insert(after.end(), leaves.begin(), leaves.end());
    kernel.epilogue = region(after, [&](const Values& p) { return Values(p.end() - n, p.end()); });
  }

  Value emit(ScalarType type, decltype(core::Stmt::op) op) {
    return emit_all({type}, std::move(op))[0];
  }
  Values emit_all(const std::vector<ScalarType>& types, decltype(core::Stmt::op) op) {
    Values results;
    for (ScalarType t : types) results.push_back(fresh(t));
    open_.back().body.push_back({results, std::move(op)});
    return results;
  }

  std::vector<Region> open_;
};

/// Memory of one component, aligned and padded like the runtime's buffers.
class Column {
 public:
  Column(ScalarType type, std::int64_t elements)
      : type_(type),
        elements_(elements),
        words_(static_cast<std::size_t>(elements) * detail::size_in_bytes(type) / 8 + 24) {}

  // A copy may be aligned differently, so the elements are copied, not the words.
  Column(const Column& other) : Column(other.type_, other.elements_) {
    Column& source = const_cast<Column&>(other);
    std::memcpy(data(), source.data(), static_cast<std::size_t>(elements_ * step()));
  }
  Column(Column&&) = default;
  ~Column() = default;

  [[nodiscard]] std::byte* data() {
    void* at = words_.data();
    std::size_t space = words_.size() * 8;
    return static_cast<std::byte*>(std::align(64, 64, at, space));
  }
  void set(std::int64_t i, Bits bits) { core::store_bits(type_, bits, data() + i * step()); }
  [[nodiscard]] Bits get(std::int64_t i) { return core::load_bits(type_, data() + i * step()); }
  [[nodiscard]] ScalarType type() const { return type_; }
  [[nodiscard]] std::int64_t size() const { return elements_; }
  [[nodiscard]] std::int64_t step() const {
    return static_cast<std::int64_t>(detail::size_in_bytes(type_));
  }

 private:
  ScalarType type_;
  std::int64_t elements_;
  std::vector<std::uint64_t> words_;
};

inline Bits rounded(ScalarType type, double x) {
  const ScalarType from = ScalarType::f64;
  return core::evaluate(ScalarOp::cast, type, {&from, 1},
                        std::array{core::Bits{std::bit_cast<std::uint64_t>(x), 0}});
}

/// Small numbers, large numbers, and numbers at the edges of their type.
inline Bits some_number(ScalarType type, std::mt19937_64& random) {
  const std::uint64_t r = random();
  std::byte memory[16] = {};
  if (type == ScalarType::boolean) return {r >> 63, 0};
  if (detail::is_floating(type)) {
    static constexpr double edges[] = {0.0,   -0.0,   1.0,      -1.0,         0.5,  -2.5,
                                       1e-40, 3e38,   INFINITY, -INFINITY,    NAN,  127.5,
                                       1e300, -1e300, -128.5,   2147483648.0, 1e19, 4.5};
    double x = static_cast<double>(static_cast<std::int64_t>(r)) / 9.3e17;
    if (r % 4 == 0) x = edges[(r >> 8) % std::size(edges)];
    return rounded(type, x);
  }
  static constexpr std::int64_t edges[] = {
      0,  1,  -1,  2,    -2,    3,      7,         -7,        31,        32,
      63, 64, 127, -128, 32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  const std::uint64_t x =
      r % 2 == 0 ? static_cast<std::uint64_t>(edges[(r >> 8) % std::size(edges)]) : random();
  core::store_bits(type, {x, 0}, memory);
  return core::load_bits(type, memory);
}

inline Column some_numbers(ScalarType type, std::int64_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Column column(type, count);
  for (std::int64_t i = 0; i < count; ++i) column.set(i, some_number(type, random));
  return column;
}

/// 0, 1, 2, ..., small enough for exact sums of floats.
inline Column small_numbers(ScalarType type, std::int64_t count) {
  Column column(type, count);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t x = (i * 7919) % 61;
    if (detail::is_floating(type))
      column.set(i, rounded(type, static_cast<double>(x)));
    else
      column.set(i,
                 {static_cast<std::uint64_t>(x) & (type == ScalarType::boolean ? 1U : ~0ULL), 0});
  }
  return column;
}

/// The distance between numbers next to 1, and roughly the least normal number.
inline std::pair<double, double> precision(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return {9.8e-4, 6.2e-5};
    case ScalarType::bf16: return {7.9e-3, 1e-37};
    case ScalarType::f32: return {1.2e-7, 1e-37};
    default: return {2.3e-16, 1e-307};
  }
}

inline bool same(ScalarType type, Bits a, Bits b, double ulps) {
  if (a == b) return true;
  if (!detail::is_floating(type)) return false;
  const double x = core::to_double(type, a), y = core::to_double(type, b);
  if (std::isnan(x) && std::isnan(y)) return true;
  if (ulps == 0 || std::isinf(x) != std::isinf(y)) return false;
  const auto [unit, least] = precision(type);
  return std::fabs(x - y) <= ulps * std::max(least, unit * std::max(std::fabs(x), std::fabs(y)));
}

inline Value row_major(Maker& m, const Maker::Values& ix, const Maker::Values& extents) {
  Value at = ix[0];
  for (std::size_t axis = 1; axis < ix.size(); ++axis)
    at = m.prim(ScalarOp::add, {m.prim(ScalarOp::mul, {at, extents[axis]}), ix[axis]});
  return at;
}

inline std::int64_t size_of(const std::vector<std::int64_t>& extents) {
  std::int64_t n = 1;
  for (const std::int64_t e : extents) n *= e;
  return n;
}

struct Trial {
  std::vector<std::int64_t> extents;
  std::vector<Column> inputs;
  std::vector<std::uint64_t> scalars;
  double ulps = 0;
  std::vector<Column> before = {};  // scatter: the initial outputs
};

inline std::shared_ptr<backends::Backend> target(int threads = 1) {
  static std::shared_ptr<backends::Backend> made[5];
  if (!made[threads]) made[threads] = backends::make_cpu_backend(threads);
  return made[threads];
}

inline std::vector<Column> empty_outputs(const Kernel& kernel, const Trial& run) {
  if (kernel.skeleton == kernels::Skeleton::scatter) return run.before;
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis + 1 < kernel.rank; ++axis) count *= run.extents[axis];
  if (kernel.skeleton == kernels::Skeleton::map) count *= run.extents.back();
  if (kernel.skeleton == kernels::Skeleton::scan)
    count *= run.extents.back() + (kernel.seed.empty() ? 0 : 1);
  std::vector<Column> outputs;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    const bool is_stored = i + kernel.stored >= kernel.outputs.size();
    const std::int64_t elements = (is_stored ? count * run.extents.back() : count) + 8;
    outputs.emplace_back(kernel.outputs[i], elements);
    std::memset(outputs.back().data(), 0x5a,
                static_cast<std::size_t>(outputs.back().step() * elements));
  }
  return outputs;
}

template <class F>
void with_arguments(Trial& run, std::vector<Column>& outputs, F f) {
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> targets;
  for (Column& c : run.inputs) inputs.push_back(c.data());
  for (Column& c : outputs) targets.push_back(c.data());
  const std::int64_t size = run.before.empty() ? 0 : run.before[0].size();
  f(backends::LaunchArguments{run.extents, inputs, targets, run.scalars, size});
}

/// Each kernel is compiled once.
inline const backends::Code& code_of(const Kernel& kernel) {
  static std::map<std::string, std::shared_ptr<const backends::Code>> known;
  std::shared_ptr<const backends::Code>& code = known[support::to_hex(kernels::key_of(kernel))];
  if (!code) code = target()->load(kernel, target()->compile(kernel, {}));
  return *code;
}

inline std::vector<Column> on_cpu(const Kernel& kernel, Trial& run, int threads = 1) {
  kernels::verify(kernel);
  std::vector<Column> outputs = empty_outputs(kernel, run);
  const backends::Code& code = code_of(kernel);
  with_arguments(run, outputs,
                 [&](const auto& arguments) { target(threads)->launch(code, arguments); });
  return outputs;
}

inline bool same_bytes(Column& a, Column& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size() * a.step())) == 0;
}

inline void expect_same(const Kernel& kernel, double ulps, std::vector<Column>& actual,
                        std::vector<Column>& expected) {
  for (std::size_t o = 0; o < actual.size(); ++o) {
    if (same_bytes(actual[o], expected[o])) continue;
    for (std::int64_t i = 0; i < actual[o].size(); ++i)
      ASSERT_TRUE(same(actual[o].type(), actual[o].get(i), expected[o].get(i), ulps))
          << "output " << o << " element " << i << ": " << std::hex << actual[o].get(i).lo
          << " instead of " << expected[o].get(i).lo << "\n"
          << kernels::print(kernel);
  }
}

/// Compares with the evaluation element by element, which is done once for all numbers of threads;
/// checks that nothing is written beyond the outputs.
inline void check(const Kernel& kernel, Trial run, std::initializer_list<int> threads) {
  std::vector<Column> expected = empty_outputs(kernel, run);
  with_arguments(run, expected, [&](const auto& arguments) { KernelRun(kernel, arguments).run(); });
  for (const int number : threads) {
    SCOPED_TRACE(number);
    std::vector<Column> actual = on_cpu(kernel, run, number);
    expect_same(kernel, run.ulps, actual, expected);
  }
}
inline void check(const Kernel& kernel, Trial run, int threads = 1) {
  check(kernel, std::move(run), {threads});
}

}  // namespace hasten::test::cpu
