// Running programs: run, compile, Compiled, Pending.
#pragma once

#include <hasten/detail/programs.hpp>
#include <hasten/run/out.hpp>

namespace hasten::detail {

/// Compiled::into_async. A number comes as its leaves.
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

/// A result on its way. Copies share it; get() waits, again and again.
template <class R>
class Pending {
 public:
  /// Whether get() would return, or throw, at once.
  [[nodiscard]] bool ready() const { return results_->ready(); }
  /// The result; what the program threw is thrown again.
  [[nodiscard]] R get() const { return detail::read_results<R>(results_->get()); }
  /// Asks the call to stop: get() throws a StoppedError, unless the result is there already. Other
  /// calls are not touched.
  void cancel() const { results_->cancel(); }

 private:
  template <class>
  friend class Compiled;
  explicit Pending(std::shared_ptr<detail::PendingResults> results)
      : results_(std::move(results)) {}
  std::shared_ptr<detail::PendingResults> results_;
};

/// Results on their way to memory of the caller's, which is theirs until get() has returned or
/// thrown, or the last copy is gone: that stops the call, and waits until nothing is written there
/// any more.
template <>
class Pending<void> {
 public:
  /// Whether get() would return, or throw, at once.
  [[nodiscard]] bool ready() const { return results_->ready(); }
  /// Waits until the results are in their places; what the program threw is thrown again.
  void get() const { static_cast<void>(results_->get()); }
  /// As of other results.
  void cancel() const { results_->cancel(); }

 private:
  template <class>
  friend class Compiled;
  explicit Pending(std::shared_ptr<detail::PendingResults> results)
      : results_(std::move(results)) {}
  std::shared_ptr<detail::PendingResults> results_;
};

template <class Signature>
class Compiled;

/// A compiled program: called with host values, as often as you like, from any thread.
template <class R, class... Hs>
class Compiled<R(Hs...)> {
 public:
  /// Runs the program on host arrays and numbers; a `T` will do for a `Scalar<T>`. Returns, or
  /// throws, when the result is computed; its elements stay where they are until they are looked
  /// at.
  R operator()(const detail::Argument<Hs>&... arguments) const {
    const detail::Arguments all = collect(arguments...);
    return detail::read_results<R>(detail::execute(*executable_, all.arrays, all.scalars));
  }
  /// Runs the program and writes its results to memory of the caller's: `out` is an Out<T, N>, or
  /// what becomes one (a vector or span of elements, {shape, pointer}, a variable for a number); of
  /// several results one for each, in braces. Targets that work in host memory compute there what
  /// one launch makes, devices copy to there; the rest is copied once. Arguments may be read from
  /// that memory: results are right all the same, and copied. Another shape than the result's is a
  /// ShapeError, and nothing is written; two places that overlap are an Error. When a call throws
  /// anything else, what is in `out` is undefined.
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
  /// Starts a call and returns at once; several may be in flight.
  [[nodiscard]] Pending<R> async(const detail::Argument<Hs>&... arguments) const {
    detail::Arguments all = collect(arguments...);
    return Pending<R>(
        detail::execute_async(executable_, std::move(all.arrays), std::move(all.scalars)));
  }
  /// Starts a call that writes its results to memory of the caller's, as `into` does, and returns
  /// at once. What `into` throws of shapes get() throws; overlapping places are an Error here.
  [[nodiscard]] Pending<void> into_async(const typename detail::OutOf<R>::type& out,
                                         const detail::Argument<Hs>&... arguments) const {
    return Pending<void>(detail::start_into<R>(executable_, collect(arguments...), out));
  }
  /// Kernels, what was fused into what, which arrays reach memory and why.
  [[nodiscard]] Explanation explain() const { return detail::explain(*executable_); }
  /// How many distinct kernels the plan has.
  [[nodiscard]] std::int64_t kernel_count() const { return detail::kernel_count(*executable_); }
  /// How many launches of kernels one call makes: those of a loop's condition and body count once,
  /// and of two branches those of the longer one. Copies, sorts and foreign calls are no launches.
  [[nodiscard]] std::int64_t launch_count() const { return detail::launch_count(*executable_); }
  /// Where the time of all calls so far went: a row for each launch, sort, copy and foreign call.
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

/// Compiles a callable with one signature; what it captures is fixed.
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

/// Compiles, runs and brings home an array, a group of arrays, or a scalar.
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
