// Contractions, such as products of matrices: folds of which every read stays where it is along one
// of the two innermost outer axes. An item folds a rectangle of results at once, in registers, so
// that what it reads serves a whole row or column of them. Each result is folded in order.
#include "backends/c_like/skeletons.hpp"

#include "kernels/finish.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class ContractionText {
 public:
  explicit ContractionText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        tile_(contraction_tile(kernel_)),
        outer_(kernel_.rank - 3),
        rows_(fmt::format("e{}", outer_)),
        columns_(fmt::format("e{}", outer_ + 1)),
        acc_(leaf_names(kernel_, "a")) {}

  // Extra: the product of the axes before the two.
  void run() {
    const Scope function(code_, fmt::format("KERNEL {}{}", entry::contraction,
                                            parameters(code_, "const ix before")));
    begin_function(code_);
    const std::int64_t high = tile_.rows(), wide = tile_.columns();
    code_.line(fmt::format("const ix blocks_down = ({} + {}) / {}, blocks_across = ({} + {}) / {};",
                           rows_, high - 1, high, columns_, wide - 1, wide));
    code_.line("const ix blocks = blocks_down * blocks_across;");
    const Scope task(code_, "ROLLED for (ix task = GROUP; task < before * blocks; task += GROUPS)");
    code_.line("const ix outer = task / blocks, block = task - outer * blocks;");
    code_.line(fmt::format("const ix top = block / blocks_across * {} + (ITEM >> 4) * {};", high,
                           tile_.high));
    code_.line(fmt::format("const ix left = block % blocks_across * {} + (ITEM & 15);", wide));
    Names index = split_row(code_, "outer", outer_);
    index.insert(index.end(), {"down[y]", "across[x]"});
    begin();
    {
      const Scope steps(code_, fmt::format("ROLLED for (ix k = 0; k < e{}; ++k)", outer_ + 2));
      element(index);
    }
    results(index);
  }

 private:
  using Scope = ScalarCode::Scope;

  [[nodiscard]] bool is_commutative() const { return kernel_.lane_operator.commutative; }
  [[nodiscard]] Names place() const { return elements(acc_, "y][x"); }
  [[nodiscard]] std::string down() const {
    return fmt::format("WHOLLY for (i32 y = 0; y < {}; ++y)", tile_.high);
  }
  [[nodiscard]] std::string across() const {
    return fmt::format("WHOLLY for (i32 x = 0; x < {}; ++x)", tile_.wide);
  }

  // What lies outside is computed as what lies at the edge, and not stored.
  void begin() {
    code_.line(fmt::format("ix down[{}], across[{}];", tile_.high, tile_.wide));
    code_.line(fmt::format("{0} down[y] = top + y < {1} ? top + y : {1} - 1;", down(), rows_));
    code_.line(fmt::format("{0} across[x] = left + 16 * x < {1} ? left + 16 * x : {1} - 1;",
                           across(), columns_));
    for (std::size_t i = 0; i < acc_.size(); ++i)
      code_.line(fmt::format("{} {}[{}][{}];",
                             register_type(code_.type(kernel_.combine.results[i])), acc_[i],
                             tile_.high, tile_.wide));
    const bool seeded = !kernel_.seed.empty();
    if (!seeded && !is_commutative()) return;
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    assign(code_, place(), seeded ? ScalarCode::names(kernel_.seed) : neutral_elements(kernel_));
  }

  void element(Names index) {
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    index.emplace_back("k");
    code_.define(kernel_.element.params, index);
    code_.run(kernel_.element);
    const Names values = ScalarCode::names(kernel_.element.results);
    if (!kernel_.seed.empty() || is_commutative()) return combine(code_, place(), values, place());
    {
      const Scope more(code_, "if (k > 0)");
      combine(code_, place(), values, place());
    }
    const Scope first(code_, "else");
    assign(code_, place(), values);
  }

  void results(const Names& index) {
    const Scope rows(code_, down());
    const Scope columns(code_, across());
    const Scope inside(code_,
                       fmt::format("if (top + y < {} && left + 16 * x < {})", rows_, columns_));
    Names params = index;
    const Names values = place();
    params.insert(params.end(), values.begin(), values.end());
    code_.define(kernel_.epilogue.params, params);
    code_.run(kernel_.epilogue);
    for (std::size_t i = 0; i < kernel_.epilogue.results.size(); ++i)
      code_.store(i, fmt::format("(outer * {} + down[y]) * {} + across[x]", rows_, columns_),
                  ScalarCode::name(kernel_.epilogue.results[i]));
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  ContractionTile tile_;
  std::size_t outer_;
  std::string rows_, columns_;
  Names acc_;
};

bool is_small(const Region& region, std::size_t most) {
  for (const core::Stmt& stmt : region.body)
    if (std::holds_alternative<core::If>(stmt.op) || std::holds_alternative<core::While>(stmt.op))
      return false;
  return region.body.size() <= most;
}

// Every read stays in place along one of both axes, and each axis moves one.
bool reads_by_row_or_column(const Kernel& kernel) {
  const auto down = kernels::read_strides(kernel, kernel.element, kernel.rank - 3);
  const auto across = kernels::read_strides(kernel, kernel.element, kernel.rank - 2);
  bool moves_down = false, moves_across = false;
  for (std::size_t i = 0; i < down.size(); ++i) {
    const bool stays_down = down[i] == kernels::Stride::zero;
    const bool stays_across = across[i] == kernels::Stride::zero;
    if (!stays_down && !stays_across) return false;
    moves_down |= !stays_down;
    moves_across |= !stays_across;
  }
  return moves_down && moves_across;
}

}  // namespace

ContractionTile contraction_tile(const Kernel& kernel) {
  constexpr std::size_t statements_max = 16, leaf_bytes_max = 16;
  if (kernel.skeleton != kernels::Skeleton::fold || kernel.rank < 3) return {};
  std::size_t bytes = 0;
  for (const Value v : kernel.combine.results)
    bytes += std::max<std::size_t>(detail::size_in_bytes(kernel.value_types[v]), 4);
  if (bytes > leaf_bytes_max || !is_small(kernel.element, statements_max) ||
      !is_small(kernel.combine, statements_max) || !reads_by_row_or_column(kernel))
    return {};
  return bytes <= 4 ? ContractionTile{4, 8} : ContractionTile{4, 4};
}

void emit_contraction(ScalarCode& code) { ContractionText(code).run(); }

}  // namespace hasten::backends::c_like
