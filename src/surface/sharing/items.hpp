// Items: the distinct terms of a program, in an order in which operands come first.
//
// Two surface nodes are one item when their structural hashes and their anchors are equal. The
// anchor is the innermost binder that the term belongs to; a closed scalar term that must not leave
// its function belongs to that function.
#pragma once

#include "surface/sharing/attributes.hpp"

#include <cstdint>
#include <vector>

namespace hasten::detail::sharing {

using ItemId = std::uint32_t;

/// Where an operand is evaluated: `here`, next to its user; or in one of the two regions or blocks
/// that belong to the user (function bodies, branches, loop conditions and bodies).
enum class Place : std::uint8_t { here, first, second };

struct Operand {
  ItemId item;
  Place place;
};

struct Item {
  const Node* node;
  Attributes attributes;
  bool lazy = false;              // conditionals
  std::vector<Operand> operands;  // children that are not null, then function results
  const char* label;              // the user's name for the array that it is part of, or ""
};

struct ItemList {
  std::vector<Item> items;      // operands before users
  std::vector<ItemId> results;  // by Function::results of the program
};

ItemList collect_items(const Function& program);

}  // namespace hasten::detail::sharing
