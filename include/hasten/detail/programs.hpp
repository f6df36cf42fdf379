// Conversion between the values of programs and host values: parameters, arguments, results.
#pragma once

#include <hasten/detail/array_groups.hpp>
#include <hasten/detail/runtime.hpp>

namespace hasten::detail {

/// The host type of a program's value: A for Acc<A>, T for Exp<T>, and groups of these for groups.
template <class E>
struct HostOf {};
template <class A>
struct HostOf<Acc<A>> {
  using type = A;
};
template <class T>
struct HostOf<Exp<T>> {
  using type = T;
};
template <Liftable E>
  requires(!is_exp<E> && !StdGroup<E>)
struct HostOf<E> {
  using type = Lifted<E>;
};
template <class G, class L>
struct HostGroup {};
template <class G, class... Es>
  requires(requires { typename HostOf<Es>::type; } && ...)
struct HostGroup<G, List<Es...>> {
  using type = typename StdGroupOf<G>::template With<typename HostOf<Es>::type...>;
};
template <StdGroup E>
struct HostOf<E> : HostGroup<E, Members<E>> {};
template <RegisteredGroup E>
struct HostOf<E> {
  using type = typename GroupDescriptor<E>::OnHost;
};
template <class E>
concept ProgramValue = requires { typename HostOf<E>::type; };
template <class E>
using HostType = typename HostOf<E>::type;

// --- parameters ------------------------------------------------------------------------------

struct Params {
  std::vector<Scope::ArrayParam> arrays;
  std::vector<Type> scalars;
};
template <class E>
void append_params(Params& out) {
  if constexpr (is_acc<E>) {
    append_array_params<E>(out.arrays);
  } else if constexpr (is_exp<E>) {
    out.scalars.push_back(element_type<Lifted<E>>());
  } else {
    [&]<class... Ps>(List<Ps...>) { (append_params<Ps>(out), ...); }(Parts<E>{});
  }
}

/// Reads a scope's parameters in order; arrays come first.
struct ParamReader {
  const Scope& scope;
  std::size_t next_array, next_scalar;

  template <class E>
  E read() {
    if constexpr (is_acc<E>) {
      return acc_of<ElementOf<E>, rank_of_array<E>>(scope.param(next_array++));
    } else if constexpr (is_exp<E>) {
      return exp_of<Lifted<E>>(scope.param(next_scalar++));
    } else {
      return make_group<E>([&]<class P>(std::type_identity<P>) { return read<P>(); });
    }
  }
};

// --- arguments -------------------------------------------------------------------------------

struct Arguments {
  std::vector<std::shared_ptr<const HostArray>> arrays;
  std::vector<LiteralBits> scalars;
};

/// A number passed for an Exp<T>, by the rules of a plain number beside an Exp<T>.
template <class T>
struct NumberArgument {
  template <Number N>
  explicit(false) NumberArgument(N n, Where where = Where::current())
      : value(number_as<T>(n, where)) {}
  template <ComplexLeaf C>
    requires ComplexLeaf<T>
  explicit(false) NumberArgument(const C& z, Where where = Where::current())
      : value(complex_as<T>(z, where)) {}
  T value;
};
template <class H>
struct ArgumentOf {
  using type = H;
};
template <Leaf T>
struct ArgumentOf<T> {
  using type = NumberArgument<T>;
};
/// The argument type of a compiled program for a parameter.
template <class H>
using Argument = typename ArgumentOf<H>::type;

template <class H>
void append_argument(const H& value, Arguments& out) {
  if constexpr (is_host_array<H>) {
    out.arrays.push_back(Access::host(value));
  } else if constexpr (Element<H>) {
    append_literals(value, out.scalars);
  } else {
    with_indices<Parts<H>::size>([&](auto... i) { (append_argument(part<i>(value), out), ...); });
  }
}
template <class T>
void append_argument(const NumberArgument<T>& argument, Arguments& out) {
  out.scalars.push_back(literal_bits(argument.value));
}

// --- results ---------------------------------------------------------------------------------

/// Appends the array terms of a result; scalars beside arrays become rank-0 arrays.
template <class E>
void append_results(const E& value, const Where& where, std::vector<Term>& out) {
  if constexpr (is_acc<E>) {
    out.push_back(term_of(value));
  } else if constexpr (Liftable<E>) {
    out.push_back(unit(term_of(lift(value)), where));
  } else {
    with_indices<Parts<E>::size>(
        [&](auto... i) { (append_results(part<i>(value), where, out), ...); });
  }
}
template <class E>
std::vector<Term> result_terms(const E& value, const Where& where) {
  std::vector<Term> terms;
  if constexpr (Liftable<E>) {
    terms.push_back(term_of(lift(value)));  // a scalar alone is a scalar result
  } else {
    append_results(value, where, terms);
  }
  return terms;
}

template <class H>
H read_result(const Results& results, std::size_t& next) {
  if constexpr (is_host_array<H>) {
    return Access::array<H>(results[next++]);
  } else if constexpr (Element<H>) {
    return Access::array<Array<H, 0>>(results[next++]).item();
  } else {
    return make_group<H>(
        [&]<class P>(std::type_identity<P>) { return read_result<P>(results, next); });
  }
}
template <class H>
H read_results(const Results& results) {
  if constexpr (Element<H>) {  // a scalar alone: one rank-0 array per leaf
    std::array<std::byte*, leaf_count<H> + 1> leaves{};
    for (std::size_t i = 0; i < leaf_count<H>; ++i) leaves[i] = results[i]->data(0);
    std::byte* const* leaf = leaves.data();
    H value{};
    load_leaves(value, leaf, 0);
    return value;
  } else {
    std::size_t next = 0;
    return read_result<H>(results, next);
  }
}

// --- signatures ------------------------------------------------------------------------------

/// The parameter types of a callable with one signature.
template <class F>
struct ParametersOf {};
template <class R, class... As>
struct ParametersOf<R(As...)> {
  using type = List<std::remove_cvref_t<As>...>;
};
template <class R, class... As>
struct ParametersOf<R (*)(As...)> : ParametersOf<R(As...)> {};
template <class R, class... As>
struct ParametersOf<R (*)(As...) noexcept> : ParametersOf<R(As...)> {};
template <class C, class R, class... As>
struct ParametersOf<R (C::*)(As...)> : ParametersOf<R(As...)> {};
template <class C, class R, class... As>
struct ParametersOf<R (C::*)(As...) const> : ParametersOf<R(As...)> {};
template <class C, class R, class... As>
struct ParametersOf<R (C::*)(As...) noexcept> : ParametersOf<R(As...)> {};
template <class C, class R, class... As>
struct ParametersOf<R (C::*)(As...) const noexcept> : ParametersOf<R(As...)> {};
template <class F>
  requires requires { &F::operator(); }
struct ParametersOf<F> : ParametersOf<decltype(&F::operator())> {};
template <class F>
concept HasOneSignature = requires { typename ParametersOf<F>::type; };

/// Traces a program with these parameter types. `call` receives the parameters.
template <class... Es, class Call>
auto trace_program(List<Es...>, const Where& where, const Options& options, Call call) {
  Params params;
  (append_params<Es>(params), ...);
  Scope scope(params.arrays, params.scalars);
  [[maybe_unused]] ParamReader reader{scope, 0, params.arrays.size()};
  std::tuple<Es...> arguments{reader.read<Es>()...};  // braces: in order
  const auto result = [&] {
    try {
      return std::apply(call, std::move(arguments));
    } catch (const BuildError& error) {
      throw_placed(error, where);
    }
  }();
  using R = std::remove_cvref_t<decltype(result)>;
  static_assert(ProgramValue<R>, "hasten: a program yields Acc<...>, Exp<...> or a group of these");
  if constexpr (ProgramValue<R>) {
    Function fn = scope.close(result_terms(result, where), "compile", where);
    return std::pair{std::type_identity<HostType<R>>{},
                     compile_program(std::move(fn), std::move(params.arrays),
                                     std::move(params.scalars), where, options)};
  }
}

}  // namespace hasten::detail
