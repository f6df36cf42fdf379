// Random whole programs: lists of steps that each apply an array operation to earlier arrays. Every
// list is a right program (a step that does not fit does nothing), so RapidCheck may drop and
// change steps freely to find the smallest one that fails.
#pragma once

#include "tests/property/expression.hpp"

namespace hasten::property {

struct Step {
  enum class Kind : std::uint8_t {
    map,
    zip_with,
    zip,
    generate,
    imap,
    gather,  // elementwise
    reverse,
    transpose,
    rotate,
    take,
    drop,
    flatten,
    reshape,  // order and shape
    replicate,
    slice,
    fold,
    fold1,
    fold_outer,  // folds
    compute,
    acond,
    aiterate,
    awhile,  // control
    count_
  };
  Kind kind{};
  std::uint32_t source = 0, other = 0;  // earlier arrays, counted from the latest
  std::uint32_t number = 0;             // an amount, an axis, an operator
  Tree function{};                      // maps
};
std::ostream& operator<<(std::ostream&, const Step&);

/// Programs of up to about a dozen steps.
rc::Gen<std::vector<Step>> random_steps();

/// The program: its parameters are arrays of several types and ranks, its results the last arrays.
Program build(const std::vector<Step>& steps);

/// Small extents; which ones depends on the seed. The number is the program's scalar parameter.
Inputs inputs_for(const Program& program, std::uint64_t seed);

}  // namespace hasten::property
