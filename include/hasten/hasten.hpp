// The whole public API. Programs include this header and use the names of namespace hasten,
// qualified or through an alias (namespace hs = hasten).
#pragma once

// Headers that the others depend on, each after its own dependencies: a compiler lists the chain of
// includes above an error, and this order keeps that chain two files long.
// clang-format off
#include <hasten/scalar/ix.hpp>
#include <hasten/run/error.hpp>
#include <hasten/scalar/half.hpp>
#include <hasten/detail/hints.hpp>
#include <hasten/detail/term.hpp>
#include <hasten/scalar/element.hpp>
#include <hasten/detail/access.hpp>
#include <hasten/detail/literal.hpp>
#include <hasten/array/array.hpp>
#include <hasten/detail/exp_operators.hpp>
#include <hasten/scalar/exp.hpp>
#include <hasten/detail/lift.hpp>
#include <hasten/detail/array_operators.hpp>
#include <hasten/array/acc.hpp>
#include <hasten/detail/trace.hpp>
#include <hasten/detail/array_groups.hpp>
#include <hasten/detail/element_operator.hpp>
#include <hasten/detail/lift_arrays.hpp>
#include <hasten/operations/operators.hpp>
#include <hasten/operations/shape_ops.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/array/bring_in.hpp>
#include <hasten/detail/programs.hpp>
#include <hasten/run/run.hpp>
#include <hasten/scalar/control.hpp>
#include <hasten/detail/lift_math.hpp>
#include <hasten/scalar/math.hpp>
#include <hasten/scalar/indices.hpp>
#include <hasten/operations/folds.hpp>
#include <hasten/operations/choose.hpp>
// clang-format on

// Scalar code: expressions, functions on them, conditions and loops.
#include <hasten/scalar/bits.hpp>
#include <hasten/scalar/complex.hpp>
#include <hasten/scalar/control.hpp>
#include <hasten/scalar/element_arrays.hpp>
#include <hasten/scalar/exp.hpp>
#include <hasten/scalar/half.hpp>
#include <hasten/scalar/ix.hpp>
#include <hasten/scalar/math.hpp>
#include <hasten/scalar/struct.hpp>
#include <hasten/scalar/sum_types.hpp>

// Host arrays and the arrays of a program.
#include <hasten/array/array.hpp>
#include <hasten/array/bring_in.hpp>
#include <hasten/array/device_array.hpp>
#include <hasten/array/foreign.hpp>
#include <hasten/array/named.hpp>
#include <hasten/array/random.hpp>
#include <hasten/run/memory.hpp>
#include <hasten/run/stream.hpp>

// Elementwise operations, and operations on shapes and positions.
#include <hasten/operations/broadcast.hpp>
#include <hasten/operations/concat.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/operations/permute.hpp>
#include <hasten/operations/shape_ops.hpp>
#include <hasten/operations/stencil.hpp>
#include <hasten/scalar/indices.hpp>

// Operations that combine many elements, and operations that choose among them.
#include <hasten/operations/choose.hpp>
#include <hasten/operations/folds.hpp>
#include <hasten/operations/grouping.hpp>
#include <hasten/operations/linear_algebra.hpp>
#include <hasten/operations/refused.hpp>
#include <hasten/operations/scans.hpp>
#include <hasten/operations/segments.hpp>
#include <hasten/operations/sort.hpp>
#include <hasten/operations/statistics.hpp>

// Arrays whose types state what fuses and where memory is used.
#include <hasten/pull_push/pull.hpp>
#include <hasten/pull_push/pull_folds.hpp>
#include <hasten/pull_push/pull_operations.hpp>
#include <hasten/pull_push/push.hpp>
#include <hasten/pull_push/push_operations.hpp>
#include <hasten/pull_push/refused.hpp>

// Branches and loops over whole arrays, execution, options, errors.
#include <hasten/operations/control_flow.hpp>
#include <hasten/run/error.hpp>
#include <hasten/run/library.hpp>
#include <hasten/run/options.hpp>
#include <hasten/run/report.hpp>
#include <hasten/run/run.hpp>
