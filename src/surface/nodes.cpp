// The lifetime of a node: hash and free binders at creation, release without recursion.
#include "support/hash.hpp"
#include "surface/make.hpp"

#include <algorithm>

namespace hasten::detail {
namespace {

// Nodes to be deleted on this thread; trivial, so that it outlives other thread-locals.
thread_local Node* dead_list = nullptr;
thread_local bool is_draining = false;

support::Hasher& operator<<(support::Hasher& hasher, const Digest& hash) {
  return hasher.add(hash);
}
support::Hasher& operator<<(support::Hasher& hasher, const void* pointer) {
  return hasher.add(reinterpret_cast<std::uintptr_t>(pointer));
}

bool may_change(const Node& node) {
  return node.kind == NodeKind::constant && node.mode == LiteralMode::automatic;
}

using Name = Digest Node::*;  // hash or identity

// Parameters count by the level of their binder, so that a function traced twice hashes alike.
Digest hash_of(const Node& node, Name name) {
  support::Hasher hasher;
  hasher.add(node.kind).add(node.op).add(node.mode).add(node.number).add(node.rank);
  hasher.add(node.bits.lo).add(node.bits.hi) << node.type << node.host.get();
  if (name == &Node::identity && may_change(node)) hasher << static_cast<const void*>(&node);
  if (node.kind == NodeKind::demand) hasher.add(node.message);
  if (node.foreign) {
    for (const ForeignFunction* f : node.foreign->functions) hasher << f;
    for (const auto& f : node.foreign->array_functions) {
      if (f->identity)
        hasher.add(f->target).add(f->name) << f->identity;
      else
        hasher << f.get();
    }
  }
  if (node.kind == NodeKind::param) hasher.add(node.free->back().level);
  for (const Term& child : node.children) {
    hasher.add(child ? 1 : 0);
    if (child) hasher << child.node()->*name;
  }
  for (const Function& function : node.functions) {
    hasher.add(function.level);
    for (const Term& param : function.params) hasher << param.node()->*name;
    hasher.add(function.results.size());
    for (const Term& result : function.results) hasher << result.node()->*name;
  }
  return hasher.finish();
}

// Whether it has operands whose identity differs from their hash.
bool has_changing_operands(const Node& node) {
  const auto changes = [](const Term& term) {
    return term && term.node()->identity != term.node()->hash;
  };
  if (std::ranges::any_of(node.children, changes)) return true;
  return std::ranges::any_of(node.functions, [&](const Function& function) {
    return std::ranges::any_of(function.results, changes);
  });
}

bool contains(const FreeBinders& set, std::uint64_t id) {
  return set && std::any_of(set->begin(), set->end(), [&](const auto& b) { return b.id == id; });
}

bool is_subset(const FreeBinders& small, const FreeBinders& large) {
  return std::all_of(small->begin(), small->end(),
                     [&](const FreeBinder& b) { return contains(large, b.id); });
}

FreeBinders united(const FreeBinders& a, const FreeBinders& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (is_subset(b, a)) return a;
  if (is_subset(a, b)) return b;
  auto all = std::make_shared<std::vector<FreeBinder>>(*a);
  for (const FreeBinder& binder : *b)
    if (!contains(a, binder.id)) all->push_back(binder);
  std::sort(all->begin(), all->end(), [](const FreeBinder& x, const FreeBinder& y) {
    return x.level != y.level ? x.level < y.level : x.id < y.id;
  });
  return all;
}

FreeBinders without(const FreeBinders& set, std::uint64_t id) {
  if (!contains(set, id)) return set;
  if (set->size() == 1) return nullptr;
  auto rest = std::make_shared<std::vector<FreeBinder>>(*set);
  std::erase_if(*rest, [&](const FreeBinder& b) { return b.id == id; });
  return rest;
}

FreeBinders free_binders_of(const Node& node) {
  FreeBinders all;
  for (const Term& child : node.children)
    if (child) all = united(all, child.node()->free);
  for (const Function& function : node.functions)
    for (const Term& result : function.results)
      all = united(all, without(result.node()->free, function.binder));
  return all;
}

}  // namespace

std::unique_ptr<Node> new_node(NodeKind kind, Type type) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->type = type;
  return node;
}

Term finish(std::unique_ptr<Node> node) {
  if (node->kind != NodeKind::param) node->free = free_binders_of(*node);
  node->hash = node->identity = hash_of(*node, &Node::hash);
  if (may_change(*node) || has_changing_operands(*node))
    node->identity = hash_of(*node, &Node::identity);
  return Term(node.release());
}

void retain(Node* node) noexcept { node->references.fetch_add(1, std::memory_order_relaxed); }

void release(Node* node) noexcept {
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  node->next_dead = dead_list;
  dead_list = node;
  if (is_draining) return;
  // Deleting a node releases its operands, which only queue up behind it.
  is_draining = true;
  while (Node* dead = dead_list) {
    dead_list = dead->next_dead;
    delete dead;
  }
  is_draining = false;
}

Type type_of(const Term& term) { return term.node()->type; }
unsigned rank_of(const Term& term) { return term.node()->rank; }

}  // namespace hasten::detail
