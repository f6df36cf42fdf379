// before: zip_with f (generate_segments n offsets g) xs ..., and maps likewise
// after:  generate_segments m offsets ((s, k) -> f (g s k) xs[k] ...), m being the least extent
// why:    no array of g's elements, nearly always numbers of segments; and what f reads by such a
//         number is read once for a segment
// needs:  programs whose extents are not checked, since a zip_with is; an element no larger than a
//         few numbers of segments, since it is stored unless it is the result
// provides: generate_segments without uses, for dead_code
#include "passes/patterns/segment_maps.hpp"

#include "core/traverse.hpp"
#include "passes/shapes.hpp"
#include "passes/writing.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

constexpr std::size_t stored_bytes_max = 16;

class SegmentMapJoiner {
 public:
  explicit SegmentMapJoiner(Program& program) : program_(program), shapes_(program) {}

  void run(Block& block) {
    std::vector<Binding> out;
    std::unordered_map<ArrayId, GenerateSegments> made;  // in this block
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      if (auto* scalar = std::get_if<HostScalar>(&binding.op))
        use_extents(scalar->stmt, binding, made, out);
      if (may_join(binding)) join(binding, sources_of(binding.op), made, out);
      if (const auto* segments = std::get_if<GenerateSegments>(&binding.op))
        made.emplace(binding.results[0], *segments);
      out.push_back(std::move(binding));
    }
    block.bindings = std::move(out);
  }

 private:
  using Made = std::unordered_map<ArrayId, GenerateSegments>;

  [[nodiscard]] bool may_join(const Binding& binding) const {
    const auto* const zip = std::get_if<ZipWith>(&binding.op);
    if (!zip && !std::holds_alternative<Map>(binding.op)) return false;
    const ArrayType& type = program_.array_types[binding.results[0]];
    std::size_t bytes = 0;
    for (const ScalarType leaf : type.leaves) bytes += detail::size_in_bytes(leaf);
    return type.rank == 1 && bytes <= stored_bytes_max && !(zip && zip->equal);
  }

  static std::vector<ArrayId> sources_of(const ArrayOp& op) {
    if (const auto* map = std::get_if<Map>(&op)) return {map->source};
    return std::get<ZipWith>(op).sources;
  }

  // An extent that is asked for keeps no array alive.
  void use_extents(Stmt& stmt, const Binding& binding, const Made& made,
                   std::vector<Binding>& out) {
    const auto* const extent = std::get_if<Extent>(&stmt.op);
    if (!extent) return;
    const auto segments = made.find(extent->array);
    if (segments == made.end()) return;
    BlockWriter writer(program_, binding, out);
    stmt.op = Prim{ScalarOp::max, {segments->second.extent, writer.number(0)}};
  }

  // Replaces the binding's operation if a source has segments; those of the first one count.
  void join(Binding& binding, const std::vector<ArrayId>& sources, const Made& made,
            std::vector<Binding>& out) {
    const auto first = std::ranges::find_if(sources, [&](ArrayId a) { return made.contains(a); });
    if (first == sources.end()) return;
    const GenerateSegments& segments = made.at(*first);
    RegionWriter code(program_);
    const Value segment = code.parameter(ScalarType::i64), index = code.parameter(ScalarType::i64);
    std::vector<Value> elements;
    for (const ArrayId source : sources) {
      const auto other = made.find(source);
      const bool has_segments = other != made.end() && other->second.offsets == segments.offsets;
      const std::vector<Value> element =
          has_segments ? code.call(other->second.fn, {segment, index}) : code.load(source, {index});
      elements.insert(elements.end(), element.begin(), element.end());
    }
    std::vector<Value> results = code.call(*region_of(binding.op), elements);
    const Value extent = least_extent(binding, *first, segments, sources, made, out);
    binding.op = GenerateSegments{extent, segments.offsets, code.take(std::move(results))};
  }

  Value least_extent(const Binding& binding, ArrayId first, const GenerateSegments& segments,
                     const std::vector<ArrayId>& sources, const Made& made,
                     std::vector<Binding>& out) {
    BlockWriter writer(program_, binding, out);
    Value least = segments.extent;
    for (const ArrayId source : sources) {
      if (shapes_.of(source)[0] == shapes_.of(first)[0]) continue;
      const auto other = made.find(source);
      const Value extent = other != made.end() ? other->second.extent
                                               : writer.host(ScalarType::i64, Extent{source, 0});
      least = writer.host(ScalarOp::min, least, extent);
    }
    return least;
  }

  Program& program_;
  const Shapes shapes_;
};

}  // namespace

Program join_segment_maps(Program program) {
  SegmentMapJoiner(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
