// Every row of the table of scalar operations, on every type that it takes: exact where the
// language guarantees it, within a bound for functions of the math library.
#include "tests/conformance/tool/expression.hpp"
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

using core::ScalarOpRow, core::Signature;
using detail::ScalarType, detail::Term, detail::Type;

class ScalarOperations : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(ScalarOperations);

/// One array per argument -> the operation's results.
Program program_of(const ScalarOpRow& row, ScalarType result, const std::vector<ScalarType>& args) {
  const auto where = detail::Where::current();
  detail::Traced traced;
  std::vector<Type> types;
  for (const ScalarType arg : args) {
    types.push_back(detail::leaf_type(arg));
    traced.array_params.push_back({types.back(), 1});
  }
  traced.where = where;
  detail::Scope scope(traced.array_params, {});
  detail::Scope function(types);
  std::vector<Term> values, arrays;
  for (std::size_t i = 0; i < args.size(); ++i) {
    values.push_back(function.param(i));
    arrays.push_back(scope.param(i));
  }
  detail::Function fn = function.close({detail::prim(row.op, result, values)}, row.name, where);
  const Type type = detail::leaf_type(result);
  const Term applied = args.size() == 1
                           ? detail::map(std::move(fn), type, arrays[0], row.name, where)
                           : detail::zip_with(std::move(fn), type, std::move(arrays),
                                              detail::Meet::intersection, row.name, where);
  traced.fn = scope.close({applied}, "program", where);
  std::string name = std::string(row.name) + " to " + detail::name_of(result) + " of";
  for (const ScalarType arg : args) name += std::string(" ") + detail::name_of(arg);
  return {std::move(name), std::move(traced)};
}

void expect_agreement(const Options& target, const ScalarOpRow& row, ScalarType result,
                      const std::vector<ScalarType>& args) {
  const Comparison comparison(program_of(row, result, args), target,
                              tolerance_of(row, args[0], target));
  for (const Data data : {Data::any, Data::bits, Data::tame}) {
    Inputs inputs;
    for (std::size_t i = 0; i < args.size(); ++i)
      inputs.arrays.push_back(random_array({args[i]}, {5003}, 7 * i + 1, data));
    EXPECT_TRUE(comparison.agrees_on(inputs));
  }
}

/// All well-typed uses of a row, without complex numbers.
template <class F>
void for_uses(const ScalarOpRow& row, F f) {
  using Types = std::vector<ScalarType>;
  for (const ScalarType type : expression_types()) {
    if (!core::contains(row.domain, type)) continue;
    switch (row.signature) {
      case Signature::same: f(type, Types(row.arity, type)); break;
      case Signature::predicate: f(ScalarType::boolean, Types(row.arity, type)); break;
      case Signature::shift:
        for (const ScalarType amount : {ScalarType::i8, ScalarType::u64, type})
          f(type, Types{type, amount});
        break;
      case Signature::count: f(ScalarType::i32, Types{type}); break;
      case Signature::choice: f(type, Types{ScalarType::boolean, type, type}); break;
      case Signature::convert:
        for (const ScalarType to : expression_types())
          if (core::type_error(row.op, to, std::array{type}).empty()) f(to, Types{type});
        break;
      default: break;
    }
  }
}

TEST_P(ScalarOperations, EveryRowOnEveryType) {
  for (const ScalarOpRow& row : core::scalar_ops())
    for_uses(row, [&](ScalarType result, const std::vector<ScalarType>& args) {
      expect_agreement(GetParam(), row, result, args);
    });
}

// Operations that the surface builds from several rows.

template <class T>
void sweep_integers(const Options& target) {
  using A = Acc<Vector<T>>;
  const std::string name = " of " + type_name<T>();
  sweep(target, program("divisions" + name, [](A a, A b) {
          return std::tuple{a / b, a % b, div(a, b), mod(a, b), quot(a, b), rem(a, b)};
        }));
  sweep(target, program("pairs of divisions" + name, [](A a, A b) {
          return zip_with([](auto x, auto y) { return std::tuple{div_mod(x, y), quot_rem(x, y)}; },
                          a, b);
        }));
  sweep(target,
        program("gcd and lcm" + name, [](A a, A b) { return std::tuple{gcd(a, b), lcm(a, b)}; }));
  sweep(target, program("shifts" + name, [](A a, Acc<Vector<std::int32_t>> n) {
          return zip_with(
              [](auto x, auto k) {
                return std::tuple{x << k, x >> k,   rotate_left(x, k), rotate_right(x, k),
                                  x << 1, x >> 200, rotate_left(x, -3)};
              },
              a, n);
        }));
  sweep(target, program("bits" + name, [](A a, Acc<Vector<std::uint8_t>> n) {
          return zip_with(
              [](auto x, auto i) {
                return std::tuple{
                    test_bit(x, i),       set_bit(x, i),          clear_bit(x, i),
                    complement_bit(x, i), count_leading_zeros(x), count_trailing_zeros(x),
                    popcount(x)};
              },
              a, n);
        }));
}

TEST_P(ScalarOperations, IntegerFunctions) {
  for_types(Integers{}, [&]<class T>(std::type_identity<T>) { sweep_integers<T>(GetParam()); });
}

TEST_P(ScalarOperations, NumericFunctions) {
  for_types(Numbers{}, [&]<class T>(std::type_identity<T>) {
    using A = Acc<Vector<T>>;
    const auto f = [](A a, A b, A c) {
      return zip_with(
          [](auto x, auto y, auto z) {
            return std::tuple{min(x, y), max(x, y), clamp(x, y, z), abs(x), signum(x), -x};
          },
          a, b, c);
    };
    sweep(GetParam(), program("numeric functions of " + type_name<T>(), f));
  });
}

TEST_P(ScalarOperations, Conversions) {
  for_types(Numbers{}, [&]<class T>(std::type_identity<T>) {
    const auto f = [](Acc<Vector<T>> a) {
      return map(
          [](auto x) {
            return std::tuple{cast<bool>(x),         cast<std::int8_t>(x),   cast<std::uint16_t>(x),
                              cast<std::int32_t>(x), cast<std::uint64_t>(x), cast<float>(x),
                              cast<double>(x)};
          },
          a);
    };
    sweep(GetParam(), program("conversions of " + type_name<T>(), f));
  });
}

TEST_P(ScalarOperations, Groups) {
  for_types(List<Mixed, Particle, std::array<std::int16_t, 3>>{}, [&]<class T>(
                                                                      std::type_identity<T>) {
    using A = Acc<Vector<T>>;
    const auto f = [](A a, A b) {
      return zip_with(
          [](const Exp<T>& x, const Exp<T>& y) {
            return std::tuple{
                x == y, x != y, x<y, x <= y, x> y, x >= y, hasten::min(x, y), hasten::max(x, y)};
          },
          a, b);
    };
    sweep(GetParam(), program("comparisons of " + type_name<T>(), f), {.data = Data::tame});
  });
  const auto choose = [](Acc<Vector<std::array<float, 3>>> a, Acc<Vector<std::int64_t>> k) {
    return zip_with([](auto x, auto i) { return x[i % 5] + x[1]; }, a, k);
  };
  sweep(GetParam(), program("an element of a std::array, chosen as it runs", choose));
}

TEST_P(ScalarOperations, Indices) {
  const auto f = [](Acc<Array<std::uint16_t, 3>> a, Acc<Array<std::uint16_t, 3>> b) {
    const auto extents = intersect(shape(a), shape(b));
    return generate(union_(shape(a), extents), [=](const auto& at) {
      const auto linear = to_index(shape(a), at);
      return std::tuple{linear, from_index(shape(a), linear) == at, in_range(extents, at),
                        at * ix(2, 2, 2) - extents + ix(1, 2, 3)};
    });
  };
  sweep(GetParam(), program("indices", f));
}

}  // namespace
}  // namespace hasten::conformance
