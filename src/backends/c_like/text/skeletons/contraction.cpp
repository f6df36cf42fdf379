// Contractions, such as matrix products: folds in which every read stays in place along one of the
// two innermost outer axes. An item folds a rectangle of results at once, in registers, so that
// each load serves a whole row or column of them. Each result is folded in order.
#include "backends/c_like/text/contraction.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <bit>

namespace hasten::backends::c_like {
namespace {

// Empty if nothing is shared.
kernels::Contraction shared_code(const Kernel& kernel, const kernels::GroupTile& tile) {
  if (tile.steps == 0) return {};
  auto contraction = kernels::find_contraction(kernel);
  if (!contraction) throw InternalError("c_like: no contraction");
  return std::move(*contraction);
}

class ContractionText {
 public:
  ContractionText(ScalarCode& code, const kernels::GroupTile& tile)
      : code_(code),
        kernel_(code.kernel()),
        tile_(tile),
        plan_(shared_code(kernel_, tile)),
        column_(tile_.steps > 0 ? "left + (x & 3) + (x >> 2) * 64" : "left + 16 * x"),
        outer_(kernel_.rank - 3),
        rows_(fmt::format("e{}", outer_)),
        columns_(fmt::format("e{}", outer_ + 1)),
        size_(fmt::format("e{}", outer_ + 2)),
        acc_(leaf_names(kernel_, "a")) {}

  // Extra: the product of the axes before the two.
  void run() {
    const Scope function(code_, fmt::format("KERNEL {}{}", entry::contraction,
                                            parameters(code_, "const ix before")));
    begin_function(code_);
    declare_chunks(plan_.down, tile_.rows());
    declare_chunks(plan_.across, tile_.columns());
    const std::int64_t high = tile_.rows(), wide = tile_.columns();
    code_.line(fmt::format("const ix blocks_down = ({} + {}) / {}, blocks_across = ({} + {}) / {};",
                           rows_, high - 1, high, columns_, wide - 1, wide));
    code_.line("const ix blocks = blocks_down * blocks_across;");
    const Scope task(code_, "TASK(task, before * blocks)");
    code_.line("const ix outer = task / blocks, block = task - outer * blocks;");
    code_.line(fmt::format("const ix block_top = block / blocks_across * {};", high));
    code_.line(fmt::format("const ix block_left = block % blocks_across * {};", wide));
    code_.line(fmt::format("const ix top = block_top + (ITEM >> 4) * {};", tile_.high));
    code_.line(
        fmt::format("const ix left = block_left + (ITEM & 15){};", tile_.steps > 0 ? " * 4" : ""));
    outer_index_ = split_row(code_, "outer", outer_);
    begin();
    tile_.steps > 0 ? fold_chunks() : fold_directly();
    results();
  }

 private:
  using Scope = ScalarCode::Scope;
  using ContractionSide = kernels::ContractionSide;

  [[nodiscard]] bool is_commutative() const { return kernel_.lane_operator.commutative; }
  [[nodiscard]] Names place() const { return elements(acc_, "y][x"); }
  [[nodiscard]] std::string down() const {
    return fmt::format("WHOLLY for (i32 y = 0; y < {}; ++y)", tile_.high);
  }
  [[nodiscard]] std::string across() const {
    return fmt::format("WHOLLY for (i32 x = 0; x < {}; ++x)", tile_.wide);
  }
  [[nodiscard]] Names index(const Names& inner) const {
    Names all = outer_index_;
    all.insert(all.end(), inner.begin(), inner.end());
    return all;
  }

  void begin() {
    for (std::size_t i = 0; i < acc_.size(); ++i)
      code_.line(fmt::format("{} {}[{}][{}];",
                             register_type(code_.type(kernel_.combine.results[i])), acc_[i],
                             tile_.high, tile_.wide));
    const bool seeded = !kernel_.seed.empty();
    if (!seeded && !is_commutative()) return;
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    assign(code_, place(), seeded ? ScalarCode::names(kernel_.seed) : identity_elements(code_));
  }

  // -- every item reads for itself ----------------------------------------------------------------

  // Results outside the space are computed at its edge, and not stored.
  void fold_directly() {
    code_.line(fmt::format("ix down[{}], across[{}];", tile_.high, tile_.wide));
    code_.line(fmt::format("{0} down[y] = top + y < {1} ? top + y : {1} - 1;", down(), rows_));
    code_.line(
        fmt::format("{0} across[x] = {1} < {2} ? {1} : {2} - 1;", across(), column_, columns_));
    const Scope steps(code_, fmt::format("ROLLED for (ix k = 0; k < {}; ++k)", size_));
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    code_.define(kernel_.element.params, index({"down[y]", "across[x]", "k"}));
    accumulate(kernel_.element);
  }

  // -- the group reads chunks, which its items share ----------------------------------------------

  // While a chunk is folded, the next one is loaded into registers. A turn's barrier lies between
  // the last use of a chunk's place and the chunk after the next.
  void fold_chunks() {
    const Scope turn(code_, fmt::format("ROLLED for (ix from = -{0}; from < {1}; from += {0})",
                                        tile_.steps, size_));
    code_.line(fmt::format("const ix next = from + {};", tile_.steps));
    for (const ContractionSide* side : {&plan_.down, &plan_.across})
      for (const Value v : side->shared.results)
        code_.line(fmt::format("{} p{}[{}];", register_type(code_.held_type(v)), v, loads(*side)));
    {
      const Scope more(code_, fmt::format("if (next < {})", size_));
      fetch(plan_.down);
      fetch(plan_.across);
    }
    {
      const Scope some(code_, "if (from >= 0)");
      fold_chunk();
    }
    {
      const Scope more(code_, fmt::format("if (next < {})", size_));
      put_down(plan_.down);
      put_down(plan_.across);
    }
    code_.line("BARRIER;");
  }

  [[nodiscard]] bool is_down(const ContractionSide& side) const { return &side == &plan_.down; }
  [[nodiscard]] std::int64_t extent(const ContractionSide& side) const {
    return is_down(side) ? tile_.rows() : tile_.columns();
  }
  // Elements of a chunk that an item reads.
  [[nodiscard]] std::int64_t loads(const ContractionSide& side) const {
    return extent(side) * tile_.steps / group_size;
  }

  void declare_chunks(const ContractionSide& side, std::int64_t extent) {
    for (const Value v : side.shared.results)
      code_.line(fmt::format("LOCAL {} ALIGNED(16) t{}[{}][{}];", register_type(code_.held_type(v)),
                             v, 2 * tile_.steps, extent + contraction_gap));
  }

  // The place in the chunk of what an item reads: `step` along the folded axis, `line` along the
  // other.
  void places(const ContractionSide& side) {
    code_.line("const i32 place = (i32)ITEM + 256 * j;");
    const std::int64_t inner = side.along_fold ? tile_.steps : extent(side);
    code_.line(fmt::format("const i32 {0} = place & {2}, {1} = place >> {3};",
                           side.along_fold ? "step" : "line", side.along_fold ? "line" : "step",
                           inner - 1, std::countr_zero(static_cast<std::uint64_t>(inner))));
  }

  // Elements outside the space are loaded from its edge.
  void fetch(const ContractionSide& side) {
    const Scope each(code_, fmt::format("WHOLLY for (i32 j = 0; j < {}; ++j)", loads(side)));
    places(side);
    code_.line(fmt::format("const ix at = {} + line, k = next + step;",
                           is_down(side) ? "block_top" : "block_left"));
    const auto inside = [](const std::string& x, const std::string& end) {
      return fmt::format("({0} < {1} ? {0} : {1} - 1)", x, end);
    };
    const std::string own = inside("at", is_down(side) ? rows_ : columns_);
    code_.define(side.shared.params,
                 index({is_down(side) ? own : "0", is_down(side) ? "0" : own, inside("k", size_)}));
    code_.run(side.shared);
    for (const Value v : side.shared.results)
      code_.line(fmt::format("p{}[j] = {};", v, ScalarCode::name(v)));
  }

  void put_down(const ContractionSide& side) {
    const Scope each(code_, fmt::format("WHOLLY for (i32 j = 0; j < {}; ++j)", loads(side)));
    places(side);
    for (const Value v : side.shared.results)
      code_.line(fmt::format("t{0}[(i32)(next & {1}) + step][line] = p{0}[j];", v, tile_.steps));
  }

  void fold_chunk() {
    code_.line(fmt::format("const i32 deep = {0} - from < {1} ? (i32)({0} - from) : {1};", size_,
                           tile_.steps));
    const Scope steps(code_, "ROLLED for (i32 step = 0; step < deep; ++step)");
    code_.line(fmt::format("const i32 at = (i32)(from & {}) + step;", tile_.steps));
    for (const Value v : plan_.down.shared.results) {
      code_.line(fmt::format("{} d{}[{}];", register_type(code_.held_type(v)), v, tile_.high));
      code_.line(fmt::format("{0} d{1}[y] = t{1}[at][((i32)ITEM >> 4) * {2} + y];", down(), v,
                             tile_.high));
    }
    for (const Value v : plan_.across.shared.results) {
      code_.line(fmt::format("{} d{}[{}];", register_type(code_.held_type(v)), v, tile_.wide));
      code_.line(fmt::format(
          "{0} d{1}[x] = t{1}[at][((i32)ITEM & 15) * 4 + (x & 3) + (x >> 2) * 64];", across(), v));
    }
    code_.line("const ix k = from + step;");
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    code_.define(kernel_.element.params, index({"top + y", column_, "k"}));
    for (const Value v : plan_.down.shared.results) code_.define(v, fmt::format("d{}[y]", v));
    for (const Value v : plan_.across.shared.results) code_.define(v, fmt::format("d{}[x]", v));
    accumulate(plan_.rest);
  }

  // -- both ---------------------------------------------------------------------------------------

  void accumulate(const Region& element) {
    code_.run(element);
    const Names values = ScalarCode::names(element.results);
    if (!kernel_.seed.empty() || is_commutative()) return combine(code_, place(), values, place());
    {
      const Scope more(code_, "if (k > 0)");
      combine(code_, place(), values, place());
    }
    const Scope first(code_, "else");
    assign(code_, place(), values);
  }

  void results() {
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    const Scope inside(code_,
                       fmt::format("if (top + y < {} && {} < {})", rows_, column_, columns_));
    Names params = index({"top + y", column_});
    const Names values = place();
    params.insert(params.end(), values.begin(), values.end());
    code_.define(kernel_.epilogue.params, params);
    code_.run(kernel_.epilogue);
    for (std::size_t i = 0; i < kernel_.epilogue.results.size(); ++i)
      code_.store(i, fmt::format("(outer * {} + top + y) * {} + {}", rows_, columns_, column_),
                  ScalarCode::name(kernel_.epilogue.results[i]));
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  kernels::GroupTile tile_;
  kernels::Contraction plan_;
  std::string column_;
  std::size_t outer_;
  std::string rows_, columns_, size_;
  Names acc_, outer_index_;
};

}  // namespace

void emit_contraction(ScalarCode& code, const kernels::GroupTile& tile) {
  ContractionText(code, tile).run();
}

}  // namespace hasten::backends::c_like
