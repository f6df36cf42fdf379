// Arrays of a few elements that loops read and change at computed places: which of them a target
// keeps in memory of its own, changed in place, while the kernel's code passes all elements on.
//
// in:  a kernel
// out: arrays, and by value of which element of which array it is a version; the statements that
//      work on memory; what memory does not hold yet where a loop or a branch passes elements on
//
// The code is in terms of values: an array is a list of them, each Insert gives another list, a
// version. Memory holds the newest. A version is followed from a loop's state through Inserts,
// branches and loops inside to the next round; whatever else uses a value of a version has it
// loaded where the version begins (is_read), so that memory may go on to the next. Memory is
// changed in the body of a loop whose state the array is, and nowhere else: neither in a loop
// inside that does not pass it on, nor outside all loops, where code may be hoisted.
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

/// An element that memory has to be given.
struct ElementStore {
  ElementPlace place;
  Value value;
};

class PrivateArrays {
 public:
  /// Of `least` elements at least. Linear in the size of the kernel, times the depth of loops.
  PrivateArrays(const Kernel& kernel, std::size_t least);

  [[nodiscard]] const std::vector<PrivateArray>& all() const { return arrays_; }
  /// What a value is where it is defined.
  [[nodiscard]] const ElementPlace& operator[](Value v) const { return places_[v]; }
  /// Whether a version's element is used for itself.
  [[nodiscard]] bool is_read(Value v) const { return is_read_[v]; }
  /// The array that an Extract or Insert works on in memory; `none` if it does not.
  [[nodiscard]] std::uint32_t array_of(const core::Stmt& stmt) const {
    return worked_on_[stmt.results[0]];
  }
  /// Before an Extract or Insert; where a loop begins (While::init) or a region of a loop or branch
  /// ends (Region::results).
  [[nodiscard]] const std::vector<ElementStore>& stores(const std::vector<Value>& passed) const;
  /// The arrays that begin with a loop, by While::init.
  [[nodiscard]] const std::vector<std::uint32_t>& begun(const std::vector<Value>& init) const;
  /// Those that the region works on, but that begin outside it, ascending.
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
