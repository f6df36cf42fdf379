// Cells of the grid: each operation on each element type at each rank, with producers before it
// that may be fused into it or not, as programs.
#pragma once

#include "tests/conformance/tool/random/operations.hpp"

#include <optional>

namespace hasten::conformance::random {

enum class Producer : std::uint8_t { none, fused, computed, count_ };

/// What one cell of the grid is: an operation on a type at a rank.
struct Cell {
  const Operation& operation;
  Type type;
  unsigned rank;
  std::uint32_t number;  // which axis, operator, amount...
  Producer producer;
};

/// Of all types at all ranks; all axes, sides, operators and producers come in turn.
std::vector<Cell> cells_of(const Operation& operation);
/// Nothing where the operation does not fit. Its parameters are two arrays of the type and rank,
/// and two numbers.
std::optional<Program> program_of(const Cell& cell);
/// For the `i`-th of the shapes; the second array has another shape every other time.
Inputs inputs_of(const Cell& cell, const std::vector<Shape>& shapes, std::size_t i);

}  // namespace hasten::conformance::random
