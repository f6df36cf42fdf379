// One walk forward. A fold of an unrolled fold inlines its code, not its elements.
#include "passes/patterns/short_folds.hpp"

#include "core/traverse.hpp"
#include "passes/dead_code.hpp"
#include "passes/fusion/work.hpp"
#include "passes/shapes.hpp"
#include "passes/writing.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

// The limits along one axis, and for all axes together: lanes load neighbours that are up to four
// apart as whole vectors.
constexpr std::int64_t reads_max = 16, too_many = reads_max + 1;
constexpr int statements_max = 64;

class ShortFolds {
 public:
  explicit ShortFolds(Program& program) : program_(program), shapes_(program) {}

  void run(Block& block) {
    std::vector<Binding> bindings;
    bindings.reserve(block.bindings.size());
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      note_element(binding);
      if (const auto elements = elements_of(binding)) write_out(binding, *elements, bindings);
      bindings.push_back(std::move(binding));
    }
    block.bindings = std::move(bindings);
  }

  [[nodiscard]] bool any() const { return !written_.empty(); }

 private:
  // -- which folds ------------------------------------------------------------------------------

  // The cost of an element where it is read: for an array in memory, only the read.
  struct Element {
    fusion::Work work = {};
    std::int64_t reads = 1;
  };

  void note_element(const Binding& binding) {
    const ArrayOp& op = binding.op;
    const bool is_element = std::holds_alternative<Generate>(op) ||
                            std::holds_alternative<Map>(op) || std::holds_alternative<ZipWith>(op);
    if (!is_element && !fusion::moves_elements(op)) return;
    Element element{{}, 0};
    if (const Region* fn = region_of(op)) element.work = fusion::work_of(*fn);
    visit_operands(
        op, [](Value) {},
        [&](ArrayId a) {
          element.work.add(elements_[a].work);
          element.reads = std::min(too_many, element.reads + elements_[a].reads);
        });
    elements_[binding.results[0]] = element;
  }

  // How many elements each result is folded from, if that is known and they are few.
  [[nodiscard]] std::optional<std::int64_t> elements_of(const Binding& binding) {
    const auto* fold = std::get_if<Fold>(&binding.op);
    if (!fold || fold->axes != 1 || program_.array_types[fold->source].rank < 2) return {};
    const std::span<const Symbol> extents = shapes_.of(fold->source);
    const auto number = shapes_.number(shapes_.known(extents.back(), binding.results[0]));
    if (!number || *number < 1 || *number > short_fold_max) return {};
    const Element element = elements_[fold->source];
    if (*number * element.reads > reads_max) return {};
    fusion::Work all;
    const fusion::Work operation = fusion::work_of(fold->fn);
    for (std::int64_t k = 0; k < *number; ++k) all.add(element.work), all.add(operation);
    const bool is_little = !all.loops && all.expensive == 0 && all.size <= statements_max;
    return is_little ? number : std::nullopt;
  }

  // -- what they become -------------------------------------------------------------------------

  void write_out(Binding& binding, std::int64_t elements, std::vector<Binding>& before) {
    const Fold fold = std::move(std::get<Fold>(binding.op));
    const std::uint32_t rank = program_.array_types[fold.source].rank - 1;
    BlockWriter writer(program_, binding, before);
    std::vector<Value> extents;
    for (std::uint32_t axis = 0; axis < rank; ++axis)
      extents.push_back(writer.host(ScalarType::i64, Extent{fold.source, axis}));
    RegionWriter fn(program_);
    std::vector<Value> index = fn.parameters(std::vector<ScalarType>(rank, ScalarType::i64));
    index.push_back(none);
    std::vector<Value> sum = fold.seed;
    for (std::int64_t k = 0; k < elements; ++k) {
      index.back() = fn.constant(ScalarType::i64, {static_cast<std::uint64_t>(k), 0});
      const std::vector<Value> x = element(fn, fold.source, index);
      if (sum.empty()) {
        sum = x;
        continue;
      }
      sum.insert(sum.end(), x.begin(), x.end());
      sum = fn.call(fold.fn, sum);
    }
    Region region = fn.take(sum);
    elements_[binding.results[0]] = {fusion::work_of(region),
                                     elements * elements_[fold.source].reads};
    written_[binding.results[0]] = region;
    binding.op = Generate{std::move(extents), std::move(region)};
  }

  std::vector<Value> element(RegionWriter& fn, ArrayId source, const std::vector<Value>& index) {
    const auto written = written_.find(source);
    return written == written_.end() ? fn.load(source, index) : fn.call(written->second, index);
  }

  Program& program_;
  const Shapes shapes_;
  std::unordered_map<ArrayId, Element> elements_;
  std::unordered_map<ArrayId, Region> written_;  // elements of the folds written out
};

}  // namespace

Program write_out_short_folds(Program program) {
  ShortFolds folds(program);
  folds.run(program.body);
  return folds.any() ? remove_dead_code(std::move(program)) : program;
}

}  // namespace hasten::passes
