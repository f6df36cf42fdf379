// Producers are found by number; the block's own number marks entries left by other blocks.
#include "passes/fusion/block_graph.hpp"

#include "core/traverse.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace hasten::passes::fusion {

using namespace core;

BlockGraph::BlockGraph(const Program& program)
    : arrays_(program.array_types.size()),
      values_(program.value_types.size()) {}

void BlockGraph::enter(const Block& block) {
  ++block_;
  needs_.assign(block.bindings.size(), {});
  for (std::uint32_t i = 0; i < needs_.size(); ++i) {
    const Binding& binding = block.bindings[i];
    std::vector<std::uint32_t>& needs = needs_[i];
    const auto need = [&](std::uint32_t maker) {
      if (maker != none && maker != i) needs.push_back(maker);
    };
    for_each_use(
        binding, [&](Value v) { need(of(values_[v])); }, [&](ArrayId a) { need(of(arrays_[a])); });
    std::ranges::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    for (const ArrayId a : binding.results) arrays_[a] = {block_, i};
    if (const auto* scalar = std::get_if<HostScalar>(&binding.op))
      for (const Value v : scalar->stmt.results) values_[v] = {block_, i};
  }
}

namespace {

// A graph of bindings in which a group is one node: the number of its last member.
class Ordering {
 public:
  Ordering(const BlockGraph& graph, std::span<const std::uint32_t> groups)
      : graph_(graph),
        node_(graph.size()),
        members_(graph.size()),
        followers_(graph.size()),
        open_(graph.size()) {
    std::unordered_map<std::uint32_t, std::uint32_t> last;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      if (groups[i] != none) last[groups[i]] = i;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      node_[i] = groups[i] == none ? i : last[groups[i]];
      members_[node_[i]].push_back(i);
    }
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      for (const std::uint32_t needed : graph.needs(i)) {
        if (node_[needed] == node_[i]) continue;
        followers_[node_[needed]].push_back(node_[i]);
        ++open_[node_[i]];
      }
  }

  std::vector<std::uint32_t> run() {
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < graph_.size(); ++i)
      if (node_[i] == i && open_[i] == 0) ready.push(i);
    std::vector<std::uint32_t> order;
    while (!ready.empty()) {
      const std::uint32_t node = ready.top();
      ready.pop();
      order.insert(order.end(), members_[node].begin(), members_[node].end());
      for (const std::uint32_t follower : followers_[node])
        if (--open_[follower] == 0) ready.push(follower);
    }
    if (order.size() != graph_.size()) throw InternalError("fusion: a group needs itself");
    return order;
  }

 private:
  const BlockGraph& graph_;
  std::vector<std::uint32_t> node_;                    // by binding
  std::vector<std::vector<std::uint32_t>> members_;    // by node
  std::vector<std::vector<std::uint32_t>> followers_;  // by node, with repetitions
  std::vector<std::uint32_t> open_;                    // by node: needs not yet placed
};

}  // namespace

std::vector<std::uint32_t> order_of(const BlockGraph& graph,
                                    std::span<const std::uint32_t> groups) {
  return Ordering(graph, groups).run();
}

}  // namespace hasten::passes::fusion
