// What a run of a plan has computed so far.
#pragma once

#include "core/program.hpp"
#include "core/scalar_ops.hpp"
#include "kernels/plan.hpp"
#include "runtime/devices/parts.hpp"
#include "runtime/devices/shares.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/outs.hpp"
#include "runtime/execute/own_work.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/no_memory.hpp"
#include "runtime/memory/spare_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hasten::runtime {

/// Arrays and host values are in dense tables, by their numbers.
struct RunState {
  RunState(const LoadedPlan& what, const Arguments& with)
      : loaded(what),
        plan(what.plan),
        arguments(with),
        arrays(plan.array_types.size()),
        values(plan.value_types.size()) {
    const bool is_one = loaded.others.empty() && loaded.parts == 1 && !with.ranks;
    if (!is_one) joins.emplace(plan);
    if (!loaded.has_memory()) {
      if (!with.outs.empty() && is_one) outs.emplace(plan, with);
      return;
    }
    for (std::size_t k = 0; k < loaded.devices(); ++k) {
      const bool works = !with.shares || with.shares->runs_on[k] == k;
      account->memories.push_back(loaded.on(k).memory.get());
      if (!works || !loaded.on(k).memory) continue;
      work.emplace_back(*loaded.on(k).backend, k, loaded.others.empty());
    }
    if (with.recording) account->recording = *with.recording;
  }

  /// The device that runs the current step: one without a share leaves its steps to others.
  [[nodiscard]] std::size_t device() const {
    const std::size_t device = loaded.device_of(step->device);
    return arguments.shares ? arguments.shares->runs_on[device] : device;
  }

  /// Errors from now on belong to the device of this part.
  void blame(std::uint32_t part) const {
    if (!arguments.shares) return;
    arguments.shares->under_way = arguments.shares->runs_on[loaded.device_of(part)];
  }

  const LoadedPlan& loaded;
  const kernels::Plan& plan;
  const Arguments& arguments;
  std::shared_ptr<Account> account = std::make_shared<Account>();
  std::list<OwnWork> work;              // of each device that does not work in host memory
  std::optional<Joins> joins;           // of several parts
  std::optional<Outs> outs;             // none: there are no places for results
  std::vector<HostArrayRef> arrays;     // by ArrayId
  std::optional<SpareArrays> spare;     // of the loop under way, in host memory
  std::vector<core::Bits> values;       // by Value
  const kernels::Step* step = nullptr;  // the current one

  /// One that a loop let go; null: there is none like it.
  [[nodiscard]] std::shared_ptr<detail::HostArray> take_spare(
      std::span<const std::int64_t> shape, std::span<const core::ScalarType> leaves) {
    return spare ? spare->take(shape, leaves) : nullptr;
  }
  /// No step will use it any more.
  void let_go(core::ArrayId array) {
    if (spare)
      spare->keep(arrays[array]);
    else
      arrays[array].reset();
  }

  [[nodiscard]] std::string operation() const {
    return *step->operation ? step->operation : "a scalar of the program";
  }
  [[nodiscard]] Needs needs() const { return {operation(), step->where}; }

  [[nodiscard]] bool is_stopped() const { return arguments.stop && arguments.stop->is_asked(); }
  /// For the kernels of a device, by its number in the plan.
  [[nodiscard]] const support::StopWord* stop_word(std::size_t device) const {
    return arguments.stop ? arguments.stop->word_of_kernels(device) : nullptr;
  }

  [[nodiscard]] std::vector<std::int64_t> extents(const std::vector<core::Value>& of) const {
    std::vector<std::int64_t> result;
    put_extents(of, result);
    return result;
  }
  void put_extents(const std::vector<core::Value>& of, std::vector<std::int64_t>& into) const {
    into.resize(of.size());
    for (std::size_t i = 0; i < of.size(); ++i)
      into[i] = std::max<std::int64_t>(core::as_i64(values[of[i]]), 0);
  }
};

}  // namespace hasten::runtime
