// Random whole programs: lists of steps that each apply an array operation to earlier arrays. Every
// list is a valid program (a step that does not fit does nothing), so steps may be dropped and
// changed freely in the search for the smallest list that fails.
#pragma once

#include "tests/conformance/tool/expression.hpp"

#include <optional>
#include <string>

namespace hasten::conformance {

struct Step {
  std::uint32_t operation = 0;          // a row of random/operations.hpp's table
  std::uint32_t source = 0, other = 0;  // earlier arrays, counted from the latest
  std::uint32_t number = 0;             // an amount, an axis, an operator
  Tree function{};                      // for elements
};
std::ostream& operator<<(std::ostream&, const Step&);

/// Programs of up to about a dozen steps.
rc::Gen<std::vector<Step>> random_steps();

/// Whether some step may read at indices out of range, if it does anything.
bool reads_out_of_range(const std::vector<Step>& steps);

/// The program: its parameters are arrays of several types and ranks and two numbers, its results
/// are the last arrays.
Program build(const std::vector<Step>& steps);

/// The seed determines extents and numbers. Extents are small, or, for every other seed, around
/// vector widths at rank 1.
Inputs inputs_for(const Program& program, std::uint64_t seed);

/// The difference between a target and the interpreter on the program and some inputs; empty if
/// they agree.
std::optional<std::string> disagreement(const std::vector<Step>& steps, const Options& target);

/// The steps, and the program in the text form.
std::string describe(const std::vector<Step>& steps);

}  // namespace hasten::conformance
