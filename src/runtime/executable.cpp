// The implementation of run() and compile().
#include "runtime/executable.hpp"

#include "core/print.hpp"
#include "interpreter/interpreter.hpp"
#include "passes/dead_code.hpp"
#include "passes/foreign.hpp"
#include "passes/patterns/loop_invariants.hpp"
#include "passes/same_everywhere.hpp"
#include "runtime/check_options.hpp"
#include "runtime/compile/program_cache.hpp"
#include "runtime/compile/stages.hpp"
#include "runtime/devices/shares.hpp"
#include "runtime/picture/picture.hpp"
#include "runtime/profile/at_exit.hpp"
#include "runtime/ranks/ranked_call.hpp"
#include "runtime/report/dump.hpp"
#include "runtime/report/explain.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/text.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/streaming/streaming.hpp"
#include "runtime/whole_elements.hpp"
#include "support/counters.hpp"
#include "support/default_floats.hpp"
#include "support/stack.hpp"
#include "support/ticks.hpp"
#include "surface/print.hpp"
#include "surface/sharing.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <typeinfo>
#include <utility>

namespace hasten::detail {
namespace {

/// By the numbers of a plan's devices.
std::vector<backends::Backend*> backends_of(const runtime::Device& device) {
  if (device.parts.empty()) return {device.backend.get()};
  std::vector<backends::Backend*> backends;
  for (const auto& part : device.parts) backends.push_back(part->backend.get());
  return backends;
}

core::Program shared_program(const Traced& traced) {
  const runtime::TraceSpan span("compile", "sharing");
  // Before anything else, so that a program fails for one reason on all targets.
  core::Program program = passes::hoist_from_loops(recover_sharing(traced));
  runtime::log(3, [&] { return fmt::format("sharing: {:.2f} ms", span.milliseconds()); });
  return program;
}

bool is_everywhere(const Options& options) {
  return options.determinism == Determinism::everywhere;
}

// Results that are equal on all targets are those of the fallbacks.
core::Program with_foreign_chosen(core::Program program, std::optional<ForeignTarget> target,
                                  const Options& options) {
  if (is_everywhere(options)) target.reset();
  return passes::choose_foreign(std::move(program), target);
}

// The program for a target with these functions.
core::Program prepared(core::Program program, std::optional<ForeignTarget> target,
                       const Options& options) {
  program = with_foreign_chosen(std::move(program), target, options);
  if (!is_everywhere(options)) return program;
  // Code that only arguments of foreign calls needed is dead, and must not fail on any target.
  return passes::same_everywhere(passes::remove_dead_code(std::move(program)));
}

// Whether kernels may read lent memory of which no component was extracted.
bool may_read_whole(const runtime::Device& device) {
  return device.backend && device.backend->in_host_memory() && device.sharers() == 1;
}

// The target whose functions the interpreter calls when it searches for a device's failure.
std::optional<ForeignTarget> on_host(std::optional<ForeignTarget> target) {
  return target == ForeignTarget::cpu ? target : std::nullopt;
}

}  // namespace

Executable::Executable(const Traced& traced, std::shared_ptr<const runtime::Device> device)
    : Executable(traced.options, traced.where, std::move(device), [&](runtime::Dump& dump) {
        dump.stage("surface", [&] { return detail::print_surface(traced); });
        return shared_program(traced);
      }) {}

Executable::Executable(const Options& options, const Where& where,
                       std::shared_ptr<const runtime::Device> device, Trace trace)
    : options_(options),
      where_(where),
      device_(std::move(device)) {
  runtime::check_options(options_, *device_, where_);
  runtime::Dump dump(where);
  core::Program program = trace(dump);
  callers_.emplace(program);
  dump.stage("core", [&] { return core::print(program); });
  if (!device_->backend) {
    program_ =
        is_everywhere(options_) ? prepared(std::move(program), {}, options_) : std::move(program);
    recording_ = std::make_shared<runtime::Recording>(0U);
    runtime::note_program(profile_source());
    return;
  }
  const std::optional<ForeignTarget> target = device_->foreign_target();
  if (may_read_whole(*device_)) read_once_ = passes::arrays_read_once(program);
  if (!read_once_.empty()) traced_ = program;
  if (runtime::checks_elements(options_))
    program_ = prepared(program, on_host(target), options_);
  else if (device_->parts.size() > 1)
    program_ = program;
  program = prepared(std::move(program), target, options_);
  runtime::CompiledProgram compiled =
      runtime::compile_cached(program, device_, options_, where_, dump);
  used_ = program.arrays_used;
  foreign_ = program.foreign;
  loaded_ = std::move(compiled.loaded);
  if (options_.stop.stop_possible()) loaded_ = runtime::with_polls(loaded_, device_, options_);
  literals_ = std::move(compiled.literals);
  kernels_ours_ = std::move(compiled.kernels_ours);
  kernels_in_memory_ = compiled.kernels_in_memory;
  recording_ = std::make_shared<runtime::Recording>(loaded_->plan.sites, loaded_->devices());
  runtime::note_program(profile_source());
  if (!loaded_->others.empty())
    shares_ = options_.split.empty()
                  ? loaded_->shares
                  : std::make_shared<runtime::Shares>(loaded_->devices(), options_.split);
  streams_at_once_ = runtime::Streaming::is_likely(*device_, options_);
  if (!device_->ranks)  // processes have shares, which are not cut into parts
    streaming_ =
        std::make_unique<runtime::Streaming>(std::move(program), device_, options_, where_);
  ahead_.emplace(loaded_->code_at_once());
}

Executable::~Executable() { runtime::forget_program(*recording_); }

Results Executable::run(const Given& given, std::stop_token cancel) const {
  std::optional<runtime::TraceSpan> span;
  if (runtime::is_tracing()) span.emplace("call", "call");
  runtime::RunCounts counts;
  runtime::CallRecord record(*recording_);
  struct Recorded {  // also after errors
    const runtime::RunCounts& counts;
    runtime::CallRecord& record;
    ~Recorded() { record.end(counts); }
  } const recorded{counts, record};
  runtime::log(4, [&] { return "call of the program at " + core::print(where_); });
  const bool is_ranked = loaded_ && loaded_->ranked;
  const runtime::CallStop stop(options_.stop, cancel, backends_of(*device_), is_ranked);
  // Without a check, because a rank that did not begin would leave the others waiting for it.
  if (stop.is_asked() && !is_ranked) stop.fail({}, where_);
  try {
    if (is_interpreted()) return interpret(given, stop);
    if (auto results = run_in_child(given, cancel)) return std::move(*results);
    if (auto results = run_alone(given, cancel)) return std::move(*results);
    if (auto results = run_whole(given, cancel)) return std::move(*results);
    try {
      return run_plan(given, cancel, stop, counts, record);
    } catch (const runtime::ElementFailed&) {
      return interpret(given, stop);  // which throws, and names the element
    }
  } catch (const support::Stopped& stopped) {
    stop.fail(stopped.operation, stopped.where);
  }
}

Results Executable::interpret(const Given& given, const runtime::CallStop& stop) const {
  std::vector<core::Bits> bits;
  bits.reserve(given.scalars.size());
  for (const LiteralBits& scalar : given.scalars) bits.push_back({scalar.lo, scalar.hi});
  // No limit may stop the interpreter before it reaches another target's failure.
  const std::int64_t limit = is_interpreted() ? options_.memory_limit : 0;
  return interp::interpret(program_, given.arrays, bits, options_.checks,
                           interp::OutOfRange::throws, stop.word(), limit);
}

Results Executable::run_plan(const Given& given, const std::stop_token& cancel,
                             const runtime::CallStop& stop, runtime::RunCounts& counts,
                             runtime::CallRecord& record) const {
  const kernels::Plan& plan = loaded_->plan;
  const auto& [arrays, scalars, outs] = given;
  const std::size_t numbers = plan.scalar_inputs.size() - literals_.size();
  const bool is_cut = scalars.size() + device_->sharers() - 1 == numbers;
  if (arrays.size() != plan.inputs.size() || (scalars.size() != numbers && !is_cut))
    throw InternalError(
        fmt::format("a program of {} arrays and {} numbers was called with {} and {}",
                    plan.inputs.size(), numbers, arrays.size(), scalars.size()),
        where_);
  for (std::size_t k = 0; k < loaded_->devices(); ++k)
    if (loaded_->on(k).memory) loaded_->on(k).memory->check_process();
  runtime::Arguments arguments{used_,    arrays,      scalars, literals_, options_.memory_limit,
                               foreign_, &recording_, &stop,   outs};
  const auto attempt = [&](const runtime::LoadedPlan& plan_of_parts, runtime::Arguments& with,
                           runtime::CallRecord& to, bool gives_up) {
    if (!shares_) return runtime::run_plan(plan_of_parts, with, to, counts);
    if (gives_up && streaming_)
      if (auto results = run_on_any(given, cancel)) return std::move(*results);
    return run_shared(with, counts, to, plan_of_parts, gives_up);
  };
  const runtime::LoadedPlan& whole = stop.is_possible() ? stoppable() : *loaded_;
  if (loaded_->ranked)
    return runtime::run_on_ranks(*loaded_, *loaded_->ranked, arguments, options_.split, where_,
                                 [&](const runtime::Arguments& as_cut) {
                                   return runtime::run_plan(whole, as_cut, record, counts);
                                 });
  if (streams_at_once_) return streaming_->run(whole, arguments, record, attempt);
  if (!streaming_) return attempt(whole, arguments, record, true);
  try {
    runtime::Arguments copy = arguments;
    return attempt(whole, copy, record, false);
  } catch (const MemoryError& error) {
    return streaming_->run(whole, arguments, record, attempt, &error);
  }
}

const Executable& Executable::reading(const std::vector<passes::WholeElements>& all) const {
  const std::lock_guard lock(whole_mutex_);
  const auto known = std::ranges::find(whole_, all, &WholeProgram::elements);
  if (known != whole_.end()) return *known->executable;
  std::unique_ptr<Executable> made(new Executable(
      options_, where_, device_, [&](runtime::Dump&) { return passes::read_whole(traced_, all); }));
  made->read_once_.clear();  // what is left has been asked
  whole_.push_back({all, std::move(made)});
  return *whole_.back().executable;
}

std::optional<Results> Executable::run_whole(const Given& given, std::stop_token cancel) const {
  last_whole_ = nullptr;
  if (read_once_.empty()) return {};
  std::vector<passes::WholeElements> all;
  std::vector<std::shared_ptr<const HostArray>> arrays(given.arrays.begin(), given.arrays.end());
  for (const passes::ReadOnce& once : read_once_) {
    const auto [is_used, index] = once.array;
    const HostArray& array = *(is_used ? used_[index] : given.arrays[index]);
    if (auto elements = runtime::seen_whole(array, once, arrays)) all.push_back(*elements);
  }
  if (all.empty()) return {};
  const Executable& whole = reading(all);
  Results results = whole.run({arrays, given.scalars, given.outs}, std::move(cancel));
  last_whole_ = &whole;
  return results;
}

const runtime::LoadedPlan& Executable::stoppable() const {
  if (options_.stop.stop_possible()) return *loaded_;
  std::call_once(stoppable_once_,
                 [&] { stoppable_ = runtime::with_polls(loaded_, device_, options_); });
  return *stoppable_;
}

const kernels::Plan& Executable::plan() const {
  if (loaded_) return loaded_->plan;
  std::call_once(plan_once_, [&] {
    runtime::Dump silent(where_, true);
    plan_ = std::make_unique<kernels::Plan>(
        runtime::make_plan(with_foreign_chosen(program_, ForeignTarget::cpu, options_),
                           runtime::declared_parameters(program_), options_, silent));
  });
  return *plan_;
}

namespace {
void add(Statistics& all, const Statistics& more) {
  all.kernels_compiled += more.kernels_compiled;
  all.kernels_from_cache += more.kernels_from_cache;
  all.launches += more.launches;
  all.bytes_allocated += more.bytes_allocated;
  all.bytes_peak = std::max(all.bytes_peak, more.bytes_peak);
  all.bytes_to_devices += more.bytes_to_devices;
  all.bytes_from_devices += more.bytes_from_devices;
}
}  // namespace

Statistics Executable::statistics() const {
  Statistics result;
  result.traces = 1;
  result.kernels_from_cache = kernels_in_memory_;
  std::vector<runtime::KernelCodeRef> ours = kernels_ours_;
  if (streaming_) std::ranges::copy(streaming_->kernels_ours(), std::back_inserter(ours));
  const auto at_once = loaded_ ? loaded_->code_at_once() : std::vector<runtime::KernelCodeRef>();
  for (const runtime::KernelCodeRef& code : ours) {
    const bool is_at_once = std::ranges::find(at_once, code) != at_once.end();
    if (!is_at_once && !code->has_begun()) continue;  // of a branch that no call has taken
    code->prepare();
    if (code->has_failed()) continue;
    ++(code->is_compiled() ? result.kernels_compiled : result.kernels_from_cache);
    if (const auto& later = code->get().compiled_later) result.kernels_compiled += *later;
  }
  const runtime::Recording::Counts counts = recording_->counts();
  result.launches = counts.all.launches;
  result.bytes_allocated = counts.all.bytes_allocated;
  result.bytes_peak = counts.all.bytes_peak;
  result.bytes_to_devices = counts.bytes_to_devices;
  result.bytes_from_devices = counts.bytes_from_devices;
  {
    const std::lock_guard lock(alone_mutex_);
    for (const auto& alone : alone_)
      if (alone) add(result, alone->statistics());
  }
  {
    const std::lock_guard lock(whole_mutex_);
    for (const WholeProgram& whole : whole_) add(result, whole.executable->statistics());
  }
  if (!streaming_) return result;
  for (const auto& of_parts : streaming_->recordings()) {
    const runtime::Recording::Counts more = of_parts->counts();
    result.bytes_to_devices += more.bytes_to_devices;
    result.bytes_from_devices += more.bytes_from_devices;
  }
  return result;
}

std::string Executable::schedule(std::size_t kernel) const {
  if (!loaded_) return {};
  for (std::size_t k = 0; k < loaded_->devices(); ++k) {
    const runtime::LoadedDevice& device = loaded_->on(k);
    if (!device.uses.empty() && !device.uses[kernel]) continue;
    runtime::KernelCode& code = *device.code[kernel];
    code.prepare();
    if (code.has_failed()) return {};
    return device.backend->describe_schedule(loaded_->plan.kernels[kernel], code.get());
  }
  return {};
}

std::vector<double> Executable::shares() const {
  if (loaded_ && loaded_->ranked && loaded_->shares && options_.split.empty())
    return loaded_->shares->last();
  return shares_ ? shares_->last() : std::vector<double>();
}

runtime::ProfileSource Executable::profile_source() const {
  if (const Executable* const one = alone()) return one->profile_source();
  if (const Executable* const one = whole()) return one->profile_source();
  if (streaming_ && streaming_->last().parts > 1) return streaming_->profile_source();
  return {loaded_, device_, recording_, where_};
}

// --- declared in include/hasten/detail/runtime.hpp -----------------------------------------------

namespace {

template <class... Kinds>
[[noreturn]] void throw_as(const Error& error, const std::string& what, const Where& where) {
  ((typeid(error) == typeid(Kinds) ? throw Kinds(what, where) : void()), ...);
  throw;  // a kind that the user has defined
}

[[noreturn]] void throw_at(const Error& error, const std::string& what, const Where& where) {
  throw_as<Error, BuildError, ShapeError, IndexError, ArithmeticError, TargetError, MemoryError,
           StoppedError, InternalError>(error, what, where);
}

// Without the location at its beginning.
std::string words_of(const Error& error) {
  const std::string place = Error("", error.where()).what();
  const std::string_view what = error.what();
  return std::string(what.substr(what.starts_with(place) ? place.size() : 0));
}

// Runs f with enough stack. Errors have a location: the program's, if no better one is known.
void run_at(const Where& where, const std::function<void()>& f,
            const runtime::Callers* callers = nullptr) {
  try {
    support::on_large_stack(f);
  } catch (const Error& error) {
    if (error.where().line() == 0) throw_at(error, error.what(), where);
    const std::string users = callers ? callers->of(error.where()) : "";
    if (users.empty()) throw;
    throw_at(error, words_of(error) + users, error.where());
  } catch (const std::bad_alloc&) {
    throw MemoryError(
        "there is no memory left for compiling and running a program; release arrays, or raise the "
        "limit of the process",
        where);
  }
}

std::shared_ptr<const Executable> executable_of(const Traced& traced) {
  runtime::refresh_tracing();
  runtime::refresh_log_level();
  support::counters().traces.fetch_add(1, std::memory_order_relaxed);
  auto device = runtime::find_device(traced.options.target, traced.where);
  // Programs of destructors of statics are interpreted: they are correct, and too late to be long.
  if (!device->ranks && traced.options.split.empty() && !device->can_compile())
    device = runtime::find_device(interpreter(), traced.where);
  if (const auto here = device->one_after_fork()) {
    runtime::check_options(traced.options, *device, traced.where);
    Traced alone = traced;
    alone.options.split.clear();
    return std::make_shared<const Executable>(alone, device->parts[*here]);
  }
  if (device->memory) device->memory->check_process();
  return std::make_shared<const Executable>(traced, std::move(device));
}

}  // namespace

std::shared_ptr<const Executable> compile_program(const Traced& traced) {
  const support::DefaultFloats floats;  // constants are folded
  std::shared_ptr<const Executable> result;
  run_at(traced.where, [&] { result = executable_of(traced); });
  return result;
}

std::shared_ptr<const Executable> compile_program(Function fn,
                                                  std::vector<Scope::ArrayParam> array_params,
                                                  std::vector<Type> scalar_params,
                                                  const Where& where, const Options& options) {
  return compile_program(
      {std::move(fn), std::move(array_params), std::move(scalar_params), where, options});
}

namespace {

Results call(const Executable& executable, const Executable::Given& given,
             std::stop_token cancel = {}) {
  const support::DefaultFloats floats;
  Results results;
  run_at(
      executable.where(), [&] { results = executable.run(given, std::move(cancel)); },
      &executable.callers());
  return results;
}

}  // namespace

Results execute(const Executable& executable,
                std::span<const std::shared_ptr<const HostArray>> arrays,
                std::span<const LiteralBits> scalars) {
  return call(executable, {arrays, scalars});
}

Results execute(const Executable& executable,
                std::span<const std::shared_ptr<const HostArray>> arrays,
                std::span<const LiteralBits> scalars, std::span<const OutMemory> outs,
                std::stop_token cancel) {
  return call(executable, {arrays, scalars, outs}, std::move(cancel));
}

Results execute_at(const Executable& executable,
                   std::span<const std::shared_ptr<const HostArray>> arrays,
                   std::span<const LiteralBits> scalars, std::span<const OutMemory> outs) {
  check_outs(outs);
  return call(executable, {arrays, scalars, outs});
}

void check_outs(std::span<const OutMemory> outs) {
  if (do_overlap(outs))
    throw Error("into: two results would go to the same memory; give each memory of its own",
                outs[0].where);
}

Profile profile(const std::shared_ptr<const Executable>& executable) {
  return runtime::profile(executable->profile_source());
}

Picture picture(const Executable& executable) { return runtime::picture(executable); }

Explanation explain(const Executable& executable) { return runtime::explain(executable); }

std::int64_t kernel_count(const Executable& executable) {
  return kernels::kernel_count(executable.plan());
}

std::int64_t launch_count(const Executable& executable) {
  return kernels::launch_count(executable.plan().steps);
}

Statistics statistics(const Executable& executable) { return executable.statistics(); }

}  // namespace hasten::detail
