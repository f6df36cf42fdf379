// Reads arrays of structs in place, element by whole element.
//
// before: a = input 0 : (f32, i32, f64), whose elements are adjacent in memory
// after:  r = input 1 : f32, s = input 2 : i32, t = input 3 : f64, the same memory as numbers of
//         one type, as many per row as fit into an element;
//         a = generate (\i -> (r[i, 0], s[i, 1], t[i, 1]))
// why:    copying a component out first costs a pass over memory, and memory
// needs:  elements that are read once, in one operation: else reads of components without gaps are
//         faster
// provides: reads with a small stride, for code generators
#pragma once

#include "core/program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::passes {

/// An array that comes from outside, by core::Use::index or core::Input::index.
struct OuterArray {
  bool is_used;  // else an argument
  std::uint32_t index;
  friend bool operator==(const OuterArray&, const OuterArray&) = default;
};

struct ReadOnce {
  OuterArray array;
  std::size_t components;  // those that the operation reads
};
/// Arrays of several components whose elements are each read once, in order, by one operation.
[[nodiscard]] std::vector<ReadOnce> arrays_read_once(const core::Program& program);

/// The memory layout of an array's elements.
struct WholeElements {
  OuterArray array;
  std::size_t bytes;                 // per element
  std::vector<std::size_t> offsets;  // by leaf
  friend bool operator==(const WholeElements&, const WholeElements&) = default;
};
/// The types of numbers as which elements with these leaves are viewed, each once.
[[nodiscard]] std::vector<core::ScalarType> views_of(const std::vector<core::ScalarType>& leaves);
/// Whether every component, and every element, starts at a multiple of the component's own size.
[[nodiscard]] bool can_be_seen(const WholeElements& elements,
                               const std::vector<core::ScalarType>& leaves);

/// The program for arrays with these layouts. The views of each array follow its arguments, in this
/// order; the arrays themselves are no longer used.
[[nodiscard]] core::Program read_whole(core::Program program, std::span<const WholeElements> all);

}  // namespace hasten::passes
