// The representation of the typed handles: reference-counted terms, typed at run time, and the
// functions that build them. Users never see these names; nothing below this level is a template.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/detail/permute_mode.hpp>
#include <hasten/detail/scalar_op.hpp>
#include <hasten/detail/scalar_type.hpp>

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hasten::detail {

using Where = std::source_location;

// ---------------------------------------------------------------------------------------------
// Element types: a leaf or a tuple of element types. Interned: equal types are the same pointer.
// ---------------------------------------------------------------------------------------------

struct ElementType {
  bool is_leaf;
  ScalarType leaf;                          // if is_leaf
  std::vector<const ElementType*> members;  // otherwise
  std::vector<ScalarType> leaves;           // all leaves, depth first
  std::string name;                         // "f32", "(f32, i64)"; shown in messages
};
using Type = const ElementType*;

Type leaf_type(ScalarType);
Type tuple_type(std::span<const Type> members);

// ---------------------------------------------------------------------------------------------
// Terms
// ---------------------------------------------------------------------------------------------

struct Node;  // src/surface/node.hpp
void retain(Node*) noexcept;
void release(Node*) noexcept;  // frees chains of any length without recursion

/// An immutable scalar or array term. Copying is an atomic increment.
class Term {
 public:
  Term() = default;
  explicit Term(Node* owned) : node_(owned) {}  // takes over one reference
  Term(const Term& other) : node_(other.node_) {
    if (node_) retain(node_);
  }
  Term(Term&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Term& operator=(Term other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Term() {
    if (node_) release(node_);
  }
  [[nodiscard]] Node* node() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  Node* node_ = nullptr;
};

Type type_of(const Term&);      // of a scalar term; of an array term: its element type
unsigned rank_of(const Term&);  // of an array term

// ---------------------------------------------------------------------------------------------
// Functions: a callable is traced once, between opening a scope and closing it.
// ---------------------------------------------------------------------------------------------

/// A traced function: one binder with its parameters, and its results (one scalar term for scalar
/// functions; any number of array terms, or one scalar condition, for array functions).
struct Function {
  std::uint64_t binder = 0;
  std::uint32_t level = 0;  // number of enclosing open binders
  std::vector<Term> params;
  std::vector<Term> results;
};

/// Opens a binder on this thread. If it is destroyed without close() (by an exception from the
/// user's function), it only closes the binder.
class Scope {
 public:
  /// A scalar function with these parameters.
  explicit Scope(std::span<const Type> params);
  /// An array function (loop body, program) with array parameters of these types and ranks, then
  /// scalar parameters.
  struct ArrayParam {
    Type type;
    unsigned rank;
  };
  Scope(std::span<const ArrayParam> arrays, std::span<const Type> scalars);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  [[nodiscard]] const Term& param(std::size_t i) const { return function_.params[i]; }
  /// Closes the binder. Throws BuildError at `where` if a result uses a parameter of a function
  /// that does not enclose this one (an escaped scalar). `operation` names the caller.
  Function close(std::vector<Term> results, const char* operation, const Where& where);

 private:
  Function function_;
  bool open_ = true;
};

// ---------------------------------------------------------------------------------------------
// Building scalar terms
// ---------------------------------------------------------------------------------------------

struct LiteralBits {
  std::uint64_t lo = 0, hi = 0;
};
enum class LiteralMode : std::uint8_t { automatic, parameter, baked };

Term constant(ScalarType, LiteralBits, LiteralMode = LiteralMode::automatic);
Term prim(ScalarOp, ScalarType result, std::span<const Term> args);  // leaves in, a leaf out
Term make_tuple(Type, std::span<const Term> members);                // folds a tuple of projections
Term project(const Term& tuple, unsigned member);                    // folds a projection of a
                                                                     // tuple
Term conditional(const Term& condition, const Term& then_, const Term& else_);  // lazy
/// `condition` and `body` are functions of one parameter, the state.
Term while_loop(Function condition, Function body, const Term& init);
/// Takes one i64 term per axis.
Term index_array(const Term& array, std::span<const Term> index);
Term index_linear(const Term& array, const Term& index);
Term extent_of(const Term& array, unsigned axis);

// ---------------------------------------------------------------------------------------------
// Building array terms. Each throws BuildError at `where` for nested parallelism: if a function
// or scalar argument uses a parameter of a scalar function that is still open.
// Extents and indices are i64 leaf terms, outermost first; `Term{}` in axes means keep.
// ---------------------------------------------------------------------------------------------

Term use_array(Type, std::shared_ptr<const HostArray>, const Where&);
Term unit(const Term& element, const Where&);
Term generate(std::vector<Term> extent, Function fn, Type result, const Where&);
Term generate(std::vector<Term> extent, Function fn, Type result, const char* operation,
              const Where&);
Term map(Function fn, Type result, const Term& source, const char* operation, const Where&);
/// The treatment of sources whose extents differ.
enum class Meet : std::uint8_t {
  intersection,  // the result covers the indices that all sources have
  equal,         // a ShapeError, under every setting
};
/// fn has one parameter per source.
Term zip_with(Function fn, Type result, std::vector<Term> sources, Meet meet, const char* operation,
              const Where&);
Term reshape(std::vector<Term> extent, const Term& source, const Where&);
Term replicate(std::vector<Term> axes, const Term& source, const Where&);
Term slice(std::vector<Term> axes, const Term& source, const Where&);
/// fn maps one i64 parameter per axis of the result to a tuple of i64, one per axis of the source
/// (a plain i64 leaf at rank 1, an empty tuple at rank 0).
Term backpermute(std::vector<Term> extent, Function fn, const Term& source, const char* operation,
                 const Where&);
/// fn has two parameters of the element type. seed may be empty (fold1).
Term fold(Function fn, const Term& seed, const Term& source, const char* operation, const Where&);
/// Folds the elements at positions offsets[k] to offsets[k + 1] - 1 for every segment k of the
/// innermost axis; fn and seed are as for fold. The offsets are i64 and have been checked.
Term fold_segments(Function fn, const Term& seed, const Term& source, const Term& offsets,
                   const char* operation, const Where&);
/// Scans the innermost axis; fn is as for fold. Without a seed, the result has as many elements as
/// the source; with a seed, one more.
Term scan(Function fn, const Term& seed, const Term& source, const char* operation, const Where&);
/// Starts with result = defaults; each source element whose target says keep is stored at its
/// target by combine(new, old). `targets` has the source's rank and elements (bool keep, i64...),
/// with one i64 per axis of the defaults. Targets out of range are dropped; the extents of targets
/// and source intersect. Several loops may have sources of different extents and ranks.
struct TargetsAndSource {
  Term targets, source;
};
Term permute(Function combine, const Term& defaults, const std::vector<TargetsAndSource>& loops,
             PermuteMode mode, const char* operation, const Where&);
/// Concatenates along the axis; the other extents intersect.
Term concat(unsigned axis, std::vector<Term> sources, const char* operation, const Where&);
/// The elements of a vector where the mask, a vector of bool, is true, in order; extents intersect.
Term compact(const Term& mask, const Term& source, const char* operation, const Where&);
/// Likewise, paired with the other elements, in order.
std::pair<Term, Term> compact_parts(const Term& mask, const Term& source, const char* operation,
                                    const Where&);
/// Positions along the innermost axis in ascending order of the keys, whose leaves are unsigned
/// integers or bool (lexicographic); of equal keys, the first comes first.
Term sort_positions(const Term& keys, const char* operation, const Where&);
/// Likewise, but only the first `count` (i64) positions of each row are defined; the rest are
/// arbitrary numbers.
Term sort_first_positions(const Term& keys, const Term& count, const char* operation, const Where&);
/// Which positions are read: if only those of run starts are, the rest need not be stored.
enum class Positions : bool { all, of_run_starts };
/// Sorted positions paired with whether the key differs from the one before it (i64 and bool), then
/// the carried vectors in sorted order. No carried vector is shorter than the keys.
std::vector<Term> sort_runs(const Term& keys, const std::vector<Term>& carried, Positions wanted,
                            const char* operation, const Where&);
/// The source if the condition (scalar bool) holds at run time, else a ShapeError with this
/// message, in which each {} is replaced by the next of `shown` (i64). `message` must be a string
/// literal.
Term demand(const Term& condition, const char* message, std::vector<Term> shown, const Term& source,
            const char* operation, const Where&);
Term compute(const Term& source, const Where&);
/// Chooses or iterates several arrays at once; the results are returned in order.
std::vector<Term> array_if(const Term& condition, std::vector<Term> then_, std::vector<Term> else_,
                           const Where&);
std::vector<Term> array_while(Function condition, Function body, std::vector<Term> init,
                              const Where&);

// The fn of generate has one i64 parameter per axis.

}  // namespace hasten::detail
