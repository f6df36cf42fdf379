// Small arrays that loops read and change at computed positions: which of them a target keeps in
// private memory, updated in place, while the kernel's code passes all elements as values.
//
// in:  a kernel
// out: arrays; by value, the element and array of which it is a version; the statements that work
//      on memory; the stores that memory still needs where a loop or a branch passes elements on
//
// The code is in terms of values: an array is a list of values, and each Insert yields another
// list, a version. Memory holds the newest version. A version is followed from a loop's state
// through Inserts, branches and nested loops to the next round. Any other use of a version's value
// loads it where the version begins (is_read), so that memory may proceed to the next version.
// Memory is changed only in the body of the loop whose state the array is: neither in a nested loop
// that does not pass the array on, nor outside all loops, where code may be hoisted.
#pragma once

#include "kernels/kernel.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace hasten::kernels {

struct PrivateArray {
  core::ScalarType type;
  std::uint32_t size;
};

struct ElementPlace {
  std::uint32_t array = core::none, element = 0;
};

/// An element that has to be stored to memory.
struct ElementStore {
  ElementPlace place;
  Value value;
};

class PrivateArrays {
 public:
  /// Arrays of at least `least` elements. Linear in the kernel's size, times the depth of loops.
  PrivateArrays(const Kernel& kernel, std::size_t least);

  [[nodiscard]] const std::vector<PrivateArray>& all() const { return arrays_; }
  /// The array and element that a value is where it is defined.
  [[nodiscard]] const ElementPlace& operator[](Value v) const { return places_[v]; }
  /// Whether an element of a version is used as a value of its own.
  [[nodiscard]] bool is_read(Value v) const { return is_read_[v]; }
  /// The array that an Extract or Insert works on in memory; `none` if it does not.
  [[nodiscard]] std::uint32_t array_of(const core::Stmt& stmt) const {
    return worked_on_[stmt.results[0]];
  }
  /// The stores before an Extract or Insert; where a loop begins (While::init), or where a region
  /// of a loop or branch ends (Region::results).
  [[nodiscard]] const std::vector<ElementStore>& stores(const std::vector<Value>& passed) const;
  /// The arrays that begin at a loop, by While::init.
  [[nodiscard]] const std::vector<std::uint32_t>& begun(const std::vector<Value>& init) const;
  /// The arrays that the region works on and that begin outside it, ascending.
  [[nodiscard]] std::vector<std::uint32_t> used_in(const Region& region) const;

 private:
  friend class PrivateArrayFinder;

  std::vector<PrivateArray> arrays_;
  std::vector<ElementPlace> places_;      // by Value
  std::vector<bool> is_read_;             // by Value
  std::vector<std::uint32_t> worked_on_;  // by the statement's first Value
  std::map<const std::vector<Value>*, std::vector<ElementStore>> stores_;
  std::map<const std::vector<Value>*, std::vector<std::uint32_t>> begun_;
};

}  // namespace hasten::kernels
