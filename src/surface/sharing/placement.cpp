// Walks from users to operands, so that all uses of an item are known before it is placed.
#include "surface/sharing/placement.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <map>

namespace hasten::detail::sharing {
namespace {

constexpr std::uint32_t depth_max = 1000;

bool depends_on(const Node& node, std::uint64_t binder) {
  if (!node.free) return false;
  return std::any_of(node.free->begin(), node.free->end(),
                     [&](const FreeBinder& b) { return b.id == binder; });
}

class Placer {
 public:
  Placer(const ItemList& list, const Function& program, const Where& where) : list_(list) {
    out_.scopes.push_back({no_scope, 0, ScopeKind::program, &program});
    out_.instances.resize(list.items.size());
    out_.wheres.assign(list.items.size(), where);
    uses_.resize(list.items.size());
    for (ItemId result : list.results) uses_[result].push_back(0);
    for (std::size_t i = list.items.size(); i-- > 0;) place(static_cast<ItemId>(i));
  }
  Placement take() { return std::move(out_); }

 private:
  void place(ItemId id) {
    const Item& item = list_.items[id];
    if (item.node->kind == NodeKind::param) return;
    std::vector<ScopeId> uses = std::move(uses_[id]);
    for (ScopeId& use : uses) use = lifted(item, use);
    if (item.attributes.total)
      uses = one_per_function(*item.node, uses);
    else
      keep_certain(uses);
    // Operators on arrays have no location of their own: they take their user's.
    if (item.node->is_array && item.node->where.line() != 0) out_.wheres[id] = item.node->where;
    for (ScopeId scope : uses) instantiate(id, scope);
  }

  // The outermost scope the item may be evaluated in instead of `scope`.
  ScopeId lifted(const Item& item, ScopeId scope) const {
    if (item.node->kind == NodeKind::use) return 0;
    while (scope != 0 && may_leave(item, out_.scopes[scope])) scope = out_.scopes[scope].parent;
    return scope;
  }

  static bool may_leave(const Item& item, const ScopeNode& scope) {
    if (item.node->is_array && !is_block(scope.kind)) return true;
    if (!scope.function || depends_on(*item.node, scope.function->binder)) return false;
    const Attributes& a = item.attributes;
    switch (scope.kind) {
      case ScopeKind::while_condition:
      case ScopeKind::loop_condition:
        return item.node->is_array || !a.literal_only;  // runs at least once
      case ScopeKind::while_body:
      case ScopeKind::loop_body:
        return a.total && a.arrays_total && (item.node->is_array || !a.literal_only);
      case ScopeKind::function: return a.total && !a.reads_array && !a.literal_only;
      default: return false;
    }
  }

  // The common ancestor of the uses; one for each copy of the function whose parameters are used,
  // since a partial owner may have several.
  std::vector<ScopeId> one_per_function(const Node& node, const std::vector<ScopeId>& uses) const {
    if (!node.free || node.free->empty()) return {common_ancestor(uses)};
    std::map<ScopeId, ScopeId> result;  // by the function's scope
    for (const ScopeId use : uses) {
      ScopeId function = use;
      while (function != 0 && !binds(function, node.free->back().id))
        function = out_.scopes[function].parent;
      auto [it, is_new] = result.try_emplace(function, use);
      if (!is_new) it->second = common_ancestor(it->second, use);
    }
    std::vector<ScopeId> scopes;
    scopes.reserve(result.size());
    for (const auto& [function, scope] : result) scopes.push_back(scope);
    return scopes;
  }

  bool binds(ScopeId scope, std::uint64_t binder) const {
    const Function* function = out_.scopes[scope].function;
    return function && function->binder == binder;
  }

  ScopeId common_ancestor(const std::vector<ScopeId>& uses) const {
    ScopeId result = uses.front();
    for (ScopeId use : uses) result = common_ancestor(result, use);
    return result;
  }

  ScopeId common_ancestor(ScopeId a, ScopeId b) const {
    while (a != b) {
      if (out_.scopes[a].depth < out_.scopes[b].depth) std::swap(a, b);
      a = out_.scopes[a].parent;
    }
    return a;
  }

  // Leaves the scopes in which the item is certain to be needed: uses below another use go, and
  // uses in both branches of a condition become one before it.
  void keep_certain(std::vector<ScopeId>& uses) const {
    for (bool changed = true; changed;) {
      changed = false;
      std::sort(uses.begin(), uses.end());
      uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
      if (uses.size() == 1) return;
      const std::vector<ScopeId> all = uses;
      std::erase_if(uses, [&](ScopeId use) { return is_below_another(use, all); });
      for (std::size_t i = 0; i + 1 < uses.size(); ++i) {
        // The two scopes of one instance have neighbouring numbers.
        const ScopeNode &a = out_.scopes[uses[i]], &b = out_.scopes[uses[i + 1]];
        const bool branches = a.kind == ScopeKind::if_branch || a.kind == ScopeKind::branch;
        if (!branches || a.kind != b.kind || a.parent != b.parent) continue;
        if (uses[i + 1] != uses[i] + 1 || !is_first_[uses[i]]) continue;
        uses[i] = uses[i + 1] = a.parent;
        changed = true;
      }
    }
  }

  bool is_below_another(ScopeId use, const std::vector<ScopeId>& uses) const {
    for (ScopeId s = use; s != 0;) {
      s = out_.scopes[s].parent;
      if (std::binary_search(uses.begin(), uses.end(), s)) return true;
    }
    return false;
  }

  void instantiate(ItemId id, ScopeId scope) {
    const Item& item = list_.items[id];
    Instance instance{scope};
    open_scopes(item, instance, out_.wheres[id]);
    out_.instances[id].push_back(instance);
    for (const Operand& operand : item.operands) {
      ScopeId use = scope;
      if (operand.place == Place::first) use = instance.first;
      if (operand.place == Place::second) use = instance.second;
      uses_[operand.item].push_back(use);
      out_.wheres[operand.item] = out_.wheres[id];
    }
  }

  void open_scopes(const Item& item, Instance& instance, const Where& where) {
    const Node& node = *item.node;
    const auto open = [&](ScopeKind kind, const Function* function, bool first) {
      return open_scope(instance.scope, kind, function, first, where);
    };
    const auto function = [&](std::size_t i) { return &node.functions[i]; };
    switch (node.kind) {
      case NodeKind::conditional:
        if (!item.lazy) return;
        instance.first = open(ScopeKind::if_branch, nullptr, true);
        instance.second = open(ScopeKind::if_branch, nullptr, false);
        return;
      case NodeKind::while_loop:
        instance.first = open(ScopeKind::while_condition, function(0), true);
        instance.second = open(ScopeKind::while_body, function(1), false);
        return;
      case NodeKind::array_if:
        instance.first = open(ScopeKind::branch, nullptr, true);
        instance.second = open(ScopeKind::branch, nullptr, false);
        return;
      case NodeKind::array_while:
        instance.first = open(ScopeKind::loop_condition, function(0), true);
        instance.second = open(ScopeKind::loop_body, function(1), false);
        return;
      case NodeKind::foreign_call:
        instance.first = open(ScopeKind::fallback, function(0), true);
        return;
      case NodeKind::foreign_arrays:
        instance.first = open(ScopeKind::fallback_block, function(0), true);
        return;
      default:
        if (!node.functions.empty()) instance.first = open(ScopeKind::function, function(0), true);
    }
  }

  ScopeId open_scope(ScopeId parent, ScopeKind kind, const Function* function, bool first,
                     const Where& where) {
    const std::uint32_t depth = out_.scopes[parent].depth + 1;
    if (depth > depth_max)
      throw BuildError(
          "conditions and loops are nested more than 1000 deep; compute the inner ones first, "
          "outside the branches, make each condition a branch of the next just as it is (such "
          "chains have no limit), or use a loop",
          where);
    out_.scopes.push_back({parent, depth, kind, function});
    is_first_.resize(out_.scopes.size());
    is_first_.back() = first;
    return static_cast<ScopeId>(out_.scopes.size() - 1);
  }

  const ItemList& list_;
  Placement out_;
  std::vector<std::vector<ScopeId>> uses_;  // by item
  std::vector<bool> is_first_{false};       // by scope: the first of its instance's two
};

}  // namespace

Placement place_items(const ItemList& list, const Function& program, const Where& where) {
  return Placer(list, program, where).take();
}

}  // namespace hasten::detail::sharing
