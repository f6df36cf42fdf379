// Operations are alike if their code is, with values numbered from the operation's first one.
#include "passes/copies.hpp"

#include "core/traverse.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

using Slots = std::vector<std::uint32_t>;

// The structure of an operation without its numbers, and the numbers in order.
class Likeness {
 public:
  Likeness(const Program& program, const std::vector<std::uint32_t>& host_slots,
           const Binding& binding)
      : program_(program),
        host_slots_(host_slots) {
    hasher_.add(binding.op.index());
    for (const ArrayId a : binding.results) array(a);
    visit_operands(binding.op, [&](Value v) { use(v); }, [&](ArrayId a) { array(a); });
    if (const Region* function = region_of(binding.op)) region(*function);
    hasher_.add(slots_.size());
  }
  [[nodiscard]] support::Digest hash() const { return hasher_.finish(); }
  [[nodiscard]] Slots take_slots() { return std::move(slots_); }

 private:
  void array(ArrayId a) {
    const ArrayType& type = program_.array_types[a];
    hasher_.add(type.rank).add(type.leaves.size());
    for (const ScalarType leaf : type.leaves) hasher_.add(leaf);
  }

  void define(const std::vector<Value>& values) {
    for (const Value v : values) {
      hasher_.add(program_.value_types[v]);
      own_.emplace(v, static_cast<std::uint32_t>(own_.size()));
    }
  }

  void use(Value v) {
    if (const auto own = own_.find(v); own != own_.end())
      hasher_.add(own->second);
    else if (host_slots_[v] != none)
      number(host_slots_[v]);
    else
      hasher_.add(program_.value_types[v]).add(none);
  }

  void number(std::uint32_t slot) {
    hasher_.add(program_.literals[slot].type);
    slots_.push_back(slot);
  }

  void region(const Region& region) {
    define(region.params);
    for (const Stmt& stmt : region.body) statement(stmt);
    for (const Value v : region.results) use(v);
  }

  void statement(const Stmt& stmt) {
    hasher_.add(stmt.op.index());
    if (const auto* constant = std::get_if<Constant>(&stmt.op)) {
      if (constant->slot != none)
        number(constant->slot);
      else
        hasher_.add(constant->bits.lo).add(constant->bits.hi);
    }
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) hasher_.add(prim->op);
    visit_operands(stmt, [&](Value v) { use(v); }, [&](ArrayId a) { array(a); });
    visit_regions(stmt, [&](const Region& inner) { region(inner); });
    define(stmt.results);
  }

  const Program& program_;
  const std::vector<std::uint32_t>& host_slots_;
  support::Hasher hasher_;
  std::unordered_map<Value, std::uint32_t> own_;  // numbered in order of definition
  Slots slots_;
};

// Whether an operation's results are stored, however it is fused with its sources.
bool ends_fusion(const ArrayOp& op) {
  return !std::holds_alternative<Generate>(op) && !std::holds_alternative<Map>(op) &&
         !std::holds_alternative<ZipWith>(op) && !std::holds_alternative<Backpermute>(op) &&
         !std::holds_alternative<Reshape>(op) && !std::holds_alternative<Replicate>(op) &&
         !std::holds_alternative<Slice>(op) && !std::holds_alternative<Demand>(op);
}

// Of a long chain that becomes one kernel only the last operations are examined: its numbers may be
// constants, and there may be more of them than a kernel takes as arguments.
constexpr std::uint8_t looked_at = 4;

class Finder {
 public:
  explicit Finder(const Program& program)
      : program_(program),
        host_slots_(program.value_types.size(), none),
        distance_(program.array_types.size(), 0) {
    find_host_slots(program.body);
    block(program.body);
  }

  [[nodiscard]] Parameters differing() const {
    Parameters result{std::vector<bool>(program_.literals.size())};
    for (const auto& [hash, copies] : groups_)
      if (copies.size() > copies_most && are_many(copies)) mark_differing(copies, result);
    return result;
  }

 private:
  void find_host_slots(const Block& block) {
    for (const Binding& binding : block.bindings) {
      visit_blocks(binding.op, [&](const Block& inner) { find_host_slots(inner); });
      const auto* scalar = std::get_if<HostScalar>(&binding.op);
      const auto* constant = scalar ? std::get_if<Constant>(&scalar->stmt.op) : nullptr;
      if (constant) host_slots_[scalar->stmt.results[0]] = constant->slot;
    }
  }

  void block(const Block& block) {
    for (const ArrayId a : block.results) want(a, looked_at);
    for (auto binding = block.bindings.rbegin(); binding != block.bindings.rend(); ++binding) {
      visit_blocks(binding->op, [&](const Block& inner) { this->block(inner); });
      if (binding->results.empty()) continue;
      std::uint8_t left = ends_fusion(binding->op) ? looked_at : 0;
      for (const ArrayId a : binding->results) left = std::max(left, distance_[a]);
      if (left == 0) continue;
      Likeness likeness(program_, host_slots_, *binding);
      groups_[likeness.hash()].push_back(likeness.take_slots());
      const std::uint8_t next = ends_fusion(binding->op) ? looked_at : left - 1;
      visit_operands(binding->op, [](Value) {}, [&](ArrayId a) { want(a, next); });
      if (const Region* function = region_of(binding->op))
        for_each_use(*function, [](Value) {}, [&](ArrayId a) { want(a, next); });
    }
  }

  void want(ArrayId a, std::uint8_t left) { distance_[a] = std::max(distance_[a], left); }

  [[nodiscard]] const Bits& bits(std::uint32_t slot) const { return program_.literals[slot].bits; }

  [[nodiscard]] bool are_many(const std::vector<Slots>& copies) const {
    std::set<std::vector<std::uint64_t>> numbers;
    for (const Slots& slots : copies) {
      std::vector<std::uint64_t> all;
      for (const std::uint32_t slot : slots) all.insert(all.end(), {bits(slot).lo, bits(slot).hi});
      numbers.insert(std::move(all));
      if (numbers.size() > copies_most) return true;
    }
    return false;
  }

  void mark_differing(const std::vector<Slots>& copies, Parameters& result) const {
    std::map<support::Digest, std::size_t> places;  // by the numbers of all copies there
    for (std::size_t i = 0; i < copies[0].size(); ++i) {
      const auto is_first = [&](const Slots& slots) {
        return bits(slots[i]) == bits(copies[0][i]);
      };
      if (std::ranges::all_of(copies, is_first)) continue;
      const std::size_t first = places.try_emplace(numbers_at(i, copies), i).first->second;
      for (const Slots& slots : copies) {
        if (program_.literals[slots[i]].kind != LiteralKind::automatic) continue;
        result.chosen[slots[i]] = true;
        const auto [earlier, later] = std::minmax(slots[first], slots[i]);
        if (result.chosen[earlier] && result.chosen[later]) result.same_as[later] = earlier;
      }
    }
  }

  [[nodiscard]] support::Digest numbers_at(std::size_t i, const std::vector<Slots>& copies) const {
    support::Hasher hasher;
    hasher.add(program_.literals[copies[0][i]].type);
    for (const Slots& slots : copies) hasher.add(bits(slots[i]).lo).add(bits(slots[i]).hi);
    return hasher.finish();
  }

  const Program& program_;
  std::vector<std::uint32_t> host_slots_;  // by Value: of literals at array level
  std::vector<std::uint8_t> distance_;     // by array: how far before it operations are looked at
  std::unordered_map<support::Digest, std::vector<Slots>, support::DigestHash> groups_;
};

}  // namespace

Parameters numbers_of_copies(const Program& program) {
  if (program.literals.size() <= copies_most)
    return Parameters(std::vector<bool>(program.literals.size()));
  return Finder(program).differing();
}

}  // namespace hasten::passes
