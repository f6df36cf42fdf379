// One walk in program order; a flag per number tells what is in scope, cleared on leaving a scope.
#include "core/verify.hpp"

#include "core/print.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"

#include <hasten/run/error.hpp>

namespace hasten::core {
namespace {

using Types = std::vector<ScalarType>;

// Numbers defined and in scope, of values or of arrays.
class Names {
 public:
  Names(std::size_t count, const char* prefix)
      : prefix_(prefix),
        defined_(count),
        in_scope_(count) {}

  // Returns an empty text, or what is wrong.
  std::string define(std::uint32_t n) {
    if (n >= defined_.size()) return name(n) + " has no type";
    if (defined_[n]) return name(n) + " is defined twice";
    defined_[n] = in_scope_[n] = true;
    scope_.push_back(n);
    return {};
  }
  [[nodiscard]] std::string use(std::uint32_t n) const {
    if (n >= defined_.size()) return name(n) + " has no type";
    if (in_scope_[n]) return {};
    return name(n) + (defined_[n] ? " is used outside the code it is defined in"
                                  : " is used before its definition");
  }
  [[nodiscard]] std::size_t mark() const { return scope_.size(); }
  void leave(std::size_t mark) {
    for (; scope_.size() > mark; scope_.pop_back()) in_scope_[scope_.back()] = false;
  }
  [[nodiscard]] std::string name(std::uint32_t n) const { return prefix_ + std::to_string(n); }

 private:
  const char* prefix_;
  std::vector<bool> defined_, in_scope_;
  std::vector<std::uint32_t> scope_;
};

class Verifier {
 public:
  Verifier(const Program& program, const char* after)
      : program_(program),
        after_(after),
        values_(program.value_types.size(), "x"),
        arrays_(program.array_types.size(), "%") {}

  void run() {
    for (Value v : program_.scalar_inputs) check(values_.define(v));
    require(program_.body.params.empty(), "the program's block has parameters");
    block_body(program_.body);
    for (Value v : program_.scalar_results) use(v);
  }

 private:
  // -- reporting ------------------------------------------------------------------------------

  [[noreturn]] void fail(const std::string& what) const {
    std::string place;
    if (binding_) place = " in\n" + print(*binding_, program_) + "\n";
    throw InternalError(std::string("core program broken after ") + after_ + ": " + what + place +
                            "\n" + print(program_),
                        binding_ ? binding_->where : std::source_location());
  }
  void check(const std::string& wrong) const {
    if (!wrong.empty()) fail(wrong);
  }
  void require(bool holds, const char* what) const {
    if (!holds) fail(what);
  }

  // -- names ----------------------------------------------------------------------------------

  void use(Value v) const { check(values_.use(v)); }
  void use_array(ArrayId a) const { check(arrays_.use(a)); }

  [[nodiscard]] ScalarType type(Value v) const { return program_.value_types[v]; }
  [[nodiscard]] const ArrayType& array_type(ArrayId a) const { return program_.array_types[a]; }

  [[nodiscard]] Types types_of(const std::vector<Value>& values) const {
    Types types;
    for (Value v : values) {
      if (v >= program_.value_types.size()) fail(values_.name(v) + " has no type");
      types.push_back(type(v));
    }
    return types;
  }

  void typed(const std::vector<Value>& values, const Types& types, const char* what) const {
    if (types_of(values) != types) fail(std::string(what) + " have wrong types or number");
  }

  void indices(const std::vector<Value>& values, std::size_t count, const char* what) const {
    typed(values, Types(count, ScalarType::i64), what);
  }

  void axes(AxisSet set, ArrayId array) const {
    require((set & ~all_axes(array_type(array).rank)) == 0, "there is no such axis to be inside");
  }

  void boolean(Value v) const { require(type(v) == ScalarType::boolean, "a condition is no bool"); }

  void one_result(const Stmt& stmt) const {
    require(stmt.results.size() == 1, "the statement must have one result");
  }

  // -- scalar code ----------------------------------------------------------------------------

  void region(const Region& r, const Types& params, const Types& results) {
    const std::size_t around = values_.mark();
    typed(r.params, params, "parameters of a function");
    for (Value v : r.params) check(values_.define(v));
    for (const Stmt& stmt : r.body) statement(stmt);
    for (Value v : r.results) use(v);
    typed(r.results, results, "results of a function");
    values_.leave(around);
  }

  void statement(const Stmt& stmt) {
    visit_operands(stmt, [&](Value v) { use(v); }, [&](ArrayId a) { use_array(a); });
    const Types results = types_of(stmt.results);
    std::visit([&](const auto& op) { check_op(op, stmt, results); }, stmt.op);
    for (Value v : stmt.results) check(values_.define(v));
  }

  void check_op(const Constant& op, const Stmt& stmt, const Types& results) {
    one_result(stmt);
    if (op.slot == none) return;
    require(op.slot < program_.literals.size(), "a constant's slot is out of range");
    require(program_.literals[op.slot].type == results[0],
            "a constant has not the type of its literal");
  }

  void check_op(const Prim& op, const Stmt& stmt, const Types& results) {
    one_result(stmt);
    check(type_error(op.op, results[0], types_of(op.args)));
  }

  void check_op(const If& op, const Stmt&, const Types& results) {
    boolean(op.condition);
    region(op.then_, {}, results);
    region(op.else_, {}, results);
  }

  void check_op(const While& op, const Stmt&, const Types& results) {
    typed(op.init, results, "initial values of a loop");
    region(op.condition, results, {ScalarType::boolean});
    region(op.body, results, results);
  }

  void component(ArrayId array, std::uint32_t leaf, const Types& results) const {
    require(leaf < array_type(array).leaves.size(), "no such component");
    require(array_type(array).leaves[leaf] == results[0],
            "a read has not the type of its component");
  }

  void check_op(const Load& op, const Stmt& stmt, const Types& results) {
    one_result(stmt);
    component(op.array, op.leaf, results);
    indices(op.index, array_type(op.array).rank, "indices of a read");
    axes(op.inside, op.array);
  }

  void check_op(const LoadLinear& op, const Stmt& stmt, const Types& results) {
    one_result(stmt);
    component(op.array, op.leaf, results);
    indices({op.index}, 1, "indices of a read");
  }

  void check_op(const Extent& op, const Stmt& stmt, const Types& results) {
    one_result(stmt);
    require(op.axis < array_type(op.array).rank, "no such axis");
    require(results[0] == ScalarType::i64, "an extent must be an i64");
  }

  void check_op(const ForeignCall& op, const Stmt& stmt, const Types& results) {
    one_result(stmt);
    const Types args = types_of(op.args);
    for (const detail::ForeignFunction* f : op.functions)
      require(f->params == args && f->result == results[0], "a foreign function of other types");
    if (op.fallback.results.empty())
      require(op.functions.size() == 1, "a foreign call of no function");
    else
      region(op.fallback, args, results);
  }

  void check_op(const Extract& op, const Stmt& stmt, const Types& results) const {
    one_result(stmt);
    elements(op.index, op.elements, results[0]);
  }

  void check_op(const Insert& op, const Stmt&, const Types& results) const {
    elements(op.index, op.elements, type(op.element));
    require(results == types_of(op.elements), "other elements than there were");
  }

  void elements(Value index, const std::vector<Value>& values, ScalarType of_type) const {
    typed({index}, {ScalarType::i32}, "the index of an element");
    require(values.size() >= 2, "less than two elements to choose from");
    typed(values, Types(values.size(), of_type), "elements");
  }

  void check_op(const Reduce&, const Stmt&, const Types&) const {
    fail("a reduction in no kernel");
  }

  // -- arrays ---------------------------------------------------------------------------------

  void block_body(const Block& b) {
    const Binding* const around = binding_;
    for (const Binding& inner : b.bindings) binding(inner);
    binding_ = around;
    for (ArrayId a : b.results) use_array(a);
  }

  // A nested block: its arrays and values end with it.
  void block(const Block& b, const std::vector<ArrayId>& params,
             const std::vector<ArrayId>& results) {
    const std::size_t values = values_.mark(), arrays = arrays_.mark();
    same_arrays(b.params, params, "parameters of a block");
    for (ArrayId a : b.params) check(arrays_.define(a));
    block_body(b);
    same_arrays(b.results, results, "results of a block");
    if (b.value != none) use(b.value);
    values_.leave(values);
    arrays_.leave(arrays);
  }

  void same_arrays(const std::vector<ArrayId>& a, const std::vector<ArrayId>& b,
                   const char* what) const {
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i)
      same = a[i] < program_.array_types.size() && array_type(a[i]) == array_type(b[i]);
    if (!same) fail(std::string(what) + " have wrong types or number");
  }

  void binding(const Binding& b) {
    binding_ = &b;
    if (const auto* scalar = std::get_if<HostScalar>(&b.op)) {
      require(b.results.empty(), "scalar code has array results");
      return statement(scalar->stmt);
    }
    visit_operands(b.op, [&](Value v) { use(v); }, [&](ArrayId a) { use_array(a); });
    for (ArrayId a : b.results)
      if (a >= program_.array_types.size()) fail(arrays_.name(a) + " has no type");
    const bool control = std::holds_alternative<ArrayIf>(b.op) ||
                         std::holds_alternative<ArrayWhile>(b.op) ||
                         std::holds_alternative<ForeignArrays>(b.op);
    const bool parts = std::holds_alternative<Compact>(b.op) && b.results.size() == 2;
    const auto* const sort = std::get_if<SortPositions>(&b.op);
    const std::size_t count = sort ? 1 + sort->carried.size() : 1;
    require(control || parts || b.results.size() == count,
            "an array operation must have one result, and one for each array that a sort carries");
    require(b.device != on_host || std::holds_alternative<Generate>(b.op),
            "the host computes generates alone");
    const ArrayType none_yet;
    const ArrayType& result = control ? none_yet : array_type(b.results[0]);
    std::visit([&](const auto& op) { check_op(op, b, result); }, b.op);
    for (ArrayId a : b.results) check(arrays_.define(a));
  }

  void rank(const ArrayType& type, std::size_t expected) const {
    require(type.rank == expected, "the result has a wrong rank");
  }
  void leaves(const ArrayType& type, const Types& expected) const {
    require(type.leaves == expected, "the result has wrong components");
  }

  void check_op(const HostScalar&, const Binding&, const ArrayType&) {}

  void check_op(const Use& op, const Binding&, const ArrayType&) {
    require(op.index < program_.arrays_used.size(), "no such array of the program");
  }

  void check_op(const Input& op, const Binding&, const ArrayType& result) {
    require(op.index < program_.inputs.size(), "no such argument");
    require(program_.inputs[op.index] == result, "an argument has not its type");
  }

  void check_op(const Unit& op, const Binding&, const ArrayType& result) {
    rank(result, 0);
    typed(op.values, result.leaves, "components of a unit");
  }

  void check_op(const Generate& op, const Binding&, const ArrayType& result) {
    indices(op.extent, result.rank, "extents");
    region(op.fn, Types(result.rank, ScalarType::i64), result.leaves);
  }

  void check_op(const GenerateSegments& op, const Binding&, const ArrayType& result) {
    require(result.rank == 1, "the elements of segments are no vector");
    indices({op.extent}, 1, "extents");
    vector_of_offsets(op.offsets);
    region(op.fn, {ScalarType::i64, ScalarType::i64}, result.leaves);
  }

  void vector_of_offsets(ArrayId offsets) {
    require(array_type(offsets) == ArrayType{1, {ScalarType::i64}},
            "the offsets of segments are no vector of i64");
  }

  void check_op(const Map& op, const Binding&, const ArrayType& result) {
    rank(result, array_type(op.source).rank);
    region(op.fn, array_type(op.source).leaves, result.leaves);
  }

  void check_op(const ZipWith& op, const Binding&, const ArrayType& result) {
    require(!op.sources.empty(), "a zip_with of nothing");
    Types params;
    for (ArrayId a : op.sources) {
      rank(result, array_type(a).rank);
      params.insert(params.end(), array_type(a).leaves.begin(), array_type(a).leaves.end());
    }
    region(op.fn, params, result.leaves);
  }

  void check_op(const Reshape& op, const Binding&, const ArrayType& result) {
    indices(op.extent, result.rank, "extents");
    leaves(result, array_type(op.source).leaves);
  }

  // `larger` has all axes, `smaller` the kept ones.
  void check_axes(const std::vector<Value>& axes, const ArrayType& larger,
                  const ArrayType& smaller) const {
    std::size_t kept = 0;
    for (Value v : axes) {
      if (v == none)
        ++kept;
      else
        indices({v}, 1, "axes");
    }
    require(axes.size() == larger.rank && kept == smaller.rank, "axes do not fit the ranks");
    require(larger.leaves == smaller.leaves, "the result has wrong components");
  }

  void check_op(const Replicate& op, const Binding&, const ArrayType& result) {
    check_axes(op.axes, result, array_type(op.source));
  }

  void check_op(const Slice& op, const Binding&, const ArrayType& result) {
    check_axes(op.axes, array_type(op.source), result);
    axes(op.inside, op.source);
  }

  void check_op(const Rows& op, const Binding&, const ArrayType& result) {
    require(array_type(op.source) == result, "the result has not the type of its source");
    require(result.rank > 0, "rows of rank 0");
    indices({op.begin, op.end}, 2, "bounds of rows");
  }

  void check_op(const Backpermute& op, const Binding&, const ArrayType& result) {
    const ArrayType& source = array_type(op.source);
    indices(op.extent, result.rank, "extents");
    leaves(result, source.leaves);
    region(op.fn, Types(result.rank, ScalarType::i64), Types(source.rank, ScalarType::i64));
    axes(op.inside, op.source);
  }

  void check_op(const Fold& op, const Binding&, const ArrayType& result) {
    const ArrayType& source = array_type(op.source);
    require(source.rank > 0, "a fold of rank 0");
    require(op.axes > 0 && op.axes <= source.rank, "a fold of axes that are not there");
    require(!op.in_order || (op.axes == 1 && source.rank > 1), "an order of other than rows");
    rank(result, source.rank - op.axes);
    leaves(result, source.leaves);
    if (!op.seed.empty()) typed(op.seed, source.leaves, "seeds");
    operator_on(op.fn, source.leaves);
  }

  void check_op(const FoldSegments& op, const Binding&, const ArrayType& result) {
    require(array_type(op.source) == result, "the result has not the type of its source");
    require(result.rank > 0, "a fold of rank 0");
    vector_of_offsets(op.offsets);
    if (!op.seed.empty()) typed(op.seed, result.leaves, "seeds");
    operator_on(op.fn, result.leaves);
  }

  // Checks an operator on two elements.
  void operator_on(const Region& fn, const Types& element) {
    Types both = element;
    both.insert(both.end(), element.begin(), element.end());
    region(fn, both, element);
  }

  void check_op(const Scan& op, const Binding&, const ArrayType& result) {
    require(array_type(op.source) == result, "the result has not the type of its source");
    require(result.rank > op.inner_axes, "a scan along an axis that is not there");
    require(!op.in_order || (result.rank > 1 && op.inner_axes == 0), "an order of other than rows");
    if (!op.seed.empty()) typed(op.seed, result.leaves, "seeds");
    operator_on(op.fn, result.leaves);
  }

  void check_op(const Permute& op, const Binding&, const ArrayType& result) {
    require(array_type(op.defaults) == result, "the result has not the type of the defaults");
    const bool is_one = op.loops.size() == 1 && op.loops[0].writes == 1;
    require(is_one || (!op.loops.empty() && op.mode != detail::PermuteMode::combine),
            "several loops, or several writes, of what meets");
    for (const PermuteLoop& loop : op.loops) check_loop(loop, result);
    operator_on(op.fn, result.leaves);
  }

  void check_loop(const PermuteLoop& loop, const ArrayType& result) {
    const ArrayType &targets = array_type(loop.targets), &source = array_type(loop.source);
    rank(targets, source.rank);
    require(loop.writes >= 1, "a loop that writes nothing");
    Types written, target;
    for (std::uint32_t write = 0; write < loop.writes; ++write) {
      written.insert(written.end(), result.leaves.begin(), result.leaves.end());
      target.push_back(ScalarType::boolean);
      target.insert(target.end(), result.rank, ScalarType::i64);
    }
    leaves(source, written);
    leaves(targets, target);
  }

  void check_op(const Concat& op, const Binding&, const ArrayType& result) {
    require(!op.sources.empty() && op.axis < result.rank, "a concat of nothing, or no such axis");
    require(!op.joins || op.axis == 0, "parts are joined along the outermost axis");
    if (!op.at.empty()) {
      require(op.joins, "places of what is not joined");
      indices(op.at, op.sources.size() + 1, "where parts begin");
    }
    for (ArrayId a : op.sources)
      require(array_type(a) == result, "the result has not the type of its source");
  }

  void check_op(const Compact& op, const Binding& b, const ArrayType& result) {
    require(array_type(op.mask) == ArrayType{1, {ScalarType::boolean}},
            "the mask of a compaction is no vector of bool");
    rank(result, 1);
    for (ArrayId a : b.results)
      require(array_type(op.source) == array_type(a), "the result has not the type of its source");
  }

  void check_op(const SortPositions& op, const Binding& b, const ArrayType& result) {
    const ArrayType& source = array_type(op.source);
    require(source.rank > 0, "a sort of rank 0");
    rank(result, source.rank);
    if (result.leaves.size() == 2)
      leaves(result, {ScalarType::i64, ScalarType::boolean});
    else
      leaves(result, {ScalarType::i64});
    for (ScalarType t : source.leaves)
      require(detail::is_unsigned_int(t) || detail::is_bool(t), "a sort of signed keys");
    require(!op.at_heads || result.leaves.size() == 2, "a sort for its heads without heads");
    require(!op.only_carried || !op.carried.empty(), "a sort without positions carries nothing");
    if (op.first != none) {
      indices({op.first}, 1, "how many positions a sort is for");
      require(op.carried.empty() && result.leaves.size() == 1,
              "a sort for its first positions has more results");
    }
    for (std::size_t i = 0; i < op.carried.size(); ++i) {
      require(source.rank == 1 && array_type(op.carried[i]).rank == 1,
              "a sort that carries arrays is not of rank 1");
      require(array_type(op.carried[i]) == array_type(b.results[1 + i]),
              "the result has not the type of the array that is carried");
    }
  }

  void check_op(const Demand& op, const Binding&, const ArrayType& result) {
    require(array_type(op.source) == result, "the result has not the type of its source");
    boolean(op.condition);
    indices(op.shown, op.shown.size(), "numbers shown");
  }

  void check_op(const Compute& op, const Binding&, const ArrayType& result) {
    require(array_type(op.source) == result, "the result has not the type of its source");
  }

  void check_op(const ArrayIf& op, const Binding& b, const ArrayType&) {
    boolean(op.condition);
    require(op.then_.value == none && op.else_.value == none, "a branch has a scalar result");
    block(op.then_, {}, b.results);
    binding_ = &b;
    block(op.else_, {}, b.results);
    binding_ = &b;
  }

  void check_op(const ArrayWhile& op, const Binding& b, const ArrayType&) {
    same_arrays(op.init, b.results, "initial arrays of a loop");
    require(op.condition.value < program_.value_types.size(), "a loop without condition");
    block(op.condition, b.results, {});
    boolean(op.condition.value);
    require(op.body.value == none, "a loop's body has a scalar result");
    block(op.body, b.results, b.results);
  }

  void check_op(const ForeignArrays& op, const Binding& b, const ArrayType&) {
    require(!b.results.empty(), "a foreign operation without results");
    require(op.fallback.value == none, "a fallback has a scalar result");
    if (op.fallback.results.empty())
      require(op.functions.size() == 1, "a foreign operation of no function");
    else
      block(op.fallback, op.args, b.results);
    binding_ = &b;
  }

  const Program& program_;
  const char* after_;
  Names values_, arrays_;
  const Binding* binding_ = nullptr;
};

}  // namespace

void verify(const Program& program, const char* after) { Verifier(program, after).run(); }

}  // namespace hasten::core
