// Conditionals. A chain, in which each is a branch of the next, would nest as deep as it is long;
// so after every nest_max links the chain is cut:
//
//   select(c1, a1, ... select(cn, an, rest))
//     = select(found, value, rest)
//       where (found, value) = select(c1, (true, a1), ... select(cn, (true, an), (false, 0)))
//
// The same conditions and branches are evaluated as before, and the nest of a chain of length N is
// only nest_max + N / nest_max deep.
#include "surface/make.hpp"

#include <hasten/detail/terms/scalar.hpp>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <array>

namespace hasten::detail {
namespace {

constexpr std::uint32_t nest_max = 100;

Term made(const Term& condition, const Term& then_, const Term& else_, std::uint32_t nest) {
  auto node = new_node(NodeKind::conditional, type_of(then_));
  node->children = {condition, then_, else_};
  node->nest = nest;
  return finish(std::move(node));
}

std::uint32_t nest_of(const Term& term) { return term.node()->nest; }

Term zero_of(Type type) {
  if (type->is_leaf) return constant(type->leaf, {}, LiteralMode::baked);
  std::vector<Term> members;
  for (const Type member : type->members) members.push_back(zero_of(member));
  return detail::make_tuple(type, members);
}

/// Whether the chain continues in the first of two branches: the last link precedes the cut.
bool goes_on(const Term& first, const Term& second) {
  if (nest_of(first) != nest_of(second)) return nest_of(first) > nest_of(second);
  return first.node()->kind == NodeKind::conditional;
}

/// One conditional of a chain: the child in which the chain continues.
struct Link {
  const Node* node;
  std::size_t next;
};

Term cut(const Term& chain) {
  std::vector<Link> links;
  Term rest = chain;
  while (nest_of(rest) > 0) {
    const Node& node = *rest.node();
    const std::size_t next = goes_on(node.children[1], node.children[2]) ? 1 : 2;
    links.push_back({&node, next});
    rest = Term(node.children[next]);
  }
  const std::array<Type, 2> types{leaf_type(ScalarType::boolean), type_of(chain)};
  const Type answer = tuple_type(types);
  const auto pair = [&](bool found, const Term& value) {
    const std::array<Term, 2> members{
        constant(ScalarType::boolean, {found ? 1U : 0U, 0}, LiteralMode::baked), value};
    return detail::make_tuple(answer, members);
  };
  Term result = pair(false, zero_of(type_of(chain)));
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    std::array<Term, 3> children{link->node->children[0], result, result};
    const std::size_t other = 3 - link->next;
    children[other] = pair(true, link->node->children[other]);
    result = made(children[0], children[1], children[2], 0);
  }
  return made(project(result, 0), project(result, 1), rest, 0);
}

}  // namespace

Term conditional(const Term& condition, const Term& then_, const Term& else_) {
  if (type_of(then_) != type_of(else_))
    throw InternalError("building a scalar term: branches of different types");
  const std::uint32_t nest = 1 + std::max(nest_of(then_), nest_of(else_));
  const Term chain = made(condition, then_, else_, nest);
  return nest < nest_max ? chain : cut(chain);
}

}  // namespace hasten::detail
