// The binders open on this thread, and the checks that depend on them.
#include "surface/make.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <utility>

namespace hasten::detail {
namespace {

// Null while none is open. A pointer outlives the thread's other objects, because destructors of
// statics trace programs too.
thread_local std::vector<FreeBinder>* open_binders = nullptr;

std::uint64_t next_binder_id() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool is_open(std::uint64_t id) {
  return open_binders && std::any_of(open_binders->begin(), open_binders->end(),
                                     [&](const FreeBinder& b) { return b.id == id; });
}

void shut(std::uint64_t binder) {
  bool found = false;
  while (open_binders && !found) {
    found = open_binders->back().id == binder;
    open_binders->pop_back();
    if (open_binders->empty()) delete std::exchange(open_binders, nullptr);
  }
}

Term make_param(Type type, std::uint32_t number, const FreeBinders& binder) {
  auto node = new_node(NodeKind::param, type);
  node->number = number;
  node->binder = binder->back().id;
  node->free = binder;
  return finish(std::move(node));
}

Term make_array_param(const Scope::ArrayParam& param, std::uint32_t number,
                      const FreeBinders& binder) {
  auto node = new_node(NodeKind::param, param.type);
  node->number = number;
  node->binder = binder->back().id;
  node->free = binder;
  node->is_array = true;
  node->rank = param.rank;
  return finish(std::move(node));
}

FreeBinders open(Function& function, bool scalar) {
  if (!open_binders) open_binders = new std::vector<FreeBinder>;
  const FreeBinder binder{next_binder_id(), static_cast<std::uint32_t>(open_binders->size()),
                          scalar};
  open_binders->push_back(binder);
  function.binder = binder.id;
  function.level = binder.level;
  return std::make_shared<const std::vector<FreeBinder>>(1, binder);
}

}  // namespace

Scope::Scope(std::span<const Type> params) {
  const FreeBinders binder = open(function_, true);
  for (Type type : params)
    function_.params.push_back(
        make_param(type, static_cast<std::uint32_t>(function_.params.size()), binder));
}

Scope::Scope(std::span<const ArrayParam> arrays, std::span<const Type> scalars) {
  const FreeBinders binder = open(function_, false);
  for (const ArrayParam& array : arrays)
    function_.params.push_back(
        make_array_param(array, static_cast<std::uint32_t>(function_.params.size()), binder));
  for (Type type : scalars)
    function_.params.push_back(
        make_param(type, static_cast<std::uint32_t>(function_.params.size()), binder));
}

Scope::~Scope() {
  if (open_) shut(function_.binder);
}

Function Scope::close(std::vector<Term> results, const char* operation, const Where& where) {
  for (const Term& result : results) check_not_escaped(*result.node(), operation, where);
  open_ = false;
  shut(function_.binder);
  function_.results = std::move(results);
  return std::move(function_);
}

void check_not_escaped(const Node& node, const char* operation, const Where& where) {
  if (!node.free) return;
  for (const FreeBinder& binder : *node.free) {
    if (is_open(binder.id)) continue;
    throw BuildError(std::string(operation) + ": " +
                         (binder.scalar ? "a scalar" : "an array or scalar") +
                         " is used outside the function it was a parameter of; return it from "
                         "that function, or pass it through an array",
                     where);
  }
}

bool uses_scalar_parameter(const Node& node) {
  return node.free && std::ranges::any_of(*node.free, &FreeBinder::scalar);
}

void check_array_operand(const Node& node, const char* operation, const Where& where) {
  check_not_escaped(node, operation, where);
  if (!uses_scalar_parameter(node)) return;
  throw BuildError(
      std::string(operation) +
          ": nested data parallelism: this array operation is started inside a scalar function "
          "and depends on that function's arguments. Compute the array outside the function and "
          "index it, use while_loop for a sequential loop, or add an axis (replicate, generate) "
          "and fold it",
      where);
}

}  // namespace hasten::detail
