// The core language: a program is nested blocks of array bindings over closed scalar functions.
//
// Scalar code is in structured A-normal form over *leaf* values: tuples, structs and indices are
// gone, every value has a ScalarType. An array has a rank and one component per leaf.
// Values and arrays are numbered densely through the whole program; every number is defined once.
#pragma once

#include <hasten/detail/foreign_function.hpp>
#include <hasten/detail/permute_mode.hpp>
#include <hasten/detail/scalar_op.hpp>
#include <hasten/detail/scalar_type.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

namespace hasten::core {

using detail::ScalarOp;
using detail::ScalarType;

using Value = std::uint32_t;    // a scalar value (leaf)
using ArrayId = std::uint32_t;  // an array
inline constexpr std::uint32_t none = ~std::uint32_t{0};

/// The bits of a literal, little-endian in the low bytes; complex uses both words (re, im).
/// Floats are kept in their own format (f32: the 32 bits), bool as 0 or 1, integers sign- or
/// zero-extended to 64 bits.
struct Bits {
  std::uint64_t lo = 0, hi = 0;
  friend bool operator==(const Bits&, const Bits&) = default;
};

// ---------------------------------------------------------------------------------------------
// Scalar statements
// ---------------------------------------------------------------------------------------------

struct Stmt;

/// Straight-line code with results. Params are defined by whoever owns the region. A region may
/// use values of the regions and blocks around it.
struct Region {
  std::vector<Value> params;
  std::vector<Stmt> body;
  std::vector<Value> results;
};

/// A literal. `slot` is its place in Program::literals, or `none` once it is baked in for good.
struct Constant {
  Bits bits;
  std::uint32_t slot = none;
};

/// A uniform operation of the table; the result's type is in Program::value_types.
struct Prim {
  ScalarOp op;
  std::vector<Value> args;
};

/// Runs one of two regions (no params); their results are the statement's. Lazy.
struct If {
  Value condition;
  Region then_, else_;
};

/// state = init; while (condition(state)) state = body(state); results = the last state.
struct While {
  std::vector<Value> init;
  Region condition;  // params: state; one bool result
  Region body;       // params: state; results: state
};

/// Axes of an array that something holds for: axis k is bit k. An axis beyond 31 is never among
/// them.
using AxisSet = std::uint32_t;
[[nodiscard]] constexpr bool contains(AxisSet axes, std::size_t axis) {
  return axis < 32 && ((axes >> axis) & 1) != 0;
}
/// The axes of an array of this rank.
[[nodiscard]] constexpr AxisSet all_axes(std::size_t rank) {
  return rank >= 32 ? ~AxisSet{0} : (AxisSet{1} << rank) - 1;
}

/// One component of the element at a multi-dimensional index (rank values of type i64). Partial,
/// except at rank 0. An index along one of the axes `inside` is never out of range where this is
/// run; along the others it may be, and then the last one along its axis stands for it (checks find
/// out, trusting programs promise that it does not happen). An array without elements gives 0; with
/// `some` it has elements where this is run.
struct Load {
  ArrayId array;
  std::uint32_t leaf;
  std::vector<Value> index;
  AxisSet inside = 0;
  bool some = false;
};

/// One component of the element at a row-major linear index. Partial, as Load is.
struct LoadLinear {
  ArrayId array;
  std::uint32_t leaf;
  Value index;
  bool inside = false;
};

/// The extent of an array along an axis (0 = outermost), i64, never negative.
struct Extent {
  ArrayId array;
  std::uint32_t axis;
};

/// One result of a foreign function: the first of `functions` that is for the target at hand, else
/// `fallback` (params: the arguments; one result), which also says what the others compute.
/// Partial: never called where the program would not. After passes::choose_foreign one function is
/// left, and the fallback has no results.
struct ForeignCall {
  std::vector<const detail::ForeignFunction*> functions;
  std::vector<Value> args;
  Region fallback;
};

/// results = seed f (x_begin f ... f x_(end - 1)), each xk = element(k), f = combine: associative,
/// so that grouping is free, but fixed by begin and end; order kept. An empty seed means that the
/// range is not empty; else, and for an empty range, the result is the seed. In kernels only.
struct Reduce {
  Value begin, end;         // i64
  Region element;           // params: k (i64); results: leaves
  Region combine;           // params: left leaves, right leaves; results: leaves
  std::vector<Value> seed;  // one per leaf, or empty
};

/// One of `elements`, which are of one type and two at least: the one at `index` (i32), which
/// counts as unsigned; the last one for an index beyond it.
struct Extract {
  Value index;
  std::vector<Value> elements;
};

/// The elements, as many results, with `element` in place of the one that Extract would choose.
struct Insert {
  Value index, element;
  std::vector<Value> elements;
};

struct Stmt {
  std::vector<Value> results;
  std::variant<Constant, Prim, If, While, Load, LoadLinear, Extent, ForeignCall, Reduce, Extract,
               Insert>
      op;
};

// ---------------------------------------------------------------------------------------------
// Array bindings
// ---------------------------------------------------------------------------------------------

struct Binding;

/// A sequence of bindings run on the host, in order. `params` are arrays (loop state),
/// `results` arrays, `value` the scalar result of a condition block (else none).
struct Block {
  std::vector<ArrayId> params;
  std::vector<Binding> bindings;
  std::vector<ArrayId> results;
  Value value = none;
};

/// Scalar code at array level, run on the host: extents, seeds, conditions, shared scalars.
struct HostScalar {
  Stmt stmt;
};

/// A host array embedded in the program: Program::arrays_used[index].
struct Use {
  std::uint32_t index;
};

/// The index-th array argument of a compiled function (one per array, groups flattened).
struct Input {
  std::uint32_t index;
};

/// A rank-0 array from scalars, one value per leaf.
struct Unit {
  std::vector<Value> values;
};

/// fn: index (rank x i64) -> leaves. Negative extents are clamped to 0 by the host.
struct Generate {
  std::vector<Value> extent;
  Region fn;
};

/// fn: leaves -> leaves.
struct Map {
  Region fn;
  ArrayId source;
};

/// fn: leaves of all sources, concatenated -> leaves. Extents intersect; with `equal` they must be
/// the same (a ShapeError, when it is run).
struct ZipWith {
  Region fn;
  std::vector<ArrayId> sources;
  bool equal = false;
};

/// Same elements in row-major order; sizes must agree (ShapeError), checked when it is run.
struct Reshape {
  std::vector<Value> extent;
  ArrayId source;
};

/// One entry per axis of the larger array: a value (new axis of that extent, resp. the fixed
/// index) or none (axis kept).
struct Replicate {
  std::vector<Value> axes;
  ArrayId source;
};
struct Slice {
  std::vector<Value> axes;  // fixed indices are partial, as those of a Load
  ArrayId source;
  AxisSet inside = 0;  // the source's
  bool some = false;
};

/// The rows along the outermost axis from `begin` up to `end`, which lie within 0 and its extent
/// and do not decrease: a part of what is in memory, which is not copied. Passes alone make it.
struct Rows {
  ArrayId source;
  Value begin, end;
};

/// fn: target index -> source index. Partial in the read; `inside` and `some` as of Load.
struct Backpermute {
  std::vector<Value> extent;
  Region fn;
  ArrayId source;
  AxisSet inside = 0;
  bool some = false;
};

/// Folds the innermost `axes` axes, in row-major order. fn: (left leaves, right leaves) -> leaves.
/// An empty seed means fold1: a ShapeError for an empty axis with a non-empty result. With a seed z
/// the result is f(z, x0 f x1 ...), and z for an empty axis. In order: (z f x0) f x1 ..., grouped
/// so on every target; of one axis, and a source of two at least.
struct Fold {
  Region fn;
  std::vector<Value> seed;
  ArrayId source;
  std::uint32_t axes = 1;  // 1 at least
  bool in_order = false;
};

/// Folds segments of the innermost axis, order kept: of each row, the elements from offsets[k] on,
/// before offsets[k + 1], for each segment k (one fewer than there are offsets; none if there are
/// no offsets). Offsets, one i64 leaf of rank 1, do not decrease and lie within 0 and the axis'
/// extent. fn and seed as of Fold; without a seed no segment is empty. Partial where these do not
/// hold. In order as Fold is.
struct FoldSegments {
  Region fn;
  std::vector<Value> seed;
  ArrayId source, offsets;
  bool in_order = false;
};

/// Scans an axis, the innermost one unless there are `inner_axes` inside of it, order kept. fn as
/// of Fold. Without a seed as many elements as the source: x0, x0 f x1, ...; with one, one more: z,
/// z f x0, z f x0 f x1, ... In order, as Fold is, along the innermost axis only.
struct Scan {
  Region fn;
  std::vector<Value> seed;
  ArrayId source;
  bool in_order = false;
  std::uint32_t inner_axes = 0;
};
/// The axis that is scanned, of arrays of this rank.
[[nodiscard]] inline std::size_t scanned_axis(const Scan& scan, std::size_t rank) {
  return rank - 1 - scan.inner_axes;
}

/// For each index of targets and source (extents intersect), in row-major order, with
/// (keep, ix...) = targets: if keep and ix is inside the result, source goes there.
/// Each index makes so many `writes`, one after the other: targets have keep and ix, and sources
/// the leaves, as often.
struct PermuteLoop {
  ArrayId targets, source;
  std::uint32_t writes = 1;
  bool inside = false;  // no target is out of range
};

/// result = defaults; then, where an element goes to ix, result[ix] = fn(source, result[ix]).
/// fn: (new leaves, old leaves) -> leaves. In order: grouped so on every target.
/// More than one loop, and loops of more than one write, only where no two elements meet.
struct Permute {
  Region fn;
  ArrayId defaults;
  std::vector<PermuteLoop> loops;
  detail::PermuteMode mode = detail::PermuteMode::combine;
  bool in_order = false;
};

/// The sources one after the other along an axis; other extents intersect. With `joins` they are
/// parts of one array, which devices have made: other extents are equal, the axis is the outermost
/// one, and the parts are brought together in memory, by no kernel. Then `at` may say where each
/// begins, and where the last one ends. Passes alone make that.
struct Concat {
  std::uint32_t axis;
  std::vector<ArrayId> sources;
  bool joins = false;
  std::vector<Value> at = {};
};

/// The elements of the source at which the mask, one bool leaf, holds, in order; both are of rank
/// 1, extents intersect. A second result, if the binding has one, is the other elements, in order.
/// The extents of the results are known when it has run.
struct Compact {
  ArrayId mask, source;
};

/// Positions (i64) along the innermost axis in ascending order of the source's leaves (unsigned or
/// bool, lexicographic), first of equals first. A second leaf, if any: is it no equal of the last?
/// Each carried array is put in that order, too, and is a further result; then all are of rank 1,
/// and none is shorter than the source. With `at_heads` there is a second leaf, and positions are
/// meant only where it holds: elsewhere they are any numbers. With `first` (i64) so many positions
/// of each row are meant, the others are any numbers, and nothing is carried. With `only_carried`
/// nobody reads the first result, and it need not be made.
struct SortPositions {
  ArrayId source;
  std::vector<ArrayId> carried;
  bool at_heads = false;
  Value first = none;
  bool only_carried = false;
};

/// The source itself, if the condition holds when it is run; else a ShapeError whose text is
/// `message` with each {} replaced by the next of `shown` (i64). Checked under every setting. With
/// `of_elements`, which passes alone make, an element failed: the interpreter finds out which. With
/// `of_count` it is a MemoryError: more elements are asked for than can be counted.
struct Demand {
  Value condition;
  const char* message;  // a string literal
  std::vector<Value> shown;
  ArrayId source;
  bool of_elements = false, of_count = false;
};

/// The source itself, kept in memory: never fused through.
struct Compute {
  ArrayId source;
};

/// Runs one block; its results become the binding's. Branches have no params.
struct ArrayIf {
  Value condition;
  Block then_, else_;
};

/// state = init; while (condition(state)) state = body(state). Both blocks have the state as
/// params; condition gives `value`, body gives `results`.
struct ArrayWhile {
  std::vector<ArrayId> init;
  Block condition, body;
};

/// One implementation of a foreign operation on arrays: Program::foreign[index].
struct ForeignImplementation {
  detail::ForeignTarget target;
  const char* name;  // kept for good
  std::uint32_t index;
};

/// The arrays that a foreign function makes of others: the first of `functions` that is for the
/// target at hand, else `fallback` (params: the arguments), which also says what the others
/// compute. Extents are known when it has run. After passes::choose_foreign one function is left,
/// and the fallback has no results.
struct ForeignArrays {
  std::vector<ForeignImplementation> functions;
  std::vector<ArrayId> args;
  Block fallback;
};

using ArrayOp =
    std::variant<HostScalar, Use, Input, Unit, Generate, Map, ZipWith, Reshape, Replicate, Slice,
                 Rows, Backpermute, Fold, FoldSegments, Scan, Permute, Concat, Compact,
                 SortPositions, Demand, Compute, ArrayIf, ArrayWhile, ForeignArrays>;

/// How an array comes to be, decided by the fusion pass.
enum class Storage : std::uint8_t {
  undecided,
  manifest,  // becomes a kernel's output (or a view or a host array) and lives in memory
  delayed,   // extent and element function only: inlined into its consumers
};

struct Binding {
  std::vector<ArrayId> results;  // empty for HostScalar (its values are in the statement)
  ArrayOp op;
  std::source_location where;  // the user's call
  Storage storage = Storage::undecided;
  /// Bindings of one block with the same number are made by one kernel; they stand one after the
  /// other. Of these, delayed ones never reach memory.
  std::uint32_t group = none;
  /// Of programs that several devices run (passes/fission): the one that computes it, and from
  /// which others get it in memory; none: the first one, or wherever it is inlined.
  std::uint32_t device = none;
  const char* reason = "";     // why it reaches memory (manifest) or not; shown by explain()
  const char* operation = "";  // the user's name for it: "sum"; a string literal
};

// ---------------------------------------------------------------------------------------------
// Programs
// ---------------------------------------------------------------------------------------------

struct ArrayType {
  std::uint32_t rank = 0;
  std::vector<ScalarType> leaves;
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

/// A number the user wrote or captured. `automatic` ones are constants until seen to change
/// between runs of the same program, `parameter` ones are kernel parameters from the start,
/// `baked` ones never are.
enum class LiteralKind : std::uint8_t { automatic, parameter, baked };

struct Literal {
  ScalarType type;
  Bits bits;
  LiteralKind kind = LiteralKind::automatic;
};

struct Program {
  std::vector<ScalarType> value_types;  // by Value
  std::vector<ArrayType> array_types;   // by ArrayId
  std::vector<Literal> literals;        // by Constant::slot
  std::vector<Value> scalar_inputs;     // Exp parameters of a compiled function, leaf by leaf
  std::vector<ArrayType> inputs;        // by Input::index
  std::vector<std::shared_ptr<const detail::HostArray>> arrays_used;  // by Use::index
  /// By ForeignImplementation::index.
  std::vector<std::shared_ptr<const detail::ForeignArrayFunction>> foreign;
  Block body;                         // params empty
  std::vector<Value> scalar_results;  // results of run(Exp<T>): host values, usually empty

  Value new_value(ScalarType t) {
    value_types.push_back(t);
    return static_cast<Value>(value_types.size() - 1);
  }
  ArrayId new_array(ArrayType t) {
    array_types.push_back(std::move(t));
    return static_cast<ArrayId>(array_types.size() - 1);
  }
};

}  // namespace hasten::core
