// Creates nodes: the one place that completes them.
#pragma once

#include "surface/node.hpp"

#include <hasten/detail/terms/array.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace hasten::detail {

/// Computes hash and free binders, and returns the node.
Term finish(std::unique_ptr<Node> node);

std::unique_ptr<Node> new_node(NodeKind kind, Type type);

std::unique_ptr<Node> new_array_node(NodeKind kind, Type type, std::size_t rank,
                                     const char* operation, const Where& where);
/// Completes the node, if it is allowed here.
Term finish_array(std::unique_ptr<Node> node);
/// The arrays of a node with several results: types and ranks as those of `like`.
std::vector<Term> results_of(const Term& node, const std::vector<Term>& like);

/// replicate() under the user's name for it.
Term replicate(std::vector<Term> axes, const Term& source, const char* operation,
               const Where& where);
Term reshape(std::vector<Term> extent, const Term& source, const char* operation,
             const Where& where);

/// demand() of a condition without which there would be more elements than can be counted: a
/// MemoryError.
Term demand_count(const Term& condition, const char* message, const Term& source, const Call& call);

/// A literal that is part of the program, which no call may change.
Term boolean_literal(bool value);

/// compute() under the user's name for it.
Term compute(const Term& source, const char* operation, const Where& where);

/// Whether an index may be out of range: users' indices are not trusted; the library's own
/// operations correct or guard theirs.
enum class Reads : std::uint8_t { anywhere, inside };
Term index_array(const Term& array, std::span<const Term> index, Reads reads);
Term backpermute(std::vector<Term> extent, Function fn, const Term& source, Reads reads,
                 const Call& call);

/// The element of a std::array at `place`, an i32, and the array with another element there: see
/// core::Extract and core::Insert. At least two elements.
Term extract(const Term& array, const Term& place);
Term insert(const Term& array, const Term& place, const Term& element);

/// Whether the node uses a parameter of a scalar function.
bool uses_scalar_parameter(const Node& node);

/// Throws BuildError if `term` must not be used in an array operation named `operation` here: it
/// uses a parameter of a function that is no longer open, or of a scalar function that is.
void check_array_operand(const Node& node, const char* operation, const Where& where);

/// Throws BuildError if the node uses a parameter of a function that is no longer open.
void check_not_escaped(const Node& node, const char* operation, const Where& where);

}  // namespace hasten::detail
