// Values of a map's element numbered up to shifts: two have one number if one of them, with the
// indices of the last two axes moved by constants, is the other.
#pragma once

#include "kernels/kernel.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace hasten::kernels {

/// A value is its shape with the indices moved so far. A shape without one of them does not move
/// along it.
struct ShiftedValue {
  std::uint32_t shape = core::none;
  std::int64_t row = 0, column = 0;
  bool has_row = false, has_column = false;
  bool is_linear = false;  // the column's index and what has none: adding to it moves it
  bool is_movable = true;  // made of reads and operations alone
};

/// Numbers of all values of one element function.
class ShiftedValues {
 public:
  ShiftedValues(const Kernel& kernel, const Region& element);
  [[nodiscard]] const ShiftedValue& operator[](Value v);

 private:
  /// Operands, with how they are moved beside the first; then a kind, and what tells it from
  /// others.
  using Key = std::vector<std::array<std::int64_t, 3>>;
  enum Kind : std::int64_t { free_value, literal, read, operation };
  using Head = std::vector<std::pair<std::int64_t, std::int64_t>>;

  std::uint32_t number(const Head& head, Key operands = {});
  ShiftedValue index(std::size_t axis, const Region& element);
  void place(const core::Stmt& stmt);
  void place(const core::Stmt& stmt, const core::Constant& constant);
  void place(const core::Stmt& stmt, const core::Prim& prim);
  std::optional<ShiftedValue> moved_index(const core::Prim& prim);
  // Indices of the space have the first numbers.
  [[nodiscard]] bool is_index(std::uint32_t shape) const { return shape < kernel_.rank; }
  ShiftedValue made(const Head& head, const std::vector<Value>& args, bool commutes);

  const Kernel& kernel_;
  std::vector<ShiftedValue> of_;
  std::map<Value, std::int64_t> numbers_of_;
  std::map<Key, std::uint32_t> numbers_;
};

}  // namespace hasten::kernels
