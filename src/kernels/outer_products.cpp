// A sum is flattened to weights and terms. Terms that are one value at shifted indices form a
// matrix of weights, which is factored where its rank is 1.
#include "kernels/outer_products.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "kernels/analysis/shifted_values.hpp"
#include "passes/dead_code.hpp"

#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace hasten::kernels {
namespace {

using namespace core;

// Integer weights are multiplied and compared as doubles, which hold sums and products of such
// numbers exactly.
constexpr double integer_most = 1 << 20;

struct Term {
  double weight;
  Value value;
};
using Place = std::pair<std::int64_t, std::int64_t>;  // row, column

/// One value at several places, each at most once.
using Neighbours = std::map<Place, Term>;

/// Weights of rows, and of columns in order of their places.
struct Factors {
  std::vector<double> rows, columns;
};

double difference_most(ScalarType type) {
  if (detail::is_integral(type)) return 0;
  return 8 * (type == ScalarType::f32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                      : std::numeric_limits<double>::epsilon());
}

// The common factor of the first column's weights, so that a row's weights stay integers.
double common_factor(std::span<const double> column, ScalarType type) {
  if (!detail::is_integral(type)) return column[0];
  std::int64_t common = 0;
  for (const double weight : column) common = std::gcd(common, static_cast<std::int64_t>(weight));
  return static_cast<double>(common);
}

/// The factors of a full rectangle of weights, if its rank is 1. `weights` is in row-major order.
std::optional<Factors> factor(std::span<const double> weights, std::size_t columns,
                              ScalarType type) {
  const std::size_t rows = weights.size() / columns;
  for (const double weight : weights)
    if (weight == 0 || !std::isfinite(weight) ||
        (detail::is_integral(type) && std::abs(weight) > integer_most))
      return {};
  std::vector<double> first;
  for (std::size_t i = 0; i < rows; ++i) first.push_back(weights[i * columns]);
  const double common = common_factor(first, type);
  Factors result;
  for (const double weight : first) result.rows.push_back(weight / common);
  for (std::size_t j = 0; j < columns; ++j) result.columns.push_back(weights[j] / result.rows[0]);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const double weight = weights[i * columns + j];
      const double error = std::abs(result.rows[i] * result.columns[j] - weight);
      if (error > difference_most(type) * std::abs(weight)) return {};
    }
  return result;
}

class Separator {
 public:
  Separator(Kernel& kernel, Region& element, Reordered reordered)
      : kernel_(kernel),
        element_(element),
        reordered_(reordered),
        shifted_(kernel, element),
        uses_(kernel.value_types.size()),
        defined_at_(kernel.value_types.size(), element.body.size()),
        is_part_(element.body.size()),
        steps_most_(16 * element.body.size()) {
    for (std::size_t at = 0; at < element.body.size(); ++at) {
      for_each_use(element.body[at], [&](Value v) { ++uses_[v]; }, [](ArrayId) {});
      for (const Value v : element.body[at].results) defined_at_[v] = at;
    }
    for (const Value v : element.results) uses_[v] += 2;  // stays, whatever else uses it
  }

  void run() {
    std::map<std::size_t, std::vector<Stmt>> instead;
    for (std::size_t at = element_.body.size(); at-- > 0;) {
      const Stmt& stmt = element_.body[at];
      if (is_sum(stmt) && !is_part_[at] && separate(stmt.results[0]))
        instead[at] = std::exchange(code_, {});
    }
    if (instead.empty()) return;
    std::vector<Stmt> body;
    for (std::size_t at = 0; at < element_.body.size(); ++at)
      if (const auto found = instead.find(at); found != instead.end())
        for (Stmt& stmt : found->second) body.push_back(std::move(stmt));
      else
        body.push_back(std::move(element_.body[at]));
    element_.body = std::move(body);
    passes::remove_dead_code(element_, kernel_.value_types.size());
  }

 private:
  [[nodiscard]] const Prim* prim_of(Value v) const {
    const std::size_t at = defined_at_[v];
    return at < element_.body.size() ? std::get_if<Prim>(&element_.body[at].op) : nullptr;
  }

  [[nodiscard]] bool may_reorder(ScalarType type) const {
    if (detail::is_integral(type)) return true;
    return reordered_ == Reordered::floats_and_integers &&
           (type == ScalarType::f32 || type == ScalarType::f64);
  }

  [[nodiscard]] bool is_sum(const Stmt& stmt) const {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    return prim && (prim->op == ScalarOp::add || prim->op == ScalarOp::sub) &&
           may_reorder(kernel_.value_types[stmt.results[0]]);
  }

  [[nodiscard]] bool is_integer(Value v) const {
    return detail::is_integral(kernel_.value_types[v]);
  }

  [[nodiscard]] std::optional<double> constant(Value v) const {
    const std::size_t at = defined_at_[v];
    if (at == element_.body.size()) return {};
    const auto* constant = std::get_if<Constant>(&element_.body[at].op);
    if (!constant || constant->slot != none) return {};
    const ScalarType type = kernel_.value_types[v];
    if (!is_integer(v)) return to_double(type, constant->bits);
    // The greatest unsigned number subtracts.
    const unsigned unused = 64 - 8 * detail::size_in_bytes(type);
    const auto number =
        static_cast<double>(static_cast<std::int64_t>(constant->bits.lo << unused) >> unused);
    if (std::abs(number) > integer_most) return {};
    return number;
  }

  struct Sum {
    std::vector<Term> terms;         // none: too many
    std::vector<std::size_t> parts;  // the sums and products that were expanded
  };

  // Expands sums and products that nothing else uses. A sum inside a sum is not examined by itself
  // unless it is multiplied: its terms may be a rectangle without the others.
  [[nodiscard]] Sum terms_of(Value whole) {
    struct Open {
      Term term;
      bool is_added;
    };
    Sum sum;
    std::vector<Open> open = {{{1, whole}, true}};
    while (!open.empty()) {
      if (++steps_ > steps_most_) return {};
      const auto [term, is_added] = open.back();
      open.pop_back();
      const bool is_open = term.value == whole || uses_[term.value] == 1;
      const Prim* prim = is_open ? prim_of(term.value) : nullptr;
      const auto parts = prim ? parts_of(term, *prim) : std::vector<Term>{};
      if (parts.empty()) {
        sum.terms.push_back(term);
        continue;
      }
      const std::size_t at = defined_at_[term.value];
      sum.parts.push_back(at);
      if (is_added) is_part_[at] = true;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        open.push_back({*part, parts.size() == 2 && part->weight == term.weight});
    }
    return sum;
  }

  [[nodiscard]] std::vector<Term> parts_of(const Term& term, const Prim& prim) const {
    const auto [weight, value] = term;
    switch (prim.op) {
      case ScalarOp::add: return {{weight, prim.args[0]}, {weight, prim.args[1]}};
      case ScalarOp::sub: return {{weight, prim.args[0]}, {-weight, prim.args[1]}};
      case ScalarOp::neg: return {{-weight, prim.args[0]}};
      case ScalarOp::mul:
        for (const std::size_t i : {0U, 1U})
          if (const auto factor = constant(prim.args[i]);
              factor && (std::abs(weight) <= integer_most || !is_integer(value)))
            return {{weight * *factor, prim.args[1 - i]}};
        return {};
      case ScalarOp::div:
        if (const auto divisor = constant(prim.args[1]); divisor && *divisor != 0)
          return {{weight / *divisor, prim.args[0]}};
        return {};
      default: return {};
    }
  }

  /// Computes a sum in another way, in `code_`, if some of its terms are separable.
  bool separate(Value whole) {
    const Sum sum = terms_of(whole);
    const ScalarType type = kernel_.value_types[whole];
    std::map<std::uint32_t, Neighbours> by_shape;
    std::vector<Term> others, sums;
    for (const Term& term : sum.terms) {
      const ShiftedValue& at = shifted_[term.value];
      if (at.has_row && at.has_column && at.is_movable && !at.is_linear)
        by_shape[at.shape]
            .try_emplace({at.row, at.column}, Term{0, term.value})
            .first->second.weight += term.weight;
      else
        others.push_back(term);
    }
    for (const auto& [shape, neighbours] : by_shape)
      if (!sums_of_columns(neighbours, type, sums))
        for (const auto& [place, term] : neighbours) others.push_back(term);
    if (sums.empty()) return false;
    sums.insert(sums.end(), others.begin(), others.end());
    emit_sum(sums, type);
    code_.back().results = {whole};
    for (const std::size_t part : sum.parts) is_part_[part] = true;
    return true;
  }

  // The sums of the columns with their weights.
  bool sums_of_columns(const Neighbours& neighbours, ScalarType type, std::vector<Term>& sums) {
    std::set<std::int64_t> rows, columns;
    std::vector<double> weights;
    for (const auto& [place, term] : neighbours) {
      rows.insert(place.first);
      columns.insert(place.second);
      weights.push_back(term.weight);
    }
    if (rows.size() < 2 || columns.size() < 2 || rows.size() * columns.size() != weights.size())
      return false;
    const auto factors = factor(weights, columns.size(), type);
    if (!factors) return false;
    std::vector<Term> of_columns;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      std::vector<Term> column;
      auto at = std::next(neighbours.begin(), static_cast<std::ptrdiff_t>(j));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        column.push_back({factors->rows[i], at->second.value});
        if (i + 1 < rows.size()) std::advance(at, columns.size());
      }
      of_columns.push_back({factors->columns[j], emit_sum(column, type)});
    }
    add_weighted(of_columns, type, sums);
    return true;
  }

  // If all columns have the same weight, one product suffices.
  void add_weighted(std::vector<Term>& columns, ScalarType type, std::vector<Term>& sums) {
    const double weight = columns[0].weight;
    for (const Term& column : columns)
      if (column.weight != weight || std::abs(weight) == 1) {
        sums.insert(sums.end(), columns.begin(), columns.end());
        return;
      }
    for (Term& column : columns) column.weight = 1;
    sums.push_back({weight, emit_sum(columns, type)});
  }

  Value emit(ScalarType type, decltype(Stmt::op) op) {
    const auto v = static_cast<Value>(kernel_.value_types.size());
    kernel_.value_types.push_back(type);
    Stmt stmt;
    stmt.op = std::move(op);
    stmt.results = {v};
    code_.push_back(std::move(stmt));
    return v;
  }

  Value emit_constant(double number, ScalarType type) {
    Bits bits{std::bit_cast<std::uint64_t>(number), 0};
    ScalarType from = ScalarType::f64;
    if (detail::is_integral(type)) {
      bits = bits_of(static_cast<std::int64_t>(number));
      from = ScalarType::i64;
    }
    return emit(type, Constant{evaluate(ScalarOp::cast, type, {&from, 1}, {&bits, 1})});
  }

  // Terms that are added come first: none has to be negated. A single term of weight 1 is free.
  Value emit_sum(const std::vector<Term>& terms, ScalarType type) {
    std::optional<Value> sum;
    for (const bool is_less : {false, true})
      for (const auto& [weight, value] : terms)
        if ((weight < 0) == is_less) sum = emit_addend(sum, {weight, value}, type);
    return *sum;
  }

  Value emit_addend(std::optional<Value> sum, Term term, ScalarType type) {
    const bool is_less = term.weight < 0 && sum;
    const double factor = is_less ? -term.weight : term.weight;
    Value addend = term.value;
    if (factor == -1)
      addend = emit(type, Prim{ScalarOp::neg, {addend}});
    else if (factor != 1)
      addend = emit(type, Prim{ScalarOp::mul, {addend, emit_constant(factor, type)}});
    if (!sum) return addend;
    return emit(type, Prim{is_less ? ScalarOp::sub : ScalarOp::add, {*sum, addend}});
  }

  Kernel& kernel_;
  Region& element_;
  Reordered reordered_;
  ShiftedValues shifted_;
  std::vector<unsigned> uses_;
  std::vector<std::size_t> defined_at_;
  std::vector<bool> is_part_;  // by statement: part of a sum that was examined
  std::vector<Stmt> code_;
  std::size_t steps_ = 0, steps_most_;
};

}  // namespace

void separate_outer_products(Kernel& map, Region& element, Reordered reordered) {
  if (map.skeleton != Skeleton::map || element.params.size() < 2) return;
  Separator(map, element, reordered).run();
}

}  // namespace hasten::kernels
