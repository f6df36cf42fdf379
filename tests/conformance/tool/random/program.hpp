// Random whole programs: lists of steps that each apply an array operation to earlier arrays. Every
// list is a right program (a step that does not fit does nothing), so steps may be dropped and
// changed freely to find the smallest list that fails.
#pragma once

#include "tests/conformance/tool/expression.hpp"

#include <optional>
#include <string>

namespace hasten::conformance {

struct Step {
  std::uint32_t operation = 0;          // a row of random/operations.hpp's table
  std::uint32_t source = 0, other = 0;  // earlier arrays, counted from the latest
  std::uint32_t number = 0;             // an amount, an axis, an operator
  Tree function{};                      // of elements
};
std::ostream& operator<<(std::ostream&, const Step&);

/// Programs of up to about a dozen steps.
rc::Gen<std::vector<Step>> random_steps();

/// Whether some step reads at indices that may be out of range, if it does anything.
bool reads_out_of_range(const std::vector<Step>& steps);

/// The program: its parameters are arrays of several types and ranks and two numbers, its results
/// the last arrays.
Program build(const std::vector<Step>& steps);

/// Which extents and numbers depends on the seed. Extents are small, or (every other seed) around
/// vector widths where the rank is 1.
Inputs inputs_for(const Program& program, std::uint64_t seed);

/// How a target and the interpreter differ on the program and some inputs; nothing if they agree.
std::optional<std::string> disagreement(const std::vector<Step>& steps, const Options& target);

/// The steps, and the program in the text form.
std::string describe(const std::vector<Step>& steps);

}  // namespace hasten::conformance
