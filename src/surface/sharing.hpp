// Sharing recovery: the traced graph becomes a core program in which every shared term is bound
// once.
//
// in:  the surface graph, a DAG whose functions are traced callables
// out: a core::Program: tuples split into leaves, scalar code in A-normal form
//
// Terms with equal structural hashes in the same function are one term. A term is bound at the
// lowest common ancestor of its uses, except that
//   - array terms, and total scalar terms that read no array, leave the functions and loops whose
//     parameters they do not use;
//   - a partial term (an index, an integer division, a loop; an array operation that can fail) is
//     bound only where one of its uses is certain to run; otherwise each use has its own copy;
//   - literals are repeated in each function.
// Everything is iterative and linear in the graph (except for copies of partial terms).
#pragma once

#include "core/program.hpp"

#include <hasten/detail/runtime.hpp>

namespace hasten::detail {

/// Throws BuildError when conditions or loops are nested deeper than 1,000.
core::Program recover_sharing(const Traced& traced);

}  // namespace hasten::detail
