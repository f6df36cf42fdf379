// Generates, prints and builds random whole programs.
#include "tests/property/random_program.hpp"

#include <hasten/detail/array_terms.hpp>
#include <hasten/detail/scalar_terms.hpp>

#include <algorithm>
#include <array>
#include <ostream>

namespace hasten::property {
namespace {

using detail::Call, detail::Function, detail::ScalarOp, detail::ScalarType, detail::Scope,
    detail::Term, detail::Type;

constexpr const char* names[] = {
    "map",    "zip_with",   "zip",     "generate", "imap",     "gather",    "reverse", "transpose",
    "rotate", "take",       "drop",    "flatten",  "reshape",  "replicate", "slice",   "fold",
    "fold1",  "fold_outer", "compute", "acond",    "aiterate", "awhile"};
static_assert(std::size(names) == static_cast<std::size_t>(Step::Kind::count_));

// Arrays stay small: an upper bound of the size is kept beside each.
constexpr std::int64_t largest_extent = 9, largest_size = 20'000;
constexpr std::size_t most_leaves = 6;

const std::vector<ScalarType>& types() {
  static const std::vector<ScalarType> all = {ScalarType::boolean, ScalarType::i32, ScalarType::i64,
                                              ScalarType::u8,      ScalarType::u16, ScalarType::f32,
                                              ScalarType::f64};
  return all;
}

Type tuple_of(std::initializer_list<ScalarType> leaves) {
  std::vector<Type> members;
  for (const ScalarType leaf : leaves) members.push_back(detail::leaf_type(leaf));
  return detail::tuple_type(members);
}

std::vector<Scope::ArrayParam> params() {
  return {{detail::leaf_type(ScalarType::i32), 1},
          {detail::leaf_type(ScalarType::f32), 2},
          {tuple_of({ScalarType::f64, ScalarType::u8}), 1},
          {detail::leaf_type(ScalarType::u16), 3},
          {tuple_of({ScalarType::i64, ScalarType::boolean}), 2},
          {detail::leaf_type(ScalarType::f64), 0}};
}

struct Sized {
  Term term;
  std::int64_t size;  // at most
};

Term number(std::int64_t n) { return detail::i64_term(n, detail::LiteralMode::parameter); }

/// All leaves of a scalar term, depth first.
void append_leaves(const Term& value, std::vector<Term>& out) {
  const Type type = detail::type_of(value);
  if (type->is_leaf) {
    out.push_back(value);
    return;
  }
  for (unsigned m = 0; m < type->members.size(); ++m) append_leaves(detail::project(value, m), out);
}

/// Applies f to the leaves of several values of one type, and puts the results together.
template <class F>
Term leafwise(const std::vector<Term>& values, F f) {
  const Type type = detail::type_of(values[0]);
  if (type->is_leaf) return f(values);
  std::vector<Term> members;
  for (unsigned m = 0; m < type->members.size(); ++m) {
    std::vector<Term> parts;
    for (const Term& value : values) parts.push_back(detail::project(value, m));
    members.push_back(leafwise(parts, f));
  }
  return detail::make_tuple(type, members);
}

/// An associative operator, by number; sums of floats would depend on the grouping.
Term combine(std::uint32_t op, const Term& x, const Term& y) {
  if (op % 4 == 0) return x;
  if (op % 4 == 1) return y;
  return leafwise({x, y}, [op](const std::vector<Term>& v) {
    const ScalarType type = detail::type_of(v[0])->leaf;
    const bool wraps = is_integral(type);
    const ScalarOp chosen = op % 4 == 2 ? (wraps ? ScalarOp::add : ScalarOp::min)
                                        : (wraps ? ScalarOp::mul : ScalarOp::max);
    return detail::prim(chosen, type, v);
  });
}

class Builder {
 public:
  explicit Builder(const Scope& scope) {
    for (std::size_t i = 0; i < params().size(); ++i) {
      std::int64_t size = 1;
      for (unsigned k = 0; k < params()[i].rank; ++k) size *= largest_extent;
      arrays_.push_back({scope.param(i), size});
    }
    amount_ = scope.param(params().size());
  }

  void apply(const Step& step) {
    const Sized& source = pick(step.source);
    Sized result = make(step, source, pick(step.other));
    if (result.term && result.size <= largest_size &&
        detail::type_of(result.term)->leaves.size() <= most_leaves)
      arrays_.push_back(std::move(result));
  }

  /// The last arrays, and an array of every rank among them.
  [[nodiscard]] std::vector<Term> results() const {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < 3; ++i) terms.push_back(arrays_[arrays_.size() - 1 - i].term);
    return terms;
  }

 private:
  const Sized& pick(std::uint32_t back) const {
    return arrays_[arrays_.size() - 1 - back % arrays_.size()];
  }

  // -- functions ------------------------------------------------------------------------------

  /// A tree over the leaves of some values: variables are leaves, converted to the type asked for.
  static Term apply_tree(const Tree& tree, const std::vector<Term>& values) {
    std::vector<Term> leaves;
    for (const Term& value : values) append_leaves(value, leaves);
    return build(tree, [&](ScalarType type, std::uint32_t n) {
      if (leaves.empty()) return detail::constant(type, {});
      return detail::cast_term(leaves[n % leaves.size()], type);
    });
  }

  template <class Body>
  Function function(const std::vector<Type>& param_types, Body body) const {
    Scope scope(param_types);
    std::vector<Term> values;
    for (std::size_t i = 0; i < param_types.size(); ++i) values.push_back(scope.param(i));
    return scope.close({body(values)}, "function", where_);
  }
  static Type result_of(const Function& fn) { return detail::type_of(fn.results[0]); }

  template <class Body>
  Term map_by(const Term& source, Body body) const {
    Function fn = function({detail::type_of(source)}, body);
    const Type type = result_of(fn);
    return detail::map(std::move(fn), type, source, "map", where_);
  }
  template <class Body>
  Term zip_by(const Term& a, const Term& b, Body body) const {
    Function fn = function({detail::type_of(a), detail::type_of(b)}, body);
    const Type type = result_of(fn);
    return detail::zip_with(std::move(fn), type, {a, b}, "zip_with", where_);
  }

  /// Another value of the same type, that depends on the operator.
  static Term changed(std::uint32_t op, const Term& x) {
    return leafwise({x}, [op](const std::vector<Term>& v) {
      const ScalarType type = detail::type_of(v[0])->leaf;
      if (is_bool(type)) return detail::prim(ScalarOp::not_, type, v);
      const Term two = detail::cast_term(number(2 + op % 3), type);
      return detail::prim(op % 2 == 0 ? ScalarOp::sub : ScalarOp::max, type, std::array{two, v[0]});
    });
  }

  // -- operations -----------------------------------------------------------------------------

  [[nodiscard]] Sized make(const Step& step, const Sized& a, const Sized& b) const {
    using Kind = Step::Kind;
    switch (step.kind) {
      case Kind::map:
      case Kind::zip_with:
      case Kind::zip:
      case Kind::generate:
      case Kind::imap:
      case Kind::gather: return elementwise(step, a, b);
      case Kind::fold:
      case Kind::fold1:
      case Kind::fold_outer: return fold(step, a);
      case Kind::compute:
      case Kind::acond:
      case Kind::aiterate:
      case Kind::awhile: return control(step, a, b);
      default: return reorder(step, a, b);
    }
  }

  [[nodiscard]] Sized elementwise(const Step& step, const Sized& a, const Sized& b) const {
    const auto tree = [&](const std::vector<Term>& v) { return apply_tree(step.function, v); };
    const bool one_rank = detail::rank_of(a.term) == detail::rank_of(b.term);
    switch (step.kind) {
      case Step::Kind::map: return {map_by(a.term, tree), a.size};
      case Step::Kind::zip_with:
        if (!one_rank) return {};
        return {zip_by(a.term, b.term, tree), a.size};
      case Step::Kind::zip:
        if (!one_rank) return {};
        return {zip_by(a.term, b.term,
                       [](const std::vector<Term>& v) {
                         const std::array pair{detail::type_of(v[0]), detail::type_of(v[1])};
                         return detail::make_tuple(detail::tuple_type(pair), v);
                       }),
                a.size};
      case Step::Kind::generate: {
        const std::vector<Term> extents = detail::extents_of(a.term);
        const std::vector<Type> index(extents.size(), detail::leaf_type(ScalarType::i64));
        Function fn = function(index, tree);
        const Type type = result_of(fn);
        return {detail::generate(extents, std::move(fn), type, where_), a.size};
      }
      case Step::Kind::imap:
        return {zip_by(detail::index_of_each(a.term, where_), a.term, tree), a.size};
      default: return {gather(step, a.term, b.term), a.size};
    }
  }

  /// Each element of a chooses an element of b, or zero if there is none.
  [[nodiscard]] Term gather(const Step& step, const Term& a, const Term& b) const {
    return map_by(a, [&](const std::vector<Term>& v) {
      std::vector<Term> leaves;
      append_leaves(v[0], leaves);
      const Term at = detail::cast_term(leaves[step.number % leaves.size()], ScalarType::i64);
      const std::vector<Term> extents = detail::extents_of(b);
      const Term size = detail::product_of(extents);
      const Term position = detail::prim_of(ScalarOp::mod, ScalarType::i64, {at, size});
      const Term element = step.number % 2 == 0 || extents.empty()
                               ? detail::index_linear(b, position)
                               : detail::index_array(b, detail::index_at(extents, position));
      const Term empty = detail::prim_of(ScalarOp::eq, ScalarType::boolean, {size, number(0)});
      return detail::conditional(empty, zero_like(detail::type_of(b)), element);
    });
  }

  static Term zero_like(Type type) {
    if (type->is_leaf) return detail::constant(type->leaf, {});
    std::vector<Term> members;
    for (const Type member : type->members) members.push_back(zero_like(member));
    return detail::make_tuple(type, members);
  }

  /// A number known when the program is built, a parameter, or half an extent.
  [[nodiscard]] Term amount(const Step& step, const Term& array) const {
    if (step.number % 3 == 0) return number(step.number / 3 % 12 - std::int64_t{1});
    if (step.number % 3 == 1 || detail::rank_of(array) == 0) return amount_;
    return detail::prim_of(ScalarOp::quot, ScalarType::i64,
                           {detail::extent_of(array, 0), number(2)});
  }

  [[nodiscard]] Sized reorder(const Step& step, const Sized& a, const Sized& b) const {
    const unsigned rank = detail::rank_of(a.term);
    const Call call{names[static_cast<std::size_t>(step.kind)], where_};
    if (step.kind == Step::Kind::flatten) return {detail::flatten_array(a.term, where_), a.size};
    if (step.kind == Step::Kind::replicate) return replicate(step, a, b);
    if (rank == 0) return {};
    const unsigned axis = step.number % rank;
    const Term n = amount(step, b.term);
    switch (step.kind) {
      case Step::Kind::reverse: return {detail::reverse_axis(a.term, axis, call), a.size};
      case Step::Kind::transpose: return {detail::swap_axes(a.term, axis, rank - 1, call), a.size};
      case Step::Kind::rotate: return {detail::rotate_axis(a.term, axis, n, call), a.size};
      case Step::Kind::take: return {detail::take_axis(a.term, axis, n, call), a.size};
      case Step::Kind::drop: return {detail::drop_axis(a.term, axis, n, call), a.size};
      case Step::Kind::reshape: return {reshape(step, a.term), a.size};
      default: return slice(axis, a);
    }
  }

  /// To a column, or back to its own shape from flat.
  [[nodiscard]] Term reshape(const Step& step, const Term& a) const {
    const std::vector<Term> extents = detail::extents_of(a);
    if (step.number % 2 == 0)
      return detail::reshape({detail::product_of(extents), number(1)}, a, where_);
    return detail::reshape(extents, detail::flatten_array(a, where_), where_);
  }

  [[nodiscard]] Sized replicate(const Step& step, const Sized& a, const Sized& b) const {
    const unsigned rank = detail::rank_of(a.term);
    if (rank > 2) return {};
    std::vector<Term> axes(rank + 1);
    axes[step.number % axes.size()] =
        step.number % 2 == 0 || detail::rank_of(b.term) == 0
            ? number(step.number % 4)
            : detail::prim_of(ScalarOp::min, ScalarType::i64,
                              {detail::extent_of(b.term, 0), number(largest_extent)});
    return {detail::replicate(std::move(axes), a.term, where_), a.size * largest_extent};
  }

  /// The middle along an axis, of an array made long enough.
  [[nodiscard]] Sized slice(unsigned axis, const Sized& a) const {
    const Term extent = detail::extent_of(a.term, axis);
    std::vector<Term> extents = detail::extents_of(a.term);
    extents[axis] = detail::prim_of(ScalarOp::add, ScalarType::i64, {extent, number(1)});
    const std::vector<Type> index(extents.size(), detail::leaf_type(ScalarType::i64));
    Function fn = function(index, [&](std::vector<Term> at) {
      const Term inside = detail::index_in_range(detail::extents_of(a.term), at);
      return detail::conditional(inside, detail::index_array(a.term, at),
                                 zero_like(detail::type_of(a.term)));
    });
    const Type type = result_of(fn);
    const Term longer = detail::generate(extents, std::move(fn), type, where_);
    std::vector<Term> axes(extents.size());
    axes[axis] = detail::prim_of(ScalarOp::quot, ScalarType::i64, {extent, number(2)});
    return {detail::slice(std::move(axes), longer, where_), a.size};
  }

  [[nodiscard]] Sized fold(const Step& step, const Sized& a) const {
    if (detail::rank_of(a.term) == 0) return {};
    const Type type = detail::type_of(a.term);
    Function fn = function({type, type}, [&](const std::vector<Term>& v) {
      return combine(step.number / 2, v[0], v[1]);
    });
    const bool outer = step.kind == Step::Kind::fold_outer;
    const Term source = outer ? detail::move_innermost(a.term, 0, Call{"fold_on", where_}) : a.term;
    const Term seed = step.kind == Step::Kind::fold1 ? Term{} : changed(1, zero_like(type));
    return {detail::fold(std::move(fn), seed, source, "fold", where_), a.size};
  }

  [[nodiscard]] Sized control(const Step& step, const Sized& a, const Sized& b) const {
    if (step.kind == Step::Kind::compute) return {detail::compute(a.term, where_), a.size};
    if (step.kind == Step::Kind::acond) {
      const Term condition =
          detail::prim_of(ScalarOp::lt, ScalarType::boolean, {amount(step, b.term), number(2)});
      const Term other =
          map_by(a.term, [&](const std::vector<Term>& v) { return changed(step.number, v[0]); });
      return {detail::array_if(condition, {a.term}, {other}, where_)[0], a.size};
    }
    return {loop(step, a.term), a.size};
  }

  /// A few rounds of a map; with awhile the array shrinks too.
  [[nodiscard]] Term loop(const Step& step, const Term& a) const {
    const Type counter = detail::leaf_type(ScalarType::i64);
    const std::array<Scope::ArrayParam, 2> state{
        {{counter, 0}, {detail::type_of(a), detail::rank_of(a)}}};
    Scope condition(state, {});
    const Term count = detail::index_array(condition.param(0), {});
    Function test = condition.close(
        {detail::prim_of(ScalarOp::lt, ScalarType::boolean, {count, number(step.number % 4)})},
        "awhile", where_);
    Scope body(state, {});
    const Term next = detail::prim_of(ScalarOp::add, ScalarType::i64,
                                      {detail::index_array(body.param(0), {}), number(1)});
    Term array = map_by(body.param(1),
                        [&](const std::vector<Term>& v) { return changed(step.number, v[0]); });
    if (step.kind == Step::Kind::awhile && detail::rank_of(a) > 0)
      array = detail::drop_axis(array, 0, number(1), Call{"drop", where_});
    Function round = body.close({detail::unit(next, where_), array}, "awhile", where_);
    return detail::array_while(std::move(test), std::move(round),
                               {detail::unit(number(0), where_), a}, where_)[1];
  }

  std::vector<Sized> arrays_;
  Term amount_;
  detail::Where where_ = detail::Where::current();
};

rc::Gen<Step> random_step() {
  using Kind = Step::Kind;
  Grammar grammar;
  grammar.types = types();
  grammar.depth = 2;
  grammar.bits_of_floats = false;
  const auto number = [](std::uint32_t end) {  // over the whole range, whatever the size
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint32_t>(0, end));
  };
  return rc::gen::build<Step>(
      rc::gen::set(&Step::kind, rc::gen::map(number(static_cast<std::uint32_t>(Kind::count_)),
                                             [](std::uint32_t k) { return static_cast<Kind>(k); })),
      rc::gen::set(&Step::source, number(8)), rc::gen::set(&Step::other, number(8)),
      rc::gen::set(&Step::number, number(36)),
      rc::gen::set(&Step::function, rc::gen::resize(16, expressions(grammar))));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << names[static_cast<std::size_t>(step.kind)] << " of " << step.source << " and "
             << step.other << " back, number " << step.number << ", function " << step.function;
}

rc::Gen<std::vector<Step>> random_steps() {
  // Up to a dozen steps; the list grows with RapidCheck's size.
  return rc::gen::resize(12, rc::gen::container<std::vector<Step>>(random_step()));
}

Program build(const std::vector<Step>& steps) {
  const auto where = detail::Where::current();
  detail::Traced traced;
  traced.array_params = params();
  traced.scalar_params = {detail::leaf_type(ScalarType::i64)};
  traced.where = where;
  Scope scope(traced.array_params, traced.scalar_params);
  Builder builder(scope);
  for (const Step& step : steps) builder.apply(step);
  traced.fn = scope.close(builder.results(), "program", where);
  return {"a random program", std::move(traced)};
}

Inputs inputs_for(const Program& program, std::uint64_t seed) {
  Inputs inputs;
  std::uint64_t state = seed;
  for (const Scope::ArrayParam& param : program.traced.array_params) {
    Shape shape(param.rank);
    for (std::int64_t& extent : shape) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      extent = static_cast<std::int64_t>((state >> 33) % (largest_extent + 1));
    }
    inputs.arrays.push_back(random_array(param.type->leaves, shape, ++state));
  }
  inputs.scalars.push_back({(state >> 40) % 6, 0});
  return inputs;
}

}  // namespace hasten::property
