// Pairs come from use sites: a kernel that reads a fold at its own index, or two kernels that read
// one array at theirs. Each pair is considered once.
#include "passes/fusion/groups.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"
#include "passes/fusion/block_graph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace hasten::passes::fusion {
namespace {

using namespace core;

// Registers are few, and a kernel's code grows with each member.
constexpr std::size_t leaves_max = 16;
constexpr int size_max = 1000;
// Bindings visited in the search for one between two groups; beyond this limit one is assumed.
constexpr int steps_max = 256;

// The kinds of kernels that grouping distinguishes.
enum class Kind : std::uint8_t { other, map, fold, fold_segments, scan };

// Whether its results are accumulators, which epilogues may use.
bool accumulates(Kind kind) {
  return kind == Kind::fold || kind == Kind::fold_segments || kind == Kind::scan;
}

Kind kind_of(const Binding& binding) {
  if (binding.storage != Storage::manifest || binding.device == on_host) return Kind::other;
  if (std::holds_alternative<Fold>(binding.op)) return Kind::fold;
  if (std::holds_alternative<FoldSegments>(binding.op)) return Kind::fold_segments;
  if (std::holds_alternative<Scan>(binding.op)) return Kind::scan;
  const bool is_map = is_delayable(binding.op) && !std::holds_alternative<Reshape>(binding.op) &&
                      !std::holds_alternative<Demand>(binding.op) &&
                      !std::holds_alternative<Unit>(binding.op);
  return is_map ? Kind::map : Kind::other;
}

struct Group {
  std::vector<std::uint32_t> members;  // bindings, ascending
  std::uint32_t fold = none;           // the first of its folds, or of its scans
  std::uint32_t map = none;            // the first of its maps, whose space is that of all results
  std::uint32_t beside = none;         // the first of its maps over the space of what is folded
  bool rows_first = false;             // maps whose rows are folded before
  bool has_stages = false;             // kernels with folds inside
  std::size_t leaves = 0;
  int size = 0;
};

class Grouping {
 public:
  Grouping(Program& program, const Shapes& shapes, const std::vector<ArrayUse>& uses,
           std::uint64_t seed)
      : program_(program),
        shapes_(shapes),
        uses_(uses),
        seed_(seed),
        graph_(program) {
    // Arrays that are read at some kernel's own index, by the block of the kernels.
    for (ArrayId a = 0; a < uses.size(); ++a)
      for (const UseSite& site : uses[a].sites)
        if (site.path == own_index && uses[site.home].block)
          read_in_[uses[site.home].block].push_back(a);
    note_stages(program.body);
    for (auto& [block, arrays] : read_in_)
      arrays.erase(std::unique(arrays.begin(), arrays.end()), arrays.end());
    run(program.body);
  }

 private:
  // Kernels with folds inside.
  void note_stages(const Block& block) {
    for (const Binding& binding : block.bindings) {
      if (std::holds_alternative<Fold>(binding.op) && binding.storage == Storage::delayed)
        for (const UseSite& site : uses_[binding.results[0]].sites) have_stages_.insert(site.home);
      visit_blocks(binding.op, [&](const Block& inner) { note_stages(inner); });
    }
  }

  void run(Block& block) {
    for (Binding& binding : block.bindings)
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
    start(block);
    for (const ArrayId a : read_in_[&block]) pair_epilogues(a, false);
    for (const ArrayId a : read_in_[&block]) pair_siblings(a);
    // Siblings are merged by now: a part of a fold's rows serves only its readers, and no sibling.
    for (const ArrayId a : read_in_[&block]) pair_epilogues(a, true);
    finish(block);
  }

  void start(Block& block) {
    block_ = &block;
    graph_.enter(block);
    groups_.assign(block.bindings.size(), {});
    group_of_.resize(block.bindings.size());
    std::iota(group_of_.begin(), group_of_.end(), 0U);
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      const Binding& binding = block.bindings[i];
      groups_[i].members = {i};
      const Kind kind = this->kind(i);
      if (kind == Kind::other) continue;
      (kind == Kind::map ? groups_[i].map : groups_[i].fold) = i;
      groups_[i].has_stages = have_stages_.contains(binding.results[0]);
      groups_[i].rows_first = kind == Kind::map && groups_[i].has_stages;
      groups_[i].leaves = program_.array_types[binding.results[0]].leaves.size();
      groups_[i].size = uses_[binding.results[0]].kernel_size;
    }
  }

  [[nodiscard]] const Binding& binding(std::uint32_t i) const { return block_->bindings[i]; }
  // A map that only takes components of an array in memory. If nothing else needs the results of a
  // fold or scan, the map is no view but an epilogue, which stores these components alone.
  [[nodiscard]] bool is_view(const Binding& taken) const {
    const auto* map = std::get_if<Map>(&taken.op);
    if (!map || !map->fn.body.empty()) return false;
    const std::uint32_t maker = graph_.maker(map->source);
    if (maker == none) return true;
    return binding(maker).storage == Storage::manifest &&
           !(accumulates(maker) && is_read_in_place(maker));
  }

  [[nodiscard]] bool accumulates(std::uint32_t i) const {
    return fusion::accumulates(kind_of(binding(i)));
  }

  [[nodiscard]] Kind kind(std::uint32_t i) const {
    if (is_view(binding(i))) return Kind::other;
    return kind_of(binding(i));
  }

  // -- pairs ------------------------------------------------------------------------------------

  // Merges a fold or scan with maps that read its results at their own index; with `or_part`, a
  // fold also with maps that read a part of its results.
  void pair_epilogues(ArrayId fold, bool or_part) {
    const std::uint32_t producer = graph_.maker(fold);
    if (producer == none || !accumulates(producer)) return;
    for (const UseSite& site : uses_[fold].sites) {
      const std::uint32_t consumer = graph_.maker(site.home);
      if (site.path == own_index && consumer != none && kind(consumer) == Kind::map &&
          ((or_part && kind(producer) != Kind::scan) ||
           shapes_.same_space(fold, site.home, site.home)))
        merge(producer, consumer);
    }
  }

  // Kernels that read the same array, each at its own index.
  void pair_siblings(ArrayId array) {
    std::uint32_t before = none;
    for (const UseSite& site : uses_[array].sites) {
      const std::uint32_t reader = graph_.maker(site.home);
      if (site.path != own_index || reader == none || kind(reader) == Kind::other) continue;
      if (before != none) merge(before, reader);
      before = reader;
    }
    // Merges a map that is needed in memory with the maps and folds that read it.
    const std::uint32_t maker = graph_.maker(array);
    if (maker == none || kind(maker) != Kind::map) return;
    for (const UseSite& site : uses_[array].sites) {
      const std::uint32_t reader = graph_.maker(site.home);
      if (site.path == own_index && reader != none &&
          (kind(reader) == Kind::map || kind(reader) == Kind::fold))
        merge(maker, reader);
    }
  }

  void merge(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = group_of_[a], second = group_of_[b];
    if (first == second || !wants() || !can_merge(groups_[first], groups_[second])) return;
    Group &into = groups_[first], &from = groups_[second];
    if ((into.fold == none) != (from.fold == none) && !is_epilogue(into, from)) {
      Group& maps = into.fold == none ? into : from;
      maps.beside = std::exchange(maps.map, none);
    }
    std::vector<std::uint32_t> members;
    std::ranges::merge(into.members, from.members, std::back_inserter(members));
    into.members = std::move(members);
    into.fold = std::min(into.fold, from.fold);
    into.map = std::min(into.map, from.map);
    into.beside = std::min(into.beside, from.beside);
    into.rows_first |= from.rows_first;
    into.has_stages |= from.has_stages;
    into.leaves += from.leaves;
    into.size += from.size;
    for (const std::uint32_t member : from.members) group_of_[member] = first;
    from = {};
  }

  [[nodiscard]] bool wants() {
    if (seed_ == 0) return true;
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    return (seed_ >> 33) % 2 == 0;
  }

  // -- legality ---------------------------------------------------------------------------------

  [[nodiscard]] bool can_merge(const Group& a, const Group& b) {
    if (a.leaves + b.leaves > leaves_max || a.size + b.size > size_max) return false;
    if (device_of(a) != device_of(b) || !is_one_kernel(a, b)) return false;
    const std::uint32_t from = std::min(a.members.front(), b.members.front());
    return !stands_between(a, b, from) && !stands_between(b, a, from);
  }

  [[nodiscard]] std::uint32_t device_of(const Group& group) const {
    return binding(group.members.front()).device;
  }

  [[nodiscard]] bool is_one_kernel(const Group& a, const Group& b) const {
    const ArrayId last = last_of(a, b);
    if (a.fold == none && b.fold == none)
      return shapes_.same_space(result(a.map), result(b.map), last);
    if (a.rows_first || b.rows_first) return false;  // an epilogue folds nothing more
    const bool stores = a.beside != none || b.beside != none;
    if (stores && (a.has_stages || b.has_stages)) return false;
    if (a.fold == none || b.fold == none) return is_epilogue(a, b) || is_beside(a, b);
    if (!are_siblings(a, b, last)) return false;
    if (a.map != none && b.map != none && !shapes_.same_space(result(a.map), result(b.map), last))
      return false;
    const std::uint32_t map = std::min(a.map, b.map);
    return map == none || (fits(a, a, b, map) && fits(b, a, b, map));
  }

  [[nodiscard]] ArrayId last_of(const Group& a, const Group& b) const {
    return result(std::max(a.members.back(), b.members.back()));
  }

  // For a group with folds or scans and one of maps: the maps run over the space of the results.
  [[nodiscard]] bool is_epilogue(const Group& a, const Group& b) const {
    const Group &folds = a.fold != none ? a : b, &maps = a.fold != none ? b : a;
    const bool is_one_space =
        folds.map == none || shapes_.same_space(result(folds.map), result(maps.map), last_of(a, b));
    return is_one_space && fits(folds, a, b, maps.map);
  }

  // The maps run over the space of the elements, all of which are folded.
  [[nodiscard]] bool is_beside(const Group& a, const Group& b) const {
    const Group &folds = a.fold != none ? a : b, &maps = a.fold != none ? b : a;
    const ArrayId last = last_of(a, b);
    const auto* fold = std::get_if<Fold>(&binding(folds.fold).op);
    const bool is_whole =
        folds.map == none || shapes_.same_space(result(folds.fold), result(folds.map), last);
    return fold && is_whole && !folds.has_stages && !waits(folds) &&
           shapes_.same_space(fold->source, result(maps.map), last);
  }

  // Whether the folds of a group can have the space of the map: theirs, or a part of theirs if they
  // serve only kernels of both groups.
  [[nodiscard]] bool fits(const Group& group, const Group& a, const Group& b,
                          std::uint32_t map) const {
    const ArrayId last = last_of(a, b);
    const bool may_be_part = a.beside == none && b.beside == none;
    return std::ranges::all_of(group.members, [&](std::uint32_t member) {
      return !accumulates(member) || shapes_.same_space(result(member), result(map), last) ||
             (may_be_part && kind(member) != Kind::scan && serves_only(member, a, b));
    });
  }

  [[nodiscard]] bool are_siblings(const Group& a, const Group& b, ArrayId last) const {
    const ArrayOp &first = binding(a.fold).op, &second = binding(b.fold).op;
    if (const auto *x = std::get_if<Fold>(&first), *y = std::get_if<Fold>(&second); x && y)
      return x->axes == y->axes && have_one_order(*x, *y) &&
             shapes_.same_space(x->source, y->source, last) && goes_with(a, b);
    // With a seed a scan has one element more.
    const auto *x = std::get_if<Scan>(&first), *y = std::get_if<Scan>(&second);
    return x && y && shapes_.same_space(x->source, y->source, last) &&
           x->inner_axes == y->inner_axes && x->seed.empty() == y->seed.empty() &&
           x->in_order == y->in_order &&
           lane_operator(x->fn).commutative == lane_operator(y->fn).commutative;
  }

  // Folds in order must agree on whether they begin with a seed.
  static bool have_one_order(const Fold& a, const Fold& b) {
    return a.in_order == b.in_order && (!a.in_order || a.seed.empty() == b.seed.empty());
  }

  // Profit: beside a member that needs an order the others run in order, too. This must be cheap,
  // and sums of several long rows would be less accurate.
  [[nodiscard]] bool goes_with(const Group& a, const Group& b) const {
    const bool first = needs_order(a), second = needs_order(b);
    return first == second || may_go_in_order(first ? b : a);
  }

  // Profit: a map would wait for an operator that is applied element by element.
  [[nodiscard]] bool waits(const Group& folds) const { return seed_ == 0 && needs_order(folds); }

  [[nodiscard]] bool needs_order(const Group& group) const {
    return std::ranges::any_of(group.members, [&](std::uint32_t member) {
      const auto* fold = std::get_if<Fold>(&binding(member).op);
      return fold && !lane_operator(fold->fn).commutative;
    });
  }

  [[nodiscard]] bool may_go_in_order(const Group& group) const {
    if (group.beside != none && seed_ == 0) return false;
    return std::ranges::all_of(group.members, [&](std::uint32_t member) {
      const auto* fold = std::get_if<Fold>(&binding(member).op);
      if (!fold) return true;
      const ArrayType& source = program_.array_types[fold->source];
      return is_cheap(uses_[fold->source].read) &&
             (source.rank == 1 || is_exact(fold->fn, source.leaves));
    });
  }

  // Whether `b` needs `a` through another binding, or at an index other than that of both.
  [[nodiscard]] bool stands_between(const Group& a, const Group& b, std::uint32_t from) {
    int steps = 0;
    ++mark_;
    marks_.resize(std::max<std::size_t>(marks_.size(), 2 * graph_.size()));
    stack_.clear();
    for (const std::uint32_t member : b.members) stack_.emplace_back(member, false);
    while (!stack_.empty()) {
      const auto [at, is_outside] = stack_.back();
      stack_.pop_back();
      if (++steps > steps_max) return true;
      for (const std::uint32_t needed : graph_.needs(at)) {
        const std::uint32_t group = group_of_[needed];
        if (group == group_of_[b.members.front()]) continue;
        if (group == group_of_[a.members.front()]) {
          if (is_outside || !reads_at_own_index(needed, b)) return true;
          continue;
        }
        // All members of another group run where one of them does.
        if (const auto& members = groups_[group].members; members.size() > 1)
          for (const std::uint32_t member : members) look_at(member, true);
        else if (needed >= from)
          look_at(needed, is_outside || binding(needed).storage != Storage::delayed);
      }
    }
    return false;
  }

  void look_at(std::uint32_t binding, bool is_outside) {
    std::uint32_t& mark = marks_[2 * binding + (is_outside ? 1 : 0)];
    if (std::exchange(mark, mark_) != mark_) stack_.emplace_back(binding, is_outside);
  }

  // Whether the other group reads the binding's array only where it is made: maps at their own
  // index, folds of a map's array at the index of its elements.
  [[nodiscard]] bool reads_at_own_index(std::uint32_t maker, const Group& readers) const {
    const ArrayUse& use = uses_[result(maker)];
    if (use.everywhere) return false;
    return std::ranges::all_of(use.sites, [&](const UseSite& site) {
      const std::uint32_t reader = graph_.maker(site.home);
      if (reader == none || !std::ranges::binary_search(readers.members, reader)) return true;
      const bool is_fold = kind(reader) == Kind::fold && kind(maker) == Kind::map;
      return site.path == own_index && (kind(reader) == Kind::map || is_fold);
    });
  }

  [[nodiscard]] ArrayId result(std::uint32_t i) const { return binding(i).results.front(); }

  // -- results ----------------------------------------------------------------------------------

  void finish(Block& block) {
    std::vector<std::uint32_t> numbers(groups_.size(), none);
    bool any = false;
    for (const Group& group : groups_) {
      if (group.members.size() < 2) continue;
      any = true;
      const std::vector<std::uint32_t> inside = inlined_between(group);
      for (const std::uint32_t member : group.members) {
        numbers[member] = block.bindings[member].group = next_;
        if (serves_only(member, group, group)) block.bindings[member].storage = Storage::delayed;
      }
      for (const std::uint32_t delayed : inside)
        numbers[delayed] = block.bindings[delayed].group = next_;
      ++next_;
    }
    if (!any) return;
    std::vector<Binding> ordered;
    ordered.reserve(block.bindings.size());
    for (const std::uint32_t i : order_of(graph_, numbers))
      ordered.push_back(std::move(block.bindings[i]));
    block.bindings = std::move(ordered);
  }

  // Delayed bindings through which members read others: they are placed with the group.
  [[nodiscard]] std::vector<std::uint32_t> inlined_between(const Group& group) const {
    std::map<std::uint32_t, bool> reads_member;  // by delayed binding that members read
    std::vector<std::uint32_t> stack = group.members;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      for (const std::uint32_t needed : graph_.needs(at))
        if (needed > group.members.front() && binding(needed).storage == Storage::delayed &&
            reads_member.emplace(needed, false).second)
          stack.push_back(needed);
    }
    std::vector<std::uint32_t> result;
    for (auto& [at, reads] : reads_member) {
      reads = std::ranges::any_of(graph_.needs(at), [&](std::uint32_t needed) {
        const auto known = reads_member.find(needed);
        return std::ranges::binary_search(group.members, needed) ||
               (known != reads_member.end() && known->second);
      });
      if (reads) result.push_back(at);
    }
    return result;
  }

  // Whether only kernels of the two groups read the array, and only where it is made.
  [[nodiscard]] bool serves_only(std::uint32_t maker, const Group& a, const Group& b) const {
    return is_read_in_place(maker) &&
           std::ranges::all_of(uses_[result(maker)].sites, [&](const UseSite& site) {
             const std::uint32_t reader = graph_.maker(site.home);
             return std::ranges::binary_search(a.members, reader) ||
                    std::ranges::binary_search(b.members, reader);
           });
  }

  // Whether only maps of this block read the array, each at its own index; a map's array may also
  // be read by folds of its elements.
  [[nodiscard]] bool is_read_in_place(std::uint32_t maker) const {
    const ArrayUse& use = uses_[result(maker)];
    return !use.must && !use.everywhere && !use.sites.empty() &&
           std::ranges::all_of(use.sites, [&](const UseSite& site) {
             const std::uint32_t reader = graph_.maker(site.home);
             if (site.path != own_index || reader == none) return false;
             const Kind kind = kind_of(binding(reader));
             return kind == Kind::map || (kind == Kind::fold && !accumulates(maker));
           });
  }

  Program& program_;
  const Shapes& shapes_;
  const std::vector<ArrayUse>& uses_;
  std::uint64_t seed_;
  std::map<const Block*, std::vector<ArrayId>> read_in_;
  std::set<ArrayId> have_stages_;
  std::uint32_t next_ = 0;  // group
  // of the current block
  Block* block_ = nullptr;
  BlockGraph graph_;
  std::vector<Group> groups_;  // by the number of a binding
  std::vector<std::uint32_t> group_of_;
  // of one search
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 0;
  std::vector<std::pair<std::uint32_t, bool>> stack_;
};

}  // namespace

void form_groups(Program& program, const Shapes& shapes, const std::vector<ArrayUse>& uses,
                 std::uint64_t seed) {
  Grouping(program, shapes, uses, seed);
}

}  // namespace hasten::passes::fusion
