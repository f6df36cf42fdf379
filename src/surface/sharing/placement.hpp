// Where each item is bound: the tree of scopes, and one instance per scope that binds an item.
#pragma once

#include "core/program.hpp"
#include "surface/sharing/items.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hasten::detail::sharing {

using ScopeId = std::uint32_t;
inline constexpr ScopeId no_scope = ~ScopeId{0};

enum class ScopeKind : std::uint8_t {
  program,          // block
  branch,           // block, of array_if
  loop_condition,   // block, of array_while
  loop_body,        // block, of array_while
  fallback_block,   // block, of foreign_arrays
  function,         // region, of an array operation
  if_branch,        // region
  while_condition,  // region
  while_body,       // region
  fallback,         // region, of foreign_call
};

constexpr bool is_block(ScopeKind kind) { return kind <= ScopeKind::fallback_block; }

struct ScopeNode {
  ScopeId parent;
  std::uint32_t depth;
  ScopeKind kind;
  const Function* function;  // whose parameters it binds; null for branches
};

struct Instance {
  ScopeId scope;
  ScopeId first = no_scope, second = no_scope;  // scopes it owns
};

struct Placement {
  std::vector<ScopeNode> scopes;                 // parents before children; 0 is the program
  std::vector<std::vector<Instance>> instances;  // by item; none for parameters
  std::vector<Where> wheres;                     // by item: of the first array operation using it
};

/// Throws BuildError when scopes are nested deeper than 1,000.
Placement place_items(const ItemList& list, const Function& program, const Where& where);

}  // namespace hasten::detail::sharing
