// The kernel's reads define its neighbourhoods: several reads of one array, at indices that are
// tested or corrected at borders. The device's compiler shares the reads of different rows by
// itself, once one item computes them with nothing but additions between them.
#include "backends/c_like/text/tiled_map.hpp"

#include "core/evaluate.hpp"
#include "core/traverse.hpp"
#include "kernels/analysis/interior.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

using namespace core;
using kernels::Kernel;

struct Size {
  std::size_t statements = 0;
  bool loops = false;
  std::vector<std::size_t> reads;  // by input
};

void measure(const Region& region, Size& size) {
  for (const Stmt& stmt : region.body) {
    ++size.statements;
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) ++size.reads[load->array];
    if (std::holds_alternative<While>(stmt.op) || std::holds_alternative<Reduce>(stmt.op))
      size.loops = true;
    visit_regions(stmt, [&](const Region& inner) { measure(inner, size); });
  }
}

Size size_of(const Kernel& kernel, const Region& region) {
  Size size;
  size.reads.resize(kernel.inputs.size());
  measure(region, size);
  return size;
}

bool reads_several_times(const Size& size) {
  return std::ranges::any_of(size.reads, [](std::size_t reads) { return reads > 1; });
}

// Fewer rows for larger elements: compile time grows, and registers are few.
std::int64_t rows_of(std::size_t statements) {
  return statements <= 32 ? 8 : statements <= 96 ? 4 : statements <= 192 ? 2 : 0;
}

// The bounds depend on arguments alone.
class NoArrays final : public ArrayReader {
 public:
  Bits load(ArrayId, std::uint32_t, std::span<const std::int64_t>) override { none(); }
  Bits load_linear(ArrayId, std::uint32_t, std::int64_t) override { none(); }
  std::int64_t extent(ArrayId, std::uint32_t) override { none(); }

 private:
  [[noreturn]] static void none() {
    throw InternalError("the bounds of a kernel's interior depend on an array");
  }
};

Kernel with_interior(const Kernel& kernel) {
  Kernel result = kernel;
  result.interior.reset();
  kernels::find_interior(result, kernels::InteriorAxes::all);
  return result;
}

}  // namespace

std::int64_t interior_rows(const Kernel& kernel) {
  if (kernel.skeleton != kernels::Skeleton::map || kernel.rank < 2 || kernel.collapsible) return 0;
  const Size general = size_of(kernel, kernel.element);
  if (general.loops || !reads_several_times(general)) return 0;
  const Kernel inner = with_interior(kernel);
  if (!inner.interior) return 0;
  const Size interior = size_of(inner, inner.interior->element);
  return reads_several_times(interior) ? rows_of(interior.statements) : 0;
}

TiledMap tiled_map(const Kernel& kernel, std::int64_t high) {
  TiledMap map{with_interior(kernel), {}, high};
  if (!map.kernel.interior) throw InternalError("a map without an interior has no tiles");
  map.narrow = index_widths(map.kernel, IndexWidth::narrow);
  return map;
}

std::vector<std::int64_t> interior_of(const Kernel& kernel, std::span<const std::int64_t> extents,
                                      std::span<const std::uint64_t> scalars) {
  std::vector<Bits> values(kernel.value_types.size());
  for (std::size_t i = 0; i < scalars.size(); ++i) values[kernel.scalars[i]] = {scalars[i], 0};
  NoArrays arrays;
  Evaluator evaluate(kernel.value_types, values, arrays);
  const Region& bounds = kernel.interior->bounds;
  evaluate.run(bounds);
  std::vector<std::int64_t> box;
  for (std::size_t i = 0; i < bounds.results.size(); ++i)
    box.push_back(std::clamp<std::int64_t>(evaluate.integer(bounds.results[i]), 0, extents[i / 2]));
  return box;
}

}  // namespace hasten::backends::c_like
