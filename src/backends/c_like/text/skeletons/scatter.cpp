// Scatters: plain stores where no two elements meet; atomics where the order cannot show, or may
// show, first into a group's own copy of the outputs where these are small; else the elements are
// written out, sorted by their targets, and one item makes all updates of a target.
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <bit>

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

ScalarType type_of(const Kernel& kernel, std::size_t leaf) {
  return detail::part_of(kernel.outputs[leaf]);
}

// Minima and maxima of floats are the same in any order; sums differ.
bool has_atomics(const Kernel& kernel, std::size_t leaf) {
  const ScalarOp op = kernel.lane_operator.leaves[leaf];
  const ScalarType type = type_of(kernel, leaf);
  if (!atomic_name(op) || detail::size_in_bytes(type) < 4) return false;
  return detail::is_integral(type) || op != ScalarOp::add || kernel.any_order;
}

class ScatterText {
 public:
  explicit ScatterText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        updates_(updates_of(kernel_)) {}

  void run(Functions& functions) {
    if (!kernel_.loops.empty()) {
      if (functions.has(entry::scatter)) emit_loops(code_);
      return;
    }
    if (functions.has(entry::scatter)) elements();
    if (private_targets(kernel_) > 0 && functions.has(entry::private_copies)) private_copies();
    if (updates_ != Updates::in_order) return;
    if (functions.has(entry::finish)) apply();
    if (joins_items(kernel_) && functions.has(entry::long_runs)) apply_long();
  }

 private:
  using Scope = ScalarCode::Scope;

  // Extra: the elements of the space. In order: how many targets there are, scratch for the targets
  // (that number: dropped), for the count of long runs (0), and for the new leaves.
  void elements() {
    std::string extra = "const ix size";
    if (updates_ == Updates::in_order)
      extra += ", const ix targets, GLOBAL u64* key, GLOBAL u32* many, " +
               scratch_parameters(kernel_, "new");
    const Scope function(code_,
                         fmt::format("KERNEL {}{}", entry::scatter, parameters(code_, extra)));
    begin_function(code_);
    const Scope element(code_, "EACH(at, size)");
    const Names results = element_at("at");
    const Names leaves(results.begin() + 2, results.end());
    if (updates_ == Updates::in_order) {
      code_.line("if (at == 0) *many = 0u;");
      code_.line(fmt::format("key[at] = (u64)({} ? {} : targets);", results[0], results[1]));
    }
    if (updates_ == Updates::unique) return stores();
    const Scope kept(code_, "if (" + results[0] + ")");
    switch (updates_) {
      case Updates::unique: break;
      case Updates::atomic:
        for (std::size_t i = 0; i < leaves.size(); ++i)
          atomic(output(i), i, code_.place_in(i, results[1]), leaves[i]);
        break;
      case Updates::in_order: to_scratch(code_, "new", "at", leaves); break;
    }
  }

  void stores() {
    for (std::size_t write = 0; write < kernel_.writes; ++write)
      store_write(code_, kernel_.element, kernels::written(kernel_, write));
  }

  // Extra: the elements of the space, the elements of an output, the copies of it in the group:
  // 2^shift, so that few targets are not one for all items.
  void private_copies() {
    const Scope function(
        code_, fmt::format("KERNEL {}{}", entry::private_copies,
                           parameters(code_, "const ix size, const i32 targets, const i32 shift")));
    begin_function(code_);
    const std::size_t leaves = kernel_.outputs.size();
    const std::int64_t places = private_targets(kernel_);
    for (std::size_t i = 0; i < leaves; ++i)
      code_.line(fmt::format("LOCAL {} s{}[{}];", memory_type(private_type(i)), i, places));
    const char* const places_loop =
        "ROLLED for (i32 i = (i32)ITEM; i < targets << shift; i += 256)";
    {
      const Scope place(code_, places_loop);
      for (std::size_t i = 0; i < leaves; ++i)
        code_.line(
            fmt::format("s{}[i] = {};", i, identity_element(code_, operation(i), private_type(i))));
    }
    code_.line("BARRIER;");
    for_places(code_, {"ix", "at", "GROUP * 256 + ITEM", "GROUPS * 256", "size"}, [&] {
      const Names results = element_at("at");
      const Scope kept(code_, "if (" + results[0] + ")");
      code_.line(
          fmt::format("const i32 place = (i32)({} << shift) + ((i32)ITEM & ((1 << shift) - "
                      "1));",
                      results[1]));
      for (std::size_t i = 0; i < leaves; ++i)
        atomic({"LOCAL", "s" + std::to_string(i), private_type(i)}, i, "place", results[2 + i]);
    });
    code_.line("BARRIER;");
    const Scope target(code_, "ROLLED for (i32 i = (i32)ITEM; i < targets; i += 256)");
    for (std::size_t i = 0; i < leaves; ++i) merge(i);
  }

  // Joins the copies of target i, then the output.
  void merge(std::size_t leaf) {
    const ScalarType type = type_of(kernel_, leaf);
    const std::string sum = "c" + std::to_string(leaf), copy = "s" + std::to_string(leaf);
    code_.line(fmt::format("{} {} = {};", memory_type(type), sum,
                           identity_element(code_, operation(leaf), type)));
    const ScalarType types[] = {type, type};
    const std::string sides[] = {sum,
                                 fmt::format("({}){}[(i << shift) + j]", memory_type(type), copy)};
    code_.line(fmt::format("ROLLED for (i32 j = 0; j < 1 << shift; ++j) {} = {};", sum,
                           code_.expressions.apply(operation(leaf), type, types, sides)));
    const Scope some(
        code_, fmt::format("if ({} != {})", sum, identity_element(code_, operation(leaf), type)));
    atomic(output(leaf), leaf, code_.place_in(leaf, "i"), sum);
  }

  [[nodiscard]] ScalarOp operation(std::size_t leaf) const {
    return kernel_.lane_operator.leaves[leaf];
  }

  // Counts of a launch with 32-bit indices need only 32 bits, for which local memory has atomics.
  [[nodiscard]] ScalarType private_type(std::size_t leaf) const {
    const ScalarType type = type_of(kernel_, leaf);
    if (operation(leaf) != ScalarOp::add || type != ScalarType::i64) return type;
    const Range range = code_.range(kernel_.element.results[2 + leaf]);
    const bool counts = range.least >= 0 && range.greatest < (std::int64_t{1} << 32) / narrow_limit;
    return code_.is_narrow() && counts ? ScalarType::u32 : type;
  }

  Names element_at(const std::string& at) {
    code_.define(kernel_.element.params, split_row(code_, at, kernel_.rank));
    code_.run(kernel_.element);
    return ScalarCode::names(kernel_.element.results);
  }

  struct Array {
    const char* space;
    std::string name;
    ScalarType type;
  };

  [[nodiscard]] Array output(std::size_t leaf) const {
    return {"GLOBAL", "out" + std::to_string(leaf), type_of(kernel_, leaf)};
  }

  void atomic(const Array& array, std::size_t leaf, const std::string& at,
              const std::string& value) {
    const ScalarType type = array.type;
    const bool is_sum = operation(leaf) == ScalarOp::add;
    if (detail::is_floating(type) && !(is_sum && code_.expressions.dialect().adds_floats))
      return exchange(array, leaf, at, value);
    const char* const name = atomic_name(operation(leaf));
    // CUDA's atomics on signed numbers of 64 bits are minimum and maximum only; all other
    // operations are the same without a sign.
    const std::string_view operation = name;
    const bool is_ordered = operation == "min" || operation == "max";
    const char* const as = !is_ordered && type == ScalarType::i64 ? "u64" : memory_type(type);
    code_.line(fmt::format("ATOMIC_{}({}, {}, {} + {}, {});", as, name, array.space, array.name, at,
                           value));
  }

  // Updates by comparing and exchanging words, until no other item has come between. All NaNs
  // become one, so that it does not show which came first.
  void exchange(const Array& array, std::size_t leaf, const std::string& at,
                const std::string& value) {
    const bool is_long = array.type == ScalarType::f64;
    const char *const word = is_long ? "u64" : "u32", *const real = is_long ? "f64" : "f32";
    const char* const nan = is_long ? "(u64)0x7ff8000000000000UL" : "0x7fc00000u";
    const std::string place = fmt::format("{}, {} + {}", array.space, array.name, at);
    const ScalarType types[] = {array.type, array.type};
    const std::string sides[] = {value, fmt::format("bits_{}(old)", real)};
    const Scope update(code_, "");
    code_.line(fmt::format("{0} old = WORD_{0}({1});", word, place));
    const Scope again(code_, "ROLLED for (;;)");
    code_.line(fmt::format("const {} both = {};", real,
                           code_.expressions.apply(operation(leaf), array.type, types, sides)));
    code_.line(fmt::format("const {} next = both == both ? {}_bits(both) : {};", word, real, nan));
    code_.line("if (next == old) break;");
    code_.line(fmt::format("const {0} found = EXCHANGE_{0}({1}, old, next);", word, place));
    code_.line("if (found == old) break;");
    code_.line("old = found;");
  }

  // Extra of both: the elements, the targets, each element's, their positions sorted by it, how
  // many long runs there are, where in that order they begin, the new leaves.
  [[nodiscard]] std::string in_order(const char* name) const {
    return fmt::format(
        "KERNEL {}{}", name,
        parameters(
            code_,
            "const ix size, const ix targets, const GLOBAL u64* key, const GLOBAL i64* order, "
            "GLOBAL u32* many, GLOBAL ix* runs, " +
                scratch_parameters(kernel_, "new")));
  }

  // The item that finds the first position of a target goes through all of its positions; a long
  // run is left to a group.
  void apply() {
    const Scope function(code_, in_order(entry::finish));
    begin_function(code_);
    const Scope element(code_, "EACH(at, size)");
    code_.line("const u64 target = key[order[at]];");
    code_.line("if (target == (u64)targets || (at > 0 && key[order[at - 1]] == target)) NEXT;");
    if (joins_items(kernel_)) {
      const Scope is_long(
          code_, fmt::format("if (size - at > {0} && key[order[at + {0}]] == target)", long_run));
      code_.line("runs[ATOMIC_u32(add, GLOBAL, many, 1)] = at;");
      code_.line("NEXT;");
    }
    const Names acc = leaf_names(kernel_, "a");
    declare(code_, kernel_.combine.results, acc);
    assign(code_, acc, old_leaves());
    {
      const Scope update(code_, "ROLLED for (ix k = at; k < size && key[order[k]] == target; ++k)");
      combine(code_, from_scratch(code_, "new", "order[k]"), acc, acc);
    }
    for (std::size_t i = 0; i < acc.size(); ++i) code_.store(i, "target", acc[i]);
  }

  [[nodiscard]] Names old_leaves() {
    Names old;
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i)
      old.push_back(code_.stored(i, "target"));
    return old;
  }

  // One group per run: items join neighbours, and a tree joins their values, in the order of the
  // space. The assignment of runs to groups varies, and does not matter.
  void apply_long() {
    const Scope function(code_, in_order(entry::long_runs));
    begin_function(code_);
    const Names acc = leaf_names(kernel_, "a"), local = leaf_names(kernel_, "s");
    declare_local(code_, local);
    const Scope run(code_, "ROLLED for (ix run = GROUP; run < (ix)*many; run += GROUPS)");
    code_.line("const ix begin = runs[run];");
    code_.line("const u64 target = key[order[begin]];");
    code_.line(fmt::format("ix last = begin + {}, end = size;", long_run));
    {
      const Scope search(code_, "while (last + 1 < end)");
      code_.line("const ix middle = last + (end - last) / 2;");
      code_.line("if (key[order[middle]] == target) last = middle; else end = middle;");
    }
    code_.line("const ix each = (end - begin + 255) / 256, first = begin + ITEM * each;");
    code_.line("const ix past = first + each < end ? first + each : end;");
    code_.line("const i32 active = (i32)((end - begin + each - 1) / each);");
    declare(code_, kernel_.combine.results, acc);
    {
      const Scope any(code_, "if (first < past)");
      assign(code_, acc, from_scratch(code_, "new", "order[first]"));
      const Scope update(code_, "ROLLED for (ix k = first + 1; k < past; ++k)");
      combine(code_, from_scratch(code_, "new", "order[k]"), acc, acc);
    }
    assign(code_, c_like::elements(local, "ITEM"), acc);
    code_.line("BARRIER;");
    {
      const Scope step(code_, "ROLLED for (i32 step = 1; step < active; step *= 2)");
      {
        const Scope pair(code_, "if ((ITEM & (2 * step - 1)) == 0 && ITEM + step < active)");
        combine(code_, c_like::elements(local, "ITEM + step"), acc, acc);
        assign(code_, c_like::elements(local, "ITEM"), acc);
      }
      code_.line("BARRIER;");
    }
    const Scope one(code_, "if (ITEM == 0)");
    combine(code_, acc, old_leaves(), acc);
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
    if (!has_atomics(kernel, i)) return Updates::in_order;
  return Updates::atomic;
}

std::int64_t private_targets(const Kernel& kernel) {
  if (updates_of(kernel) != Updates::atomic) return 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
    bytes += detail::size_in_bytes(type_of(kernel, i));
  return static_cast<std::int64_t>(std::bit_floor(local_bytes_max / bytes));
}

void emit_scatter(ScalarCode& code, Functions& functions) { ScatterText(code).run(functions); }

}  // namespace hasten::backends::c_like
