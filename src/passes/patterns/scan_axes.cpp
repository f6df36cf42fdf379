// Rewrites chains of operations that each map an axis to an axis, so that all arrays but the last
// have the axes of the last.
#include "passes/patterns/scan_axes.hpp"

#include "core/labels.hpp"
#include "core/traverse.hpp"
#include "passes/dead_code.hpp"
#include "passes/shapes.hpp"
#include "passes/walk.hpp"
#include "passes/writing.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

/// By axis of one array, the axis of another array that it corresponds to.
using AxisMap = std::vector<std::size_t>;

AxisMap identity(std::size_t rank) {
  AxisMap map(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) map[axis] = axis;
  return map;
}

/// The `items` of each axis, in the order in which `place` puts the axes.
template <class T>
std::vector<T> placed(const std::vector<T>& items, const AxisMap& place) {
  std::vector<T> result(items.size());
  for (std::size_t axis = 0; axis < items.size(); ++axis) result[place[axis]] = items[axis];
  return result;
}

/// By axis of the source, the only parameter on which its index depends: p, or p plus a uniform
/// value. None if some index is anything else, or two depend on one parameter.
std::optional<AxisMap> axes_of(const Region& fn) {
  std::unordered_map<Value, std::size_t> depends;
  for (std::size_t axis = 0; axis < fn.params.size(); ++axis) depends[fn.params[axis]] = axis;
  for (const Stmt& stmt : fn.body) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    std::optional<std::size_t> axis;
    bool is_one = prim && (prim->op == ScalarOp::add || prim->op == ScalarOp::sub);
    for_each_use(
        stmt,
        [&](Value v) {
          const auto found = depends.find(v);
          if (found == depends.end()) return;
          is_one &= !axis;
          axis = found->second;
        },
        [](ArrayId) {});
    if (!axis) continue;
    if (!is_one) return std::nullopt;
    depends[stmt.results[0]] = *axis;
  }
  AxisMap map;
  for (const Value index : fn.results) {
    const auto found = depends.find(index);
    if (found == depends.end() || std::ranges::find(map, found->second) != map.end())
      return std::nullopt;
    map.push_back(found->second);
  }
  return map.size() == fn.params.size() ? std::optional(map) : std::nullopt;
}

class ScanAxes {
 public:
  explicit ScanAxes(Program& program)
      : program_(program),
        shapes_(program),
        uses_(program.array_types.size()) {
    count_uses();
  }

  /// Whether anything changed.
  bool run() {
    for_each_block(program_.body, [&](Block& block) { run(block); });
    if (places_.empty()) return false;
    edit_extents();
    rename_uses(program_.body, {}, renamed_);
    return true;
  }

 private:
  /// The operations from a scan to the array whose axes the others get.
  struct Chain {
    std::size_t scan;                // in the block
    std::vector<std::size_t> links;  // in the block
    std::vector<AxisMap> places;     // by link, of its source's axes among those of the last array
  };

  // -- which scans ------------------------------------------------------------------------------

  // Counts all uses, except for extents.
  void count_uses() {
    for_each_use(program_.body, [](Value) {}, [&](ArrayId a) { ++uses_[a]; });
    for_each_extent([&](Extent& extent) { --uses_[extent.array]; });
  }

  void for_each_extent(FunctionRef<void(Extent&)> f) {
    const auto at_statement = [&](Stmt& stmt) {
      if (auto* extent = std::get_if<Extent>(&stmt.op)) f(*extent);
    };
    for_each_region(program_.body,
                    [&](Region& region) { std::ranges::for_each(region.body, at_statement); });
    for_each_block(program_.body, [&](Block& block) {
      for (Binding& binding : block.bindings)
        if (auto* scalar = std::get_if<HostScalar>(&binding.op)) at_statement(scalar->stmt);
    });
  }

  void run(Block& block) {
    made_.clear();
    std::unordered_map<ArrayId, std::size_t> reader;
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      const Binding& binding = block.bindings[i];
      for (const ArrayId a : binding.results) made_[a] = &binding;
      if (const ArrayId source = source_of_link(binding); source != none) reader[source] = i;
    }
    std::vector<Chain> chains;
    for (std::size_t i = 0; i < block.bindings.size(); ++i)
      if (std::optional<Chain> chain = chain_from(block, i, reader)) chains.push_back(*chain);
    if (!chains.empty()) rewrite(block, chains);
  }

  static ArrayId source_of_link(const Binding& binding) {
    if (const auto* map = std::get_if<Map>(&binding.op)) return map->source;
    const auto* moved = std::get_if<Backpermute>(&binding.op);
    return moved ? moved->source : none;
  }

  // By axis of a link's source, the axis of its result.
  std::optional<AxisMap> axes_through(const Binding& link) const {
    if (const auto* moved = std::get_if<Backpermute>(&link.op)) return axes_of(moved->fn);
    return identity(program_.array_types[link.results[0]].rank);
  }

  std::optional<Chain> chain_from(const Block& block, std::size_t at,
                                  const std::unordered_map<ArrayId, std::size_t>& reader) const {
    const auto* scan = std::get_if<Scan>(&block.bindings[at].op);
    if (!scan || scan->in_order || scan->inner_axes > 0) return std::nullopt;
    const std::size_t rank = program_.array_types[scan->source].rank;
    Chain chain{at, {}, {}};
    std::vector<AxisMap> maps;
    std::size_t used = 0;  // links up to the last one that moves axes
    ArrayId array = block.bindings[at].results[0];
    for (auto next = reader.find(array); next != reader.end() && uses_[array] == 1;
         next = reader.find(array)) {
      const std::optional<AxisMap> map = axes_through(block.bindings[next->second]);
      if (!map || map->size() != rank) break;
      chain.links.push_back(next->second);
      maps.push_back(*map);
      if (*map != identity(rank)) used = maps.size();
      array = block.bindings[next->second].results[0];
    }
    chain.links.resize(used);
    chain.places.resize(used);
    AxisMap place = identity(rank);
    for (std::size_t i = used; i-- > 0;) {
      AxisMap before(rank);
      for (std::size_t axis = 0; axis < rank; ++axis) before[axis] = place[maps[i][axis]];
      chain.places[i] = place = before;
    }
    const bool pays =
        rank > 1 && place[rank - 1] != rank - 1 && !lies_along(scan->source, rank - 1);
    return pays ? std::optional(std::move(chain)) : std::nullopt;
  }

  // Whether neighbours along the axis are neighbours in memory.
  [[nodiscard]] bool lies_along(ArrayId array, std::size_t axis) const {
    for (auto made = made_.find(array); made != made_.end(); made = made_.find(array)) {
      const ArrayId source = source_of_link(*made->second);
      if (source == none) {
        const bool is_computed = is_one_of<Generate, ZipWith, Replicate>(made->second->op);
        return !is_computed && axis + 1 == program_.array_types[array].rank;
      }
      const std::optional<AxisMap> map = axes_through(*made->second);
      if (!map) return false;
      axis = static_cast<std::size_t>(std::ranges::find(*map, axis) - map->begin());
      array = source;
    }
    return axis + 1 == program_.array_types[array].rank;
  }

  // -- rewriting --------------------------------------------------------------------------------

  void rewrite(Block& block, const std::vector<Chain>& chains) {
    std::vector<bool> is_dropped(block.bindings.size());
    for (const Chain& chain : chains) move_links(block, chain, is_dropped);
    std::vector<Binding> bindings;
    auto next = chains.begin();
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      if (next != chains.end() && next->scan == i) {
        move_scan(block.bindings[i], next->places[0], bindings);
        ++next;
      }
      if (!is_dropped[i]) bindings.push_back(std::move(block.bindings[i]));
    }
    block.bindings = std::move(bindings);
  }

  // Makes the scan read its source with the axes in their new places.
  void move_scan(Binding& binding, const AxisMap& place, std::vector<Binding>& before) {
    auto& scan = std::get<Scan>(binding.op);
    const ArrayType type = program_.array_types[scan.source];
    BlockWriter writer(program_, binding, before);
    std::vector<Value> extents;
    for (std::uint32_t axis = 0; axis < type.rank; ++axis)
      extents.push_back(writer.host(ScalarType::i64, Extent{scan.source, axis}));
    RegionWriter fn(program_);
    const auto index = fn.parameters(std::vector<ScalarType>(type.rank, ScalarType::i64));
    std::vector<Value> from;
    for (const std::size_t at : place) from.push_back(index[at]);
    scan.source = writer.add(
        type, Backpermute{placed(extents, place), fn.take(from), scan.source, all_axes(type.rank)});
    before.back().device = binding.device;
    scan.inner_axes = static_cast<std::uint32_t>(type.rank - 1 - place.back());
    places_[binding.results[0]] = place;
  }

  void move_links(Block& block, const Chain& chain, std::vector<bool>& is_dropped) {
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      Binding& link = block.bindings[chain.links[i]];
      const ArrayId result = link.results[0], source = source_of_link(link);
      const AxisMap& from = chain.places[i];
      const bool is_last = i + 1 == chain.links.size();
      const AxisMap to = is_last ? identity(from.size()) : chain.places[i + 1];
      if (!is_last) places_[result] = to;
      auto* moved = std::get_if<Backpermute>(&link.op);
      if (!moved) continue;
      moved->extent = placed(moved->extent, to);
      moved->fn.params = placed(moved->fn.params, to);
      moved->fn.results = placed(moved->fn.results, from);
      AxisSet inside = 0;
      for (std::size_t axis = 0; axis < from.size(); ++axis)
        if (contains(moved->inside, axis) && from[axis] < 32) inside |= AxisSet{1} << from[axis];
      moved->inside = inside;
      if (moved->fn.results == moved->fn.params && has_all(source, from, result, to)) {
        is_dropped[chain.links[i]] = true;
        renamed_[result] = whole(source);
        Binding& same = block.bindings[i == 0 ? chain.scan : chain.links[i - 1]];
        if (has_label(link.operation)) same.operation = link.operation;
      }
    }
  }

  // Whether the result has all elements of the source.
  [[nodiscard]] bool has_all(ArrayId source, const AxisMap& from, ArrayId result,
                             const AxisMap& to) const {
    const auto of = [&](ArrayId a, const AxisMap& place) {
      const std::span<const Symbol> extents = shapes_.of(a);
      return placed(std::vector<Symbol>(extents.begin(), extents.end()), place);
    };
    return shapes_.same(of(source, from), of(result, to), result);
  }

  [[nodiscard]] ArrayId whole(ArrayId a) const {
    const auto found = renamed_.find(a);
    return found == renamed_.end() ? a : found->second;
  }

  // Adjusts the extents of arrays whose axes have moved.
  void edit_extents() {
    for_each_extent([&](Extent& extent) {
      const auto place = places_.find(extent.array);
      if (place != places_.end())
        extent.axis = static_cast<std::uint32_t>(place->second[extent.axis]);
    });
  }

  Program& program_;
  const Shapes shapes_;
  std::vector<std::size_t> uses_;                     // by array
  std::unordered_map<ArrayId, const Binding*> made_;  // in the block at hand
  std::unordered_map<ArrayId, AxisMap> places_;       // of the axes of arrays that changed
  Renaming renamed_;                                  // arrays that are the same as another
};

}  // namespace

Program move_scan_axes(Program program) {
  if (ScanAxes(program).run()) return remove_dead_code(std::move(program));
  return program;
}

}  // namespace hasten::passes
