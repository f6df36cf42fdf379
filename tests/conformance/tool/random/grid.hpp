// Cells of the grid as programs: each operation on each element type at each rank, with preceding
// producers that may or may not be fused into it.
#pragma once

#include "tests/conformance/tool/random/operations.hpp"

#include <optional>

namespace hasten::conformance::random {

enum class Producer : std::uint8_t { none, fused, computed, count_ };

/// One cell of the grid: an operation on a type at a rank.
struct Cell {
  const Operation& operation;
  Type type;
  unsigned rank;
  std::uint32_t number;  // selects the axis, operator, amount...
  Producer producer;
};

/// The cells for all types and ranks; axes, sides, operators and producers vary in turn.
std::vector<Cell> cells_of(const Operation& operation);
/// Empty if the operation does not fit. The program's parameters are two arrays of the type and
/// rank, and two numbers.
std::optional<Program> program_of(const Cell& cell);
/// The inputs for the `i`-th shape; every other time, the second array has another shape.
Inputs inputs_of(const Cell& cell, const std::vector<Shape>& shapes, std::size_t i);

}  // namespace hasten::conformance::random
