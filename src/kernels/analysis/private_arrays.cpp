// One walk forward that follows the newest version of each array.
#include "kernels/analysis/private_arrays.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace hasten::kernels {
namespace {

using namespace core;
using kernels::Kernel;

// The limit for all arrays of a kernel, per lane.
constexpr std::size_t bytes_max = 4096;

using Places = std::vector<std::uint32_t>;  // in a list, by element

const std::vector<Value>* elements_of(const Stmt& stmt) {
  if (const auto* extract = std::get_if<Extract>(&stmt.op)) return &extract->elements;
  if (const auto* insert = std::get_if<Insert>(&stmt.op)) return &insert->elements;
  return nullptr;
}

// The positions of the elements in `list`. A few may be missing, because they have been replaced
// one by one: the elements of an array are at equal steps.
std::optional<Places> places_in(const std::vector<Value>& list,
                                const std::vector<Value>& elements) {
  std::map<Value, std::uint32_t> place;
  for (std::uint32_t i = 0; i < list.size(); ++i) place.emplace(list[i], i);
  std::vector<std::pair<std::int64_t, std::int64_t>> found;  // element, place
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (const auto it = place.find(elements[k]); it != place.end())
      found.emplace_back(k, it->second);
  if (found.size() < 2 || 2 * found.size() < elements.size()) return std::nullopt;
  const auto [k0, p0] = found[0];
  const auto [k1, p1] = found[1];
  if ((p1 - p0) % (k1 - k0) != 0) return std::nullopt;
  const std::int64_t step = (p1 - p0) / (k1 - k0), first = p0 - k0 * step;
  const std::int64_t last = first + step * (static_cast<std::int64_t>(elements.size()) - 1);
  const auto size = static_cast<std::int64_t>(list.size());
  if (step == 0 || std::min(first, last) < 0 || std::max(first, last) >= size) return std::nullopt;
  if (!std::ranges::all_of(found, [&](auto at) { return at.second == first + step * at.first; }))
    return std::nullopt;
  Places result;
  for (std::size_t k = 0; k < elements.size(); ++k)
    result.push_back(static_cast<std::uint32_t>(first + step * static_cast<std::int64_t>(k)));
  return result;
}

std::vector<Value> at(const std::vector<Value>& list, const Places& places) {
  std::vector<Value> result;
  for (const std::uint32_t i : places) result.push_back(list[i]);
  return result;
}

bool has_lists(const Region& region, std::size_t least) {
  return std::ranges::any_of(region.body, [&](const Stmt& stmt) {
    const auto* elements = elements_of(stmt);
    bool any = elements && elements->size() >= least;
    visit_regions(stmt, [&](const Region& inner) { any = any || has_lists(inner, least); });
    return any;
  });
}

// The newest versions, and which of them may be changed.
struct Memory {
  std::map<std::uint32_t, std::vector<Value>> held;  // by array
  std::set<std::uint32_t> is_ours;
};

}  // namespace

class PrivateArrayFinder {
 public:
  PrivateArrayFinder(PrivateArrays& out, const Kernel& kernel, std::size_t least)
      : out_(out),
        kernel_(kernel),
        least_(least) {}

  void run(const Region& region) {
    Memory memory;
    walk(region, memory, true);
    read(region.results);
  }

 private:
  void read(Value v) { out_.is_read_[v] = true; }
  void read(std::span<const Value> values) {
    for (const Value v : values) read(v);
  }

  // -- which arrays -------------------------------------------------------------------------------

  // The places in a loop's state of each array that it works on; no element is in two of them.
  const std::vector<Places>& arrays_in(const While& loop) {
    if (const auto known = arrays_in_.find(&loop); known != arrays_in_.end()) return known->second;
    std::vector<Places> result;
    std::vector<bool> is_taken(loop.init.size());
    const auto add = [&](const std::vector<Value>& params, const std::vector<Value>& elements) {
      if (elements.size() < least_) return;
      const auto places = places_in(params, elements);
      if (!places) return;
      if (std::ranges::any_of(*places, [&](std::uint32_t i) { return is_taken[i]; })) return;
      for (const std::uint32_t i : *places) is_taken[i] = true;
      result.push_back(*places);
    };
    for (const Region* part : {&loop.condition, &loop.body})
      for_each_list(*part, [&](const std::vector<Value>& list) { add(part->params, list); });
    return arrays_in_[&loop] = std::move(result);
  }

  // Calls f with lists that statements choose from, and those that inner loops' arrays begin with.
  template <class F>
  void for_each_list(const Region& region, const F& f) {
    for (const Stmt& stmt : region.body) {
      if (const auto* elements = elements_of(stmt)) f(*elements);
      if (const auto* loop = std::get_if<While>(&stmt.op))
        for (const Places& places : arrays_in(*loop)) f(at(loop->init, places));
      visit_regions(stmt, [&](const Region& inner) { for_each_list(inner, f); });
    }
  }

  // -- versions -----------------------------------------------------------------------------------

  // The array whose memory holds all of these elements, or most if the others may be stored.
  std::uint32_t find(const Memory& memory, const std::vector<Value>& elements) const {
    for (const auto& [array, held] : memory.held) {
      if (held.size() != elements.size()) continue;
      std::size_t same = 0;
      for (std::size_t k = 0; k < held.size(); ++k) same += held[k] == elements[k] ? 1U : 0U;
      if (same == held.size() || (2 * same >= held.size() && memory.is_ours.contains(array)))
        return array;
    }
    return none;
  }

  // Stores these elements: memory holds them from now on.
  void store(Memory& memory, std::uint32_t array, const std::vector<Value>& elements,
             const std::vector<Value>& passed) {
    std::vector<Value>& held = memory.held[array];
    held.resize(elements.size(), none);
    for (std::uint32_t k = 0; k < elements.size(); ++k) {
      if (held[k] == elements[k]) continue;
      held[k] = elements[k];
      read(elements[k]);
      out_.stores_[&passed].push_back({{array, k}, elements[k]});
    }
  }

  // Declares that memory holds these elements.
  void begin(Memory& memory, std::uint32_t array, const std::vector<Value>& elements) {
    for (std::uint32_t k = 0; k < elements.size(); ++k) out_.places_[elements[k]] = {array, k};
    memory.held[array] = elements;
  }

  std::uint32_t new_array(const std::vector<Value>& elements, const While& loop) {
    const PrivateArray array{kernel_.value_types[elements[0]],
                             static_cast<std::uint32_t>(elements.size())};
    const std::size_t bytes = array.size * detail::size_in_bytes(array.type);
    if (bytes_ + bytes > bytes_max) return none;
    bytes_ += bytes;
    out_.arrays_.push_back(array);
    const auto number = static_cast<std::uint32_t>(out_.arrays_.size() - 1);
    out_.begun_[&loop.init].push_back(number);
    return number;
  }

  // -- code ---------------------------------------------------------------------------------------

  // `is_hoisted`: the region's statements may run less often than others, before them.
  void walk(const Region& region, Memory& memory, bool is_hoisted) {
    for (const Stmt& stmt : region.body) {
      if (const auto* elements = elements_of(stmt)) {
        work(stmt, *elements, memory);
      } else if (const auto* branch = std::get_if<If>(&stmt.op)) {
        walk(*branch, stmt, memory);
      } else if (const auto* loop = std::get_if<While>(&stmt.op)) {
        walk(*loop, stmt, memory, is_hoisted);
      } else {
        visit_operands(stmt, [&](Value v) { read(v); }, [](ArrayId) {});
        visit_regions(stmt, [&](const Region& inner) {
          Memory inside{memory.held, {}};
          walk(inner, inside, false);
          read(inner.results);
        });
      }
    }
  }

  void work(const Stmt& stmt, const std::vector<Value>& elements, Memory& memory) {
    const auto* insert = std::get_if<Insert>(&stmt.op);
    read(insert ? insert->index : std::get<Extract>(stmt.op).index);
    if (insert) read(insert->element);
    const std::uint32_t array = elements.size() < least_ ? none : find(memory, elements);
    if (array == none || (insert && !memory.is_ours.contains(array))) return read(elements);
    store(memory, array, elements, elements);
    out_.worked_on_[stmt.results[0]] = array;
    if (insert) begin(memory, array, stmt.results);
  }

  void walk(const If& branch, const Stmt& stmt, Memory& memory) {
    read(branch.condition);
    const Region* const sides[] = {&branch.then_, &branch.else_};
    Memory ends[] = {memory, memory};
    for (int i = 0; i < 2; ++i) walk(*sides[i], ends[i], false);
    std::vector<bool> is_passed(stmt.results.size());
    for (const std::uint32_t array : memory.is_ours) {
      const std::vector<Value> before = memory.held[array];
      if (ends[0].held[array] == before && ends[1].held[array] == before) continue;
      memory.held.erase(array);
      for (int i = 0; i < 2; ++i) {
        if (ends[i].held[array] == before) continue;
        const auto places = places_in(sides[i]->results, ends[i].held[array]);
        if (!places) continue;
        for (int side = 0; side < 2; ++side)
          store(ends[side], array, at(sides[side]->results, *places), sides[side]->results);
        begin(memory, array, at(stmt.results, *places));
        for (const std::uint32_t place : *places) is_passed[place] = true;
        break;
      }
    }
    for (const Region* side : sides)
      for (std::size_t i = 0; i < is_passed.size(); ++i)
        if (!is_passed[i]) read(side->results[i]);
  }

  void walk(const While& loop, const Stmt& stmt, Memory& memory, bool is_hoisted) {
    std::vector<bool> is_passed(stmt.results.size());
    Memory inside{memory.held, {}};
    std::vector<std::pair<std::uint32_t, Places>> ours;
    for (const Places& places : arrays_in(loop)) {
      const std::vector<Value> init = at(loop.init, places);
      std::uint32_t array = find(memory, init);
      const bool goes_on =
          array != none && memory.is_ours.contains(array) && !inside.is_ours.contains(array);
      if (!goes_on) array = new_array(init, loop);
      if (array == none) continue;
      store(memory, array, init, loop.init);
      inside.is_ours.insert(array);
      ours.emplace_back(array, places);
      for (const std::uint32_t place : places) is_passed[place] = true;
    }
    const auto enter = [&](const Region& part) {
      for (const auto& [array, places] : ours) begin(inside, array, at(part.params, places));
    };
    enter(loop.condition);
    Memory condition{inside.held, {}};
    walk(loop.condition, condition, false);
    read(loop.condition.results);
    enter(loop.body);
    walk(loop.body, inside, false);
    for (const auto& [array, places] : ours) {
      store(inside, array, at(loop.body.results, places), loop.body.results);
      begin(memory, array, at(stmt.results, places));
      if (!is_hoisted) memory.is_ours.insert(array);
    }
    for (std::size_t i = 0; i < is_passed.size(); ++i)
      if (!is_passed[i]) read(loop.init[i]), read(loop.body.results[i]);
  }

  PrivateArrays& out_;
  const Kernel& kernel_;
  const std::size_t least_;
  std::size_t bytes_ = 0;
  std::map<const While*, std::vector<Places>> arrays_in_;
};

PrivateArrays::PrivateArrays(const Kernel& kernel, std::size_t least)
    : places_(kernel.value_types.size()),
      is_read_(kernel.value_types.size()),
      worked_on_(kernel.value_types.size(), none) {
  std::vector<const Region*> regions = regions_of(kernel);
  std::erase_if(regions, [&](const Region* region) { return !has_lists(*region, least); });
  PrivateArrayFinder finder(*this, kernel, least);
  for (const Region* region : regions) finder.run(*region);
}

namespace {

template <class Map>
const auto& found_in(const Map& map, const std::vector<Value>& list) {
  static const typename Map::mapped_type nothing;
  const auto found = map.find(&list);
  return found == map.end() ? nothing : found->second;
}

}  // namespace

const std::vector<ElementStore>& PrivateArrays::stores(const std::vector<Value>& passed) const {
  return found_in(stores_, passed);
}

const std::vector<std::uint32_t>& PrivateArrays::begun(const std::vector<Value>& init) const {
  return found_in(begun_, init);
}

std::vector<std::uint32_t> PrivateArrays::used_in(const Region& region) const {
  std::set<std::uint32_t> used, begun_inside;
  const auto passed = [&](const std::vector<Value>& list) {
    for (const ElementStore& store : stores(list)) used.insert(store.place.array);
  };
  const auto visit = [&](const auto& self, const Region& inner) -> void {
    for (const Stmt& stmt : inner.body) {
      if (!stmt.results.empty() && array_of(stmt) != none) used.insert(array_of(stmt));
      for (const Value v : stmt.results)
        if (places_[v].array != none) used.insert(places_[v].array);
      if (const auto* loop = std::get_if<While>(&stmt.op)) {
        passed(loop->init);
        begun_inside.insert(begun(loop->init).begin(), begun(loop->init).end());
      }
      visit_regions(stmt, [&](const Region& r) { self(self, r); });
    }
    passed(inner.results);
  };
  if (!arrays_.empty()) visit(visit, region);
  std::vector<std::uint32_t> result;
  std::ranges::set_difference(used, begun_inside, std::back_inserter(result));
  return result;
}

}  // namespace hasten::kernels
