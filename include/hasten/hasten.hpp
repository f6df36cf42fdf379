// Hasten: all of it. Programs include this header and use the names of namespace hasten,
// qualified or through an alias (namespace hs = hasten).
#pragma once

// What the others need, each after what it needs itself: compilers name the files on the way to an
// error, which are two in this order.
// clang-format off
#include <hasten/ix.hpp>
#include <hasten/error.hpp>
#include <hasten/half.hpp>
#include <hasten/detail/hints.hpp>
#include <hasten/detail/term.hpp>
#include <hasten/element.hpp>
#include <hasten/detail/access.hpp>
#include <hasten/detail/literal.hpp>
#include <hasten/array.hpp>
#include <hasten/detail/exp_operators.hpp>
#include <hasten/exp.hpp>
#include <hasten/detail/lift.hpp>
#include <hasten/detail/array_operators.hpp>
#include <hasten/acc.hpp>
#include <hasten/detail/trace.hpp>
#include <hasten/detail/array_groups.hpp>
#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/lift_arrays.hpp>
#include <hasten/operators.hpp>
#include <hasten/shape_ops.hpp>
#include <hasten/elementwise.hpp>
#include <hasten/bring_in.hpp>
#include <hasten/detail/programs.hpp>
#include <hasten/run.hpp>
#include <hasten/control.hpp>
#include <hasten/detail/lift_math.hpp>
#include <hasten/math.hpp>
#include <hasten/indices.hpp>
#include <hasten/folds.hpp>
#include <hasten/choose.hpp>
// clang-format on

// Scalar code: expressions, their functions, conditions and loops.
#include <hasten/bits.hpp>
#include <hasten/complex.hpp>
#include <hasten/control.hpp>
#include <hasten/element_arrays.hpp>
#include <hasten/exp.hpp>
#include <hasten/half.hpp>
#include <hasten/ix.hpp>
#include <hasten/math.hpp>
#include <hasten/struct.hpp>
#include <hasten/sum_types.hpp>

// Arrays of the host, and arrays of a program.
#include <hasten/array.hpp>
#include <hasten/bring_in.hpp>
#include <hasten/foreign.hpp>
#include <hasten/memory.hpp>
#include <hasten/named.hpp>
#include <hasten/random.hpp>
#include <hasten/stream.hpp>

// Operations element by element, and on shapes and places.
#include <hasten/broadcast.hpp>
#include <hasten/concat.hpp>
#include <hasten/elementwise.hpp>
#include <hasten/indices.hpp>
#include <hasten/permute.hpp>
#include <hasten/shape_ops.hpp>
#include <hasten/stencil.hpp>

// Operations on many elements together, and choices among them.
#include <hasten/choose.hpp>
#include <hasten/folds.hpp>
#include <hasten/grouping.hpp>
#include <hasten/linear_algebra.hpp>
#include <hasten/scans.hpp>
#include <hasten/segments.hpp>
#include <hasten/sort.hpp>
#include <hasten/statistics.hpp>

// Branches and loops of whole arrays, running, settings, errors.
#include <hasten/control_flow.hpp>
#include <hasten/error.hpp>
#include <hasten/options.hpp>
#include <hasten/run.hpp>
