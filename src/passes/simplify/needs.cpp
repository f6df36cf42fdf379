// A worklist; each value and leaf is visited once.
#include "passes/simplify/needs.hpp"

#include <algorithm>
#include <type_traits>

namespace hasten::passes {

using namespace core;

Needs::Needs(const Program& program)
    : program_(program),
      values_(program.value_types.size(), false),
      origins_(program.value_types.size()),
      sources_(program.array_types.size()),
      views_(program.array_types.size()) {
  std::size_t count = 0;
  for (const ArrayType& type : program.array_types) {
    first_.push_back(count);
    count += type.leaves.size();
  }
  leaves_.resize(count, false);
  survey(program.body);
  for (const ArrayId a : program.body.results) ask_all(a);
  ask(program.scalar_results);
  run();
  // An array of which only the extents are used keeps one component.
  for (auto a = static_cast<ArrayId>(sources_.size()); a-- > 0;) {
    bool any = leaf_count(a) == 0 || !sources_[a].binding;
    for (std::size_t i = 0; i < leaf_count(a); ++i) any = any || leaf(a, i);
    if (!any) ask(a, 0);
    run();
  }
}

// -- where everything comes from ------------------------------------------------------------------

void Needs::survey(const Block& block) {
  for (const Binding& binding : block.bindings) survey(binding);
  if (block.value != none) ask(block.value);
}

void Needs::survey(const Binding& binding) {
  if (const auto* scalar = std::get_if<HostScalar>(&binding.op)) return survey(scalar->stmt);
  for (std::uint32_t i = 0; i < binding.results.size(); ++i)
    sources_[binding.results[i]] = {&binding, i, false};
  if (const Region* fn = region_of(binding.op)) {
    for (std::uint32_t i = 0; i < fn->params.size(); ++i)
      origins_[fn->params[i]] = {nullptr, &binding, i, true};
    survey(*fn);
  }
  visit_blocks(binding.op, [&](const Block& inner) {
    for (std::uint32_t i = 0; i < inner.params.size(); ++i)
      sources_[inner.params[i]] = {&binding, i, true};
    survey(inner);
  });
  note_views(binding);
  ask_for_roots(binding);
}

void Needs::survey(const Region& region) {
  for (const Stmt& stmt : region.body) survey(stmt);
}

void Needs::survey(const Stmt& stmt) {
  for (std::uint32_t i = 0; i < stmt.results.size(); ++i)
    origins_[stmt.results[i]] = {&stmt, nullptr, i, false};
  visit_regions(stmt, [&](const Region& inner) {
    for (std::uint32_t i = 0; i < inner.params.size(); ++i)
      origins_[inner.params[i]] = {&stmt, nullptr, i, true};
    survey(inner);
  });
}

// Dropping a component of one of these operations would make a copy.
void Needs::note_views(const Binding& binding) {
  const auto view = [&](ArrayId of, ArrayId result) { views_[of].push_back(result); };
  if (const auto* x = std::get_if<Reshape>(&binding.op)) view(x->source, binding.results[0]);
  if (const auto* x = std::get_if<Compute>(&binding.op)) view(x->source, binding.results[0]);
  if (const auto* x = std::get_if<Demand>(&binding.op)) view(x->source, binding.results[0]);
  for (std::size_t i = 0; i < binding.results.size(); ++i) {
    if (const auto* x = std::get_if<ArrayIf>(&binding.op)) {
      view(x->then_.results[i], binding.results[i]);
      view(x->else_.results[i], binding.results[i]);
    }
    if (const auto* x = std::get_if<ArrayWhile>(&binding.op))
      view(x->body.results[i], binding.results[i]);
  }
}

// What an operation needs whichever of its components are needed.
void Needs::ask_for_roots(const Binding& binding) {
  const auto whole = [&] {
    for (const ArrayId a : binding.results) ask_all(a);
    visit_operands(binding.op, [&](Value v) { ask(v); }, [&](ArrayId a) { ask_all(a); });
    if (const Region* fn = region_of(binding.op)) ask(fn->results);
    visit_blocks(binding.op, [&](const Block& inner) {
      for (const ArrayId a : inner.params) ask_all(a);
      for (const ArrayId a : inner.results) ask_all(a);
    });
  };
  std::visit(
      [&](const auto& op) {
        using T = std::remove_cvref_t<decltype(op)>;
        constexpr bool by_leaf = std::is_same_v<T, Unit> || std::is_same_v<T, Map> ||
                                 std::is_same_v<T, ZipWith> || std::is_same_v<T, Fold> ||
                                 std::is_same_v<T, Scan> || std::is_same_v<T, Concat> ||
                                 std::is_same_v<T, Compute> || std::is_same_v<T, ArrayWhile>;
        if constexpr (by_leaf) {
        } else if constexpr (std::is_same_v<T, Generate> || std::is_same_v<T, Reshape>) {
          ask(op.extent);
        } else if constexpr (std::is_same_v<T, GenerateSegments>) {
          ask(op.extent), ask_all(op.offsets);
        } else if constexpr (std::is_same_v<T, Backpermute>) {
          ask(op.extent), ask(op.fn.results);
        } else if constexpr (std::is_same_v<T, Replicate> || std::is_same_v<T, Slice>) {
          for (const Value axis : op.axes)
            if (axis != none) ask(axis);
        } else if constexpr (std::is_same_v<T, FoldSegments>) {
          ask_all(op.offsets);
        } else if constexpr (std::is_same_v<T, Permute>) {
          for (const PermuteLoop& loop : op.loops) {
            ask_all(loop.targets);
            if (loop.writes > 1) ask_all(loop.source), ask_all(binding.results[0]);
          }
        } else if constexpr (std::is_same_v<T, Compact>) {
          ask_all(op.mask);
        } else if constexpr (std::is_same_v<T, SortPositions>) {
          ask_all(op.source), ask_all(binding.results[0]);
          if (op.first != none) ask(op.first);
        } else if constexpr (std::is_same_v<T, Demand>) {
          ask(op.condition), ask(op.shown);
        } else if constexpr (std::is_same_v<T, ArrayIf>) {
          ask(op.condition);
        } else {
          whole();  // arguments, foreign code, and what is not known here
        }
      },
      binding.op);
}

// -- the worklist ---------------------------------------------------------------------------------

void Needs::ask(Value v) {
  if (values_[v]) return;
  values_[v] = true;
  open_values_.push_back(v);
}

void Needs::ask(const std::vector<Value>& values) {
  for (const Value v : values) ask(v);
}

void Needs::ask(ArrayId a, std::size_t i) {
  if (leaf(a, i)) return;
  leaves_[first_[a] + i] = true;
  open_leaves_.emplace_back(a, static_cast<std::uint32_t>(i));
}

void Needs::ask_all(ArrayId a) {
  for (std::size_t i = 0; i < leaf_count(a); ++i) ask(a, i);
}

void Needs::run() {
  while (!open_values_.empty() || !open_leaves_.empty()) {
    if (!open_values_.empty()) {
      const Value v = open_values_.back();
      open_values_.pop_back();
      visit_value(v);
    } else {
      const auto [a, i] = open_leaves_.back();
      open_leaves_.pop_back();
      visit_leaf(a, i);
    }
  }
}

void Needs::visit_value(Value v) {
  const Origin& origin = origins_[v];
  if (origin.statement) visit_statement(*origin.statement, origin.index, origin.is_parameter);
  if (origin.function) visit_parameter(*origin.function, origin.index);
}

void Needs::visit_statement(const Stmt& stmt, std::uint32_t index, bool is_parameter) {
  if (const auto* branch = std::get_if<If>(&stmt.op)) {
    ask(branch->condition), ask(branch->then_.results[index]), ask(branch->else_.results[index]);
  } else if (const auto* loop = std::get_if<While>(&stmt.op)) {
    ask(loop->condition.results[0]), ask(loop->init[index]), ask(loop->body.results[index]);
  } else if (!is_parameter) {
    const auto* load = std::get_if<Load>(&stmt.op);
    const auto* linear = std::get_if<LoadLinear>(&stmt.op);
    if (load) ask(load->array, load->leaf);
    if (linear) ask(linear->array, linear->leaf);
    visit_operands(stmt, [&](Value v) { ask(v); }, [](ArrayId) {});
    visit_regions(stmt, [&](const Region& inner) { ask(inner.results); });
  }
}

void Needs::visit_parameter(const Binding& binding, std::uint32_t index) {
  if (const auto* x = std::get_if<Map>(&binding.op)) return ask(x->source, index);
  if (const auto* x = std::get_if<ZipWith>(&binding.op)) {
    std::size_t before = 0;
    for (const ArrayId source : x->sources) {
      if (index < before + leaf_count(source)) return ask(source, index - before);
      before += leaf_count(source);
    }
  }
  const bool is_operator = std::holds_alternative<Fold>(binding.op) ||
                           std::holds_alternative<FoldSegments>(binding.op) ||
                           std::holds_alternative<Scan>(binding.op) ||
                           std::holds_alternative<Permute>(binding.op);
  if (is_operator) ask(binding.results[0], index % leaf_count(binding.results[0]));
}

void Needs::visit_leaf(ArrayId a, std::uint32_t leaf) {
  for (const ArrayId view : views_[a]) ask(view, leaf);
  const Source& source = sources_[a];
  if (!source.binding) return;
  // The state of a loop has the components of its results; other parameters are whole.
  if (source.is_parameter) {
    if (std::holds_alternative<ArrayWhile>(source.binding->op))
      ask(source.binding->results[source.index], leaf);
    return;
  }
  visit_leaf(*source.binding, source.index, leaf);
}

void Needs::visit_leaf(const Binding& binding, std::uint32_t index, std::uint32_t leaf) {
  std::visit(
      [&](const auto& op) {
        using T = std::remove_cvref_t<decltype(op)>;
        if constexpr (std::is_same_v<T, Unit>) ask(op.values[leaf]);
        if constexpr (std::is_same_v<T, Generate> || std::is_same_v<T, GenerateSegments> ||
                      std::is_same_v<T, Map> || std::is_same_v<T, ZipWith> ||
                      std::is_same_v<T, Fold> || std::is_same_v<T, FoldSegments> ||
                      std::is_same_v<T, Scan> || std::is_same_v<T, Permute>)
          ask(op.fn.results[leaf]);
        if constexpr (std::is_same_v<T, Reshape> || std::is_same_v<T, Replicate> ||
                      std::is_same_v<T, Slice> || std::is_same_v<T, Backpermute> ||
                      std::is_same_v<T, Fold> || std::is_same_v<T, FoldSegments> ||
                      std::is_same_v<T, Scan> || std::is_same_v<T, Demand> ||
                      std::is_same_v<T, Compute> || std::is_same_v<T, Compact>)
          ask(op.source, leaf);
        if constexpr (std::is_same_v<T, Compact>)
          for (const ArrayId result : binding.results) ask(result, leaf);
        if constexpr (std::is_same_v<T, Fold> || std::is_same_v<T, FoldSegments> ||
                      std::is_same_v<T, Scan>)
          if (!op.seed.empty()) ask(op.seed[leaf]);
        if constexpr (std::is_same_v<T, Permute>) {
          ask(op.defaults, leaf);
          for (const PermuteLoop& loop : op.loops)
            if (loop.writes == 1) ask(loop.source, leaf);
        }
        if constexpr (std::is_same_v<T, SortPositions>)
          if (index > 0) ask(op.carried[index - 1], leaf);
        if constexpr (std::is_same_v<T, Concat>)
          for (const ArrayId source : op.sources) ask(source, leaf);
        if constexpr (std::is_same_v<T, ArrayIf>)
          ask(op.then_.results[index], leaf), ask(op.else_.results[index], leaf);
        if constexpr (std::is_same_v<T, ArrayWhile>) {
          ask(op.init[index], leaf), ask(op.body.results[index], leaf);
          ask(op.condition.params[index], leaf), ask(op.body.params[index], leaf);
        }
      },
      binding.op);
}

}  // namespace hasten::passes
