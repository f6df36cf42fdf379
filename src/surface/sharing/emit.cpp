// Visits items operands first and appends each instance to its scope. A scope's regions and blocks
// are complete when the item that owns it is reached.
#include "surface/sharing/emit.hpp"
#include "surface/make.hpp"

#include "core/foreign.hpp"
#include "core/labels.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>

namespace hasten::detail::sharing {
namespace {

using core::ArrayId;
using core::Value;

// The numbers of an instance: the leaves of a scalar, or the arrays of an array term.
using Numbers = std::vector<std::uint32_t>;

struct ScopeCode {
  std::vector<core::Stmt> statements;   // regions
  std::vector<core::Binding> bindings;  // blocks
  std::vector<Numbers> params;          // by parameter of the binder: leaves, or one array
};

class Emitter {
 public:
  Emitter(const ItemList& list, const Placement& placement, const Traced& traced)
      : list_(list),
        placement_(placement),
        scopes_(placement.scopes.size()) {
    for (std::size_t s = 0; s < scopes_.size(); ++s) number_params(s);
    bind_program_params(traced);
    label_params(traced);
    results_.resize(list.items.size());
    for (std::size_t i = 0; i < list.items.size(); ++i) emit_instances(static_cast<ItemId>(i));
    close_program();
  }
  core::Program take() { return std::move(program_); }

 private:
  struct At {  // an instance being emitted
    const Item& item;
    const Node& node;
    const Instance& instance;
    const Where& where;
  };

  // -- scopes ---------------------------------------------------------------------------------

  void number_params(std::size_t scope) {
    const Function* function = placement_.scopes[scope].function;
    if (!function) return;
    for (const Term& param : function->params) {
      const Node& node = *param.node();
      scopes_[scope].params.push_back(
          node.is_array ? Numbers{program_.new_array({node.rank, node.type->leaves})}
                        : new_values(node.type));
    }
  }

  void bind_program_params(const Traced& traced) {
    ScopeCode& root = scopes_[0];
    for (std::uint32_t i = 0; i < root.params.size(); ++i) {
      if (i < traced.array_params.size()) {
        const ArrayId array = root.params[i][0];
        program_.inputs.push_back(program_.array_types[array]);
        root.bindings.push_back({{array}, core::Input{i}, traced.where});
      } else {
        append(program_.scalar_inputs, root.params[i]);
      }
    }
  }

  // What named() calls the program's arguments that are arrays, whose bindings are the first.
  void label_params(const Traced& traced) {
    for (const Item& item : list_.items) {
      const Node& node = *item.node;
      if (node.kind != NodeKind::param || !node.is_array) continue;
      if (!*item.label || node.binder != traced.fn.binder) continue;
      const std::string argument = "argument " + std::to_string(node.number);
      scopes_[0].bindings[node.number].operation = core::labelled(item.label, argument.c_str());
    }
  }

  void close_program() {
    for (ItemId result : list_.results) {
      const bool is_array = list_.items[result].node->is_array;
      append(is_array ? program_.body.results : program_.scalar_results, resolve(result, 0));
    }
    program_.body.bindings = std::move(scopes_[0].bindings);
  }

  core::Region close_region(ScopeId scope, const Numbers& results) {
    core::Region region;
    for (const Numbers& param : scopes_[scope].params) append(region.params, param);
    region.body = std::move(scopes_[scope].statements);
    region.results = results;
    return region;
  }

  core::Block close_block(ScopeId scope, Numbers results) {
    core::Block block;
    for (const Numbers& param : scopes_[scope].params) append(block.params, param);
    block.bindings = std::move(scopes_[scope].bindings);
    block.results = std::move(results);
    return block;
  }

  // -- numbers --------------------------------------------------------------------------------

  Numbers new_values(Type type) {
    Numbers values;
    for (ScalarType leaf : type->leaves) values.push_back(program_.new_value(leaf));
    return values;
  }

  static void append(Numbers& to, const Numbers& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // The numbers of an operand that is used in `scope`.
  const Numbers& resolve(ItemId id, ScopeId scope) const {
    const Node& node = *list_.items[id].node;
    if (node.kind == NodeKind::param) return param(node, scope);
    const auto& instances = placement_.instances[id];
    if (instances.size() == 1) return results_[id][0];
    for (ScopeId s = scope; s != no_scope; s = placement_.scopes[s].parent)
      for (std::size_t i = 0; i < instances.size(); ++i)
        if (instances[i].scope == s) return results_[id][i];
    throw InternalError("sharing recovery: a term is used outside the scopes it is bound in");
  }

  const Numbers& param(const Node& node, ScopeId scope) const {
    for (ScopeId s = scope; s != no_scope; s = placement_.scopes[s].parent) {
      const Function* function = placement_.scopes[s].function;
      if (function && function->binder == node.binder) return scopes_[s].params[node.number];
    }
    throw InternalError("sharing recovery: a parameter is used outside its function");
  }

  const Numbers& operand(const At& at, std::size_t i) const {
    const Operand& o = at.item.operands[i];
    ScopeId scope = at.instance.scope;
    if (o.place == Place::first) scope = at.instance.first;
    if (o.place == Place::second) scope = at.instance.second;
    return resolve(o.item, scope);
  }

  Numbers operands(const At& at, std::size_t begin, std::size_t end) const {
    Numbers all;
    for (std::size_t i = begin; i < end; ++i) append(all, operand(at, i));
    return all;
  }

  // -- emission -------------------------------------------------------------------------------

  void emit_instances(ItemId id) {
    const Item& item = list_.items[id];
    for (const Instance& instance : placement_.instances[id]) {
      const At at{item, *item.node, instance, placement_.wheres[id]};
      results_[id].push_back(item.node->is_array ? emit_array(at) : emit_scalar(at));
    }
  }

  void push(const At& at, core::Stmt stmt) {
    ScopeCode& scope = scopes_[at.instance.scope];
    if (is_block(placement_.scopes[at.instance.scope].kind))
      scope.bindings.push_back({{}, core::HostScalar{std::move(stmt)}, at.where});
    else
      scope.statements.push_back(std::move(stmt));
  }

  template <class Op>
  Numbers define(const At& at, Numbers results, Op op) {
    push(at, core::Stmt{results, std::move(op)});
    return results;
  }

  Numbers emit_scalar(const At& at) {
    switch (at.node.kind) {
      case NodeKind::constant: return define(at, new_values(at.node.type), literal(at.node));
      case NodeKind::prim:
        return define(at, new_values(at.node.type),
                      core::Prim{at.node.op, operands(at, 0, at.item.operands.size())});
      case NodeKind::tuple: return operands(at, 0, at.item.operands.size());
      case NodeKind::project: return project(at);
      case NodeKind::conditional: return conditional(at);
      case NodeKind::while_loop: return while_loop(at);
      case NodeKind::index:
      case NodeKind::index_linear: return index(at);
      case NodeKind::extent:
        return define(at, {program_.new_value(ScalarType::i64)},
                      core::Extent{operand(at, 0)[0], at.node.number});
      case NodeKind::foreign_call: return foreign_call(at);
      case NodeKind::extract: return extract(at);
      case NodeKind::insert: return insert(at);
      default: throw InternalError("sharing recovery: not a scalar term");
    }
  }

  core::Constant literal(const Node& node) {
    const core::Bits bits{node.bits.lo, node.bits.hi};
    if (node.mode == LiteralMode::baked) return {bits, core::none};
    const auto kind = node.mode == LiteralMode::parameter ? core::LiteralKind::parameter
                                                          : core::LiteralKind::automatic;
    program_.literals.push_back({node.type->leaf, bits, kind});
    return {bits, static_cast<std::uint32_t>(program_.literals.size() - 1)};
  }

  Numbers project(const At& at) const {
    const Type tuple = type_of(at.node.children[0]);
    std::size_t first = 0;
    for (std::uint32_t m = 0; m < at.node.number; ++m) first += tuple->members[m]->leaves.size();
    const Numbers& whole = operand(at, 0);
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(at.node.type->leaves.size())};
  }

  Numbers conditional(const At& at) {
    const Value condition = operand(at, 0)[0];
    const Numbers then_ = operand(at, 1), else_ = operand(at, 2);
    const Numbers results = new_values(at.node.type);
    if (at.item.lazy)
      return define(at, results,
                    core::If{condition, close_region(at.instance.first, then_),
                             close_region(at.instance.second, else_)});
    for (std::size_t i = 0; i < results.size(); ++i)
      define(at, {results[i]}, core::Prim{ScalarOp::select, {condition, then_[i], else_[i]}});
    return results;
  }

  Numbers while_loop(const At& at) {
    core::While loop;
    loop.init = operand(at, 0);
    loop.condition = close_region(at.instance.first, Numbers(operand(at, 1)));
    loop.body = close_region(at.instance.second, Numbers(operand(at, 2)));
    return define(at, new_values(at.node.type), std::move(loop));
  }

  Numbers foreign_call(const At& at) {
    const std::size_t args = at.node.children.size();
    Numbers result = operand(at, args);
    return define(at, new_values(at.node.type),
                  core::ForeignCall{at.node.foreign->functions, operands(at, 0, args),
                                    close_region(at.instance.first, result)});
  }

  // One extract per leaf, each of this leaf of all elements.
  Numbers extract(const At& at) {
    const Numbers &array = operand(at, 0), results = new_values(at.node.type);
    for (std::size_t leaf = 0; leaf < results.size(); ++leaf)
      define(at, {results[leaf]},
             core::Extract{operand(at, 1)[0], each(array, leaf, results.size())});
    return results;
  }

  Numbers insert(const At& at) {
    const Numbers &array = operand(at, 0), &element = operand(at, 2);
    const Numbers results = new_values(at.node.type);
    for (std::size_t leaf = 0; leaf < element.size(); ++leaf)
      define(at, each(results, leaf, element.size()),
             core::Insert{operand(at, 1)[0], element[leaf], each(array, leaf, element.size())});
    return results;
  }

  static Numbers each(const Numbers& all, std::size_t first, std::size_t step) {
    Numbers result;
    for (std::size_t i = first; i < all.size(); i += step) result.push_back(all[i]);
    return result;
  }

  // Whether every index is known to be in range, which implies that the array has elements.
  static bool reads_inside(const At& at) {
    return static_cast<Reads>(at.node.number) == Reads::inside;
  }
  static core::AxisSet inside(const At& at, std::size_t rank) {
    return reads_inside(at) ? core::all_axes(rank) : 0;
  }

  Numbers index(const At& at) {
    const ArrayId array = operand(at, 0)[0];
    const Numbers where = operands(at, 1, at.item.operands.size());
    const Numbers results = new_values(at.node.type);
    for (std::uint32_t leaf = 0; leaf < results.size(); ++leaf) {
      if (at.node.kind == NodeKind::index)
        define(at, {results[leaf]}, core::Load{array, leaf, where, inside(at, where.size())});
      else
        define(at, {results[leaf]}, core::LoadLinear{array, leaf, where[0]});
    }
    return results;
  }

  // -- arrays ---------------------------------------------------------------------------------

  Numbers bind(const At& at, core::ArrayOp op) {
    const Numbers results{program_.new_array({at.node.rank, at.node.type->leaves})};
    return bind(at, results, std::move(op));
  }

  Numbers bind(const At& at, const Numbers& results, core::ArrayOp op) {
    core::Binding binding;
    binding.results = results;
    binding.op = std::move(op);
    binding.where = at.where;
    binding.operation = core::labelled(at.item.label, at.node.operation);
    scopes_[at.instance.scope].bindings.push_back(std::move(binding));
    return results;
  }

  // The body of an array operation's function: its operand is the last.
  core::Region function(const At& at) {
    return close_region(at.instance.first, Numbers(operand(at, at.item.operands.size() - 1)));
  }

  // The children from `begin` on, one entry each; null ones are `none`.
  Numbers optional_children(const At& at, std::size_t begin) const {
    Numbers result;
    std::size_t next = begin;
    for (std::size_t i = begin; i < at.node.children.size(); ++i)
      result.push_back(at.node.children[i] ? operand(at, next++)[0] : core::none);
    return result;
  }

  Numbers emit_array(const At& at) {
    const std::size_t children = at.node.children.size();
    switch (at.node.kind) {
      case NodeKind::use:
        program_.arrays_used.push_back(at.node.host);
        return bind(at, core::Use{static_cast<std::uint32_t>(program_.arrays_used.size() - 1)});
      case NodeKind::unit: return bind(at, core::Unit{operand(at, 0)});
      case NodeKind::generate:
        return bind(at, core::Generate{operands(at, 0, children), function(at)});
      case NodeKind::segment_numbers: return segment_numbers(at);
      case NodeKind::map: return bind(at, core::Map{function(at), operand(at, 0)[0]});
      case NodeKind::zip_with:
        return bind(at, core::ZipWith{function(at), operands(at, 0, children),
                                      at.node.number == static_cast<std::uint32_t>(Meet::equal)});
      case NodeKind::reshape:
        return bind(at, core::Reshape{operands(at, 1, children), operand(at, 0)[0]});
      case NodeKind::replicate:
        return bind(at, core::Replicate{optional_children(at, 1), operand(at, 0)[0]});
      case NodeKind::slice:
        return bind(at, core::Slice{optional_children(at, 1), operand(at, 0)[0]});
      case NodeKind::backpermute:
        return bind(at,
                    core::Backpermute{operands(at, 1, children), function(at), operand(at, 0)[0],
                                      inside(at, at.node.children[0].node()->rank)});
      case NodeKind::fold:
        return bind(at, core::Fold{function(at), seed(at, 1), operand(at, 0)[0]});
      case NodeKind::fold_segments:
        return bind(at, core::FoldSegments{function(at), seed(at, 2), operand(at, 0)[0],
                                           operand(at, 1)[0]});
      case NodeKind::scan:
        return bind(at, core::Scan{function(at), seed(at, 1), operand(at, 0)[0]});
      case NodeKind::permute: return permute(at);
      case NodeKind::concat:
        return bind(at, core::Concat{at.node.number, operands(at, 0, children)});
      case NodeKind::compact: return compact(at);
      case NodeKind::sort: return sort(at);
      case NodeKind::demand:
        return bind(at, core::Demand{operand(at, 1)[0], at.node.message, operands(at, 2, children),
                                     operand(at, 0)[0], false, at.node.number != 0});
      case NodeKind::compute: return bind(at, core::Compute{operand(at, 0)[0]});
      case NodeKind::array_if: return array_if(at);
      case NodeKind::array_while: return array_while(at);
      case NodeKind::foreign_arrays: return foreign_arrays(at);
      case NodeKind::array_result: return {operand(at, 0)[at.node.number]};
      case NodeKind::constant:
      case NodeKind::param:
      case NodeKind::prim:
      case NodeKind::tuple:
      case NodeKind::project:
      case NodeKind::conditional:
      case NodeKind::while_loop:
      case NodeKind::index:
      case NodeKind::index_linear:
      case NodeKind::extent:
      case NodeKind::foreign_call:
      case NodeKind::extract:
      case NodeKind::insert: break;
    }
    throw InternalError("sharing recovery: not an array term");
  }

  // The element is its segment.
  Numbers segment_numbers(const At& at) {
    core::GenerateSegments op{operand(at, 1)[0], operand(at, 0)[0], {}};
    for (int i = 0; i < 2; ++i) op.fn.params.push_back(program_.new_value(core::ScalarType::i64));
    op.fn.results = {op.fn.params[0]};
    return bind(at, std::move(op));
  }

  // The child of a fold or scan with this number; none if it has no seed.
  Numbers seed(const At& at, std::size_t child) const {
    return at.node.children[child] ? operand(at, child) : Numbers{};
  }

  Numbers new_arrays_like(const Numbers& arrays) {
    Numbers results;
    for (ArrayId a : arrays)
      results.push_back(program_.new_array(core::ArrayType(program_.array_types[a])));
    return results;
  }

  // Targets and a source for each loop. A loop makes as many writes as its source
  // has leaves for each leaf of the defaults.
  Numbers permute(const At& at) {
    core::Permute op{function(at), operand(at, 0)[0], {}, static_cast<PermuteMode>(at.node.number)};
    const std::size_t leaves = program_.array_types[op.defaults].leaves.size();
    for (std::size_t child = 1; child < at.node.children.size(); child += 2) {
      core::PermuteLoop loop{operand(at, child)[0], operand(at, child + 1)[0]};
      loop.writes =
          static_cast<std::uint32_t>(program_.array_types[loop.source].leaves.size() / leaves);
      op.loops.push_back(loop);
    }
    return bind(at, std::move(op));
  }

  Numbers compact(const At& at) {
    const core::Compact op{operand(at, 0)[0], operand(at, 1)[0]};
    if (at.node.number == 1) return bind(at, op);
    const Numbers results = new_arrays_like({op.source, op.source});
    return bind(at, results, op);
  }

  Numbers sort(const At& at) {
    const auto wanted = static_cast<SortResults>(at.node.number);
    if (wanted == SortResults::first)
      return bind(at, core::SortPositions{operand(at, 0)[0], {}, false, operand(at, 1)[0]});
    const core::SortPositions op{operand(at, 0)[0], operands(at, 1, at.node.children.size()),
                                 wanted == SortResults::run_starts};
    if (op.carried.empty()) return bind(at, op);
    Numbers results{program_.new_array({at.node.rank, at.node.type->leaves})};
    for (const ArrayId each : new_arrays_like(op.carried)) results.push_back(each);
    return bind(at, results, op);
  }

  Numbers array_if(const At& at) {
    const std::size_t count = at.node.number;
    const Value condition = operand(at, 0)[0];
    Numbers then_ = operands(at, 1, 1 + count);
    Numbers else_ = operands(at, 1 + count, 1 + 2 * count);
    const Numbers results = new_arrays_like(then_);
    return bind(at, results,
                core::ArrayIf{condition, close_block(at.instance.first, std::move(then_)),
                              close_block(at.instance.second, std::move(else_))});
  }

  Numbers array_while(const At& at) {
    const std::size_t count = at.node.number;
    core::ArrayWhile loop;
    loop.init = operands(at, 0, count);
    const Value condition = operand(at, count)[0];
    Numbers next = operands(at, count + 1, 2 * count + 1);
    loop.condition = close_block(at.instance.first, {});
    loop.condition.value = condition;
    loop.body = close_block(at.instance.second, std::move(next));
    const Numbers results = new_arrays_like(loop.init);
    return bind(at, results, std::move(loop));
  }

  Numbers foreign_arrays(const At& at) {
    const std::size_t args = at.node.children.size();
    core::ForeignArrays op;
    for (const auto& function : at.node.foreign->array_functions) {
      op.functions.push_back({function->target, core::interned(function->name),
                              static_cast<std::uint32_t>(program_.foreign.size())});
      program_.foreign.push_back(function);
    }
    op.args = operands(at, 0, args);
    Numbers fallback = operands(at, args, args + at.node.number);
    const Numbers results = new_arrays_like(fallback);
    op.fallback = close_block(at.instance.first, std::move(fallback));
    return bind(at, results, std::move(op));
  }

  const ItemList& list_;
  const Placement& placement_;
  core::Program program_;
  std::vector<ScopeCode> scopes_;
  std::vector<std::vector<Numbers>> results_;  // by item, by instance
};

}  // namespace

core::Program emit_program(const ItemList& list, const Placement& placement, const Traced& traced) {
  return Emitter(list, placement, traced).take();
}

}  // namespace hasten::detail::sharing
