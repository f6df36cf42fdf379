// Calls of programs that several devices share: all have a part, or one does everything.
#include "core/print.hpp"
#include "runtime/check_options.hpp"
#include "runtime/devices/shares.hpp"
#include "runtime/executable.hpp"
#include "runtime/report/log.hpp"
#include "support/ticks.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace hasten::detail {
namespace {

// The device that got work last when the error occurred; or another one, if reading its memory
// failed: a lost device reports its error again, and errors of others start with their names. Only
// those that `works` names had a part in the call: a device that was lost before is not blamed
// again, so that each failure leaves fewer devices.
std::size_t failed_device(const runtime::LoadedPlan& loaded, std::size_t told, const Error& error,
                          const std::function<bool(std::size_t)>& works) {
  const auto is_lost = [&](std::size_t device) {
    try {
      loaded.on(device).backend->finish();
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  for (std::size_t k = 0; k < loaded.devices(); ++k)
    if (works(k) && loaded.on(k).memory && is_lost(k)) return k;
  const std::string_view what = error.what();
  for (std::size_t k = 0; k < loaded.devices(); ++k)
    if (works(k) && what.find(loaded.on(k).backend->name() + ": ") != what.npos) return k;
  return told;
}

std::int64_t elements_of(std::span<const std::shared_ptr<const HostArray>> arrays) {
  std::int64_t elements = 0;
  for (const auto& array : arrays) elements += array->size();
  return elements;
}

}  // namespace

const Executable& Executable::on_one(std::size_t device) const {
  const std::lock_guard lock(alone_mutex_);
  alone_.resize(device_->parts.size());
  if (!alone_[device]) {
    Options options = options_;
    options.target = Target(device_->parts[device]->name);
    options.split.clear();
    alone_[device].reset(new Executable(options, where_, device_->parts[device],
                                        [&](runtime::Dump&) { return program_; }));
  }
  return *alone_[device];
}

std::optional<Results> Executable::run_alone(const Given& given, std::stop_token cancel) const {
  last_alone_ = nullptr;
  if (!shares_ || !options_.split.empty() || runtime::checks_elements(options_)) return {};
  const std::int64_t elements = elements_of(given.arrays) + elements_of(used_);
  const runtime::CallShares call = shares_->begin(elements);
  if (!call.is_alone) return {};
  const auto device =
      static_cast<std::size_t>(std::ranges::find(call.shares, 1.0) - call.shares.begin());
  const auto others_do = [&](const Error& error) {
    const std::size_t failed =
        failed_device(*loaded_, device, error, [&](std::size_t k) { return k == device; });
    return leave_out(failed, error);
  };
  const Executable& alone = on_one(device);
  const std::int64_t start = support::ticks();
  try {
    Results results = alone.run(given, std::move(cancel));
    shares_->end(call, support::nanoseconds_between(start, support::ticks()));
    last_alone_ = &alone;
    return results;
  } catch (const TargetError& error) {
    if (!others_do(error)) throw;
  } catch (const MemoryError& error) {
    // The device may still have room for its part of such a call, and for all of a smaller one.
    shares_->cannot_go_alone(call);
    runtime::log(1, [&] {
      return fmt::format("{} does not do all of the program at {} alone: {}",
                         device_->parts[device]->name, core::print(where_), error.what());
    });
  }
  return {};
}

// Cut among all devices there was no room; each alone works in parts of other sizes.
std::optional<Results> Executable::run_on_any(const Given& given,
                                              const std::stop_token& cancel) const {
  if (!options_.split.empty() || runtime::checks_elements(options_)) return {};
  for (std::size_t device = 0; device < device_->parts.size(); ++device) {
    const Executable& alone = on_one(device);
    try {
      Results results = alone.run(given, cancel);
      last_alone_ = &alone;
      return results;
    } catch (const MemoryError&) {  // the caller has one that tells of all devices
    }
  }
  return {};
}

// Not all devices can have their shares: one does everything, like any device that goes alone.
std::optional<Results> Executable::run_in_child(const Given& given,
                                                const std::stop_token& cancel) const {
  if (runtime::checks_elements(options_)) return {};
  const std::optional<std::size_t> here = device_->one_after_fork();
  if (!here) return {};
  const Executable& alone = on_one(*here);
  runtime::log(1, [&] {
    return fmt::format(
        "{} does all of the program at {}: others were opened before fork(), and their drivers do "
        "not work in the child",
        device_->parts[*here]->name, core::print(where_));
  });
  Results results = alone.run(given, cancel);
  last_alone_ = &alone;
  return results;
}

bool Executable::leave_out(std::size_t device, const Error& error) const {
  if (!shares_->exclude(device)) return false;
  runtime::log(1, [&] {
    return fmt::format("{} is left out of the program at {}, others do its part: {}",
                       device_->parts[device]->name, core::print(where_), error.what());
  });
  return true;
}

// Programs have no side effects: the work of a device that fails is repeated by the others.
Results Executable::run_shared(runtime::Arguments& arguments, runtime::RunCounts& counts,
                               runtime::CallRecord& record, const runtime::LoadedPlan& loaded,
                               bool leaves_out) const {
  const std::int64_t elements = elements_of(arguments.inputs) + elements_of(arguments.used);
  while (true) {
    runtime::CallShares shares = shares_->begin(elements);
    arguments.shares = &shares;
    if (shares.measures)
      for (const runtime::KernelCodeRef& code : loaded.needed_code()) code->prepare();
    const std::int64_t start = support::ticks();
    const auto others_do = [&](const Error& error) {
      const auto works = [&](std::size_t k) { return shares.runs_on[k] == k; };
      const std::size_t device =
          failed_device(loaded, shares.runs_on[shares.under_way], error, works);
      return leave_out(device, error);
    };
    try {
      Results results = runtime::run_plan(loaded, arguments, record, counts);
      shares_->end(shares, support::nanoseconds_between(start, support::ticks()));
      return results;
    } catch (const TargetError& error) {
      if (!others_do(error)) throw;
    } catch (const MemoryError& error) {
      if (!leaves_out || !others_do(error)) throw;
    }
  }
}

}  // namespace hasten::detail
