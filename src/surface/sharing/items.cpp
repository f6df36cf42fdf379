// Walks the surface graph once, with an explicit stack, and gives every distinct term a number.
#include "surface/sharing/items.hpp"

#include "surface/sharing/spread_labels.hpp"

#include <algorithm>
#include <optional>

namespace hasten::detail::sharing {
namespace {

struct Key {
  Digest hash;
  std::uint64_t anchor;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& k) const {
    return static_cast<std::size_t>(k.hash.lo ^ (k.anchor * 0x9E3779B97F4A7C15u));
  }
};

// `context` is the binder of the array operation's function that contains a scalar term; 0 at array
// level.
struct Pending {
  const Node* node;
  std::uint64_t context;
  Place place;
};

struct Frame {
  const Node* node;
  Key key;
  std::vector<Pending> pending;
  std::vector<Operand> operands;
};

// Whether its functions are scalar code, each with a context of its own: true for all array
// operations except those on whole arrays.
bool has_scalar_functions(const Node& node) {
  return node.is_array && node.kind != NodeKind::array_while &&
         node.kind != NodeKind::foreign_arrays;
}

class Collector {
 public:
  explicit Collector(const Function& program) : attributes_(program.results) {
    for (const Term& result : program.results)
      list_.results.push_back(collect({result.node(), 0, Place::here}));
    spread_labels(list_);
  }
  ItemList take() { return std::move(list_); }

 private:
  // The numbers of all items reachable from `root` are assigned, operands first.
  ItemId collect(Pending root) {
    std::vector<Frame> stack;
    if (auto known = find(root)) return called(*known, *root.node);
    stack.push_back(open(root));
    while (true) {
      Frame& top = stack.back();
      if (top.operands.size() < top.pending.size()) {
        const Pending next = top.pending[top.operands.size()];
        if (auto known = find(next))
          top.operands.push_back({called(*known, *next.node), next.place});
        else
          stack.push_back(open(next));  // top is dead from here
        continue;
      }
      const ItemId id = close(std::move(top));
      stack.pop_back();
      if (stack.empty()) return id;
      Frame& user = stack.back();
      user.operands.push_back({id, user.pending[user.operands.size()].place});
    }
  }

  Key key_of(const Pending& p) const {
    const Node& node = *p.node;
    const bool closed = !node.free || node.free->empty();
    const std::uint64_t innermost = closed ? 0 : node.free->back().id;
    if (node.is_array || p.context == 0) return {node.identity, innermost};
    const auto is_scalar = [](const FreeBinder& binder) { return binder.scalar; };
    if (!closed && std::ranges::any_of(*node.free, is_scalar)) return {node.identity, innermost};
    const Attributes& a = attributes_[p.node];
    const bool may_leave = a.total && !a.reads_array && !a.literal_only;
    return {node.identity, may_leave ? innermost : p.context};
  }

  std::optional<ItemId> find(const Pending& p) const {
    auto it = numbers_.find(key_of(p));
    if (it == numbers_.end()) return std::nullopt;
    return it->second;
  }

  // Equal arrays are one, with the first label that one of them has.
  ItemId called(ItemId known, const Node& node) {
    const char*& label = list_.items[known].label;
    if (!*label) label = node.label;
    return known;
  }

  Frame open(const Pending& p) const {
    Frame frame{p.node, key_of(p), {}, {}};
    const Node& node = *p.node;
    const bool lazy = node.kind == NodeKind::conditional && attributes_.is_lazy(node);
    const std::size_t branch_size = node.number;  // array_if
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (!node.children[i]) continue;
      Place place = Place::here;
      if (lazy && i > 0) place = i == 1 ? Place::first : Place::second;
      if (node.kind == NodeKind::array_if && i > 0)
        place = i <= branch_size ? Place::first : Place::second;
      push(frame, node.children[i], p.context, place);
    }
    for (std::size_t f = 0; f < node.functions.size(); ++f) {
      const Function& function = node.functions[f];
      const std::uint64_t context = has_scalar_functions(node) ? function.binder : p.context;
      for (const Term& result : function.results)
        push(frame, result, context, f == 0 ? Place::first : Place::second);
    }
    return frame;
  }

  static void push(Frame& frame, const Term& operand, std::uint64_t context, Place place) {
    const Node* node = operand.node();
    frame.pending.push_back({node, node->is_array ? 0 : context, place});
  }

  ItemId close(Frame frame) {
    const auto id = static_cast<ItemId>(list_.items.size());
    const bool lazy = frame.node->kind == NodeKind::conditional && attributes_.is_lazy(*frame.node);
    list_.items.push_back(
        {frame.node, attributes_[frame.node], lazy, std::move(frame.operands), frame.node->label});
    numbers_.emplace(frame.key, id);
    return id;
  }

  AttributeTable attributes_;
  ItemList list_;
  std::unordered_map<Key, ItemId, KeyHash> numbers_;
};

}  // namespace

ItemList collect_items(const Function& program) { return Collector(program).take(); }

}  // namespace hasten::detail::sharing
