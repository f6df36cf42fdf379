// A plan as nested boxes: their positions, and the arrays that flow between them.
#pragma once

#include "kernels/plan.hpp"
#include "runtime/profile/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hasten::runtime {

/// A step, or a frame around the steps of a block. Lengths and positions are in pixels.
struct Box {
  static constexpr std::size_t none = ~std::size_t{0};
  std::string kind;                // the class in the picture: "launch", "array", "frame"...
  std::vector<std::string> lines;  // of text, the first one the name
  std::string hint;                // shown as a tooltip
  std::size_t parent = none;       // the frame around it
  std::vector<std::size_t> inside = {};
  double x = 0, y = 0, width = 0, height = 0;
};

/// Arrays that flow between boxes: their types, each once.
struct Arrow {
  std::size_t from, to;
  std::vector<std::string> types;
};

struct Boxes {
  std::vector<Box> all;  // frames before their contents; the first one is the whole
  std::vector<Arrow> arrows;
};

/// `seen` by site; may be empty.
[[nodiscard]] Boxes boxes_of(const kernels::Plan& plan,
                             const std::vector<Recording::SeenSite>& seen);

/// Assigns every box its size and its position: rows from top to bottom, so that arrows point down.
void lay_out(Boxes& boxes);

}  // namespace hasten::runtime
