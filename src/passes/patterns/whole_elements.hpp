// Arrays of structs that are read where they lie, whole.
//
// before: a = input 0 : (f32, i32, f64), whose elements lie in memory one behind the other
// after:  r = input 1 : f32, s = input 2 : i32, t = input 3 : f64, the same memory as numbers of
// one
//         type, so many in a row as fit into an element; a = generate (\i -> (r[i, 0], s[i, 1],
//         t[i, 1]))
// why:    a component that is taken out first costs a pass over memory, and memory
// needs:  elements that are read once, in one operation: else what lies without gaps is read faster
// provides: reads of a small step, for code generators
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
  std::size_t components;  // that the operation looks at
};
/// Those of several components, each of whose elements is read once, in order, by one operation.
[[nodiscard]] std::vector<ReadOnce> arrays_read_once(const core::Program& program);

/// How an array's elements lie.
struct WholeElements {
  OuterArray array;
  std::size_t bytes;                 // of one
  std::vector<std::size_t> offsets;  // by leaf
  friend bool operator==(const WholeElements&, const WholeElements&) = default;
};
/// The types of numbers that elements with these leaves are seen as, each once.
[[nodiscard]] std::vector<core::ScalarType> views_of(const std::vector<core::ScalarType>& leaves);
/// Whether every component lies at a multiple of its own size, as do elements.
[[nodiscard]] bool can_be_seen(const WholeElements& elements,
                               const std::vector<core::ScalarType>& leaves);

/// The program on arrays of which these lie so. Behind its arguments it has the views of each, in
/// this order; what they stand for it needs no more.
[[nodiscard]] core::Program read_whole(core::Program program, std::span<const WholeElements> all);

}  // namespace hasten::passes
