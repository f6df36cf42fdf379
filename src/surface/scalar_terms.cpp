// Builds scalar terms.
#include "surface/make.hpp"

#include "core/scalar_ops.hpp"

#include <hasten/run/error.hpp>

#include <bit>
#include <cstdint>

namespace hasten::detail {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw InternalError(std::string("building a scalar term: ") + what);
}

// Whether (t.0, t.1, ...) has all members of t, in order: then it is t.
bool is_whole(Type type, std::span<const Term> members) {
  if (members.empty()) return false;
  const Node* source = nullptr;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const Node& node = *members[i].node();
    if (node.kind != NodeKind::project || node.number != i) return false;
    if (source && source != node.children[0].node()) return false;
    source = node.children[0].node();
  }
  return source->type == type;
}

// A literal of a floating type.
bool is_two(const Term& term) {
  if (!term || term.node()->kind != NodeKind::constant) return false;
  const std::uint64_t bits = term.node()->bits.lo;
  switch (term.node()->type->leaf) {
    case ScalarType::f16:
    case ScalarType::bf16: return bits == 0x4000;
    case ScalarType::f32: return bits == std::bit_cast<std::uint32_t>(2.0F);
    case ScalarType::f64: return bits == std::bit_cast<std::uint64_t>(2.0);
    default: return false;
  }
}

}  // namespace

Term constant(ScalarType type, LiteralBits bits, LiteralMode mode) {
  auto node = new_node(NodeKind::constant, leaf_type(type));
  node->bits = bits;
  node->mode = mode;
  return finish(std::move(node));
}

Term boolean_literal(bool value) {
  return constant(ScalarType::boolean, {value ? 1U : 0U, 0}, LiteralMode::baked);
}

Term prim(ScalarOp op, ScalarType result, std::span<const Term> args) {
  require(args.size() == core::row(op).arity, "wrong number of arguments");
  if (op == ScalarOp::pow && is_two(args[1])) {  // rounds once, which no power does better
    const Term square[] = {args[0], args[0]};
    return prim(ScalarOp::mul, result, square);
  }
  auto node = new_node(NodeKind::prim, leaf_type(result));
  node->op = op;
  for (const Term& arg : args) require(arg && type_of(arg)->is_leaf, "an argument is no leaf");
  node->children.assign(args.begin(), args.end());
  return finish(std::move(node));
}

Term make_tuple(Type type, std::span<const Term> members) {
  require(!type->is_leaf && type->members.size() == members.size(), "wrong number of members");
  if (is_whole(type, members)) return members[0].node()->children[0];
  auto node = new_node(NodeKind::tuple, type);
  node->children.assign(members.begin(), members.end());
  return finish(std::move(node));
}

Term project(const Term& tuple, unsigned member) {
  const Type type = type_of(tuple);
  require(!type->is_leaf && member < type->members.size(), "no such member");
  if (tuple.node()->kind == NodeKind::tuple) return tuple.node()->children[member];
  auto node = new_node(NodeKind::project, type->members[member]);
  node->number = member;
  node->children = {tuple};
  return finish(std::move(node));
}

Term while_loop(Function condition, Function body, const Term& init) {
  require(type_of(body.results.at(0)) == type_of(init), "a loop's state changes its type");
  auto node = new_node(NodeKind::while_loop, type_of(init));
  node->children = {init};
  node->functions.push_back(std::move(condition));
  node->functions.push_back(std::move(body));
  return finish(std::move(node));
}

Term index_array(const Term& array, std::span<const Term> index) {
  return index_array(array, index, Reads::anywhere);
}

Term index_array(const Term& array, std::span<const Term> index, Reads reads) {
  require(array.node()->is_array && index.size() == rank_of(array), "wrong rank of an index");
  auto node = new_node(NodeKind::index, type_of(array));
  node->number = static_cast<std::uint32_t>(reads);
  node->children = {array};
  node->children.insert(node->children.end(), index.begin(), index.end());
  return finish(std::move(node));
}

Term index_linear(const Term& array, const Term& index) {
  auto node = new_node(NodeKind::index_linear, type_of(array));
  node->children = {array, index};
  return finish(std::move(node));
}

Term extract(const Term& array, const Term& place) {
  require(type_of(array)->members.size() >= 2, "less than two elements to choose from");
  auto node = new_node(NodeKind::extract, type_of(array)->members[0]);
  node->children = {array, place};
  return finish(std::move(node));
}

Term insert(const Term& array, const Term& place, const Term& element) {
  require(type_of(element) == type_of(array)->members.at(0), "an element of another type");
  auto node = new_node(NodeKind::insert, type_of(array));
  node->children = {array, place, element};
  return finish(std::move(node));
}

Term extent_of(const Term& array, unsigned axis) {
  require(axis < rank_of(array), "no such axis");
  auto node = new_node(NodeKind::extent, leaf_type(ScalarType::i64));
  node->number = axis;
  node->children = {array};
  return finish(std::move(node));
}

}  // namespace hasten::detail
