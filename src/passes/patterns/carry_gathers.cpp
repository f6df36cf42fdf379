// Visits sorts in the order of the program, and for each the later reads in its block.
#include "passes/patterns/carry_gathers.hpp"

#include "core/traverse.hpp"
#include "passes/dead_code.hpp"
#include "passes/shapes.hpp"
#include "passes/walk.hpp"
#include "passes/writing.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hasten::passes {

using namespace core;

namespace {

class Carrier {
 public:
  Carrier(Program program, bool carries_all)
      : program_(std::move(program)),
        carries_all_(carries_all),
        shapes_(program_),
        is_there_(program_.array_types.size()) {}

  Program take() {
    walk(program_.body);
    return carries_ ? remove_dead_code(std::move(program_)) : std::move(program_);
  }

 private:
  using Bindings = std::span<Binding>;

  void walk(Block& block) {
    for (const ArrayId a : block.params) is_there_[a] = true;
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      edit_blocks(block.bindings[i].op, [&](Block& inner) { walk(inner); });
      const auto* const sort = std::get_if<SortPositions>(&block.bindings[i].op);
      if (sort && may_carry(*sort)) {
        std::vector<Binding> gathers =
            carry(block.bindings[i], Bindings(block.bindings).subspan(i + 1));
        const auto behind = block.bindings.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        block.bindings.insert(behind, std::make_move_iterator(gathers.begin()),
                              std::make_move_iterator(gathers.end()));
      }
      for (const ArrayId a : block.bindings[i].results)
        if (a < is_there_.size()) is_there_[a] = true;
    }
    std::erase_if(block.bindings, [](const Binding& binding) {
      return binding.results.empty() && !std::holds_alternative<HostScalar>(binding.op);
    });
  }

  [[nodiscard]] bool may_carry(const SortPositions& sort) const {
    return !sort.at_heads && program_.array_types[sort.source].rank == 1 &&
           (carries_all_ || sort.first == none);
  }

  // Arrays that are read at positions get a number when the first such read is met. A sort for its
  // first positions carries nothing itself: the bindings returned follow it.
  std::vector<Binding> carry(Binding& sort, Bindings behind) {
    sort_ = &sort;
    places_.clear();
    sorted_.clear();
    orders_ = {sort.results[0]};
    for (Binding& binding : behind) note_order(binding);
    for (Binding& binding : behind) note_places(binding);
    if (places_.empty()) return {};
    const bool is_for_first = std::get<SortPositions>(sort.op).first != none;
    for (Binding& binding : behind)
      if (const auto gathered = is_for_first ? std::nullopt : gathered_by(binding);
          gathered && !sorted_.contains(*gathered)) {
        sorted_[*gathered] = binding.results[0];
        binding.results.clear();
      }
    for (Binding& binding : behind)
      if (!binding.results.empty()) edit(binding);
    if (sorted_.empty()) return {};
    carries_ = true;
    for (Binding& binding : behind) ask_keys_for_extents(binding);
    if (is_for_first) return gathers();
    auto& carried = std::get<SortPositions>(sort.op).carried;
    for (const auto& [array, result] : sorted_) {
      carried.push_back(array);
      sort.results.push_back(result);
    }
    return {};
  }

  // Each vector at the first positions, for Rewriter::cut_gather_of_first to know. Others are no
  // numbers of elements.
  std::vector<Binding> gathers() {
    std::vector<Binding> made;
    BlockWriter block(program_, *sort_, made);
    const ArrayId order = sort_->results[0];
    const Value all = block.host(ScalarType::i64, Extent{order, 0});
    const Value first = std::get<SortPositions>(sort_->op).first;
    const Value extent = block.host(ScalarOp::min, first, all);
    for (const auto& [array, result] : sorted_) {
      RegionWriter code(program_);
      const Value index = code.parameter(ScalarType::i64);
      std::vector<Value> element = code.load(array, code.load(order, {index}));
      block.give(result, Generate{{extent}, code.take(std::move(element))});
    }
    return made;
  }

  // A prefix of the positions is an array of positions, too.
  void note_order(const Binding& binding) {
    const auto* const first = std::get_if<Backpermute>(&binding.op);
    if (first && first->source == sort_->results[0] && contains(first->inside, 0) &&
        first->fn.params.size() == 1 && first->fn.results == first->fn.params)
      orders_.insert(binding.results[0]);
  }

  void for_each_function(Binding& binding, FunctionRef<void(Region&)> f) {
    if (Region* const fn = region_of(binding.op)) for_each_region(*fn, f);
    edit_blocks(binding.op, [&](Block& inner) {
      for (Binding& each : inner.bindings) for_each_function(each, f);
    });
  }

  // There are as many positions as keys, so this extent does not need the sort.
  void ask_keys_for_extents(Binding& binding) {
    const ArrayId keys = std::get<SortPositions>(sort_->op).source;
    const auto edit = [&](Stmt& stmt) {
      auto* const extent = std::get_if<Extent>(&stmt.op);
      if (extent && extent->array == sort_->results[0]) extent->array = keys;
    };
    if (auto* const scalar = std::get_if<HostScalar>(&binding.op)) edit(scalar->stmt);
    if (Region* const fn = region_of(binding.op))
      for_each_region(*fn, [&](Region& region) {
        for (Stmt& stmt : region.body) edit(stmt);
      });
    edit_blocks(binding.op, [&](Block& inner) {
      for (Binding& each : inner.bindings) ask_keys_for_extents(each);
    });
  }

  void note_places(Binding& binding) {
    for_each_function(binding, [&](Region& region) {
      for (const Stmt& stmt : region.body)
        if (const auto* load = std::get_if<Load>(&stmt.op))
          if (orders_.contains(load->array) && load->leaf == 0 && contains(load->inside, 0))
            places_.emplace(stmt.results[0], *load);
    });
  }

  // The place at which the sort's positions were read, if a read is of a vector there.
  [[nodiscard]] const Load* place_of(const Load& load) const {
    if (load.index.size() != 1) return nullptr;
    const auto found = places_.find(load.index[0]);
    return found != places_.end() && can_carry(load.array) ? &found->second : nullptr;
  }

  [[nodiscard]] bool can_carry(ArrayId array) const {
    if (array >= is_there_.size() || !is_there_[array]) return false;
    const auto& sort = std::get<SortPositions>(sort_->op);
    return program_.array_types[array].rank == 1 &&
           is_no_shorter(shapes_.of(array)[0], shapes_.of(sort.source)[0], 8);
  }
  [[nodiscard]] bool is_no_shorter(Symbol longer, Symbol shorter, int depth) const {
    const ArrayId at = sort_->results[0];
    if (shapes_.known(longer, at) == shapes_.known(shorter, at)) return true;
    const Shapes::Expression* const made = shapes_.expression(shorter);
    return made && made->op == ScalarOp::min && depth > 0 &&
           (is_no_shorter(longer, made->a, depth - 1) || is_no_shorter(longer, made->b, depth - 1));
  }

  // The array whose elements the binding puts in order, if it does nothing else.
  [[nodiscard]] std::optional<ArrayId> gathered_by(const Binding& binding) const {
    const auto* const generate = std::get_if<Generate>(&binding.op);
    if (!generate || program_.array_types[binding.results[0]].rank != 1) return std::nullopt;
    const ArrayId order = sort_->results[0];
    if (shapes_.known(shapes_.of(binding.results[0])[0], order) !=
        shapes_.known(shapes_.of(order)[0], order))
      return std::nullopt;
    std::unordered_map<Value, const Load*> loads;
    for (const Stmt& stmt : generate->fn.body)
      if (const auto* load = std::get_if<Load>(&stmt.op)) loads[stmt.results[0]] = load;
    ArrayId array = none;
    for (std::uint32_t leaf = 0; leaf < generate->fn.results.size(); ++leaf) {
      const auto found = loads.find(generate->fn.results[leaf]);
      const Load* const place = found == loads.end() ? nullptr : place_of(*found->second);
      if (!place || place->index[0] != generate->fn.params[0]) return std::nullopt;
      if (array == none) array = found->second->array;
      if (found->second->array != array || found->second->leaf != leaf) return std::nullopt;
    }
    const bool is_all = program_.array_types[array].leaves.size() == generate->fn.results.size();
    return is_all ? std::optional(array) : std::nullopt;
  }

  void edit(Binding& binding) {
    for_each_function(binding, [&](Region& region) {
      for (Stmt& stmt : region.body) {
        auto* const load = std::get_if<Load>(&stmt.op);
        const Load* const place = load ? place_of(*load) : nullptr;
        if (!place) continue;
        if (!carries_all_ && !sorted_.contains(load->array)) continue;
        const auto [found, is_new] = sorted_.emplace(load->array, none);
        if (is_new)
          found->second = program_.new_array(ArrayType(program_.array_types[load->array]));
        load->array = found->second;
        load->index = place->index;
        load->inside = place->inside;
        load->some = place->some;
      }
    });
  }

  Program program_;
  bool carries_all_;
  const Shapes shapes_;
  std::vector<bool> is_there_;  // by ArrayId, at the current place of the walk
  bool carries_ = false;
  const Binding* sort_ = nullptr;
  std::set<ArrayId> orders_;                // arrays of positions
  std::unordered_map<Value, Load> places_;  // reads of them
  std::map<ArrayId, ArrayId> sorted_;       // what the sort makes of what it carries
};

}  // namespace

Program carry_gathers(Program program) { return Carrier(std::move(program), false).take(); }
Program carry_all_gathers(Program program) { return Carrier(std::move(program), true).take(); }

}  // namespace hasten::passes
