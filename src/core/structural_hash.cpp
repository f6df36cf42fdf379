// Hashes what makes a program itself; values and arrays count by their order of definition.
#include "core/structural_hash.hpp"

#include "core/traverse.hpp"

namespace hasten::core {
namespace {

class ProgramHasher {
 public:
  ProgramHasher(const Program& program, bool places)
      : program_(program),
        places_(places),
        values_(program.value_types.size(), none),
        arrays_(program.array_types.size(), none) {
    word(program.inputs.size(), program.literals.size());
    for (const ArrayType& type : program.inputs) word(type);
    define_values(program.scalar_inputs);
    for (const Literal& literal : program.literals) word(literal.type, literal.kind);
    block(program.body);
    use_values(program.scalar_results);
  }

  [[nodiscard]] support::Digest hash() const { return hasher_.finish(); }

 private:
  template <class... Words>
  void word(Words... w) {
    (hasher_.add(w), ...);
  }

  void word(const ArrayType& type) {
    word(type.rank, type.leaves.size());
    for (ScalarType leaf : type.leaves) word(leaf);
  }

  void define_values(const std::vector<Value>& values) {
    word(values.size());
    for (Value v : values) {
      values_[v] = values_defined_++;
      word(program_.value_types[v]);
    }
  }

  void define_arrays(const std::vector<ArrayId>& arrays) {
    word(arrays.size());
    for (ArrayId a : arrays) {
      arrays_[a] = arrays_defined_++;
      word(program_.array_types[a]);
    }
  }

  void use(Value v) { word(v == none ? none : values_[v]); }

  void use_values(const std::vector<Value>& values) {
    word(values.size());
    for (Value v : values) use(v);
  }

  void region(const Region& r) {
    define_values(r.params);
    word(r.body.size());
    for (const Stmt& stmt : r.body) statement(stmt);
    use_values(r.results);
  }

  void statement(const Stmt& stmt) {
    word(stmt.op.index());
    if (const auto* constant = std::get_if<Constant>(&stmt.op)) {
      word(constant->slot);
      if (constant->slot == none) word(constant->bits.lo, constant->bits.hi);
    }
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) word(prim->op, prim->args.size());
    if (const auto* loop = std::get_if<While>(&stmt.op)) word(loop->init.size());
    if (const auto* load = std::get_if<Load>(&stmt.op)) word(load->leaf, load->index.size());
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) word(load->leaf);
    if (const auto* extent = std::get_if<Extent>(&stmt.op)) word(extent->axis);
    if (const auto* reduce = std::get_if<Reduce>(&stmt.op)) word(reduce->seed.size());
    if (const auto* call = std::get_if<ForeignCall>(&stmt.op)) {
      word(call->functions.size(), call->args.size());
      for (const auto* function : call->functions)
        word(function->target), hasher_.add(function->name);
    }
    visit_operands(stmt, [&](Value v) { use(v); }, [&](ArrayId a) { word(arrays_[a]); });
    visit_regions(stmt, [&](const Region& inner) { region(inner); });
    define_values(stmt.results);
  }

  void block(const Block& b) {
    define_arrays(b.params);
    word(b.bindings.size());
    for (const Binding& inner : b.bindings) binding(inner);
    word(b.results.size());
    for (ArrayId a : b.results) word(arrays_[a]);
    use(b.value);
  }

  void binding(const Binding& b) {
    word(b.op.index(), b.storage, b.group);
    hasher_.add(b.operation);
    if (places_) place(b.where);
    if (const auto* scalar = std::get_if<HostScalar>(&b.op)) return statement(scalar->stmt);
    operation(b.op);
    define_arrays(b.results);
  }

  // File names are literals of the caller's program; their address tells them apart.
  void place(const std::source_location& where) {
    word(reinterpret_cast<std::uintptr_t>(where.file_name()), where.line(), where.column());
  }

  // Kept axes, whose operands are not visited, and the number of each list of operands.
  void axes(const std::vector<Value>& list) {
    word(list.size());
    for (Value v : list) word(v == none);
  }

  void operation(const ArrayOp& op) {
    if (const auto* x = std::get_if<Use>(&op)) word(x->index);
    if (const auto* x = std::get_if<Input>(&op)) word(x->index);
    if (const auto* x = std::get_if<Unit>(&op)) word(x->values.size());
    if (const auto* x = std::get_if<Generate>(&op)) axes(x->extent);
    if (const auto* x = std::get_if<ZipWith>(&op)) word(x->sources.size(), x->equal);
    if (const auto* x = std::get_if<Reshape>(&op)) axes(x->extent);
    if (const auto* x = std::get_if<Replicate>(&op)) axes(x->axes);
    if (const auto* x = std::get_if<Slice>(&op)) axes(x->axes);
    if (const auto* x = std::get_if<Backpermute>(&op)) axes(x->extent);
    if (const auto* x = std::get_if<Fold>(&op)) axes(x->seed);
    if (const auto* x = std::get_if<FoldSegments>(&op)) axes(x->seed);
    if (const auto* x = std::get_if<Scan>(&op)) axes(x->seed);
    if (const auto* x = std::get_if<Permute>(&op)) word(x->mode);
    if (const auto* x = std::get_if<Concat>(&op)) word(x->axis, x->sources.size());
    if (const auto* x = std::get_if<Demand>(&op)) hasher_.add(x->message), axes(x->shown);
    if (const auto* x = std::get_if<ArrayWhile>(&op)) word(x->init.size());
    if (const auto* x = std::get_if<ForeignArrays>(&op)) {
      word(x->functions.size(), x->args.size());
      for (const ForeignImplementation& f : x->functions)
        word(f.target, f.index), hasher_.add(f.name);
    }
    visit_operands(op, [&](Value v) { use(v); }, [&](ArrayId a) { word(arrays_[a]); });
    if (const Region* fn = region_of(op)) region(*fn);
    visit_blocks(op, [&](const Block& inner) { block(inner); });
  }

  const Program& program_;
  bool places_;
  std::vector<std::uint32_t> values_, arrays_;  // number in order of definition
  std::uint32_t values_defined_ = 0, arrays_defined_ = 0;
  support::Hasher hasher_;
};

}  // namespace

support::Digest structural_hash(const Program& program, bool places) {
  return ProgramHasher(program, places).hash();
}

}  // namespace hasten::core
