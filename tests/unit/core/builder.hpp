// Builds core programs by hand, for tests of the stages below the surface.
#pragma once

#include "core/program.hpp"
#include "core/scalar_ops.hpp"

#include <hasten/detail/host_array.hpp>
#include <hasten/scalar/half.hpp>

#include <bit>
#include <complex>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace hasten::test {

using core::ArrayId;
using core::Bits;
using core::Region;
using core::ScalarOp;
using core::ScalarType;
using core::Value;

template <class T>
constexpr ScalarType type_of() {
  if constexpr (std::is_same_v<T, bool>) return ScalarType::boolean;
  if constexpr (std::is_same_v<T, std::int8_t>) return ScalarType::i8;
  if constexpr (std::is_same_v<T, std::int16_t>) return ScalarType::i16;
  if constexpr (std::is_same_v<T, std::int32_t>) return ScalarType::i32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ScalarType::i64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ScalarType::u8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ScalarType::u16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ScalarType::u32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ScalarType::u64;
  if constexpr (std::is_same_v<T, half>) return ScalarType::f16;
  if constexpr (std::is_same_v<T, bfloat16>) return ScalarType::bf16;
  if constexpr (std::is_same_v<T, float>) return ScalarType::f32;
  if constexpr (std::is_same_v<T, double>) return ScalarType::f64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return ScalarType::c64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return ScalarType::c128;
}

template <class T>
Bits bits(T x) {
  std::byte memory[sizeof(T)];
  std::memcpy(memory, &x, sizeof x);
  return core::load_bits(type_of<T>(), memory);
}

template <class T>
T number(const Bits& b) {
  std::byte memory[sizeof(T)];
  core::store_bits(type_of<T>(), b, memory);
  T x;
  std::memcpy(&x, memory, sizeof x);
  return x;
}

/// A host array with one component per argument.
template <class... T>
std::shared_ptr<const detail::HostArray> host(std::vector<std::int64_t> shape,
                                              const std::vector<T>&... components) {
  auto array = detail::HostArray::allocate(std::move(shape), {type_of<T>()...});
  std::size_t leaf = 0;
  const auto fill = [&](const auto& values) {
    std::byte* to = array->data(leaf++);
    for (const auto x : values) {
      std::memcpy(to, &x, sizeof x);
      to += sizeof x;
    }
  };
  (fill(components), ...);
  return array;
}

template <class T>
std::vector<T> values(const detail::HostArray& array, std::size_t leaf = 0) {
  std::vector<T> result(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    T x;
    std::memcpy(&x, array.data(leaf) + i * sizeof(T), sizeof x);
    result[i] = x;
  }
  return result;
}

/// Builds scalar code: a list of statements, in a region or at array level.
class CodeBuilder {
 public:
  explicit CodeBuilder(core::Program& program) : program_(program) {}

  Value param(ScalarType type) { return region_.params.emplace_back(program_.new_value(type)); }

  Value add(ScalarType type, decltype(core::Stmt::op) op) {
    const Value v = program_.new_value(type);
    region_.body.push_back({{v}, std::move(op)});
    return v;
  }
  std::vector<Value> add(const std::vector<ScalarType>& types, decltype(core::Stmt::op) op) {
    std::vector<Value> results;
    for (ScalarType t : types) results.push_back(program_.new_value(t));
    region_.body.push_back({results, std::move(op)});
    return results;
  }
  template <class T>
  Value constant(T x) {
    return add(type_of<T>(), core::Constant{bits(x), core::none});
  }
  Value prim(ScalarOp op, std::vector<Value> args) {
    std::vector<ScalarType> types;
    for (Value v : args) types.push_back(program_.value_types[v]);
    return add(core::result_type(op, types), core::Prim{op, std::move(args)});
  }
  Value cast(ScalarType to, Value x) { return add(to, core::Prim{ScalarOp::cast, {x}}); }
  Value load(ArrayId array, std::vector<Value> index, std::uint32_t leaf = 0) {
    return add(program_.array_types[array].leaves[leaf], core::Load{array, leaf, std::move(index)});
  }
  Value extent(ArrayId array, std::uint32_t axis) {
    return add(ScalarType::i64, core::Extent{array, axis});
  }

  Region end(std::vector<Value> results) {
    region_.results = std::move(results);
    return std::move(region_);
  }
  std::vector<core::Stmt> take_statements() { return std::move(region_.body); }

 private:
  core::Program& program_;
  Region region_;
};

/// Builds code at array level. `scalars()` adds host statements.
class BlockBuilder {
 public:
  explicit BlockBuilder(core::Program& program) : program_(program) {}

  ArrayId param(core::ArrayType type) {
    return block_.params.emplace_back(program_.new_array(std::move(type)));
  }
  std::vector<ArrayId> add(std::vector<core::ArrayType> types, core::ArrayOp op,
                           const char* operation = "",
                           std::source_location where = std::source_location::current()) {
    core::Binding binding;
    for (core::ArrayType& t : types) binding.results.push_back(program_.new_array(std::move(t)));
    binding.op = std::move(op);
    binding.operation = operation;
    binding.where = where;
    std::vector<ArrayId> results = binding.results;
    block_.bindings.push_back(std::move(binding));
    return results;
  }
  ArrayId add(core::ArrayType type, core::ArrayOp op, const char* operation = "",
              std::source_location where = std::source_location::current()) {
    return add(std::vector{std::move(type)}, std::move(op), operation, where)[0];
  }

  /// f(CodeBuilder&) adds statements; returns what f returns.
  template <class F>
  auto scalars(F f) {
    CodeBuilder code(program_);
    auto result = f(code);
    for (core::Stmt& stmt : code.take_statements()) {
      core::Binding binding;
      binding.op = core::HostScalar{std::move(stmt)};
      binding.where = std::source_location::current();
      block_.bindings.push_back(std::move(binding));
    }
    return result;
  }
  template <class T>
  Value constant(T x) {
    return scalars([&](CodeBuilder& code) { return code.constant(x); });
  }

  core::Block end(std::vector<ArrayId> results, Value value = core::none) {
    block_.results = std::move(results);
    block_.value = value;
    return std::move(block_);
  }

 private:
  core::Program& program_;
  core::Block block_;
};

/// f(code, params...) builds a function of these parameters and returns its results.
template <class F>
Region function(core::Program& program, const std::vector<ScalarType>& params, F f) {
  CodeBuilder code(program);
  std::vector<Value> values;
  for (ScalarType t : params) values.push_back(code.param(t));
  std::vector<Value> results = f(code, std::as_const(values));
  return code.end(std::move(results));
}

/// A function that is one built-in operation.
inline Region operation(core::Program& program, ScalarOp op,
                        const std::vector<ScalarType>& params) {
  return function(program, params, [&](CodeBuilder& code, const std::vector<Value>& x) {
    return std::vector{code.prim(op, x)};
  });
}

}  // namespace hasten::test
