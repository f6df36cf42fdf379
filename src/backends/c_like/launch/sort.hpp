// Sorting on a device: stable radix passes over digits of four bits.
#pragma once

#include "backends/c_like/launch/cached_program.hpp"

#include <memory>
#include <utility>

namespace hasten::backends::c_like {

class Sorter {
 public:
  explicit Sorter(Driver& driver);
  /// Called before anything is sorted.
  void keep_code_in(std::shared_ptr<const CodeStore> store) {
    program_.keep_code_in(std::move(store));
  }

  /// Addresses of the device in `to`. The shape is (rows, elements of a row); keys are unsigned
  /// integers or bool, compared component by component.
  void sort(std::pair<std::int64_t, std::int64_t> shape, std::span<const core::ScalarType> types,
            std::span<const std::byte* const> keys, const SortedKeys& to, ScratchMemory& scratch);
  /// The same of one row of u64 of which only the low `bits` are not zero, with launches by
  /// `driver`, which is this device's.
  void sort_short(Driver& driver, std::int64_t size, unsigned bits, Address keys, Address positions,
                  ScratchMemory& scratch);

 private:
  Driver& driver_;
  CommonProgram program_;
};

/// Under which its program is kept.
inline constexpr const char* sort_program = "sort";
/// The text of the sort's functions.
std::string sort_source(const Dialect& dialect);

}  // namespace hasten::backends::c_like
