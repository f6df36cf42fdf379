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

/// Straight-line code with results. The owner of the region defines its params. A region may use
/// values of the enclosing regions and blocks.
struct Region {
  std::vector<Value> params;
  std::vector<Stmt> body;
  std::vector<Value> results;
};

/// A literal. `slot` is its index in Program::literals, or `none` once it is a constant for good.
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

/// The axes of an array for which some property holds: axis k is bit k. It has no axis beyond 31.
using AxisSet = std::uint32_t;
[[nodiscard]] constexpr bool contains(AxisSet axes, std::size_t axis) {
  return axis < 32 && ((axes >> axis) & 1) != 0;
}
/// All axes of an array of this rank.
[[nodiscard]] constexpr AxisSet all_axes(std::size_t rank) {
  return rank >= 32 ? ~AxisSet{0} : (AxisSet{1} << rank) - 1;
}

/// One component of the element at a multi-dimensional index (rank values of type i64). Partial,
/// except at rank 0. An index along an axis in `inside` is never out of range where this runs;
/// along the other axes it may be, and is then replaced by the last index of the axis (checks
/// report it, trusting programs promise that it does not happen). A load from an array without
/// elements yields 0; with `some` the array has elements where this runs.
struct Load {
  ArrayId array;
  std::uint32_t leaf;
  std::vector<Value> index;
  AxisSet inside = 0;
  bool some = false;
};

/// One component of the element at a row-major linear index. Partial, like Load.
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

/// One result of a foreign function: the first of `functions` that is for the current target, else
/// `fallback` (params: the arguments; one result), which also defines what the others compute.
/// Partial: never called where the program would not call it. After passes::choose_foreign exactly
/// one function is left, and the fallback has no results.
struct ForeignCall {
  std::vector<const detail::ForeignFunction*> functions;
  std::vector<Value> args;
  Region fallback;
};

/// results = seed f (x_begin f ... f x_(end - 1)), each xk = element(k), f = combine: associative,
/// so that grouping is free, but fixed by begin and end; order kept. With an empty seed the range
/// must not be empty; with a seed, the result for an empty range is the seed. In kernels only.
struct Reduce {
  Value begin, end;         // i64
  Region element;           // params: k (i64); results: leaves
  Region combine;           // params: left leaves, right leaves; results: leaves
  std::vector<Value> seed;  // one per leaf, or empty
};

/// One of `elements`, which have one type and are at least two: the one at `index` (i32, taken as
/// unsigned); the last one for an index beyond it.
struct Extract {
  Value index;
  std::vector<Value> elements;
};

/// All elements, one result each, with `element` in place of the one that Extract would choose.
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

/// A sequence of bindings that the host runs in order. `params` are arrays (loop state), `results`
/// arrays, `value` the scalar result of a condition block (else none).
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

/// fn: index (rank x i64) -> leaves. The host clamps negative extents to 0.
struct Generate {
  std::vector<Value> extent;
  Region fn;
};

/// A vector whose element k is fn(s, k), s being the segment in which k lies: the last one with
/// offsets[s] <= k. Offsets, one i64 leaf of rank 1, do not decrease; they begin at 0 or before,
/// and end at `extent` or after it. Partial where these conditions do not hold. The host clamps a
/// negative extent to 0.
struct GenerateSegments {
  Value extent;
  ArrayId offsets;
  Region fn;
};

/// fn: leaves -> leaves.
struct Map {
  Region fn;
  ArrayId source;
};

/// fn: leaves of all sources, concatenated -> leaves. Extents intersect; with `equal` they must be
/// equal (a ShapeError at run time).
struct ZipWith {
  Region fn;
  std::vector<ArrayId> sources;
  bool equal = false;
};

/// Same elements in row-major order; sizes must agree (a ShapeError at run time).
struct Reshape {
  std::vector<Value> extent;
  ArrayId source;
};

/// One entry per axis of the larger array: a value (the extent of a new axis, or the fixed index)
/// or none (axis kept).
struct Replicate {
  std::vector<Value> axes;
  ArrayId source;
};
struct Slice {
  std::vector<Value> axes;  // fixed indices are partial, like those of a Load
  ArrayId source;
  AxisSet inside = 0;  // the source's
  bool some = false;
};

/// The rows along the outermost axis from `begin` up to `end`, which lie between 0 and the axis'
/// extent and do not decrease: a view of memory, which is not copied. Only passes make it.
struct Rows {
  ArrayId source;
  Value begin, end;
};

/// fn: target index -> source index. Partial in the read; `inside` and `some` as in Load.
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
/// this way on every target; then it folds one axis, and its source has rank 2 at least.
struct Fold {
  Region fn;
  std::vector<Value> seed;
  ArrayId source;
  std::uint32_t axes = 1;  // at least 1
  bool in_order = false;
};

/// Folds segments of the innermost axis, order kept: segment k of a row holds the elements from
/// offsets[k] on, before offsets[k + 1] (one segment fewer than offsets; none if there are no
/// offsets). Offsets, one i64 leaf of rank 1, do not decrease and lie between 0 and the axis'
/// extent. fn and seed as in Fold; without a seed no segment is empty. Partial where these
/// conditions do not hold. In order as in Fold.
struct FoldSegments {
  Region fn;
  std::vector<Value> seed;
  ArrayId source, offsets;
  bool in_order = false;
};

/// Scans an axis, the innermost one unless `inner_axes` lie inside it, order kept. fn as in Fold.
/// Without a seed the result has as many elements as the source: x0, x0 f x1, ...; with one, one
/// more: z, z f x0, z f x0 f x1, ... In order, as in Fold, along the innermost axis only.
struct Scan {
  Region fn;
  std::vector<Value> seed;
  ArrayId source;
  bool in_order = false;
  std::uint32_t inner_axes = 0;
};
/// The scanned axis of arrays of this rank.
[[nodiscard]] inline std::size_t scanned_axis(const Scan& scan, std::size_t rank) {
  return rank - 1 - scan.inner_axes;
}

/// For each index of targets and source (extents intersect), in row-major order, with (keep, ix...)
/// = targets: if keep holds and ix is inside the result, source is stored there. Each index makes
/// `writes` writes, in order: targets yield keep and ix, and sources the leaves, as often.
struct PermuteLoop {
  ArrayId targets, source;
  std::uint32_t writes = 1;
  bool inside = false;  // every target is in range
};

/// result = defaults; then, for each element with target ix, result[ix] = fn(source, result[ix]).
/// fn: (new leaves, old leaves) -> leaves. In order: grouped this way on every target. More than
/// one loop, and loops with more than one write, only where no two elements meet.
struct Permute {
  Region fn;
  ArrayId defaults;
  std::vector<PermuteLoop> loops;
  detail::PermuteMode mode = detail::PermuteMode::combine;
  bool in_order = false;
};

/// The sources one after the other along an axis; other extents intersect. With `joins` they are
/// parts of one array, made by several devices: other extents are equal, the axis is the outermost
/// one, and the parts are brought together in memory, by no kernel. Then `at` may say where each
/// part begins, and where the last one ends. Only passes make joins.
struct Concat {
  std::uint32_t axis;
  std::vector<ArrayId> sources;
  bool joins = false;
  std::vector<Value> at = {};
};

/// The elements of the source at which the mask, one bool leaf, holds, in order; both have rank 1,
/// extents intersect. A second result, if the binding has one, is the other elements, in order. The
/// extents of the results are known only after it has run.
struct Compact {
  ArrayId mask, source;
};

/// Positions (i64) along the innermost axis in ascending order of the source's leaves (unsigned or
/// bool, lexicographic), stable. A second leaf, if any, says whether the key differs from the one
/// before it. Each carried array is put in that order too, and is a further result; then all are of
/// rank 1, and none is shorter than the source. With `at_heads` there is a second leaf, and
/// positions are defined only where it holds; elsewhere they are arbitrary. With `first` (i64) only
/// that many positions of each row are defined, the others are arbitrary, and nothing is carried.
/// With `only_carried` the first result has no reader, and need not be made.
struct SortPositions {
  ArrayId source;
  std::vector<ArrayId> carried;
  bool at_heads = false;
  Value first = none;
  bool only_carried = false;
};

/// The source itself, if the condition holds at run time; else a ShapeError whose text is `message`
/// with each {} replaced by the next of `shown` (i64). Checked under every setting. With
/// `of_elements`, which only passes make, an element failed: the interpreter finds out which. With
/// `of_count` it is a MemoryError: more elements are requested than can be counted.
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

/// Runs one block, whose results become the binding's. Branches have no params.
struct ArrayIf {
  Value condition;
  Block then_, else_;
};

/// state = init; while (condition(state)) state = body(state). Both blocks take the state as
/// params; condition yields `value`, body yields `results`.
struct ArrayWhile {
  std::vector<ArrayId> init;
  Block condition, body;
};

/// One implementation of a foreign operation on arrays: Program::foreign[index].
struct ForeignImplementation {
  detail::ForeignTarget target;
  const char* name;  // interned for good
  std::uint32_t index;
};

/// The arrays that a foreign function makes from others: the first of `functions` that is for the
/// current target, else `fallback` (params: the arguments), which also defines what the others
/// compute. Extents are known only after it has run. After passes::choose_foreign one function is
/// left, and the fallback has no results.
struct ForeignArrays {
  std::vector<ForeignImplementation> functions;
  std::vector<ArrayId> args;
  Block fallback;
};

using ArrayOp =
    std::variant<HostScalar, Use, Input, Unit, Generate, GenerateSegments, Map, ZipWith, Reshape,
                 Replicate, Slice, Rows, Backpermute, Fold, FoldSegments, Scan, Permute, Concat,
                 Compact, SortPositions, Demand, Compute, ArrayIf, ArrayWhile, ForeignArrays>;

/// How an array is made, decided by the fusion pass.
enum class Storage : std::uint8_t {
  undecided,
  manifest,  // becomes a kernel's output (or a view or a host array) and lives in memory
  delayed,   // extent and element function only: inlined into its consumers
};

/// Binding::device.
inline constexpr std::uint32_t on_host = none - 1;

struct Binding {
  std::vector<ArrayId> results;  // empty for HostScalar (its values are in the statement)
  ArrayOp op;
  std::source_location where;  // the user's call
  Storage storage = Storage::undecided;
  /// One kernel makes all bindings of a block that have the same number; they are adjacent. Those
  /// that are delayed never reach memory.
  std::uint32_t group = none;
  /// In programs that several devices run (passes/fission): the device that computes it, and from
  /// whose memory the others get it; none: the first device, or wherever it is inlined; on_host,
  /// for a Generate of few elements: the host, element by element, since its memory has what they
  /// read.
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

/// A number that the user wrote or captured. `automatic` ones are constants until they are seen to
/// change between runs of the same program; `parameter` ones are kernel parameters from the start;
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
