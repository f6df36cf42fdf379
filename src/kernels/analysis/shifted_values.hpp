// Values of a map's element numbered up to shifts: two values have one number if one of them, with
// the indices of the last two axes moved by constants, is the other.
#pragma once

#include "kernels/kernel.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace hasten::kernels {

/// A value is a shape and the amount by which its indices are moved. A shape without one of the
/// indices does not move along it.
struct ShiftedValue {
  std::uint32_t shape = core::none;
  std::int64_t row = 0, column = 0;
  bool has_row = false, has_column = false;
  bool is_linear = false;  // the column's index plus uniform values: adding to it moves it
  bool is_movable = true;  // made only of reads and operations
};

/// Numbers of all values of one element function.
class ShiftedValues {
 public:
  ShiftedValues(const Kernel& kernel, const Region& element);
  [[nodiscard]] const ShiftedValue& operator[](Value v);

 private:
  /// Operands, with their shifts relative to the first; then a kind, and the data that
  /// distinguishes it.
  using Key = std::vector<std::array<std::int64_t, 3>>;
  enum Kind : std::int64_t { free_value, literal, read, operation };
  using Head = std::vector<std::pair<std::int64_t, std::int64_t>>;

  std::uint32_t number(const Head& head, Key operands = {});
  ShiftedValue index(std::size_t axis, const Region& element);
  void place(const core::Stmt& stmt);
  void place(const core::Stmt& stmt, const core::Constant& constant);
  void place(const core::Stmt& stmt, const core::Prim& prim);
  std::optional<ShiftedValue> moved_index(const core::Prim& prim);
  // The lowest numbers belong to the indices of the space.
  [[nodiscard]] bool is_index(std::uint32_t shape) const { return shape < kernel_.rank; }
  ShiftedValue made(const Head& head, const std::vector<Value>& args, bool commutes);

  const Kernel& kernel_;
  std::vector<ShiftedValue> of_;
  std::map<Value, std::int64_t> numbers_of_;
  std::map<Key, std::uint32_t> numbers_;
};

}  // namespace hasten::kernels
