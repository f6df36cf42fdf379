// Execution of programs: run, compile, Compiled, Pending.
#pragma once

#include <hasten/detail/programs.hpp>
#include <hasten/run/out.hpp>

namespace hasten::detail {

/// Implements Compiled::into_async. A number is returned as its leaves.
template <class R>
std::shared_ptr<PendingResults> start_into(std::shared_ptr<const Executable> executable,
                                           Arguments all, const typename OutOf<R>::type& out) {
  std::vector<OutMemory> outs;
  append_out(out, outs);
  if constexpr (Element<R>)
    return execute_async_at(std::move(executable), std::move(all.arrays), std::move(all.scalars),
                            {}, [outs = std::move(outs)](auto, const Results& results) {
                              put_results(outs,
                                          {Access::host(Array<R, 0>(read_results<R>(results)))});
                            });
  else
    return execute_async_at(std::move(executable), std::move(all.arrays), std::move(all.scalars),
                            std::move(outs));
}

}  // namespace hasten::detail

namespace hasten {

/// A result that is being computed. Copies share it; get() may be called repeatedly.
template <class R>
class Pending {
 public:
  /// Whether get() would return, or throw, at once.
  [[nodiscard]] bool ready(detail::Where where = detail::Where::current()) const {
    return detail::pending(results_, where).ready();
  }
  /// Waits for the result and returns it; rethrows the program's exception.
  [[nodiscard]] R get(detail::Where where = detail::Where::current()) const {
    return detail::read_results<R>(detail::pending(results_, where).get());
  }
  /// Asks the call to stop: get() then throws a StoppedError, unless the result is already there.
  /// Other calls are unaffected.
  void cancel(detail::Where where = detail::Where::current()) const {
    detail::pending(results_, where).cancel();
  }

 private:
  template <class>
  friend class Compiled;
  explicit Pending(std::shared_ptr<detail::PendingResults> results)
      : results_(std::move(results)) {}
  std::shared_ptr<detail::PendingResults> results_;
};

/// Results that are being written to caller-owned memory. That memory belongs to the call until
/// get() has returned or thrown, or until the last copy of this object is gone, which stops the
/// call and waits for its writes to end.
template <>
class Pending<void> {
 public:
  /// Whether get() would return, or throw, at once.
  [[nodiscard]] bool ready(detail::Where where = detail::Where::current()) const {
    return detail::pending(results_, where).ready();
  }
  /// Waits until the results are in place; rethrows the program's exception.
  void get(detail::Where where = detail::Where::current()) const {
    static_cast<void>(detail::pending(results_, where).get());
  }
  /// Asks the call to stop, as for other results.
  void cancel(detail::Where where = detail::Where::current()) const {
    detail::pending(results_, where).cancel();
  }

 private:
  template <class>
  friend class Compiled;
  explicit Pending(std::shared_ptr<detail::PendingResults> results)
      : results_(std::move(results)) {}
  std::shared_ptr<detail::PendingResults> results_;
};

template <class Signature>
class Compiled;

/// A compiled program. It is called with host values, any number of times, from any thread. Copies
/// share the program, and so does an object that was moved from.
template <class R, class... Hs>
class Compiled<R(Hs...)> {
 public:
  Compiled(const Compiled&) noexcept = default;
  Compiled& operator=(const Compiled&) noexcept = default;
  ~Compiled() = default;
  /// Runs the program on host arrays and numbers; a `T` is accepted for a `Scalar<T>`. Returns, or
  /// throws, when the result is computed. Its elements stay where they were computed until they are
  /// looked at.
  R operator()(const detail::Argument<Hs>&... arguments) const {
    const detail::Arguments all = collect(arguments...);
    return detail::read_results<R>(detail::execute(*executable_, all.arrays, all.scalars));
  }
  /// Runs the program and writes its results to caller-owned memory. `out` is an Out<T, N> or
  /// converts to one (a vector or span of elements, {shape, pointer}, a variable for a number); for
  /// several results, it is a list of these in braces. Targets that work in host memory compute
  /// results of a single launch in place, devices copy to that memory, and other results are copied
  /// once. Arguments may alias that memory: the results are still right, and are then copied.
  /// Throws ShapeError if a shape is not that of its result, before anything is written, and Error
  /// if two destinations overlap. If a call throws anything else, the contents of `out` are
  /// undefined.
  void into(const typename detail::OutOf<R>::type& out,
            const detail::Argument<Hs>&... arguments) const {
    std::vector<detail::OutMemory> outs;
    detail::append_out(out, outs);
    if constexpr (detail::Element<R>) {
      detail::put_results(outs, {detail::Access::host(Array<R, 0>((*this)(arguments...)))});
    } else {
      const detail::Arguments all = collect(arguments...);
      detail::put_results(outs, detail::execute_at(*executable_, all.arrays, all.scalars, outs));
    }
  }
  /// Starts a call and returns at once; several calls may be in flight.
  [[nodiscard]] Pending<R> async(const detail::Argument<Hs>&... arguments) const {
    detail::Arguments all = collect(arguments...);
    return Pending<R>(
        detail::execute_async(executable_, std::move(all.arrays), std::move(all.scalars)));
  }
  /// Starts a call that writes its results to caller-owned memory, as `into` does, and returns at
  /// once. get() throws the shape errors of `into`; overlapping destinations are an Error here.
  [[nodiscard]] Pending<void> into_async(const typename detail::OutOf<R>::type& out,
                                         const detail::Argument<Hs>&... arguments) const {
    return Pending<void>(detail::start_into<R>(executable_, collect(arguments...), out));
  }
  /// The kernels, what was fused into what, and which arrays reach memory and why.
  [[nodiscard]] Explanation explain() const { return detail::explain(*executable_); }
  /// The number of distinct kernels in the plan.
  [[nodiscard]] std::int64_t kernel_count() const { return detail::kernel_count(*executable_); }
  /// The number of kernel launches of one call. Launches in a loop's condition and body count once;
  /// of two branches, the longer one counts. Copies, sorts and foreign calls are not launches.
  [[nodiscard]] std::int64_t launch_count() const { return detail::launch_count(*executable_); }
  /// Where the time of all calls so far went, with a row for each launch, sort, copy and foreign
  /// call.
  [[nodiscard]] Profile profile() const { return detail::profile(executable_); }
  /// The plan as a picture.
  [[nodiscard]] Picture picture() const { return detail::picture(*executable_); }
  /// Counters of this program.
  [[nodiscard]] Statistics statistics() const { return detail::statistics(*executable_); }

 private:
  friend struct detail::Access;
  explicit Compiled(std::shared_ptr<const detail::Executable> executable)
      : executable_(std::move(executable)) {}
  static detail::Arguments collect(const detail::Argument<Hs>&... arguments) {
    detail::Arguments all;
    (detail::append_argument(arguments, all), ...);
    return all;
  }
  std::shared_ptr<const detail::Executable> executable_;
};

}  // namespace hasten

namespace hasten::detail {

template <class F, class... Es>
auto compile_with(List<Es...> parameters, F&& f, const Options& options, const Where& where) {
  static_assert((ProgramValue<Es> && ...),
                "hasten::compile: the parameters of a program are Acc<...>, Exp<...> and groups of "
                "these (std::tuple, std::pair, std::array, HASTEN_GROUP)");
  const auto [result, executable] = trace_program(parameters, where, options, f);
  using R = typename decltype(result)::type;
  return Access::program<Compiled<R(HostType<Es>...)>>(executable);
}

}  // namespace hasten::detail

namespace hasten {

/// Compiles a callable with one signature; its captures are fixed.
template <class F>
  requires(!std::is_function_v<F>)
auto compile(F f, const Options& options = {}, detail::Where where = detail::Where::current()) {
  static_assert(detail::HasOneSignature<F>,
                "hasten::compile: a generic or overloaded callable has no one signature: name it: "
                "compile<Acc<Vector<float>>(Acc<Vector<float>>)>(f)");
  if constexpr (detail::HasOneSignature<F>) {
    return detail::compile_with(typename detail::ParametersOf<F>::type{}, f, options, where);
  }
}

/// Compiles a generic callable for the signature given: compile<R(Args...)>(f).
template <class Signature, class F>
  requires std::is_function_v<Signature>
auto compile(F f, const Options& options = {}, detail::Where where = detail::Where::current()) {
  const auto call = [&f]<class R, class... As>(std::type_identity<R(As...)>) {
    return [&f](const std::remove_cvref_t<As>&... arguments) -> R { return f(arguments...); };
  }(std::type_identity<Signature>{});
  return detail::compile_with(typename detail::ParametersOf<Signature>::type{}, call, options,
                              where);
}

/// Compiles and runs a program and returns its result on the host: an array, a group of arrays, or
/// a scalar.
template <class P>
auto run(const P& program, const Options& options = {},
         detail::Where where = detail::Where::current()) {
  static_assert(detail::ProgramValue<P>,
                "hasten::run: runs an Acc<...>, an Exp<...> or a group of these; to run a function "
                "compile it: compile(f)(arguments...)");
  if constexpr (detail::ProgramValue<P>) {
    return detail::compile_with(detail::List<>{}, [&] { return program; }, options, where)();
  }
}

}  // namespace hasten
