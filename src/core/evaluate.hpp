// Runs scalar code over an environment of bits, one entry per Value. Shared by the interpreter and
// by every evaluation of host scalars.
#pragma once

#include "core/program.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hasten::core {

/// The index that replaces one possibly out of range, on an axis that has elements: the last index,
/// for negative ones too.
[[nodiscard]] constexpr std::int64_t clamped_index(std::int64_t index, std::int64_t extent) {
  return index >= 0 && index < extent ? index : extent - 1;
}

/// Access of scalar code to arrays. An implementation checks reads if they are to be checked.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;
  virtual Bits load(ArrayId array, std::uint32_t leaf, std::span<const std::int64_t> index) = 0;
  virtual Bits load_linear(ArrayId array, std::uint32_t leaf, std::int64_t index) = 0;
  virtual std::int64_t extent(ArrayId array, std::uint32_t axis) = 0;
  /// Called before a division or remainder by zero; it gives 0 unless this throws.
  virtual void on_zero_divisor(ScalarOp) {}
  /// Called periodically while code runs, every few hundred regions. It may throw.
  virtual void poll() {}
};

/// Allocates nothing while it runs except for the index of the first Load, and recurses only as
/// deep as regions nest. Not thread-safe.
class Evaluator {
 public:
  /// `values` is the environment, `types` its types; both have one entry per value of the program.
  Evaluator(std::span<const ScalarType> types, std::span<Bits> values, ArrayReader& arrays)
      : types_(types),
        values_(values),
        arrays_(arrays) {}

  /// Defines the statement's results.
  void run(const Stmt& stmt);
  /// Runs the body; parameters must have been set, results can be read afterwards.
  void run(const Region& region);

  Bits& operator[](Value v) { return values_[v]; }
  [[nodiscard]] std::int64_t integer(Value v) const {
    return static_cast<std::int64_t>(values_[v].lo);
  }

 private:
  Bits prim(const Prim& op, Value result);
  void branch(const If& op, const std::vector<Value>& results);
  void loop(const While& op, const std::vector<Value>& results);
  void call(const ForeignCall& op, Value result);
  void reduce(const Reduce& op, const std::vector<Value>& results);
  Bits load(const Load& op);
  [[nodiscard]] std::size_t place_among(const std::vector<Value>& elements, Value index) const;
  void insert(const Insert& op, const std::vector<Value>& results);
  void assign(const std::vector<Value>& to, const std::vector<Value>& from);

  std::span<const ScalarType> types_;
  std::span<Bits> values_;
  ArrayReader& arrays_;
  std::vector<std::int64_t> index_;
  std::uint32_t regions_ = 0;  // since the last poll
};

}  // namespace hasten::core
