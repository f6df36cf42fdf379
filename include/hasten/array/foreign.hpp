// Functions of other languages: foreign_exp calls a scalar function, foreign_acc a function of
// whole arrays.
#pragma once

#include <hasten/array/device_array.hpp>
#include <hasten/detail/terms/foreign.hpp>
#include <hasten/operations/elementwise.hpp>
#include <hasten/run/run.hpp>

#include <functional>

namespace hasten {

/// An implementation that runs on the CPU; see on_cpu.
template <class F>
struct OnCpu {
  std::string name;
  F function;
  bool is_pure = true;

  /// The same implementation with every call made, even if another call has the same function and
  /// arguments.
  [[nodiscard]] OnCpu impure() const { return {name, function, false}; }
};

/// An implementation that enqueues work on a device; see on_cuda and on_opencl.
template <class F>
struct OnDevice {
  detail::ForeignTarget target;
  std::string name;
  F function;
  bool is_pure = true;
  bool (*is_there)() = nullptr;

  /// Like OnCpu::impure.
  [[nodiscard]] OnDevice impure() const { return {target, name, function, false, is_there}; }
  /// The same implementation, used if `found()` is true when a program is compiled for such a
  /// device: a library that is opened at run time may be missing. Otherwise the next implementation
  /// is tried, then the fallback.
  [[nodiscard]] OnDevice if_there(bool (*found)()) const {
    return {target, name, function, is_pure, found};
  }
};

/// Source text that defines the scalar function of this name; see opencl_source and cuda_source.
struct ForeignSource {
  detail::ForeignTarget target;
  std::string name, text;
};

/// `function` as the implementation for targets on the CPU. Its name identifies it in compiled
/// kernels, in memory and on disk, and in printed programs: letters, digits and _ . : - are
/// allowed. Within a process, the name of a scalar function identifies one function. Several
/// threads call it at once.
template <class F>
OnCpu<F> on_cpu(std::string name, F function) {
  return {std::move(name), std::move(function)};
}
/// `function` as the array function for CUDA devices. It is called on the host, as function(const
/// DeviceCall&, arrays...), with a DeviceArray<A> for each Acc<A> and a std::tuple of these for a
/// group. It enqueues its work on call.queue() and returns results of the same types: its
/// arguments, or arrays from call.allocate(). Several threads call it at once.
template <class F>
OnDevice<F> on_cuda(std::string name, F function) {
  return {detail::ForeignTarget::cuda, std::move(name), std::move(function)};
}
/// Like on_cuda, for OpenCL devices.
template <class F>
OnDevice<F> on_opencl(std::string name, F function) {
  return {detail::ForeignTarget::opencl, std::move(name), std::move(function)};
}
/// OpenCL C source that defines a function called `name`, for OpenCL targets.
inline ForeignSource opencl_source(std::string name, std::string text) {
  return {detail::ForeignTarget::opencl, std::move(name), std::move(text)};
}
/// CUDA C++ source that defines a __device__ function called `name`, for CUDA targets.
inline ForeignSource cuda_source(std::string name, std::string text) {
  return {detail::ForeignTarget::cuda, std::move(name), std::move(text)};
}

}  // namespace hasten

namespace hasten::detail {

template <class I>
inline constexpr bool is_on_cpu = false;
template <class F>
inline constexpr bool is_on_cpu<OnCpu<F>> = true;
template <class I>
inline constexpr bool is_on_device = false;
template <class F>
inline constexpr bool is_on_device<OnDevice<F>> = true;
template <class I>
inline constexpr bool is_implementation_list = false;
template <class... Is>
inline constexpr bool is_implementation_list<std::tuple<Is...>> = true;

/// One implementation, or a std::tuple of them.
template <class I, class F>
void for_each_implementation(const I& implementations, F f) {
  if constexpr (is_implementation_list<I>) {
    std::apply([&](const auto&... one) { (f(one), ...); }, implementations);
  } else {
    f(implementations);
  }
}

/// The parameter and result types of C functions.
template <class T>
inline constexpr bool is_foreign_leaf = Leaf<T> && !is_complex_leaf<T>;
template <>
inline constexpr bool is_foreign_leaf<half> = false;
template <>
inline constexpr bool is_foreign_leaf<bfloat16> = false;

/// The inverse of literal_bits.
template <class T>
T from_literal(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    return static_cast<T>(bits);
  }
}

template <class R, class... Ts>
using PlainFunction = R (*)(Ts...) noexcept;

template <class R, class... Ts>
void call_with_literals(const void* address, const std::uint64_t* arguments,
                        std::uint64_t* result) {
  const auto function = reinterpret_cast<PlainFunction<R, Ts...>>(const_cast<void*>(address));
  *result = with_indices<sizeof...(Ts)>(
      [&](auto... i) { return literal_bits(function(from_literal<Ts>(arguments[i])...)).lo; });
}

template <class R, class... Ts, class F>
ForeignFunction scalar_implementation(List<Ts...>, const OnCpu<F>& on_cpu) {
  constexpr bool fits = std::is_convertible_v<const F&, PlainFunction<R, Ts...>>;
  static_assert(fits,
                "hasten::foreign_exp: the function for the CPU must be a plain one, or a lambda "
                "that captures nothing, noexcept, with exactly the types of the arguments and of "
                "the fallback's result: wrap it in [](float x) noexcept { return f(x); }");
  ForeignFunction function{
      ForeignTarget::cpu, on_cpu.name, {LeafOf<Ts>::value...}, LeafOf<R>::value};
  if constexpr (fits) {
    const PlainFunction<R, Ts...> pointer = on_cpu.function;
    function.address = reinterpret_cast<const void*>(pointer);
    function.call = call_with_literals<R, Ts...>;
  }
  return function;
}
template <class R, class L, class F>
ForeignFunction scalar_implementation(L, const OnDevice<F>&) {
  static_assert(always_false<F>,
                "hasten::foreign_exp: kernels cannot call back to the host: give the text of the "
                "function, cuda_source(name, text) or opencl_source(name, text); on_cuda and "
                "on_opencl are for foreign_acc");
  return {};
}
template <class R, class... Ts>
ForeignFunction scalar_implementation(List<Ts...>, const ForeignSource& source) {
  ForeignFunction function{source.target, source.name, {LeafOf<Ts>::value...}, LeafOf<R>::value};
  function.source = source.text;
  return function;
}

template <class I, class F, class... Xs>
auto foreign_exp(const Where& where, const I& implementations, F& fallback, const Xs&... args) {
  static_assert((Liftable<Xs> && ...),
                "hasten::foreign_exp: the arguments must be Exps or numbers; for arrays use "
                "foreign_acc");
  if constexpr ((Liftable<Xs> && ...)) {
    auto traced = trace(List<Lifted<Xs>...>{}, "foreign_exp", where,
                        [&](const auto&... xs) { return call_with_all(fallback, xs...); });
    using R = typename decltype(traced)::Result;
    constexpr bool plain = is_foreign_leaf<R> && (is_foreign_leaf<Lifted<Xs>> && ...);
    static_assert(plain,
                  "hasten::foreign_exp: arguments and result must be bool, integers, float or "
                  "double: C has no half, and passes groups and complex numbers in its own way: "
                  "call with their members one by one");
    if constexpr (plain) {
      std::vector<const ForeignFunction*> functions;
      for_each_implementation(implementations, [&](const auto& one) {
        functions.push_back(
            foreign_function(scalar_implementation<R>(List<Lifted<Xs>...>{}, one), where));
      });
      return exp_of<R>(foreign_call(std::move(functions), std::move(traced.fn),
                                    {term_of(lift(args))...}, where));
    }
  }
}

// --- arrays --------------------------------------------------------------------------------------

template <class F>
inline constexpr char identity_of_type = 0;

/// One address for equal callables: those without state, and function pointers. Null if equality
/// cannot be decided.
template <class F>
const void* identity_of(const F& function) {
  if constexpr (std::is_pointer_v<F>) {
    return reinterpret_cast<const void*>(function);
  } else if constexpr (std::is_empty_v<F>) {
    return &identity_of_type<F>;
  } else {
    return nullptr;
  }
}

template <class G, class... Gs, class F>
std::shared_ptr<const ForeignArrayFunction> array_implementation(List<Gs...>,
                                                                 const OnCpu<F>& on_cpu) {
  constexpr bool callable = std::is_invocable_v<const F&, const HostType<Gs>&...>;
  static_assert(callable,
                "hasten::foreign_acc: the function for the CPU must be callable (as a const "
                "object) with one host array, or group of them, per argument");
  auto function = std::make_shared<ForeignArrayFunction>();
  function->name = on_cpu.name;
  if (on_cpu.is_pure) function->identity = identity_of(on_cpu.function);
  if constexpr (callable) {
    using R = std::remove_cvref_t<std::invoke_result_t<const F&, const HostType<Gs>&...>>;
    static_assert(std::is_same_v<R, HostType<G>>,
                  "hasten::foreign_acc: the function for the CPU must return the host arrays of "
                  "what the fallback returns: a Vector<T> for an Acc<Vector<T>>, groups likewise");
    if constexpr (std::is_same_v<R, HostType<G>>) {
      function->call = [f = on_cpu.function](const Results& given) -> Results {
        [[maybe_unused]] std::size_t next = 0;
        const std::tuple<HostType<Gs>...> args{read_result<HostType<Gs>>(given, next)...};
        Arguments out;
        append_argument(std::apply(f, args), out);
        return std::move(out.arrays);
      };
    }
  }
  return function;
}
template <class G, class... Gs, class F>
std::shared_ptr<const ForeignArrayFunction> array_implementation(List<Gs...>,
                                                                 const OnDevice<F>& on_device) {
  constexpr bool callable =
      std::is_invocable_v<const F&, const DeviceCall&, const DeviceType<Gs>&...>;
  static_assert(callable,
                "hasten::foreign_acc: the function for devices must be callable (as a const "
                "object) with a DeviceCall and one DeviceArray, or std::tuple of them, per "
                "argument");
  auto function = std::make_shared<ForeignArrayFunction>();
  function->target = on_device.target;
  function->name = on_device.name;
  function->is_there = on_device.is_there;
  if (on_device.is_pure) function->identity = identity_of(on_device.function);
  if constexpr (callable) {
    using R = std::remove_cvref_t<
        std::invoke_result_t<const F&, const DeviceCall&, const DeviceType<Gs>&...>>;
    static_assert(std::is_same_v<R, DeviceType<G>>,
                  "hasten::foreign_acc: the function for devices must return the DeviceArrays of "
                  "what the fallback returns: a DeviceArray<A> for an Acc<A>, a std::tuple for a "
                  "group");
    if constexpr (std::is_same_v<R, DeviceType<G>>) {
      function->call_on_device = [f = on_device.function](
                                     ForeignDevice& device,
                                     const std::vector<PlacedArray>& given) -> Results {
        [[maybe_unused]] std::size_t next = 0;
        const std::tuple<DeviceType<Gs>...> args{placed_group<Gs>(given, next)...};
        const DeviceCall call(device);
        Results results;
        append_placed(std::apply([&](const auto&... of) { return f(call, of...); }, args), results);
        return results;
      };
    }
  }
  return function;
}
template <class G, class L>
std::shared_ptr<const ForeignArrayFunction> array_implementation(L, const ForeignSource&) {
  static_assert(always_false<G>,
                "hasten::foreign_acc: texts are for foreign_exp; functions of arrays are called "
                "on the host: on_cpu(name, function), on_cuda, on_opencl");
  return nullptr;
}

/// The fallback, traced with one parameter per argument; `Result` is its group of arrays.
template <class G>
struct TracedFallback {
  using Result = G;
  Function fn;
};

template <class... Gs, class F>
auto trace_fallback(List<Gs...>, const Where& where, F& fallback) {
  std::vector<Scope::ArrayParam> params;
  (append_array_params<Gs>(params), ...);
  Scope scope(params, {});
  [[maybe_unused]] std::size_t next = 0;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < params.size(); ++i) terms.push_back(scope.param(i));
  const std::tuple<Gs...> args{group_of<Gs>(terms, next)...};
  const auto result =
      std::apply([&](const Gs&... gs) { return call_with_all(fallback, gs...); }, args);
  using G = std::remove_cvref_t<decltype(result)>;
  static_assert(is_array_group<G> || std::is_same_v<G, NotCallable>,
                "hasten::foreign_acc: the fallback must return an Acc<...> or a group of these; "
                "for a scalar return unit(e)");
  if constexpr (is_array_group<G>) {
    return TracedFallback<G>{scope.close(arrays_of(result), "foreign_acc", where)};
  } else {
    return NotCallable{};
  }
}

template <class I, class F, class... Gs>
auto foreign_acc(const Where& where, const I& implementations, F& fallback, const Gs&... args) {
  static_assert((is_array_group<Gs> && ...),
                "hasten::foreign_acc: the arguments must be Acc<...> or groups of these: bring a "
                "host array in with use(array), a scalar with unit(e)");
  if constexpr ((is_array_group<Gs> && ...)) {
    auto traced = trace_fallback(List<Gs...>{}, where, fallback);
    if constexpr (!std::is_same_v<decltype(traced), NotCallable>) {
      using G = typename decltype(traced)::Result;
      std::vector<std::shared_ptr<const ForeignArrayFunction>> functions;
      for_each_implementation(implementations, [&](const auto& one) {
        check_foreign_name(one.name, where);
        functions.push_back(array_implementation<G>(List<Gs...>{}, one));
      });
      std::vector<Term> terms;
      (append_state<Gs>(args, where, terms), ...);
      return group_of<G>(
          foreign_arrays(std::move(functions), std::move(traced.fn), std::move(terms), where));
    }
  }
}

/// Passes the arguments that were given to `then`.
template <class Then, class... Xs>
auto with_arguments(Then then, const Xs&... args) {
  const std::tuple<const Xs&...> all(args...);
  return with_indices<given<Xs...>>([&](auto... i) { return then(std::get<i>(all)...); });
}

}  // namespace hasten::detail

namespace hasten {

/// Calls a target's own scalar function of 0 to 8 numbers. The implementation is on_cpu,
/// opencl_source, cuda_source, or a std::tuple of these, whose first entry for the current target
/// is called. Without one, and on the interpreter, the fallback is computed: a function of the
/// language with the same arguments. The function must be pure: equal arguments give equal results,
/// without effects. It is called only for the elements that the program needs. Throws BuildError if
/// its name already identifies another function.
template <class I, class F, class A = detail::NotGiven, class B = detail::NotGiven,
          class C = detail::NotGiven, class D = detail::NotGiven, class E = detail::NotGiven,
          class G = detail::NotGiven, class H = detail::NotGiven, class J = detail::NotGiven>
auto foreign_exp(const I& implementations, F fallback, const A& a = {}, const B& b = {},
                 const C& c = {}, const D& d = {}, const E& e = {}, const G& g = {},
                 const H& h = {}, const J& j = {}, detail::Where where = detail::Where::current()) {
  return detail::with_arguments(
      [&](const auto&... args) {
        return detail::foreign_exp(where, implementations, fallback, args...);
      },
      a, b, c, d, e, g, h, j);
}

/// Calls a function of whole arrays on the host, with 0 to 8 arrays or groups of arrays; its
/// results may have any extents. The implementation is on_cpu (with host arrays, as views: nothing
/// is copied), on_cuda or on_opencl (with arrays on the device), or a std::tuple of these, whose
/// first entry for the current target is called. Without one, and on the interpreter, the fallback
/// is computed: a function of the language with the same arguments. Exceptions from the function
/// pass through run() and get(). It must depend only on its arguments, and several threads may call
/// it at once. Calls of one function (one name and one stateless callable) with the same arguments
/// are merged into one, unless it is marked impure().
template <class I, class F, class A = detail::NotGiven, class B = detail::NotGiven,
          class C = detail::NotGiven, class D = detail::NotGiven, class E = detail::NotGiven,
          class G = detail::NotGiven, class H = detail::NotGiven, class J = detail::NotGiven>
auto foreign_acc(const I& implementations, F fallback, const A& a = {}, const B& b = {},
                 const C& c = {}, const D& d = {}, const E& e = {}, const G& g = {},
                 const H& h = {}, const J& j = {}, detail::Where where = detail::Where::current()) {
  return detail::with_arguments(
      [&](const auto&... args) {
        return detail::foreign_acc(where, implementations, fallback, args...);
      },
      a, b, c, d, e, g, h, j);
}

}  // namespace hasten
