// List scheduling with two classes: bindings that other devices wait for, and those that cost
// nothing, are scheduled as early as possible; all other work keeps its order.
#include "passes/fission/order.hpp"

#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace hasten::passes::fission {

using namespace core;

namespace {

class Orderer {
 public:
  explicit Orderer(const Program& program)
      : of_array_(program.array_types.size(), nowhere),
        of_value_(program.value_types.size(), nowhere) {}

  void order(Block& block) {
    for (Binding& binding : block.bindings)
      edit_blocks(binding.op, [&](Block& inner) { order(inner); });
    find_definitions(block);
    find_edges(block);
    block.bindings = scheduled(block);
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  using Numbers = std::vector<std::size_t>;

  void find_definitions(const Block& block) {
    for (std::size_t i = 0; i < block.bindings.size(); ++i) set(block.bindings[i], i);
  }
  void set(const Binding& binding, std::size_t number) {
    for (const ArrayId a : binding.results) of_array_[a] = number;
    if (const auto* scalar = std::get_if<HostScalar>(&binding.op))
      for (const Value v : scalar->stmt.results) of_value_[v] = number;
  }

  // Finds the readers of each binding, and whether one of them is on another device.
  void find_edges(const Block& block) {
    const std::size_t size = block.bindings.size();
    readers_.assign(size, {});
    waits_for_.assign(size, 0);
    is_sent_.assign(size, false);
    for (std::size_t i = size; i-- > 0;) {
      const Binding& binding = block.bindings[i];
      const auto uses = [&](std::size_t from) {
        if (from == nowhere || from == i) return;
        readers_[from].push_back(i);
        ++waits_for_[i];
        const std::uint32_t device = block.bindings[from].device;
        const bool moves = binding.device != none && binding.device != device;
        if (moves || (is_moved(binding) && is_sent_[i])) is_sent_[from] = true;
      };
      for_each_use(
          binding, [&](Value v) { uses(of_value_[v]); }, [&](ArrayId a) { uses(of_array_[a]); });
    }
  }

  // Joins and combinations of results of devices count as reads by other devices.
  static bool is_moved(const Binding& binding) {
    return binding.device == none && is_one_of<Concat, ZipWith, Rows, Reshape>(binding.op);
  }

  [[nodiscard]] bool is_early(const Block& block, std::size_t i) const {
    const Binding& binding = block.bindings[i];
    if (const auto* scalar = std::get_if<HostScalar>(&binding.op)) return !reads(scalar->stmt);
    if (is_one_of<Rows, Unit>(binding.op)) return true;
    const auto* concat = std::get_if<Concat>(&binding.op);
    return is_sent_[i] || (concat && concat->joins);
  }

  // The host waits for what it reads.
  static bool reads(const Stmt& stmt) {
    bool found = std::holds_alternative<Load>(stmt.op);
    visit_regions(stmt, [&](const Region& region) {
      for (const Stmt& inner : region.body) found |= reads(inner);
    });
    return found;
  }

  std::vector<Binding> scheduled(Block& block) {
    using Queue = std::priority_queue<std::size_t, Numbers, std::greater<>>;
    Queue early, others;
    const auto add = [&](std::size_t i) { (is_early(block, i) ? early : others).push(i); };
    for (std::size_t i = 0; i < block.bindings.size(); ++i)
      if (waits_for_[i] == 0) add(i);
    std::vector<std::size_t> order;
    while (!early.empty() || !others.empty()) {
      Queue& from = early.empty() ? others : early;
      order.push_back(from.top());
      from.pop();
      for (const std::size_t reader : readers_[order.back()])
        if (--waits_for_[reader] == 0) add(reader);
    }
    std::vector<Binding> result;
    for (const std::size_t i : order) result.push_back(std::move(block.bindings[i]));
    for (const Binding& binding : result) set(binding, nowhere);
    return result;
  }

  Numbers of_array_, of_value_;  // the binding of the current block that defines it
  std::vector<Numbers> readers_;
  std::vector<std::size_t> waits_for_;
  std::vector<bool> is_sent_;
};

}  // namespace

Program told_early(Program program) {
  Orderer(program).order(program.body);
  return program;
}

}  // namespace hasten::passes::fission
