// Integers and bools; minima, maxima, sums and products of floats.
#include "backends/cpu/launch/private_outputs.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <type_traits>

namespace hasten::backends::cpu {
namespace {

using core::ScalarOp;
using core::ScalarType;

// Calls f with a null pointer to the type in memory.
template <class F>
void with_type(ScalarType type, F f) {
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::u8: return f(static_cast<std::uint8_t*>(nullptr));
    case ScalarType::i8: return f(static_cast<std::int8_t*>(nullptr));
    case ScalarType::u16: return f(static_cast<std::uint16_t*>(nullptr));
    case ScalarType::i16: return f(static_cast<std::int16_t*>(nullptr));
    case ScalarType::u32: return f(static_cast<std::uint32_t*>(nullptr));
    case ScalarType::i32: return f(static_cast<std::int32_t*>(nullptr));
    case ScalarType::u64: return f(static_cast<std::uint64_t*>(nullptr));
    case ScalarType::i64: return f(static_cast<std::int64_t*>(nullptr));
    case ScalarType::f32: return f(static_cast<float*>(nullptr));
    case ScalarType::f64: return f(static_cast<double*>(nullptr));
    default: throw InternalError("cpu: private outputs of a type that has none");
  }
}

template <class T>
T from_bits(core::Bits bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.lo));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits.lo);
  else
    return static_cast<T>(bits.lo);
}

// A NaN counts as both, and -0 is less than 0.
template <ScalarOp op, std::floating_point T>
T applied(T a, T b) {
  if constexpr (op == ScalarOp::add) return a + b;
  if constexpr (op == ScalarOp::mul) return a * b;
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  const bool is_less = a < b || (a == b && std::signbit(a));
  return is_less == (op == ScalarOp::min) ? a : b;
}

// Sums and products wrap.
template <ScalarOp op, std::integral T>
T applied(T a, T b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
    case ScalarOp::add: return static_cast<T>(x + y);
    case ScalarOp::mul: return static_cast<T>(x * y);
    case ScalarOp::min: return std::min(a, b);
    case ScalarOp::max: return std::max(a, b);
    case ScalarOp::and_: return static_cast<T>(x & y);
    case ScalarOp::or_: return static_cast<T>(x | y);
    default: return static_cast<T>(x ^ y);
  }
}

// Calls f with the operation as a type; those on bits are for integers only.
template <class T, class F>
void with_operation(ScalarOp op, F f) {
  const auto as = [&]<ScalarOp o>() { f(std::integral_constant<ScalarOp, o>()); };
  switch (op) {
    case ScalarOp::add: return as.template operator()<ScalarOp::add>();
    case ScalarOp::mul: return as.template operator()<ScalarOp::mul>();
    case ScalarOp::min: return as.template operator()<ScalarOp::min>();
    case ScalarOp::max: return as.template operator()<ScalarOp::max>();
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case ScalarOp::and_: return as.template operator()<ScalarOp::and_>();
      case ScalarOp::or_: return as.template operator()<ScalarOp::or_>();
      case ScalarOp::xor_: return as.template operator()<ScalarOp::xor_>();
      default: break;
    }
  }
  throw InternalError("cpu: private outputs of an operation that needs an order");
}

// Combines blocks of a constant size, which compilers vectorise.
template <ScalarOp op, class T>
void combine(T* __restrict a, const T* __restrict b, std::int64_t count) {
  constexpr std::int64_t block = 16;
  std::int64_t i = 0;
  for (; i + block <= count; i += block)
    for (std::int64_t k = i; k < i + block; ++k) a[k] = applied<op>(a[k], b[k]);
  for (; i < count; ++i) a[i] = applied<op>(a[i], b[i]);
}

bool is_float(ScalarType type) { return type == ScalarType::f32 || type == ScalarType::f64; }

bool may_be_regrouped(ScalarOp op, ScalarType type) {
  const bool is_integer = detail::is_integral(type) && !detail::is_bool(type);
  switch (op) {
    case ScalarOp::and_:
    case ScalarOp::or_:
    case ScalarOp::xor_: return detail::is_bool(type) || is_integer;
    case ScalarOp::add:
    case ScalarOp::mul:
    case ScalarOp::min:
    case ScalarOp::max: return is_integer || is_float(type);
    default: return false;
  }
}

// The operation of the table that computes a result from the new and the old leaf.
std::optional<ScalarOp> operation(const core::Region& fn, core::Value result, core::Value new_leaf,
                                  core::Value old_leaf) {
  for (const core::Stmt& stmt : fn.body) {
    const auto* prim = std::get_if<core::Prim>(&stmt.op);
    if (!prim || stmt.results[0] != result || prim->args.size() != 2) continue;
    const bool both = (prim->args[0] == new_leaf && prim->args[1] == old_leaf) ||
                      (prim->args[0] == old_leaf && prim->args[1] == new_leaf);
    if (both) return prim->op;
  }
  return std::nullopt;
}

}  // namespace

std::vector<UnorderedUpdate> unordered_updates(const kernels::Kernel& kernel) {
  if (kernel.skeleton != kernels::Skeleton::scatter || kernel.in_order) return {};
  const core::Region& fn = kernel.combine;
  std::vector<UnorderedUpdate> result;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    const auto op = operation(fn, fn.results[i], fn.params[i], fn.params[fn.results.size() + i]);
    if (!op || !may_be_regrouped(*op, kernel.outputs[i])) return {};
    result.push_back({*op, kernel.outputs[i]});
  }
  return result;
}

bool grouping_shows(const std::vector<UnorderedUpdate>& updates) {
  return std::ranges::any_of(updates, [](const UnorderedUpdate& update) {
    const bool rounds = update.op == ScalarOp::add || update.op == ScalarOp::mul;
    return rounds && is_float(update.type);
  });
}

bool may_have_copies(const kernels::Kernel& kernel) {
  const std::vector<UnorderedUpdate> updates = unordered_updates(kernel);
  return !updates.empty() && (kernel.any_order || !grouping_shows(updates));
}

std::int64_t grouped_parts(std::int64_t updates, std::int64_t outputs) {
  constexpr std::int64_t updates_min = 1 << 14, parts_max = 32;
  // Filling and combining an output costs about one update: with two parts of four updates each,
  // one thread takes a sixth to a half longer, and two threads take half as long.
  constexpr std::int64_t first_min = 8, elements_min = 8;
  if (updates < updates_min || outputs == 0) return 1;
  const std::int64_t for_each = updates / outputs;
  if (for_each < first_min) return 1;
  const auto most = std::clamp<std::int64_t>(for_each / elements_min, 2, parts_max);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most)));
}

void fill_with_identity(const UnorderedUpdate& update, std::byte* data, std::int64_t count) {
  with_type(update.type, [&]<class T>(T*) {
    std::fill_n(reinterpret_cast<T*>(data), count,
                from_bits<T>(core::identity_of(update.op, update.type)));
  });
}

void combine_into(const UnorderedUpdate& update, std::byte* into, const std::byte* from,
                  std::int64_t count) {
  with_type(update.type, [&]<class T>(T*) {
    with_operation<T>(update.op, [&](auto op) {
      combine<decltype(op)::value>(reinterpret_cast<T*>(into), reinterpret_cast<const T*>(from),
                                   count);
    });
  });
}

}  // namespace hasten::backends::cpu
