// A walk from each part's bindings to their operands. Numbers come as early as they can: the places
// of results, above all, which then come home to where they stay.
#include "passes/fission/depth_first.hpp"

#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <ranges>
#include <unordered_map>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

namespace {

class BlockOrder {
 public:
  explicit BlockOrder(Block& block)
      : block_(block),
        needs_(block.bindings.size()),
        waits_for_(block.bindings.size()),
        makes_(block.bindings.size()),
        needs_part_(block.bindings.size()),
        is_placed_(block.bindings.size()) {
    for (std::size_t i = 0; i < block.bindings.size(); ++i) survey(i);
  }

  void reorder(const std::vector<std::size_t>& order) {
    for (std::size_t i = 0; i < needs_.size(); ++i)
      if (!needs_part_[i]) place(i);
    for (const std::size_t part : order)
      for (std::size_t i = 0; i < needs_.size(); ++i)
        if (block_.bindings[i].device == part) place(i);
    for (std::size_t i = 0; i < needs_.size(); ++i) place(i);
    std::vector<Binding> bindings;
    for (const std::size_t i : placed_) bindings.push_back(std::move(block_.bindings[i]));
    block_.bindings = std::move(bindings);
  }

 private:
  void survey(std::size_t i) {
    const Binding& binding = block_.bindings[i];
    needs_part_[i] = binding.device != none;
    const auto note = [&](const auto& makers, std::uint32_t what) {
      const auto found = makers.find(what);
      if (found == makers.end()) return;
      needs_[i].push_back(found->second);
      if (needs_part_[found->second]) needs_part_[i] = true;
    };
    for_each_use(
        binding, [&](Value v) { note(of_values_, v); }, [&](ArrayId a) { note(of_arrays_, a); });
    for (const ArrayId a : binding.results) of_arrays_[a] = i;
    if (const auto* scalar = std::get_if<HostScalar>(&binding.op))
      for (const Value v : scalar->stmt.results) of_values_[v] = i;
    if (!is_early(binding)) return;
    waits_for_[i] = needs_[i].size();
    for (const std::size_t needed : needs_[i]) makes_[needed].push_back(i);
  }

  // A number that takes no device to be read: what the host joins is there.
  [[nodiscard]] bool is_early(const Binding& binding) const {
    const auto* const scalar = std::get_if<HostScalar>(&binding.op);
    if (!scalar) return false;
    const auto* const load = std::get_if<Load>(&scalar->stmt.op);
    if (!load) return is_one_of<Prim, Constant, Extent>(scalar->stmt.op);
    const auto made = of_arrays_.find(load->array);
    if (made == of_arrays_.end()) return false;
    const auto* const join = std::get_if<Concat>(&block_.bindings[made->second].op);
    return join && join->joins;
  }

  void put(std::size_t binding) {
    std::vector<std::size_t> ready{binding};
    while (!ready.empty()) {
      const std::size_t i = ready.back();
      ready.pop_back();
      if (is_placed_[i]) continue;
      is_placed_[i] = true;
      placed_.push_back(i);
      for (const std::size_t number : std::views::reverse(makes_[i]))
        if (--waits_for_[number] == 0) ready.push_back(number);
    }
  }

  // Without recursion: chains are as long as the number of parts.
  void place(std::size_t wanted) {
    std::vector<std::pair<std::size_t, std::size_t>> path{{wanted, 0}};
    while (!path.empty()) {
      auto& [i, next] = path.back();
      if (is_placed_[i]) {
        path.pop_back();
      } else if (next < needs_[i].size()) {
        const std::size_t needed = needs_[i][next++];
        if (!is_placed_[needed]) path.emplace_back(needed, 0);
      } else {
        put(i);
        path.pop_back();
      }
    }
  }

  Block& block_;
  std::vector<std::vector<std::size_t>> needs_;
  std::vector<std::size_t> waits_for_;           // of these, early numbers are without so many
  std::vector<std::vector<std::size_t>> makes_;  // early numbers that need it
  std::vector<bool> needs_part_, is_placed_;     // needs_part_: directly or indirectly
  std::vector<std::size_t> placed_;
  std::unordered_map<Value, std::size_t> of_values_;
  std::unordered_map<ArrayId, std::size_t> of_arrays_;
};

void reorder(Block& block, const std::vector<std::size_t>& order) {
  BlockOrder(block).reorder(order);
  for (Binding& binding : block.bindings)
    edit_blocks(binding.op, [&](Block& inner) { reorder(inner, order); });
}

}  // namespace

void go_depth_first(Program& program, const std::vector<std::size_t>& order) {
  reorder(program.body, order);
}

}  // namespace hasten::passes::fission
