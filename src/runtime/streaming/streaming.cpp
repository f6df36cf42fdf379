// A call that ran out of memory is restarted in parts; a program changes nothing.
#include "runtime/streaming/streaming.hpp"

#include "core/print.hpp"
#include "runtime/compile/program_cache.hpp"
#include "runtime/execute/call_stop.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/no_memory.hpp"
#include "runtime/profile/at_exit.hpp"
#include "runtime/report/dump.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/text.hpp"
#include "support/env.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <optional>
#include <utility>

namespace hasten::runtime {
namespace {

// Only a few numbers, since each needs a plan of its own. The plan of a sort grows with the square
// of the parts.
constexpr std::array<std::size_t, 5> numbers_of_parts = {4, 16, 64, 128, 256};

// The next number of parts; nothing if there is none.
std::optional<std::size_t> next_after(std::size_t parts) {
  const auto* const next = std::ranges::upper_bound(numbers_of_parts, parts);
  return next == numbers_of_parts.end() ? std::nullopt : std::optional(*next);
}

std::int64_t bytes_in(const HostArrayRef& array) {
  return bytes_of(array->shape(), array->leaves()).value_or(0);
}

template <class F>
void for_each_array(const Arguments& arguments, F f) {
  for (const HostArrayRef& array : arguments.inputs) f(array);
  for (const HostArrayRef& array : arguments.used) f(array);
}

// For tests: all calls stream, in this many parts.
std::size_t forced_parts() {
  return static_cast<std::size_t>(support::env_number("HASTEN_STREAMING", {0, 256}).value_or(0));
}

bool has_parts(const kernels::Steps& steps) {
  return std::ranges::any_of(steps, [](const kernels::Step& step) {
    if (step.device != core::none) return true;
    if (const auto* branch = std::get_if<kernels::BranchStep>(&step.op))
      return has_parts(branch->then_) || has_parts(branch->else_);
    const auto* loop = std::get_if<kernels::LoopStep>(&step.op);
    return loop && (has_parts(loop->condition) || has_parts(loop->body));
  });
}

}  // namespace

struct Streaming::Plan {
  CompiledProgram compiled;
  std::shared_ptr<const LoadedPlan> stoppable;
  std::shared_ptr<Recording> recording;
  bool has_parts = false;

  ~Plan() {
    if (recording) forget_program(*recording);
  }
};

Streaming::Streaming(core::Program program, std::shared_ptr<const Device> device, Options options,
                     std::source_location where)
    : program_(std::move(program)),
      device_(std::move(device)),
      options_(std::move(options)),
      where_(where) {}

Streaming::~Streaming() = default;

bool Streaming::is_likely(const Device& device, const Options& options) {
  if (device.ranks) return false;
  return forced_parts() > 1 || options.memory_limit > 0 || device.memory ||
         std::ranges::any_of(device.parts,
                             [](const auto& part) { return part->memory != nullptr; });
}

std::shared_ptr<const Streaming::Plan> Streaming::plan_of(std::size_t parts) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Plan>& known = plans_[parts];
  if (known) return known;
  Dump silent(where_, true);
  auto plan = std::make_shared<Plan>();
  plan->compiled = compile_cached(program_, device_, options_, where_, silent, parts);
  plan->stoppable = with_polls(plan->compiled.loaded, device_, options_);
  const std::shared_ptr<const LoadedPlan>& loaded = plan->compiled.loaded;
  plan->recording = std::make_shared<Recording>(loaded->plan.sites, loaded->devices());
  plan->has_parts = has_parts(loaded->plan.steps);
  note_program({loaded, device_, plan->recording, where_});
  return known = std::move(plan);
}

// -- how many -------------------------------------------------------------------------------------

// The budget of the smallest device.
std::size_t Streaming::budget() const {
  std::size_t budget = options_.memory_limit > 0 ? static_cast<std::size_t>(options_.memory_limit)
                                                 : static_cast<std::size_t>(most_bytes);
  if (device_->memory) budget = std::min(budget, device_->memory->budget());
  for (const auto& part : device_->parts)
    if (part->memory) budget = std::min(budget, part->memory->budget());
  return budget;
}

// Two parts are on the device at a time, with as much memory again beside them.
std::size_t Streaming::parts_for(std::int64_t bytes) const {
  const auto wanted = static_cast<std::size_t>(bytes) / std::max<std::size_t>(budget() / 4, 1);
  for (const std::size_t parts : numbers_of_parts)
    if (parts >= wanted) return parts;
  return numbers_of_parts.back();
}

// Says if one argument alone does not fit. Targets that work in host memory do not count it.
std::string Streaming::too_large(const Arguments& arguments) const {
  if (!device_->memory) return {};
  std::int64_t largest = 0;
  for_each_array(arguments, [&](const HostArrayRef& array) {
    for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf)
      largest = std::max(largest, static_cast<std::int64_t>(array->component(leaf)->size()));
  });
  if (static_cast<std::size_t>(largest) <= budget()) return {};
  return fmt::format("an argument has {}, and {} may hold {}",
                     bytes_text(static_cast<double>(largest)), device_->name,
                     bytes_text(static_cast<double>(budget())));
}

// Whether even the largest number of parts would leave no room for an array of this size, or it is
// far more than a machine processes.
bool Streaming::is_hopeless(std::int64_t bytes, std::size_t parts) const {
  constexpr std::int64_t far_more = 16;
  const std::int64_t host = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (host > 0 && bytes / far_more > host) return true;
  const auto least = bytes / static_cast<std::int64_t>(numbers_of_parts.back() / parts);
  return least > 0 && static_cast<std::size_t>(least) > budget();
}

// -- calls ----------------------------------------------------------------------------------------

detail::Results Streaming::run(const LoadedPlan& whole, const Arguments& given, CallRecord& record,
                               Attempt attempt, const MemoryError* failed) {
  std::int64_t bytes = 0;
  for_each_array(given, [&](const HostArrayRef& array) { bytes += bytes_in(array); });
  const int size_class = std::bit_width(static_cast<std::uint64_t>(bytes));
  Last last{1, too_large(given)};
  int level = 1;  // of the log: repeated messages have a higher one
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(size_class); known != known_.end())
      last = known->second, level = 4;
  }
  if (failed && is_hopeless(take_bytes_refused(), 1)) throw;
  if (failed && last.why.empty()) last.why = failed->what();
  if (last.parts == 1 && !last.why.empty()) last.parts = parts_for(bytes);
  if (const std::size_t forced = forced_parts(); forced > 1) last = {forced, "HASTEN_STREAMING"};
  std::exception_ptr first = failed ? std::current_exception() : nullptr;
  std::uint32_t part = 0;  // the part without memory: if the whole, more parts do not help
  for (std::optional<std::size_t> parts = last.parts; parts && part != core::none;) {
    Arguments arguments = given;
    last.parts = *parts;
    static_cast<void>(take_bytes_refused());  // drops the count of other calls
    try {
      detail::Results results;
      if (*parts == 1) {
        results = attempt(whole, arguments, record, false);
      } else {
        const std::shared_ptr<const Plan> plan = plan_of(*parts);
        if (!plan->has_parts) break;
        log(level, [&] {
          return fmt::format("the program at {} streams in {} parts: {}", core::print(where_),
                             *parts, last.why);
        });
        results = run_parts(*plan, arguments, part, attempt);
      }
      remember(size_class, last);
      return results;
    } catch (const MemoryError& error) {
      if (!first) first = std::current_exception();
      if (*parts > 1)
        log(1, [&] { return fmt::format("no room in {} parts: {}", *parts, error.what()); });
      if (last.why.empty()) last.why = error.what();
      if (is_hopeless(take_bytes_refused(), *parts)) break;
      parts = *parts == 1 ? std::optional(parts_for(bytes)) : next_after(*parts);
    }
  }
  Arguments arguments = given;
  const bool has_others = !device_->parts.empty();
  if (first && !has_others) std::rethrow_exception(first);
  return attempt(whole, arguments, record, true);
}

detail::Results Streaming::run_parts(const Plan& plan, const Arguments& given, std::uint32_t& part,
                                     Attempt attempt) {
  Arguments arguments = given;
  arguments.literals = plan.compiled.literals;
  arguments.recording = &plan.recording;
  arguments.part = &part;
  CallRecord record(*plan.recording);
  struct Recorded {  // errors too; the counters are the call's
    CallRecord& record;
    ~Recorded() { record.end({}); }
  } const recorded{record};
  const bool stops = arguments.stop && arguments.stop->is_possible();
  return attempt(stops ? *plan.stoppable : *plan.compiled.loaded, arguments, record, false);
}

void Streaming::remember(int size_class, const Last& last) {
  const std::lock_guard lock(mutex_);
  last_ = last;
  if (last.parts == 1) return;
  known_[size_class] = last;
  last_plan_ = plans_[last.parts];
}

// -- for who asks ---------------------------------------------------------------------------------

Streaming::Last Streaming::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

ProfileSource Streaming::profile_source() const {
  const std::lock_guard lock(mutex_);
  if (!last_plan_) return {};
  return {last_plan_->compiled.loaded, device_, last_plan_->recording, where_};
}

std::vector<KernelCodeRef> Streaming::kernels_ours() const {
  const std::lock_guard lock(mutex_);
  std::vector<KernelCodeRef> ours;
  for (const auto& [parts, plan] : plans_)
    if (plan)
      ours.insert(ours.end(), plan->compiled.kernels_ours.begin(),
                  plan->compiled.kernels_ours.end());
  return ours;
}

std::vector<std::shared_ptr<Recording>> Streaming::recordings() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Recording>> recordings;
  for (const auto& [parts, plan] : plans_)
    if (plan) recordings.push_back(plan->recording);
  return recordings;
}

}  // namespace hasten::runtime
