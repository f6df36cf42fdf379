// Scatters: plain stores where no two elements meet; atomics where the order cannot show; else the
// elements are written out, sorted by their targets, and every target is updated by one item.
#include "backends/c_like/skeletons.hpp"

#include <hasten/error.hpp>

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

const char* atomic_name(ScalarOp op) {
  switch (op) {
    case ScalarOp::add: return "add";
    case ScalarOp::min: return "min";
    case ScalarOp::max: return "max";
    case ScalarOp::and_: return "and";
    case ScalarOp::or_: return "or";
    case ScalarOp::xor_: return "xor";
    default: return nullptr;
  }
}

bool has_atomics(ScalarType type) {
  return detail::is_integral(type) && detail::size_in_bytes(type) >= 4;
}

class ScatterText {
 public:
  explicit ScatterText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        updates_(updates_of(kernel_)) {}

  void run() {
    elements();
    if (updates_ == Updates::in_order) apply();
  }

 private:
  using Scope = ScalarCode::Scope;

  // Extra: the elements of the space. In order: scratch for the targets (all ones: dropped) and
  // the new leaves.
  void elements() {
    std::string extra = "const i64 size";
    if (updates_ == Updates::in_order)
      extra += ", GLOBAL u64* key, " + scratch_parameters(kernel_, "new");
    const Scope function(code_,
                         fmt::format("KERNEL {}{}", entry::scatter, parameters(kernel_, extra)));
    begin_function(code_);
    const Scope element(code_, "for (i64 at = GROUP * 256 + ITEM; at < size; at += GROUPS * 256)");
    code_.define(kernel_.element.params, split_row(code_, "at", kernel_.rank));
    code_.run(kernel_.element);
    const Names results = ScalarCode::names(kernel_.element.results);
    const Names leaves(results.begin() + 2, results.end());
    if (updates_ == Updates::in_order)
      code_.line(fmt::format("key[at] = {} ? (u64){} : ~(u64)0;", results[0], results[1]));
    const Scope kept(code_, "if (" + results[0] + ")");
    switch (updates_) {
      case Updates::unique:
        for (std::size_t i = 0; i < leaves.size(); ++i) code_.store(i, results[1], leaves[i]);
        break;
      case Updates::atomic:
        for (std::size_t i = 0; i < leaves.size(); ++i) atomic(i, results[1], leaves[i]);
        break;
      case Updates::in_order: to_scratch(code_, "new", "at", leaves); break;
    }
  }

  void atomic(std::size_t leaf, const std::string& at, const std::string& value) {
    const ScalarType type = kernel_.outputs[leaf];
    const char* const name = atomic_name(kernel_.lane_operator.leaves[leaf]);
    if (code_.speller.dialect() == Dialect::cuda) {
      // CUDA has only minimum and maximum of signed numbers of 64 bits; all else is the same
      // without a sign.
      const std::string_view operation = name;
      const bool is_ordered = operation == "min" || operation == "max";
      const char* const as = !is_ordered && type == ScalarType::i64 ? "u64" : memory_type(type);
      std::string function = name;
      function[0] = static_cast<char>(function[0] - 'a' + 'A');
      code_.line(
          fmt::format("atomic{}(({}*)out{} + {}, ({}){});", function, as, leaf, at, as, value));
      return;
    }
    const bool wide = detail::size_in_bytes(type) == 8;
    code_.line(fmt::format("{}_{}((volatile GLOBAL {}*)out{} + {}, {});", wide ? "atom" : "atomic",
                           name, memory_type(type), leaf, at, value));
  }

  // Extra: the elements, their targets, their positions sorted by target, the new leaves. Who finds
  // the first position of a target goes through all of it.
  void apply() {
    const Scope function(
        code_, fmt::format("KERNEL {}{}", entry::finish,
                           parameters(kernel_,
                                      "const i64 size, const GLOBAL u64* key, const GLOBAL "
                                      "i64* order, " +
                                          scratch_parameters(kernel_, "new"))));
    begin_function(code_);
    const Scope element(code_, "for (i64 at = GROUP * 256 + ITEM; at < size; at += GROUPS * 256)");
    code_.line("const u64 target = key[order[at]];");
    code_.line("if (target == ~(u64)0 || (at > 0 && key[order[at - 1]] == target)) continue;");
    const Names acc = leaf_names(kernel_, "a");
    declare(code_, kernel_.combine.results, acc);
    Names old;
    for (std::size_t i = 0; i < acc.size(); ++i) old.push_back(code_.stored(i, "target"));
    assign(code_, acc, old);
    {
      const Scope update(code_, "for (i64 k = at; k < size && key[order[k]] == target; ++k)");
      combine(code_, from_scratch(code_, "new", "order[k]"), acc, acc);
    }
    for (std::size_t i = 0; i < acc.size(); ++i) code_.store(i, "target", acc[i]);
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  Updates updates_;
};

}  // namespace

Updates updates_of(const Kernel& kernel) {
  if (kernel.unique) return Updates::unique;
  if (!kernel.lane_operator.commutative) return Updates::in_order;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
    if (!has_atomics(kernel.outputs[i]) || !atomic_name(kernel.lane_operator.leaves[i]))
      return Updates::in_order;
  return Updates::atomic;
}

void emit_scatter(ScalarCode& code) { ScatterText(code).run(); }

}  // namespace hasten::backends::c_like
