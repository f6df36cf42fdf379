// Emits LLVM IR for the operations of the scalar table, on scalars and vectors alike.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/machine/machine.hpp"
#include "kernels/kernel.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <span>

namespace hasten::backends::cpu {

constexpr bool is_small_float(core::ScalarType type) {
  return type == core::ScalarType::f16 || type == core::ScalarType::bf16;
}

/// The type of a value in a register (bool: i1; half and bfloat16: float, already rounded) and in
/// memory (bool: i8; half and bfloat16: i16).
llvm::Type* register_type(llvm::LLVMContext& context, core::ScalarType type);
llvm::Type* memory_type(llvm::LLVMContext& context, core::ScalarType type);

/// The same number in every lane of `shape`'s type (or in a scalar).
llvm::Value* constant_like(llvm::Value* shape, std::int64_t x);
llvm::Value* float_like(llvm::Value* shape, double x);
/// A literal as a scalar.
llvm::Constant* literal(llvm::LLVMContext& context, core::ScalarType type, const core::Bits& bits);

/// A vector of `lanes` lanes starting at `first`; lanes beyond the end repeat the last one.
llvm::Value* piece(llvm::IRBuilder<>& b, llvm::Value* x, unsigned first, unsigned lanes);
/// Concatenates vectors of one length and returns the first `lanes` lanes.
llvm::Value* joined(llvm::IRBuilder<>& b, llvm::SmallVector<llvm::Value*, 8> parts, unsigned lanes);
/// Whether an instruction moves the chosen lanes of a register to its beginning.
bool compresses(const Machine& machine);
/// The chosen lanes first, then zeros; as many lanes as a register holds of 4 or 8 bytes.
llvm::Value* compressed(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* chosen);
/// How many lanes are on, as i64.
llvm::Value* count_of(llvm::IRBuilder<>& b, llvm::Value* chosen);
/// Whether the operation is emitted as an inline polynomial, rather than as a call.
bool is_inline_math(core::ScalarOp op, core::ScalarType type, const Machine& machine);

class Ops {
 public:
  using V = llvm::Value*;
  using Types = std::span<const core::ScalarType>;
  using Args = std::span<llvm::Value* const>;

  Ops(llvm::IRBuilder<>& builder, llvm::Module& module, const Machine& machine)
      : b(builder),
        module_(module),
        machine_(machine) {}

  /// The arguments are all scalars or all vectors of one length; the condition of `select` may be
  /// a scalar beside vectors.
  V apply(core::ScalarOp op, core::ScalarType result, Types types, Args args);
  /// Whether rare cases may be handled by a branch. Under a mask the mask would have to be passed
  /// from block to block.
  bool may_branch = true;
  /// half and bfloat16 are floats in registers; converts them to 16 bits, and back.
  V to_16_bits(core::ScalarType type, V x);
  V from_16_bits(core::ScalarType type, V x);
  /// Whether `rsqrt` of single precision begins with an estimate.
  [[nodiscard]] bool estimates_roots() const { return machine_.bits == 512 && machine_.fma; }
  /// 1 / sqrt(x) to 14 bits.
  V estimated_root(V x);
  /// What a product with estimate^exponent is multiplied with, so that it has the root of x to that
  /// power. The exponent is 2 or 3.
  V correction(V x, V estimate, unsigned exponent);

 private:
  // ops.cpp
  V arithmetic(core::ScalarOp op, core::ScalarType type, Args args);
  V min_max(core::ScalarOp op, core::ScalarType type, V x, V y);
  V float_min_max(bool least, V x, V y);
  [[nodiscard]] bool fills_registers(V x) const;
  V greater_number(V x, V y);
  V sign_of(core::ScalarType type, V x);
  V compare(core::ScalarOp op, core::ScalarType type, V x, V y);
  V bitwise(core::ScalarOp op, Args args);
  V shift(core::ScalarOp op, Types types, V x, V amount);
  V rotate(core::ScalarOp op, Types types, V x, V amount);
  V count_bits(core::ScalarOp op, V x);
  V classify(core::ScalarOp op, V x);
  // ops_division.cpp
  V division(core::ScalarOp op, core::ScalarType type, V x, V y);
  V quotient(core::ScalarType type, V x, V y);
  V raw_quotient(core::ScalarType type, V x, V y);
  V quotient_by_floats(core::ScalarType type, V x, V y);
  V wide_quotient(core::ScalarType type, V x, V y);
  V small_to_double(V x);
  V small_from_double(V x, llvm::Type* integers);
  // ops_convert.cpp
  V convert(core::ScalarType from, core::ScalarType to, V x);
  V to_float(core::ScalarType from, core::ScalarType to, V x);
  V float_to_int(core::ScalarType from, core::ScalarType to, V x);
  V small_float_to_wide_int(bool is_signed, llvm::Type* target, V x,
                            llvm::function_ref<V()> others);
  V float_to_wide_int(bool is_signed, int bits, int digits, llvm::Type* target, V x);
  V reinterpret(core::ScalarType from, core::ScalarType to, V x);
  // ops_half.cpp
  V apply_small(core::ScalarOp op, core::ScalarType result, Types types, Args args);
  V convert_small(core::ScalarType from, core::ScalarType to, V x);
  V reinterpret_small(core::ScalarType from, core::ScalarType to, V x);
  V fma_small(core::ScalarType type, Args args);
  V odd_float(V x);
  V rounded(core::ScalarType type, V x);
  V half_words(V x);
  V round_to_half(V x);
  V round_to_bfloat16(V x);
  // ops_math.cpp
  V math(core::ScalarOp op, core::ScalarType type, Args args);
  V round_away(V x);
  V reciprocal_root(core::ScalarType type, V x);
  V with_exact_limits(V root, V x);
  V branch(V condition, llvm::MDNode* weights, llvm::function_ref<V()> then,
           llvm::function_ref<V()> other);
  V unless(V condition, V usual, llvm::function_ref<V()> emit);
  V unless_rare(V rare, V usual, llvm::function_ref<V()> emit);
  V any_of(V lanes);
  V logarithm_like(core::ScalarOp op, core::ScalarType type, V x);
  V exponential_like(core::ScalarOp op, core::ScalarType type, V x);
  V trigonometric(core::ScalarOp op, core::ScalarType type, V x);
  V range_by_range(llvm::FunctionCallee callee, V x, V magnitude, std::span<const double> starts);
  V call_library(core::ScalarOp op, core::ScalarType type, Args args);
  V in_registers(unsigned lanes, Args args, llvm::function_ref<V(Args)> emit);
  llvm::FunctionCallee library_function(core::ScalarOp op, core::ScalarType type, unsigned lanes);

  // ops_inline_math.cpp
  V inline_math(core::ScalarOp op, V x);
  V inline_exp(V x);
  V inline_log(V x);
  V scaled(V x, V n);
  V scaled_by_bits(V x, V shifted);
  std::pair<V, V> split_exponent(V x);
  std::pair<V, V> split_exponent_by_bits(V x);
  std::pair<V, V> split_normal(V bits, llvm::Type* type);
  V log_of_parts(std::pair<V, V> parts);
  V fused(V x, V y, V z) {
    return b.CreateIntrinsic(x->getType(), llvm::Intrinsic::fma, {x, y, z});
  }
  V polynomial(V x, std::span<const double> coefficients);

  V intrinsic(llvm::Intrinsic::ID id, Args args) {
    return b.CreateIntrinsic(args[0]->getType(), id, llvm::ArrayRef(args.data(), args.size()));
  }
  /// `element` with as many lanes as `shape`.
  static llvm::Type* like(V shape, llvm::Type* element) {
    auto* vector = llvm::dyn_cast<llvm::VectorType>(shape->getType());
    return vector
               ? static_cast<llvm::Type*>(llvm::VectorType::get(element, vector->getElementCount()))
               : element;
  }

  llvm::IRBuilder<>& b;
  llvm::Module& module_;
  const Machine& machine_;
};

}  // namespace hasten::backends::cpu
