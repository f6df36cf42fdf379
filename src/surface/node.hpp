// The surface graph: what the user's calls have built, before sharing recovery.
//
// Nodes are immutable and reference-counted. Each carries a 128-bit structural hash computed when
// it is made (parameters count by level, not by identity; source locations do not count): equal
// hashes mean equal terms. Sharing recovery finds terms built twice by another one, to which a
// number that may change from run to run is its node: which of them happen to be equal this time
// must not decide what a program looks like.
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
  use,             // host
  unit,            // children: element
  generate,        // functions: fn; children: extent...
  map,             // functions: fn; children: source
  zip_with,        // number = Meet; functions: fn; children: sources...
  reshape,         // children: source, extent...
  replicate,       // children: source, axes... (null: keep)
  slice,           // children: source, axes... (null: keep)
  backpermute,     // number = Reads; functions: fn; children: source, extent...
  fold,            // functions: fn; children: source, seed (or null)
  fold_segments,   // functions: fn; children: source, offsets, seed (or null)
  scan,            // functions: fn; children: source, seed (or null)
  permute,         // number = mode; functions: combine; children: defaults, targets, source
  concat,          // number = axis; children: sources...
  compact,         // number = count of results, 1 or 2; children: mask, source
  sort,            // number = SortResults; children: keys, count if `first`, else carried...
  demand,          // message; children: source, condition, shown...
  compute,         // children: source
  array_if,        // number = count; children: condition, then..., else...
  array_while,     // number = count; functions: condition, body; children: init...
  foreign_arrays,  // number = count; foreign; functions: fallback; children: arguments
  array_result,    // number; children: array_if, array_while, foreign_arrays, compact, sort
};

/// Of a sort: positions, the same beside whether runs begin there, where runs begin alone, or the
/// first positions of each row.
enum class SortResults : std::uint8_t { positions, runs, run_starts, first };

using support::Digest;

/// A binder a term depends on.
struct FreeBinder {
  std::uint64_t id;
  std::uint32_t level;
  bool scalar;  // binder of a scalar function (a use inside an array operation is nesting)
};

/// Ascending by level; shared between nodes, never changed. Null: none.
using FreeBinders = std::shared_ptr<const std::vector<FreeBinder>>;

/// Of a call of foreign code: one list has entries.
struct ForeignImplementations {
  std::vector<const ForeignFunction*> functions;
  std::vector<std::shared_ptr<const ForeignArrayFunction>> array_functions;
};

/// What a node says; the rest of it is its life.
struct NodeContent {
  NodeKind kind{};
  ScalarOp op{};           // prim
  LiteralMode mode{};      // constant
  bool is_array = false;   // array terms, also parameters and array_if/array_while
  std::uint32_t rank = 0;  // of an array term
  std::uint32_t number = 0;
  std::uint32_t nest = 0;    // conditional: how many are branches of each other, down from this one
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
  const char* label = "";      // array terms: what named() calls it; kept for good, in no hash
  Where where;                 // array terms: the user's call
};

struct Node : NodeContent {
  std::atomic<std::uint32_t> references{1};
  Node* next_dead = nullptr;  // while it is being released
};

}  // namespace hasten::detail
