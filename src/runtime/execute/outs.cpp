// A result is computed in place if a launch or a sort makes it that the plan runs once; other
// results are copied there.
#include "runtime/execute/outs.hpp"

#include "core/traverse.hpp"
#include "kernels/liveness.hpp"
#include "runtime/execute/foreseen.hpp"
#include "runtime/execute/run_state.hpp"
#include "runtime/memory/lent_elements.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/residency.hpp"
#include "runtime/report/text.hpp"

#include <hasten/detail/memory/strided.hpp>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>

namespace hasten::runtime {
namespace {

using core::ArrayId;
using detail::HostArray;
using detail::OutMemory;

struct Range {
  const std::byte* begin;
  std::size_t bytes;

  [[nodiscard]] bool overlaps(const Range& other) const {
    return bytes > 0 && other.bytes > 0 && begin < other.begin + other.bytes &&
           other.begin < begin + bytes;
  }
  friend bool operator==(const Range&, const Range&) = default;
};

// Requires a shape that has been checked.
std::size_t count_of(std::span<const std::int64_t> shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

// From the lowest byte to the highest.
Range range_of(const OutMemory& out, const OutMemory::Part& part) {
  const std::size_t count = count_of(out.shape);
  if (out.strides.empty() || count == 0) return {part.begin, count * part.element_bytes};
  std::int64_t below = 0, above = 1;  // elements
  for (std::size_t k = 0; k < out.shape.size(); ++k) {
    const std::int64_t reach = (out.shape[k] - 1) * out.strides[k];
    (reach < 0 ? below : above) += reach;
  }
  const auto bytes = static_cast<std::int64_t>(part.element_bytes);
  return {part.begin + below * bytes, static_cast<std::size_t>((above - below) * bytes)};
}

// Empty if the array is not in host memory; for a part, the range of the whole buffer.
Range range_of(const HostArray& array, std::size_t leaf) {
  const detail::Buffer& buffer = *array.component(leaf);
  if (buffer.is_in_host_memory()) return {buffer.data(), buffer.size()};
  const LentElementsRef elements = lent_elements(buffer);
  if (!elements) return {nullptr, 0};
  return {elements->memory().data(), elements->memory().size()};
}

bool reads_any(std::span<const HostArrayRef> arrays, std::span<const Range> ranges) {
  for (const HostArrayRef& array : arrays)
    for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
      const Range read = range_of(*array, leaf);
      if (std::ranges::any_of(ranges, [&](const Range& r) { return r.overlaps(read); }))
        return true;
    }
  return false;
}

bool is_aligned(const OutMemory& out, std::span<const detail::ScalarType> leaves) {
  for (std::size_t leaf = 0; leaf < out.parts.size(); ++leaf) {
    const std::size_t unit = detail::size_in_bytes(detail::part_of(leaves[leaf]));
    if (reinterpret_cast<std::uintptr_t>(out.parts[leaf].begin) % unit != 0) return false;
  }
  return true;
}

std::set<ArrayId> made_by(const kernels::Steps& steps) {
  std::set<ArrayId> made;
  for (const kernels::Step& step : steps)
    for (const ArrayId id : kernels::definitions(step)) made.insert(id);
  return made;
}

}  // namespace

Outs::Outs(const kernels::Plan& plan, const Arguments& arguments)
    : plan_(plan),
      outs_(arguments.outs) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < outs_.size(); ++i) {
    for (const OutMemory::Part& part : outs_[i].parts) ranges.push_back(range_of(outs_[i], part));
    const std::vector<core::ScalarType>& leaves = plan.array_types[plan.results[i]].leaves;
    const bool is_like_arrays = !outs_[i].store_whole && outs_[i].strides.empty();
    if (outs_[i].parts.empty() || !is_like_arrays || !is_aligned(outs_[i], leaves)) continue;
    std::vector<Place> places;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) places.push_back({i, leaf});
    places_.emplace(plan.results[i], std::move(places));
  }
  if (reads_any(arguments.inputs, ranges) || reads_any(arguments.used, ranges)) places_.clear();
  if (places_.empty()) return;
  place(plan.steps);
  if (outs_.size() == 1) return;
  const ForeseenShapes shapes(plan, arguments);
  for (std::size_t i = 0; i < outs_.size(); ++i)
    will_fit_.push_back(shapes.of(plan.results[i]) == outs_[i].shape);
}

// Follows results to the arrays they are made from, by these steps and none before them: an array
// that one branch returns may be read by the other one, which writes to the same place.
void Outs::place(const kernels::Steps& steps) {
  std::optional<std::set<ArrayId>> made;  // made on demand
  for (const kernels::Step& step : std::views::reverse(steps)) {
    const auto* const view = std::get_if<kernels::View>(&step.op);
    if (view && view->same && places_.contains(view->array)) {
      if (!made) made = made_by(steps);
      if (made->contains(view->source)) place(*view);
    }
    if (const auto* const branch = std::get_if<kernels::BranchStep>(&step.op)) {
      place(branch->then_, branch->then_results, branch->results);
      place(branch->else_, branch->else_results, branch->results);
    }
  }
}

void Outs::place(const kernels::Steps& steps, const std::vector<ArrayId>& results,
                 const std::vector<ArrayId>& as) {
  if (std::ranges::none_of(as, [&](ArrayId id) { return places_.contains(id); })) return;
  const std::set<ArrayId> made = made_by(steps);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (places_.contains(as[i]) && made.contains(results[i]))
      places_.try_emplace(results[i], places_.at(as[i]));
  place(steps);
}

// Components of one array may be several results.
void Outs::place(const kernels::View& view) {
  const std::vector<Place> places = places_.at(view.array);
  std::vector<Place>& sources = places_[view.source];
  sources.resize(plan_.array_types[view.source].leaves.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    Place& source = sources[view.leaves.empty() ? i : view.leaves[i]];
    if (source.out == none) source = places[i];
  }
}

bool Outs::will_fit(std::size_t out, const RunState& state) const {
  const HostArrayRef& made = state.arrays[plan_.results[out]];
  return made ? made->shape() == outs_[out].shape : will_fit_[out];
}

// for_each_output calls its argument with each array that is made, and what returns the extents.
template <class ForEachOutput>
bool Outs::fit(const RunState& state, ForEachOutput for_each_output) const {
  std::vector<bool> is_known(outs_.size());
  bool is_any = false, is_right = true;
  for_each_output([&](ArrayId id, auto extents) {
    const auto found = places_.find(id);
    if (found == places_.end()) return;
    for (const Place& place : found->second) {
      if (place.out == none) continue;
      is_any = is_known[place.out] = true;
      is_right &= std::ranges::equal(extents(), outs_[place.out].shape);
    }
  });
  for (std::size_t i = 0; is_any && is_right && i < outs_.size(); ++i)
    if (!is_known[i] && !outs_[i].parts.empty()) is_right = will_fit(i, state);
  return is_any && is_right;
}

bool Outs::fit(const kernels::Launch& op, const RunState& state) const {
  if (places_.empty() || op.is_condition) return false;
  return fit(state, [&](auto look) {
    kernels::for_each_output(op, [&](ArrayId id, const std::vector<core::Value>& extents) {
      look(id, [&] { return state.extents(extents); });
    });
  });
}

bool Outs::fit(const kernels::SortStep& op, std::span<const std::int64_t> keys,
               const RunState& state) const {
  if (places_.empty()) return false;
  return fit(state, [&](auto look) {
    for (const ArrayId id : op.carried_to) look(id, [&] { return keys; });
  });
}

std::shared_ptr<HostArray> Outs::lend(ArrayId id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return nullptr;
  std::vector<std::shared_ptr<detail::Buffer>> components;
  for (const Place& place : found->second) {
    if (place.out == none) return nullptr;
    const Range range = range_of(outs_[place.out], part_of(place));
    components.push_back(detail::Buffer::borrow(range.begin, range.bytes, {}));
  }
  return std::make_shared<HostArray>(outs_[found->second[0].out].shape,
                                     plan_.array_types[id].leaves, std::move(components));
}

}  // namespace hasten::runtime

namespace hasten::detail {
namespace {

using runtime::Range;
using runtime::shape_text;

void check_shapes(std::span<const OutMemory> outs, const Results& results) {
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (outs[i].parts.empty() || outs[i].shape == results[i]->shape()) continue;
    const std::string which = outs.size() > 1 ? "result " + std::to_string(i) : "the result";
    throw ShapeError("into: " + which + " has the shape " + shape_text(results[i]->shape()) +
                         ", and the memory for it the shape " + shape_text(outs[i].shape) +
                         "; give memory of the result's shape",
                     outs[i].where);
  }
}

// A write that is still to be done.
struct Target {
  const HostArray* result;
  std::size_t leaf;
  Range range;
};

std::vector<Target> targets_of(std::span<const OutMemory> outs, const Results& results) {
  std::vector<Target> targets;
  for (std::size_t i = 0; i < outs.size(); ++i)
    for (std::size_t part = 0; part < outs[i].parts.size(); ++part) {
      const Range range = runtime::range_of(outs[i], outs[i].parts[part]);
      if (outs[i].store_whole || !outs[i].strides.empty())
        targets.push_back({nullptr, 0, range});
      else if (runtime::range_of(*results[i], part) != range)  // else the result is in place
        targets.push_back({results[i].get(), part, range});
    }
  return targets;
}

// Whether the array would be overwritten before its copy. A component may overlap its place.
bool is_in_the_way(const HostArray& array, const std::vector<Target>& targets) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const Range source = runtime::range_of(array, leaf);
    const auto is_lost = [&](const Target& target) {
      const bool is_own = target.result == &array && target.leaf == leaf;
      return !is_own && source.overlaps(target.range);
    };
    if (std::ranges::any_of(targets, is_lost)) return true;
  }
  return false;
}

std::shared_ptr<const HostArray> copied(const HostArray& array) {
  auto copy = HostArray::allocate(array.shape(), array.leaves());
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    runtime::read_home(*array.component(leaf), copy->data(leaf));
  return copy;
}

void put(const OutMemory& out, const HostArray& result) {
  if (out.store_whole) return out.store_whole(result, out);
  for (std::size_t leaf = 0; leaf < out.parts.size(); ++leaf) {
    const auto [begin, bytes] = out.parts[leaf];
    if (out.strides.empty())
      runtime::read_home(*result.component(leaf), begin);
    else
      scatter({begin, out.shape, out.strides, bytes}, result.data(leaf));
  }
}

}  // namespace

void put_results(std::span<const OutMemory> outs, Results results) {
  check_shapes(outs, results);
  // Processes access shared arrays in one order, wherever the results' places are.
  for (const auto& result : results)
    for (std::size_t leaf = 0; leaf < result->leaves().size(); ++leaf)
      if (result->component(leaf)->sharding()) static_cast<void>(result->data(leaf));
  const std::vector<Target> targets = targets_of(outs, results);
  Results sources = results;
  for (std::size_t i = 0; i < outs.size(); ++i)
    if (!outs[i].parts.empty() && is_in_the_way(*results[i], targets))
      sources[i] = copied(*results[i]);
  for (std::size_t i = 0; i < outs.size(); ++i)
    if (!outs[i].parts.empty() && sources[i]->size() > 0) put(outs[i], *sources[i]);
}

bool do_overlap(std::span<const OutMemory> outs) {
  std::vector<Range> seen;
  for (const OutMemory& out : outs)
    for (const OutMemory::Part& part : out.parts) {
      if (!out.strides.empty()) continue;
      const Range range = runtime::range_of(out, part);
      if (std::ranges::any_of(seen, [&](const Range& r) { return r.overlaps(range); })) return true;
      seen.push_back(range);
    }
  return false;
}

void throw_no_out(std::span<const std::int64_t> shape, const Where& where) {
  throw ShapeError("into: the pointer is null, but a result of shape " + shape_text(shape) +
                       " has elements; give the address of the first",
                   where);
}

}  // namespace hasten::detail
