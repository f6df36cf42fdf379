// Sorting on a device: stable radix passes.
#pragma once

#include "backends/c_like/launch/cached_program.hpp"
#include "backends/sorted_keys.hpp"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::backends::c_like {

/// A text of the sort's functions, under the name that its code is kept by.
struct SortProgram {
  std::string name;
  std::function<std::string(const Dialect&)> text;
};

/// How a device sorts. Its driver names the method, so that a library compiled ahead of time is
/// linked only with the methods of its own devices.
struct SortMethod;
/// Makes two passes over memory for each digit, on any device.
extern const SortMethod tiled_sort;
/// Makes one pass for each digit; for devices that shuffle and whose groups may wait for earlier
/// ones.
extern const SortMethod chained_sort;
/// The best method for a dialect's devices.
[[nodiscard]] const SortMethod& sort_method_of(const Dialect& dialect);
/// All programs that sorts on a dialect's devices may need.
[[nodiscard]] std::vector<SortProgram> sort_programs(const Dialect& dialect);

/// The shape of the data: `rows` rows of `size` elements each.
struct SortShape {
  std::int64_t rows = 0, size = 0;
};

class Sorter {
 public:
  explicit Sorter(Driver& driver);
  /// Called before the first sort.
  void keep_code_in(const std::shared_ptr<const CodeStore>& store);

  /// Addresses of the device in `to`. Keys are unsigned integers or bool, compared component by
  /// component.
  void sort(SortShape shape, std::span<const core::ScalarType> types,
            std::span<const std::byte* const> keys, const SortedKeys& to, ScratchMemory& scratch);
  /// The same for one row of u64 of which only the low `bits` may be nonzero, with launches by
  /// `driver`, which is this device's.
  void sort_short(Driver& driver, std::int64_t size, unsigned bits, Address keys, Address positions,
                  ScratchMemory& scratch);

  /// The program of this name, compiled when first needed.
  [[nodiscard]] Program& program(std::string_view name);

 private:
  Driver& driver_;
  std::list<CommonProgram> programs_;
};

}  // namespace hasten::backends::c_like
