// Types and values of scalar operations. The evaluators are generic lambdas, instantiated once over
// the C++ types of their domain.
#include "core/scalar_ops.hpp"

#include "core/number.hpp"

#include <cstring>
#include <limits>

namespace hasten::core {

// -- types --------------------------------------------------------------------------------------

bool contains(Domain domain, ScalarType type) {
  const auto has = [&](Domain d) {
    return (static_cast<unsigned>(domain) & static_cast<unsigned>(d)) != 0;
  };
  if (detail::is_bool(type)) return has(Domain::boolean);
  if (detail::is_integral(type)) return has(Domain::integral);
  if (detail::is_floating(type)) return has(Domain::floating);
  return has(Domain::complex);
}

std::optional<ScalarOp> scalar_op_named(std::string_view name) {
  for (const ScalarOpRow& r : scalar_ops())
    if (name == r.name) return r.op;
  return std::nullopt;
}

ScalarType result_type(ScalarOp op, std::span<const ScalarType> args) {
  switch (row(op).signature) {
    case Signature::predicate: return ScalarType::boolean;
    case Signature::count: return ScalarType::i32;
    case Signature::choice: return args[1];
    case Signature::pair: return args[0] == ScalarType::f32 ? ScalarType::c64 : ScalarType::c128;
    case Signature::part: return detail::part_of(args[0]);
    case Signature::same:
    case Signature::shift:
    case Signature::convert: break;
  }
  return args[0];
}

namespace {

bool arguments_agree(const ScalarOpRow& r, std::span<const ScalarType> args) {
  const bool choice = r.signature == Signature::choice;
  if (choice && args[0] != ScalarType::boolean) return false;
  const ScalarType type = args[choice ? 1 : 0];
  if (!contains(r.domain, type)) return false;
  if (r.signature == Signature::pair && detail::size_in_bytes(type) < 4) return false;
  if (r.signature == Signature::shift) return detail::is_integral(args[1]);
  for (std::size_t i = choice ? 1 : 0; i < args.size(); ++i)
    if (args[i] != type) return false;
  return true;
}

bool converts(ScalarOp op, ScalarType from, ScalarType to) {
  if (op == ScalarOp::cast) return contains(Domain::real, from) && contains(Domain::real, to);
  return contains(Domain::real, to) && detail::size_in_bytes(from) == detail::size_in_bytes(to);
}

}  // namespace

std::string type_error(ScalarOp op, ScalarType result, std::span<const ScalarType> args) {
  const ScalarOpRow& r = row(op);
  if (args.size() != r.arity)
    return std::string(r.name) + " takes " + std::to_string(r.arity) + " arguments, not " +
           std::to_string(args.size());
  std::string types;
  for (ScalarType t : args) types += std::string(types.empty() ? "" : ", ") + detail::name_of(t);
  if (!arguments_agree(r, args)) return std::string(r.name) + " does not take (" + types + ")";
  const bool right = r.signature == Signature::convert ? converts(op, args[0], result)
                                                       : result_type(op, args) == result;
  if (!right)
    return std::string(r.name) + " of (" + types + ") does not give " + detail::name_of(result);
  return {};
}

// -- memory -------------------------------------------------------------------------------------

namespace {

template <class T>
T read(const std::byte* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <class T>
void write(std::byte* to, std::uint64_t bits) {
  const T x = static_cast<T>(bits);
  std::memcpy(to, &x, sizeof x);
}

template <class T>
Bits read_signed(const std::byte* from) {
  return bits_of(read<T>(from));
}

}  // namespace

Bits load_bits(ScalarType type, const std::byte* from) {
  switch (type) {
    case ScalarType::boolean: return {read<std::uint8_t>(from) != 0, 0};
    case ScalarType::i8: return read_signed<std::int8_t>(from);
    case ScalarType::i16: return read_signed<std::int16_t>(from);
    case ScalarType::i32: return read_signed<std::int32_t>(from);
    case ScalarType::u8: return {read<std::uint8_t>(from), 0};
    case ScalarType::u16:
    case ScalarType::f16:
    case ScalarType::bf16: return {read<std::uint16_t>(from), 0};
    case ScalarType::u32:
    case ScalarType::f32: return {read<std::uint32_t>(from), 0};
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::f64: return {read<std::uint64_t>(from), 0};
    case ScalarType::c64: return {read<std::uint32_t>(from), read<std::uint32_t>(from + 4)};
    case ScalarType::c128: return {read<std::uint64_t>(from), read<std::uint64_t>(from + 8)};
  }
  return {};
}

void store_bits(ScalarType type, const Bits& bits, std::byte* to) {
  if (detail::is_complex(type)) {
    const ScalarType part = type == ScalarType::c64 ? ScalarType::f32 : ScalarType::f64;
    store_bits(part, {bits.lo, 0}, to);
    return store_bits(part, {bits.hi, 0}, to + detail::size_in_bytes(part));
  }
  switch (detail::size_in_bytes(type)) {
    case 1: return write<std::uint8_t>(to, bits.lo);
    case 2: return write<std::uint16_t>(to, bits.lo);
    case 4: return write<std::uint32_t>(to, bits.lo);
    default: return write<std::uint64_t>(to, bits.lo);
  }
}

double to_double(ScalarType type, const Bits& bits) {
  return with_real(type, [&]<class T>(std::type_identity<T>) {
    return static_cast<double>(Number<T>::get(bits));
  });
}

// -- values -------------------------------------------------------------------------------------

namespace {

using enum ScalarOp;
using Args = std::span<const Bits>;

template <class T>
using Computed = typename Number<T>::Compute;

template <class T>
Computed<T> arg(Args args, std::size_t i) {
  return Number<T>::get(args[i]);
}

// Unsigned 64-bit arithmetic truncated to a width wraps as arithmetic of that width does.
template <class T>
std::uint64_t wide(T x) {
  return static_cast<std::uint64_t>(x);
}

template <class C>
C minimum(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

template <class C>
C maximum(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <class C>
C sign_of(C x) {
  if constexpr (std::is_unsigned_v<C>)
    return static_cast<C>(x != 0);
  else
    return x > C(0) ? C(1) : x < C(0) ? C(-1) : x;  // 0, -0 and NaN stay
}

template <class C>
C negate(C x) {
  if constexpr (std::is_floating_point_v<C>)
    return -x;
  else
    return static_cast<C>(0 - wide(x));
}

template <class C>
C magnitude(C x) {
  if constexpr (std::is_floating_point_v<C>)
    return std::fabs(x);
  else if constexpr (std::is_signed_v<C>)
    return x < 0 ? negate(x) : x;
  else
    return x;
}

template <class C>
C ring(ScalarOp op, C a, C b) {
  if constexpr (std::is_floating_point_v<C>)
    return op == add ? a + b : op == sub ? a - b : a * b;
  else
    return static_cast<C>(op == add   ? wide(a) + wide(b)
                          : op == sub ? wide(a) - wide(b)
                                      : wide(a) * wide(b));
}

Bits arithmetic(ScalarOp op, ScalarType type, Args args) {
  return with_real(type, [&]<class T>(std::type_identity<T>) {
    const Computed<T> a = arg<T>(args, 0);
    switch (op) {
      case neg: return Number<T>::put(negate(a));
      case abs: return Number<T>::put(magnitude(a));
      case signum: return Number<T>::put(sign_of(a));
      case min: return Number<T>::put(minimum(a, arg<T>(args, 1)));
      case max: return Number<T>::put(maximum(a, arg<T>(args, 1)));
      default: return Number<T>::put(ring(op, a, arg<T>(args, 1)));
    }
  });
}

Bits integral_division(ScalarOp op, ScalarType type, Args args) {
  return with_integral(type, [&]<class T>(std::type_identity<T>) {
    const T a = arg<T>(args, 0), b = arg<T>(args, 1);
    if (b == 0) return Bits{};
    T quotient{}, remainder{};
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) {  // INT_MIN / -1 must not trap
      quotient = negate(a);
    } else {
      quotient = static_cast<T>(a / b);
      remainder = static_cast<T>(a % b);
    }
    if (op == quot) return Number<T>::put(quotient);
    if (op == rem) return Number<T>::put(remainder);
    const bool below = std::is_signed_v<T> && remainder != 0 && (remainder < 0) != (b < 0);
    if (op == idiv) return Number<T>::put(static_cast<T>(quotient - (below ? 1 : 0)));
    return Number<T>::put(static_cast<T>(remainder + (below ? b : T{})));
  });
}

Bits comparison(ScalarOp op, ScalarType type, Args args) {
  return with_real(type, [&]<class T>(std::type_identity<T>) {
    const Computed<T> a = arg<T>(args, 0), b = arg<T>(args, 1);
    switch (op) {
      case eq: return Bits{a == b, 0};
      case ne: return Bits{a != b, 0};
      case lt: return Bits{a < b, 0};
      case le: return Bits{a <= b, 0};
      case gt: return Bits{a > b, 0};
      default: return Bits{a >= b, 0};
    }
  });
}

Bits logic(ScalarOp op, ScalarType type, Args args) {
  if (detail::is_bool(type) && op == not_) return {args[0].lo ^ 1U, 0};
  if (op == and_) return {args[0].lo & args[1].lo, 0};
  if (op == or_) return {args[0].lo | args[1].lo, 0};
  if (op == xor_) return {args[0].lo ^ args[1].lo, 0};
  return with_integral(type, [&]<class T>(std::type_identity<T>) {
    return Number<T>::put(static_cast<T>(~args[0].lo));
  });
}

// Amounts are sign-extended: negative ones are huge as unsigned numbers.
Bits shift(ScalarOp op, ScalarType type, Args args) {
  return with_integral(type, [&]<class T>(std::type_identity<T>) {
    using U = std::make_unsigned_t<T>;
    constexpr unsigned width = Number<T>::width;
    const T a = arg<T>(args, 0);
    const U u = static_cast<U>(a);
    const std::uint64_t amount = args[1].lo;
    const auto turn = static_cast<int>(amount % width);
    if (op == rotl) return Number<T>::put(static_cast<T>(std::rotl(u, turn)));
    if (op == rotr) return Number<T>::put(static_cast<T>(std::rotr(u, turn)));
    if (amount >= width) return Number<T>::put(op == shr && a < T{} ? static_cast<T>(-1) : T{});
    if (op == shl) return Number<T>::put(static_cast<T>(wide(u) << amount));
    return Number<T>::put(static_cast<T>(a >> amount));
  });
}

Bits count_bits(ScalarOp op, ScalarType type, Args args) {
  return with_integral(type, [&]<class T>(std::type_identity<T>) {
    const auto u = static_cast<std::make_unsigned_t<T>>(arg<T>(args, 0));
    return bits_of(op == popcount ? std::popcount(u)
                   : op == clz    ? std::countl_zero(u)
                                  : std::countr_zero(u));
  });
}

template <class C>
C rounding(ScalarOp op, C x) {
  switch (op) {
    case floor: return std::floor(x);
    case ceil: return std::ceil(x);
    case round: return std::round(x);
    case trunc: return std::trunc(x);
    default: return std::nearbyint(x);
  }
}

template <class C>
C trigonometric(ScalarOp op, C x) {
  switch (op) {
    case sin: return std::sin(x);
    case cos: return std::cos(x);
    case tan: return std::tan(x);
    case asin: return std::asin(x);
    case acos: return std::acos(x);
    case atan: return std::atan(x);
    case sinh: return std::sinh(x);
    case cosh: return std::cosh(x);
    case tanh: return std::tanh(x);
    case asinh: return std::asinh(x);
    case acosh: return std::acosh(x);
    default: return std::atanh(x);
  }
}

template <class C>
C function(ScalarOp op, C x) {
  switch (op) {
    case sqrt: return std::sqrt(x);
    case rsqrt: return C(1) / std::sqrt(x);
    case cbrt: return std::cbrt(x);
    case exp: return std::exp(x);
    case exp2: return std::exp2(x);
    case expm1: return std::expm1(x);
    case log: return std::log(x);
    case log2: return std::log2(x);
    case log10: return std::log10(x);
    case log1p: return std::log1p(x);
    case erf: return std::erf(x);
    case erfc: return std::erfc(x);
    default: return op < floor ? trigonometric(op, x) : rounding(op, x);
  }
}

template <class C>
C function(ScalarOp op, C x, C y) {
  switch (op) {
    case ScalarOp::div: return x / y;
    case pow: return std::pow(x, y);
    case atan2: return std::atan2(x, y);
    case hypot: return std::hypot(x, y);
    case fmod: return std::fmod(x, y);
    default: return std::copysign(x, y);
  }
}

// A fused multiply-add of small floats, whose product is exact. Where the sum is not exact, the
// result is its neighbour with an odd last bit, which rounds to fewer bits as the exact sum would.
double fused_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c, added = sum - product;
  const double lost = (product - (sum - added)) + (c - added);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1) != 0 || !(lost < 0 || lost > 0)) return sum;
  return std::bit_cast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

Bits floating(ScalarOp op, ScalarType type, Args args) {
  return with_floating(type, [&]<class T>(std::type_identity<T>) {
    const Computed<T> a = arg<T>(args, 0);
    if (args.size() == 1) return Number<T>::put(function(op, a));
    if (args.size() == 2) return Number<T>::put(function(op, a, arg<T>(args, 1)));
    const Computed<T> b = arg<T>(args, 1), c = arg<T>(args, 2);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      return Number<T>::put(std::fma(a, b, c));
    else
      return Number<T>::put(fused_odd(a, b, c));
  });
}

Bits classify(ScalarOp op, ScalarType type, Args args) {
  const double x = to_double(type, args[0]);
  if (op == is_nan) return {std::isnan(x), 0};
  return {op == is_infinite ? std::isinf(x) : std::isfinite(x), 0};
}

template <class To>
To saturate(double x) {
  if (std::isnan(x)) return To{};
  if (x <= static_cast<double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (x >= std::ldexp(1.0, std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

// From is bool, std::int64_t, std::uint64_t or double.
template <class To, class From>
Bits converted(From x) {
  if constexpr (std::is_same_v<To, bool>)
    return Number<To>::put(x != From{});
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return Number<To>::put(saturate<To>(x));
  else if constexpr (std::is_arithmetic_v<To>)
    return Number<To>::put(static_cast<To>(x));
  else if constexpr (std::is_floating_point_v<From>)
    return Number<To>::put(x);
  else
    return Number<To>::put(detail::sticky_double(x));
}

Bits conversion(ScalarType from, ScalarType to, const Bits& bits) {
  return with_real(to, [&]<class To>(std::type_identity<To>) {
    if (detail::is_floating(from)) return converted<To>(to_double(from, bits));
    if (detail::is_signed_int(from)) return converted<To>(as_i64(bits));
    return converted<To>(bits.lo);
  });
}

Bits reinterpreted(ScalarType from, ScalarType to, const Bits& bits) {
  std::byte memory[16] = {};
  store_bits(from, bits, memory);
  return load_bits(to, memory);
}

}  // namespace

Bits evaluate(ScalarOp op, ScalarType result, std::span<const ScalarType> arg_types, Args args) {
  const ScalarType type = arg_types[0];
  switch (op) {
    case add:
    case sub:
    case mul:
    case neg:
    case abs:
    case signum:
    case min:
    case max: return arithmetic(op, type, args);
    case quot:
    case rem:
    case idiv:
    case mod: return integral_division(op, type, args);
    case eq:
    case ne:
    case lt:
    case le:
    case gt:
    case ge: return comparison(op, type, args);
    case and_:
    case or_:
    case xor_:
    case not_: return logic(op, type, args);
    case shl:
    case shr:
    case rotl:
    case rotr: return shift(op, type, args);
    case popcount:
    case clz:
    case ctz: return count_bits(op, type, args);
    case select: return args[0].lo ? args[1] : args[2];
    case is_nan:
    case is_infinite:
    case is_finite: return classify(op, type, args);
    case cast: return conversion(type, result, args[0]);
    case bit_cast: return reinterpreted(type, result, args[0]);
    case complex_make: return {args[0].lo, args[1].lo};
    case complex_real: return {args[0].lo, 0};
    case complex_imag: return {args[0].hi, 0};
    default: return floating(op, type, args);
  }
}

}  // namespace hasten::core
