// before: zip_with f (generate_segments n offsets g) xs ..., and maps likewise; a generate that
//         reads elements of segments at its index
// after:  generate_segments m offsets ((s, k) -> f (g s k) xs[k] ...), m being the least extent
// why:    no array of g's elements, nearly always numbers of segments; and what f reads by such a
//         number is read once for a segment
// needs:  programs whose extents are not checked, since a zip_with is; elements of at most 16
//         bytes, since they are stored
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
      if (is_small(binding)) join(binding, made, out);
      if (const auto* segments = std::get_if<GenerateSegments>(&binding.op))
        made.emplace(binding.results[0], *segments);
      out.push_back(std::move(binding));
    }
    block.bindings = std::move(out);
  }

 private:
  using Made = std::unordered_map<ArrayId, GenerateSegments>;

  [[nodiscard]] bool is_small(const Binding& binding) const {
    if (binding.results.size() != 1) return false;
    const ArrayType& type = program_.array_types[binding.results[0]];
    std::size_t bytes = 0;
    for (const ScalarType leaf : type.leaves) bytes += detail::size_in_bytes(leaf);
    return type.rank == 1 && bytes <= stored_bytes_max;
  }

  void join(Binding& binding, const Made& made, std::vector<Binding>& out) {
    if (const auto* map = std::get_if<Map>(&binding.op)) {
      join_map(binding, {map->source}, made, out);
    } else if (const auto* zip = std::get_if<ZipWith>(&binding.op)) {
      if (!zip->equal) join_map(binding, zip->sources, made, out);
    } else if (const auto* generate = std::get_if<Generate>(&binding.op)) {
      join_reads(binding, *generate, made);
    }
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
  void join_map(Binding& binding, const std::vector<ArrayId>& sources, const Made& made,
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

  // The same for reads at the index of a generate with the extent of what it reads.
  void join_reads(Binding& binding, const Generate& generate, const Made& made) {
    const ArrayId read = elements_read(generate.fn, generate.fn.params[0], made);
    if (read == none || shapes_.of(read)[0] != shapes_.of(binding.results[0])[0]) return;
    const GenerateSegments& segments = made.at(read);
    RegionWriter code(program_);
    const Value segment = code.parameter(ScalarType::i64), index = code.parameter(ScalarType::i64);
    const std::vector<Value> element = code.call(segments.fn, {segment, index});
    std::vector<Value> results = code.call(generate.fn, {index});
    Region fn = code.take(std::move(results));
    std::unordered_map<Value, Value> known;
    take_known({read, index, element}, fn, known);
    binding.op = GenerateSegments{segments.extent, segments.offsets, std::move(fn)};
  }

  // The first array of segments' elements that the function reads at `index`; or none.
  static ArrayId elements_read(const Region& fn, Value index, const Made& made) {
    for (const Stmt& stmt : fn.body) {
      const auto* const load = std::get_if<Load>(&stmt.op);
      if (load && load->index == std::vector{index} && made.contains(load->array))
        return load->array;
      ArrayId inner = none;
      visit_regions(stmt, [&](const Region& nested) {
        if (inner == none) inner = elements_read(nested, index, made);
      });
      if (inner != none) return inner;
    }
    return none;
  }

  struct Known {
    ArrayId array;
    Value index;
    std::vector<Value> element;
  };
  // Removes reads of an element that is known, and uses it in place of what they read.
  static void take_known(const Known& of, Region& region, std::unordered_map<Value, Value>& known) {
    const auto use = [&](Value& v) {
      if (const auto found = known.find(v); found != known.end()) v = found->second;
    };
    std::erase_if(region.body, [&](Stmt& stmt) {
      const auto* const load = std::get_if<Load>(&stmt.op);
      if (load && load->array == of.array && load->index == std::vector{of.index}) {
        known.emplace(stmt.results[0], of.element[load->leaf]);
        return true;
      }
      edit_operands(stmt, use, [](ArrayId&) {});
      edit_regions(stmt, [&](Region& inner) { take_known(of, inner, known); });
      return false;
    });
    for (Value& result : region.results) use(result);
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
