// Functions that operations call where an expression does not suffice.
#include "backends/c_like/text/expressions.hpp"

#include <hasten/run/error.hpp>

#include <array>
#include <string_view>

namespace hasten::backends::c_like {
namespace {

struct Helper {
  std::string_view name;
  std::string_view text;
};

// $T: the type, $U: its unsigned counterpart, $W: the type in which it wraps, $V: converts such a
// number to $T, $B: its bits, $L and $H: its least and its greatest value as numbers of f64 (H: one
// more), $l and $h: as numbers of its own.
constexpr Helper integer_helpers[] = {
    {"abs", "$T abs_$T($T a) { return $V(a < 0 ? 0u - ($W)a : ($W)a); }"},
    // Dialect::misnegates_16_bits: hides from compilers where the number comes from.
    {"narrowed", "$T narrowed_$T(u32 a) { HIDE(a); return ($T)a; }"},
    {"shl", "$T shl_$T($T a, u64 n) { return n >= $B ? ($T)0 : ($T)(($W)a << (u32)n); }"},
    {"rotl",
     "$T rotl_$T($T a, u64 n) { const u32 k = (u32)(n % $B); const $W x = ($U)a;"
     " return k == 0 ? a : ($T)($U)((x << k) | (x >> ($B - k))); }"},
    {"rotr",
     "$T rotr_$T($T a, u64 n) { const u32 k = (u32)(n % $B); const $W x = ($U)a;"
     " return k == 0 ? a : ($T)($U)((x >> k) | (x << ($B - k))); }"},
    {"popcount", "i32 popcount_$T($T a) { return ones_$W(($U)a); }"},
    {"clz",
     "i32 clz_$T($T a) { return a == 0 ? $B : zeros_$W(($U)a) - ((i32)sizeof($W) * 8 - $B); }"},
    {"ctz",
     "i32 ctz_$T($T a) { const $W x = ($U)a; return a == 0 ? $B : ones_$W((x & (0u - x)) - 1u); }"},
    {"saturate",
     "$T saturate_$T(f64 x) { return x != x ? ($T)0 : x <= $L ? $l : x >= $H ? $h : ($T)x; }"},
};

constexpr Helper signed_helpers[] = {
    // max(a, 0) for Dialect::misfolds_clamps.
    {"positive",
     "$T positive_$T($T a) { i32 sign = (i32)a >> 31; HIDE(sign);"
     " return HIDES ? ($T)(a & ~sign) : a < 0 ? ($T)0 : a; }"},
    {"signum", "$T signum_$T($T a) { return ($T)((a > 0) - (a < 0)); }"},
    {"shr", "$T shr_$T($T a, u64 n) { return ($T)(a >> (u32)(n >= $B ? $B - 1 : n)); }"},
    {"quot",
     "$T quot_$T($T a, $T b) {"
     " return b == 0 ? ($T)0 : b == -1 ? $V(0u - ($W)a) : ($T)(a / b); }"},
    {"rem", "$T rem_$T($T a, $T b) { return b == 0 || b == -1 ? ($T)0 : ($T)(a % b); }"},
    {"idiv",
     "$T idiv_$T($T a, $T b) {"
     " if (b == 0) return ($T)0;"
     " if (b == -1) return $V(0u - ($W)a);"
     " const $T q = ($T)(a / b), r = ($T)(a % b);"
     " return r != 0 && (r < 0) != (b < 0) ? ($T)(q - 1) : q; }"},
    {"mod",
     "$T mod_$T($T a, $T b) {"
     " if (b == 0 || b == -1) return ($T)0;"
     " const $T r = ($T)(a % b);"
     " return r != 0 && (r < 0) != (b < 0) ? ($T)(r + b) : r; }"},
    {"sticky",
     "f64 sticky_$T($T a) { const u64 sign = a < 0 ? 0u - (u64)a : (u64)a;"
     " const u64 kept = sign >> 53 ? (sign & ~(u64)0xfff) | ((sign & 0xfff) != 0 ? 0x1000u : 0u)"
     " : sign; return a < 0 ? -(f64)kept : (f64)kept; }"},
};

constexpr Helper unsigned_helpers[] = {
    {"signum", "$T signum_$T($T a) { return ($T)(a != 0); }"},
    {"shr", "$T shr_$T($T a, u64 n) { return n >= $B ? ($T)0 : ($T)(a >> (u32)n); }"},
    {"quot", "$T quot_$T($T a, $T b) { return b == 0 ? ($T)0 : ($T)(a / b); }"},
    {"rem", "$T rem_$T($T a, $T b) { return b == 0 ? ($T)0 : ($T)(a % b); }"},
    {"idiv", "$T idiv_$T($T a, $T b) { return b == 0 ? ($T)0 : ($T)(a / b); }"},
    {"mod", "$T mod_$T($T a, $T b) { return b == 0 ? ($T)0 : ($T)(a % b); }"},
    {"sticky",
     "f64 sticky_$T($T a) {"
     " return (f64)(a >> 53 ? (a & ~(u64)0xfff) | ((a & 0xfff) != 0 ? 0x1000u : 0u) : a); }"},
};

constexpr Helper floating_helpers[] = {
    {"min",
     "$T min_$T($T a, $T b) {"
     " return a != a ? a : b != b ? b : a == b ? (is_negative_$T(a) ? a : b) : a < b ? a : b; }"},
    {"max",
     "$T max_$T($T a, $T b) {"
     " return a != a ? a : b != b ? b : a == b ? (is_negative_$T(a) ? b : a) : a < b ? b : a; }"},
    {"signum", "$T signum_$T($T a) { return a > 0 ? ($T)1 : a < 0 ? ($T)-1 : a; }"},
    // Some compilers assume anything of a product without meaning, even of its bits.
    {"fmod",
     "$T fmod_$T($T a, $T b) {"
     " return b == 0 || b != b || a - a != 0 ? $N : fmod$F(a, b); }"},
    {"fused_odd",
     "f64 fused_odd_f64(f64 a, f64 b, f64 c) { const f64 p = a * b; const f64 s = p + c;"
     " const f64 added = s - p; const f64 lost = (p - (s - added)) + (c - added);"
     " const u64 u = f64_bits(s); if ((u & 1) != 0 || !(lost < 0 || lost > 0)) return s;"
     " return bits_f64((lost > 0) == (s > 0) ? u + 1 : u - 1); }"},
    {"odd",
     "f32 odd_f64(f64 x) { const f32 y = (f32)x; const f64 back = (f64)y;"
     " if (back == x || x != x || x - x != 0) return y;"
     " const u32 bits = f32_bits(y), past = (back < 0 ? -back : back) > (x < 0 ? -x : x);"
     " return bits_f32((bits - past) | 1u); }"},
};

// After Fabian Giesen's "half to float done quick": exponents are moved by integer additions, and
// subnormal numbers by one exact product.
constexpr Helper half_helpers[] = {
    {"from_bits",
     "f32 from_bits_f16(u16 h) { const u32 sign = (u32)(h & 0x8000) << 16, rest = h & 0x7fff;"
     " if (rest < 0x400) return bits_f32(sign | f32_bits((f32)rest * 0x1p-24f));"
     " if (rest >= 0x7c00)"
     " return bits_f32(sign | 0x7f800000u | ((rest & 0x3ff) << 13) | (rest > 0x7c00 ? 0x400000u : "
     "0u));"
     " return bits_f32(sign | ((rest << 13) + (112u << 23))); }"},
    {"to_bits",
     "u16 to_bits_f16(f32 x) { const u32 all = f32_bits(x), sign = (all >> 16) & 0x8000u;"
     " const u32 rest = all & 0x7fffffffu;"
     " if (rest > 0x7f800000u) return (u16)(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));"
     " if (rest >= 0x477ff000u) return (u16)(sign | 0x7c00u);"
     " if (rest < 0x38800000u) return (u16)(sign | (u32)rint(bits_f32(rest) * 0x1p24f));"
     " return (u16)(sign | ((rest + 0xfffu + ((rest >> 13) & 1u) - (112u << 23)) >> 13)); }"},
    {"round", "f32 round_f16(f32 x) { return from_bits_f16(to_bits_f16(x)); }"},
};

constexpr Helper bfloat_helpers[] = {
    {"from_bits", "f32 from_bits_bf16(u16 h) { return bits_f32((u32)h << 16); }"},
    {"to_bits",
     "u16 to_bits_bf16(f32 x) { const u32 all = f32_bits(x);"
     " if ((all & 0x7fffffffu) > 0x7f800000u) return (u16)((all >> 16) | 0x40u);"
     " return (u16)((all + 0x7fffu + ((all >> 16) & 1u)) >> 16); }"},
    {"round", "f32 round_bf16(f32 x) { return from_bits_bf16(to_bits_bf16(x)); }"},
};

std::string_view find(std::span<const Helper> helpers, std::string_view name) {
  for (const Helper& helper : helpers)
    if (helper.name == name) return helper.text;
  return {};
}

std::string_view template_of(std::string_view name, ScalarType type) {
  if (type == ScalarType::f16) return find(half_helpers, name);
  if (type == ScalarType::bf16) return find(bfloat_helpers, name);
  if (detail::is_floating(type)) return find(floating_helpers, name);
  const bool is_signed = detail::is_signed_int(type);
  const std::string_view own =
      is_signed ? find(signed_helpers, name) : find(unsigned_helpers, name);
  return own.empty() ? find(integer_helpers, name) : own;
}

std::string replacement(char what, ScalarType type, const Dialect& dialect) {
  const auto bits = static_cast<int>(8 * detail::size_in_bytes(type));
  const bool is_signed = detail::is_signed_int(type);
  const int digits = bits - (is_signed ? 1 : 0);
  const std::string name = detail::name_of(type);
  const std::string least = "((" + name + ")((u64)1 << " + std::to_string(digits) + "))";
  switch (what) {
    case 'T': return name;
    case 'F': return type == ScalarType::f32 ? dialect.f32_suffix : "";
    case 'N':
      return type == ScalarType::f32 ? "bits_f32(0x7fc00000u)"
                                     : "bits_f64((u64)0x7ff8000000000000UL)";
    case 'U': return "u" + std::to_string(bits);
    case 'W': return bits == 64 ? "u64" : "u32";
    case 'V': return has_narrowed(type, dialect) ? "narrowed_" + name : "(" + name + ")";
    case 'B': return std::to_string(bits);
    case 'L': return is_signed ? "-0x1p" + std::to_string(digits) : "0.0";
    case 'H': return "0x1p" + std::to_string(digits);
    case 'l': return is_signed ? least : "(" + name + ")0";
    case 'h':
      return is_signed ? "(" + name + ")(((u64)1 << " + std::to_string(digits) + ") - 1u)"
                       : "(" + name + ")~(u64)0";
    default: return {};
  }
}

}  // namespace

bool has_narrowed(ScalarType type, const Dialect& dialect) {
  return dialect.misnegates_16_bits && detail::is_integral(type) &&
         detail::size_in_bytes(type) == 2;
}

std::string helper_text(const std::string& name, ScalarType type, const Dialect& dialect) {
  const std::string_view pattern = template_of(name, type);
  if (pattern.empty())
    throw InternalError("the text of a kernel has no function " + name + " of " +
                        detail::name_of(type));
  std::string text = dialect.function;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$')
      text += replacement(pattern[++i], type, dialect);
    else
      text += pattern[i];
  }
  return text + "\n";
}

std::string prelude_types(const Dialect& dialect, IndexWidth width) {
  const char* const index = width == IndexWidth::narrow ? "typedef i32 ix;\n" : "typedef i64 ix;\n";
  return dialect.prelude + std::string(index);
}

}  // namespace hasten::backends::c_like
