// The surface graph: what the user's calls have built, before sharing recovery.
//
// Nodes are immutable and reference-counted. Each has a 128-bit structural hash, computed when it
// is created (parameters count by level, not by identity; source locations do not count): equal
// hashes mean equal terms. To sharing recovery, which finds terms that were built twice, a number
// that may change from run to run is identified by its node instead: the shape of a program must
// not depend on which of these numbers are equal this time.
#pragma once

#include <hasten/detail/foreign_function.hpp>
#include <hasten/detail/term.hpp>

#include "support/digest.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace hasten::detail {

enum class NodeKind : std::uint8_t {
  // scalar terms
  constant,      // bits, mode
  param,         // function, number; also of array type (is_array)
  prim,          // op; children: arguments
  tuple,         // children: members
  project,       // number; children: tuple
  conditional,   // children: condition, then, else
  while_loop,    // functions: condition, body; children: init
  index,         // number = Reads; children: array, one i64 per axis
  index_linear,  // children: array, i64
  extent,        // number = axis; children: array
  foreign_call,  // foreign; functions: fallback; children: arguments
  extract,       // children: a std::array, an i32
  insert,        // children: a std::array, an i32, the new element
  // array terms
  use,              // host
  unit,             // children: element
  generate,         // functions: fn; children: extent...
  segment_numbers,  // children: offsets, extent
  map,              // functions: fn; children: source
  zip_with,         // number = Meet; functions: fn; children: sources...
  reshape,          // children: source, extent...
  replicate,        // children: source, axes... (null: keep)
  slice,            // children: source, axes... (null: keep)
  backpermute,      // number = Reads; functions: fn; children: source, extent...
  fold,             // functions: fn; children: source, seed (or null)
  fold_segments,    // functions: fn; children: source, offsets, seed (or null)
  scan,             // functions: fn; children: source, seed (or null)
  permute,          // number = mode; functions: combine; children: defaults, targets, source
  concat,           // number = axis; children: sources...
  compact,          // number = count of results, 1 or 2; children: mask, source
  sort,             // number = SortResults; children: keys, count if `first`, else carried...
  demand,           // message; children: source, condition, shown...
  compute,          // children: source
  array_if,         // number = count; children: condition, then..., else...
  array_while,      // number = count; functions: condition, body; children: init...
  foreign_arrays,   // number = count; foreign; functions: fallback; children: arguments
  array_result,     // number; children: array_if, array_while, foreign_arrays, compact, sort
};

/// The results of a sort: positions; positions and whether runs begin there; only where runs begin;
/// or the first positions of each row.
enum class SortResults : std::uint8_t { positions, runs, run_starts, first };

using support::Digest;

/// A binder that a term depends on.
struct FreeBinder {
  std::uint64_t id;
  std::uint32_t level;
  bool scalar;  // binder of a scalar function (its use in an array operation is nesting)
};

/// Ascending by level; shared between nodes, immutable. Null: none.
using FreeBinders = std::shared_ptr<const std::vector<FreeBinder>>;

/// For a call of foreign code: exactly one list has entries.
struct ForeignImplementations {
  std::vector<const ForeignFunction*> functions;
  std::vector<std::shared_ptr<const ForeignArrayFunction>> array_functions;
};

/// The contents of a node, without the data for its lifetime.
struct NodeContent {
  NodeKind kind{};
  ScalarOp op{};           // prim
  LiteralMode mode{};      // constant
  bool is_array = false;   // array terms, also parameters and array_if/array_while
  std::uint32_t rank = 0;  // of an array term
  std::uint32_t number = 0;
  std::uint32_t nest = 0;    // conditional: the depth of nested branches from this one down
  std::uint64_t binder = 0;  // param: its function
  LiteralBits bits;          // constant
  Type type = nullptr;       // element type
  Digest hash;
  Digest identity;  // the same, but numbers that may change count by node, not by value
  FreeBinders free;
  std::vector<Term> children;
  std::vector<Function> functions;
  std::shared_ptr<const HostArray> host;  // use
  std::shared_ptr<const ForeignImplementations> foreign;
  const char* message = "";    // demand
  const char* operation = "";  // the user's name for it: "sum"
  const char* label = "";      // array terms: the name from named(); interned, in no hash
  Where where;                 // array terms: the user's call
};

struct Node : NodeContent {
  std::atomic<std::uint32_t> references{1};
  Node* next_dead = nullptr;  // while it is released
};

}  // namespace hasten::detail
