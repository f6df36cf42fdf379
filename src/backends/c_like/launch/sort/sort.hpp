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

/// How a device sorts. Its driver names it, so that a library compiled ahead of time is linked with
/// the methods of its own devices alone.
struct SortMethod;
/// A digit is two passes over memory, on any device.
extern const SortMethod tiled_sort;
/// A digit is one pass; for devices that shuffle and whose groups may wait for earlier ones.
extern const SortMethod chained_sort;
/// The best of a dialect's devices.
[[nodiscard]] const SortMethod& sort_method_of(const Dialect& dialect);
/// All that sorts on a dialect's devices may ask for.
[[nodiscard]] std::vector<SortProgram> sort_programs(const Dialect& dialect);

/// How what is sorted lies: rows of so many elements each.
struct SortShape {
  std::int64_t rows = 0, size = 0;
};

class Sorter {
 public:
  explicit Sorter(Driver& driver);
  /// Called before anything is sorted.
  void keep_code_in(const std::shared_ptr<const CodeStore>& store);

  /// Addresses of the device in `to`. Keys are unsigned integers or bool, compared component by
  /// component.
  void sort(SortShape shape, std::span<const core::ScalarType> types,
            std::span<const std::byte* const> keys, const SortedKeys& to, ScratchMemory& scratch);
  /// The same of one row of u64 of which only the low `bits` are not zero, with launches by
  /// `driver`, which is this device's.
  void sort_short(Driver& driver, std::int64_t size, unsigned bits, Address keys, Address positions,
                  ScratchMemory& scratch);

  /// The program of this name, compiled when it is first asked for.
  [[nodiscard]] Program& program(std::string_view name);

 private:
  Driver& driver_;
  std::list<CommonProgram> programs_;
};

}  // namespace hasten::backends::c_like
