// Checks the rules written in kernel.hpp.
#include <hasten/run/error.hpp>

#include "core/scalar_ops.hpp"
#include "kernels/finish.hpp"
#include "kernels/kernel.hpp"

#include <algorithm>

namespace hasten::kernels {
namespace {

using namespace core;

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel),
        state_(kernel.value_types.size(), State::unknown) {}

  void run() {
    check(kernel_.rank >= 1, "the space has no axis");
    for (Value v : kernel_.scalars) define(v);
    const Types index(kernel_.rank, ScalarType::i64);
    check(!kernel_.interior || kernel_.skeleton == Skeleton::map ||
              (kernel_.skeleton == Skeleton::scatter && kernel_.unique && kernel_.loops.empty()) ||
              (kernel_.skeleton == Skeleton::fold && kernel_.lane_operator.commutative &&
               kernel_.lanes == FoldLanes::reduction && !kernel_.range),
          "an interior of no map, no scatter whose elements do not meet, and no fold in lanes "
          "along the "
          "reduction");
    check(kernel_.folded >= 1 && kernel_.folded <= kernel_.rank, "folded axes that are not there");
    check(kernel_.folded == 1 || (kernel_.skeleton == Skeleton::fold && !kernel_.range),
          "folded axes of no fold");
    check(kernel_.inner_axes == 0 || kernel_.skeleton == Skeleton::scan, "inner axes of no scan");
    check(kernel_.inner_axes < kernel_.rank, "inner axes that are not there");
    check(kernel_.inner_axes == 0 || kernel_.lanes == FoldLanes::outer, "lanes across inner axes");
    check(!kernel_.parts || kernel_.skeleton == Skeleton::compact, "parts of no compaction");
    check(kernel_.writes == 1 || kernel_.skeleton == Skeleton::scatter, "writes of no scatter");
    check(kernel_.loops.empty() || kernel_.skeleton == Skeleton::scatter, "loops of no scatter");
    check(!kernel_.range || kernel_.skeleton == Skeleton::fold ||
              kernel_.skeleton == Skeleton::segments,
          "a range of no fold, and of no segments");
    check(kernel_.stored == 0 || (kernel_.skeleton == Skeleton::fold && !kernel_.range),
          "elements stored beside no fold");
    check(kernel_.stored <= kernel_.outputs.size() &&
              kernel_.stored <= kernel_.element.results.size(),
          "more elements stored than there are");
    check(kernel_.seed.empty() || combines(kernel_), "a seed of what combines nothing");
    check(!kernel_.in_order || combines(kernel_), "an order of what combines nothing");
    check(!kernel_.any_order ||
              (kernel_.skeleton == Skeleton::scatter && !kernel_.unique && !kernel_.in_order),
          "any order where no updates meet in some order");
    check(!kernel_.in_order || (kernel_.folded == 1 && !kernel_.interior),
          "several axes, or an interior, folded in order");
    switch (kernel_.skeleton) {
      case Skeleton::map: map(index); break;
      case Skeleton::segments: segments(index); break;
      case Skeleton::fold: fold(index); break;
      case Skeleton::scan: scan(index); break;
      case Skeleton::scatter: scatter(index); break;
      case Skeleton::compact: compact(index); break;
    }
    for (const Value v : kernel_.recomputed)
      check(v < state_.size() && state_[v] != State::unknown,
            "recomputed values that are not there");
  }

 private:
  using Types = std::vector<ScalarType>;
  enum class State : std::uint8_t { unknown, in_scope, out_of_scope };

  void map(const Types& index) {
    region(kernel_.element, index, output_parts(), "element");
    interior(kernel_.interior, index, output_parts());
  }

  void segments(const Types& index) {
    check(kernel_.rank == 2 && kernel_.range, "segments without an axis of their own, or a range");
    region(*kernel_.range, {ScalarType::i64}, {ScalarType::i64, ScalarType::i64}, "range");
    region(kernel_.element, index, output_parts(), "element");
  }

  void interior(const std::optional<Interior>& part, const Types& index, const Types& results) {
    if (!part) return;
    const Types bounds(2 * index.size(), ScalarType::i64);
    region(part->bounds, {}, bounds, "the interior's bounds");
    region(part->element, index, results, "the interior's element");
  }

  void fold(const Types& index) {
    const Types after(index.begin() + kernel_.folded, index.end());
    check(kernel_.folded == 1 ||
              (kernel_.lanes == FoldLanes::reduction && kernel_.lane_operator.commutative),
          "several folded axes of an operator that needs an order");
    if (kernel_.range) {
      region(*kernel_.range, after, {ScalarType::i64, ScalarType::i64}, "range");
      check(kernel_.rank >= 2, "segments need an axis of their own");
      check(kernel_.lanes == FoldLanes::reduction, "lanes across segments");
    }
    accumulation(index, after);
  }

  void scan(const Types& index) { accumulation(index, index); }

  // Rules that folds and scans share; `after` are the indices of a result.
  void accumulation(const Types& index, Types after) {
    const Types leaves = types_of(kernel_.combine.results);
    Types outputs = output_parts(), elements = leaves;
    const auto stored = outputs.end() - kernel_.stored;
    elements.insert(elements.end(), stored, outputs.end());
    outputs.erase(stored, outputs.end());
    check(!leaves.empty(), "a fold or scan of no leaves");
    region(kernel_.element, index, elements, "element");
    interior(kernel_.interior, index, elements);
    combine(leaves);
    seed(leaves);
    if (kernel_.lane_operator.commutative)
      check(kernel_.lane_operator.leaves == lane_operator(kernel_.combine).leaves,
            "the lane operators are not what combine does");
    else if (kernel_.lane_operator.of_segments)
      check(kernel_.skeleton == Skeleton::scan &&
                kernel_.lane_operator.leaves == segment_operator(kernel_.combine).leaves,
            "the operators of segments are not what combine does");
    else
      check(kernel_.lane_operator.leaves.empty(), "lane operators of another kind of fold");
    check(kernel_.lanes == FoldLanes::reduction || kernel_.rank >= 2,
          "lanes along an outer axis need one");
    after.insert(after.end(), leaves.begin(), leaves.end());
    region(kernel_.epilogue, after, outputs, "epilogue");
  }

  void combine(const Types& leaves) {
    Types pair = leaves;
    pair.insert(pair.end(), leaves.begin(), leaves.end());
    region(kernel_.combine, pair, leaves, "combine");
  }

  void seed(const Types& leaves) const {
    if (kernel_.seed.empty()) return;
    for (Value v : kernel_.seed) use(v);
    check(types_of(kernel_.seed) == leaves, "the seed has not the types of the leaves");
  }

  void scatter(const Types& index) {
    const Types leaves = output_parts();
    seed(leaves);
    check(kernel_.writes == 1 || (kernel_.writes > 1 && kernel_.unique),
          "several writes of what meets");
    if (kernel_.loops.empty())
      region(kernel_.element, index, updates(kernel_.writes, leaves), "element");
    else
      loops(leaves);
    interior(kernel_.interior, index, updates(kernel_.writes, leaves));
    combine(leaves);
  }

  void loops(const Types& leaves) {
    check(kernel_.unique, "several loops of what meets");
    const Region& none = kernel_.element;
    check(none.params.empty() && none.body.empty() && none.results.empty() && kernel_.writes == 1,
          "an element beside those of loops");
    std::uint32_t rank = 0;
    for (const Loop& loop : kernel_.loops) {
      check(loop.rank >= 1 && loop.writes >= 1, "a loop of no axis, or that writes nothing");
      rank += loop.rank;
      region(loop.element, Types(loop.rank, ScalarType::i64), updates(loop.writes, leaves),
             "a loop's element");
      interior(loop.interior, Types(loop.rank, ScalarType::i64), updates(loop.writes, leaves));
    }
    check(rank == kernel_.rank, "a rank that is not the sum of the loops'");
  }

  // For each write: whether it takes place, its target, and the leaves.
  static Types updates(std::uint32_t writes, const Types& leaves) {
    Types results;
    for (std::uint32_t write = 0; write < writes; ++write) {
      results.insert(results.end(), {ScalarType::boolean, ScalarType::i64});
      results.insert(results.end(), leaves.begin(), leaves.end());
    }
    return results;
  }

  void compact(const Types& index) {
    check(index.size() == 1, "a compaction of a space of several axes");
    Types leaves = output_parts();
    if (kernel_.parts) {
      const auto half = static_cast<std::ptrdiff_t>(leaves.size() / 2);
      check(std::equal(leaves.begin(), leaves.begin() + half, leaves.begin() + half, leaves.end()),
            "the parts of a compaction have not the same types");
      leaves.resize(leaves.size() / 2);
    }
    Types results = {ScalarType::boolean};
    results.insert(results.end(), leaves.begin(), leaves.end());
    region(kernel_.element, index, results, "element");
  }

  void region(const Region& r, const Types& params, const Types& results, const char* name) {
    check(types_of(r.params) == params, std::string("wrong parameters of ") + name);
    for (Value v : r.params) define(v);
    for (const Stmt& stmt : r.body) statement(stmt);
    for (Value v : r.results) use(v);
    check(types_of(r.results) == results, std::string("wrong results of ") + name);
    for (const Stmt& stmt : r.body)
      for (Value v : stmt.results) state_[v] = State::out_of_scope;
    for (Value v : r.params) state_[v] = State::out_of_scope;
  }

  void statement(const Stmt& stmt) {
    std::visit(
        Cases{[&](const Constant& c) {
                check(c.slot == none, "a literal with a slot");
                one_result(stmt);
              },
              [&](const Prim& p) { prim(p, stmt); }, [&](const If& b) { branch(b, stmt); },
              [&](const While& w) { loop(w, stmt); }, [&](const LoadLinear& l) { load(l, stmt); },
              [&](const ForeignCall& f) { foreign(f, stmt); },
              [&](const Reduce& r) { reduce(r, stmt); },
              [&](const Extract& e) {
                one_result(stmt);
                elements(e.index, e.elements, stmt.results[0]);
              },
              [&](const Insert& i) { insert(i, stmt); },
              [&](const Load&) { check(false, "a multi-dimensional read"); },
              [&](const Extent&) { check(false, "an extent of an array"); }},
        stmt.op);
    for (Value v : stmt.results) define(v);
  }

  void elements(Value index, const std::vector<Value>& values, Value like) {
    use(index);
    for (Value v : values) use(v);
    check(type(index) == ScalarType::i32, "an index of an element that is no i32");
    check(values.size() >= 2 && types_of(values) == Types(values.size(), type(like)),
          "elements of different types");
  }

  void insert(const Insert& i, const Stmt& stmt) {
    use(i.element);
    elements(i.index, i.elements, i.element);
    check(types_of(stmt.results) == types_of(i.elements), "other elements than there were");
  }

  void prim(const Prim& p, const Stmt& stmt) {
    one_result(stmt);
    for (Value v : p.args) use(v);
    const std::string error = type_error(p.op, type(stmt.results[0]), types_of(p.args));
    check(error.empty(), error);
  }

  void branch(const If& b, const Stmt& stmt) {
    use(b.condition);
    check(detail::is_bool(type(b.condition)), "a condition that is no bool");
    region(b.then_, {}, types_of(stmt.results), "a branch");
    region(b.else_, {}, types_of(stmt.results), "a branch");
  }

  void loop(const While& w, const Stmt& stmt) {
    for (Value v : w.init) use(v);
    const Types state = types_of(stmt.results);
    check(types_of(w.init) == state, "a loop starts with other types than it ends");
    region(w.condition, state, {ScalarType::boolean}, "a loop's condition");
    region(w.body, state, state, "a loop's body");
  }

  void reduce(const Reduce& r, const Stmt& stmt) {
    use(r.begin), use(r.end);
    for (Value v : r.seed) use(v);
    const Types leaves = types_of(stmt.results), range(2, ScalarType::i64);
    check(types_of({r.begin, r.end}) == range, "a range of a reduction that is no i64");
    check(r.seed.empty() || types_of(r.seed) == leaves, "a seed of other types than the leaves");
    Types pair = leaves;
    pair.insert(pair.end(), leaves.begin(), leaves.end());
    region(r.element, {ScalarType::i64}, leaves, "a reduction's element");
    region(r.combine, pair, leaves, "a reduction's operator");
  }

  void load(const LoadLinear& l, const Stmt& stmt) {
    one_result(stmt);
    use(l.index);
    check(l.array < kernel_.inputs.size(), "a read of no input");
    const ScalarType input = kernel_.inputs[l.array];
    check(l.leaf <= (detail::is_complex(input) ? 1 : 0), "a read of no part of an input");
    check(type(l.index) == ScalarType::i64, "an index that is no i64");
    check(type(stmt.results[0]) == detail::part_of(input), "a read of another type");
  }

  void foreign(const ForeignCall& f, const Stmt& stmt) {
    one_result(stmt);
    for (Value v : f.args) use(v);
    check(f.functions.size() == 1 && f.fallback.results.empty(),
          "a foreign call without a function chosen");
    check(f.functions[0]->params == types_of(f.args) &&
              f.functions[0]->result == type(stmt.results[0]),
          "a foreign function of other types");
  }

  void one_result(const Stmt& stmt) const {
    check(stmt.results.size() == 1, "an operation has one result");
  }

  [[nodiscard]] Types output_parts() const {
    Types types = kernel_.outputs;
    for (ScalarType& type : types) type = detail::part_of(type);
    return types;
  }

  void define(Value v) {
    check(v < state_.size() && state_[v] == State::unknown,
          "x" + std::to_string(v) + " is defined twice, or has no type");
    check(!detail::is_complex(kernel_.value_types[v]), "a complex value");
    state_[v] = State::in_scope;
  }

  void use(Value v) const {
    check(v < state_.size() && state_[v] == State::in_scope,
          "x" + std::to_string(v) + " is used where it is not defined");
  }

  [[nodiscard]] ScalarType type(Value v) const {
    check(v < state_.size(), "x" + std::to_string(v) + " has no type");
    return kernel_.value_types[v];
  }

  [[nodiscard]] Types types_of(const std::vector<Value>& values) const {
    Types types;
    for (Value v : values) types.push_back(type(v));
    return types;
  }

  void check(bool right, const std::string& what) const {
    if (!right) throw InternalError("kernel verifier: " + what + ", in\n" + print(kernel_));
  }

  const Kernel& kernel_;
  std::vector<State> state_;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace hasten::kernels
