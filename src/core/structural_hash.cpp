// Hashes the structure of a program; values and arrays count by their order of definition.
#include "core/structural_hash.hpp"

#include "core/fields.hpp"
#include "support/overloaded.hpp"

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

  void use_array(ArrayId a) { word(arrays_[a]); }

  void use_arrays(const std::vector<ArrayId>& arrays) {
    word(arrays.size());
    for (ArrayId a : arrays) use_array(a);
  }

  void region(const Region& r) {
    define_values(r.params);
    word(r.body.size());
    for (const Stmt& stmt : r.body) statement(stmt);
    use_values(r.results);
  }

  void statement(const Stmt& stmt) {
    word(stmt.op.index());
    match(stmt.op, [&](const auto& node) { fields(node); });
    define_values(stmt.results);
  }

  // A number in a slot may differ.
  void fields(const Constant& constant) {
    word(constant.slot);
    if (constant.slot == none) word(constant.bits.lo, constant.bits.hi);
  }
  void fields(const Prim& prim) {
    word(prim.op);
    use_values(prim.args);
  }
  void fields(const HostScalar& scalar) { statement(scalar.stmt); }
  template <class Node>
  void fields(const Node& node) {
    for_each_field(node, [&](auto kind, const auto& member) { one(kind, member); });
  }

  void one(field::Operand, Value v) { use(v); }
  void one(field::Operands, const std::vector<Value>& list) { use_values(list); }
  void one(field::List, const std::vector<Value>& list) { use_values(list); }
  void one(field::Seed, const std::vector<Value>& list) { use_values(list); }
  void one(field::Source, ArrayId a) { use_array(a); }
  void one(field::Sources, const std::vector<ArrayId>& list) { use_arrays(list); }
  void one(field::Loops, const std::vector<PermuteLoop>& loops) {
    word(loops.size());
    for (const PermuteLoop& loop : loops) {
      use_array(loop.targets), use_array(loop.source);
      word(loop.writes, loop.inside);
    }
  }
  void one(field::Number, std::uint32_t number) { word(number); }
  void one(field::Count, std::uint32_t number) { word(number); }
  void one(field::Axes, AxisSet set) { word(set); }
  void one(field::Component, std::uint32_t leaf) { word(leaf); }
  void one(field::Mode, detail::PermuteMode mode) { word(mode); }
  void one(field::Message, const char* message) { hasher_.add(message); }
  void one(field::Flag, bool holds) { word(holds); }
  void one(field::Limit, Value v) {
    word(v != none);
    if (v != none) use(v);
  }
  void one(field::Places, const std::vector<Value>& list) { use_values(list); }
  void one(field::Functions, const std::vector<const detail::ForeignFunction*>& functions) {
    word(functions.size());
    for (const auto* function : functions) word(function->target), hasher_.add(function->name);
  }
  void one(field::Functions, const std::vector<ForeignImplementation>& functions) {
    word(functions.size());
    for (const ForeignImplementation& f : functions) word(f.target, f.index), hasher_.add(f.name);
  }
  void one(field::Function, const Region& r) { region(r); }
  void one(field::Code, const Region& r) { region(r); }
  void one(field::Nested, const Block& b) { block(b); }
  void one(field::Fallback, const Region& r) { region(r); }
  void one(field::Fallback, const Block& b) { block(b); }

  void block(const Block& b) {
    define_arrays(b.params);
    word(b.bindings.size());
    for (const Binding& inner : b.bindings) binding(inner);
    use_arrays(b.results);
    use(b.value);
  }

  void binding(const Binding& b) {
    word(b.op.index(), b.storage, b.group);
    word(b.device);
    hasher_.add(b.operation);
    if (places_) place(b.where);
    match(b.op, [&](const auto& node) { fields(node); });
    define_arrays(b.results);
  }

  // File names are literals of the caller's program; their address tells them apart.
  void place(const std::source_location& where) {
    word(reinterpret_cast<std::uintptr_t>(where.file_name()), where.line(), where.column());
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
