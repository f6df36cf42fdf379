// Interned element types: equal types are the same pointer, for the life of the process.
#include "surface/node.hpp"

#include <array>
#include <map>
#include <mutex>

namespace hasten::detail {
namespace {

std::array<ElementType, scalar_type_count> make_leaves() {
  std::array<ElementType, scalar_type_count> leaves;
  for (std::size_t i = 0; i < scalar_type_count; ++i) {
    const auto leaf = static_cast<ScalarType>(i);
    leaves[i] = {true, leaf, {}, {leaf}, name_of(leaf)};
  }
  return leaves;
}

ElementType make_tuple_type(const std::vector<Type>& members) {
  ElementType type{false, ScalarType::boolean, members, {}, "("};
  for (Type member : members) {
    if (type.name.size() > 1) type.name += ", ";
    type.name += member->name;
    type.leaves.insert(type.leaves.end(), member->leaves.begin(), member->leaves.end());
  }
  type.name += ")";
  return type;
}

}  // namespace

Type leaf_type(ScalarType leaf) {
  static const auto& leaves = *new std::array(make_leaves());
  return &leaves[static_cast<std::size_t>(leaf)];
}

Type tuple_type(std::span<const Type> members) {
  // Never destroyed: terms in static storage may outlive any static table.
  static std::mutex& mutex = *new std::mutex;
  static auto& table = *new std::map<std::vector<Type>, std::unique_ptr<ElementType>>;
  std::vector<Type> key(members.begin(), members.end());
  const std::lock_guard lock(mutex);
  auto& entry = table[key];
  if (!entry) entry = std::make_unique<ElementType>(make_tuple_type(key));
  return entry.get();
}

}  // namespace hasten::detail
