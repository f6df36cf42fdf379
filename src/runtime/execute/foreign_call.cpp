// Calls user code that enqueues work on a device: places arguments, allocates results.
#include "core/foreign.hpp"
#include "runtime/execute/launches.hpp"
#include "runtime/report/text.hpp"
#include "runtime/report/trace.hpp"

#include <hasten/run/error.hpp>

#include <utility>

namespace hasten::runtime {

using core::ArrayId;
using kernels::ForeignStep;

// Memory allocated for the user's code is on the call's account, within its limit.
class Launches::CallingDevice final : public detail::ForeignDevice {
 public:
  CallingDevice(Launches& launches, backends::ForeignQueue& queue)
      : launches_(launches),
        queue_(queue) {}

  [[nodiscard]] void* queue() const override { return queue_.queue(); }
  [[nodiscard]] void* context() const override { return queue_.context(); }
  [[nodiscard]] void* device() const override { return queue_.device(); }

  [[nodiscard]] detail::PlacedArray allocate(std::vector<std::int64_t> shape,
                                             std::vector<core::ScalarType> leaves) override {
    detail::PlacedArray placed{launches_.allocate_for_foreign(std::move(shape), leaves), {}};
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      placed.memory.push_back(launches_.address(*placed.array, leaf, core::none));
      queue_.writes(static_cast<std::byte*>(placed.memory.back()));
    }
    return placed;
  }

 private:
  Launches& launches_;
  backends::ForeignQueue& queue_;
};

std::shared_ptr<const detail::HostArray> Launches::allocate_for_foreign(
    Extents shape, const std::vector<core::ScalarType>& leaves) {
  for (const std::int64_t extent : shape)
    if (extent < 0)
      throw ShapeError(state_.operation() +
                           ": a foreign function asked for an array of the shape " +
                           shape_text(shape) + "; extents are not negative",
                       state_.step->where);
  const std::optional<std::int64_t> bytes = bytes_of(shape, leaves);
  if (!bytes || *bytes > most_bytes) fail_memory(shape, bytes);
  return allocate_on_device(std::move(shape), leaves, *bytes);
}

void Launches::run(const ForeignStep& op) {
  on_device_of_step();
  before_other_work();
  with_room([&] { place_and_call(op); });
}

void Launches::place_and_call(const ForeignStep& op) {
  if (op.index >= state_.arguments.foreign.size()) core::fail_only_named(op.name);
  const detail::ForeignArrayFunction& function = *state_.arguments.foreign[op.index];
  std::vector<detail::PlacedArray> args;
  std::vector<std::byte*> reads;
  std::vector<HostArrayRef> given;
  for (const ArrayId id : op.args) {
    detail::PlacedArray placed{state_.arrays[id], {}};
    for (std::size_t leaf = 0; leaf < placed.array->leaves().size(); ++leaf) {
      reads.push_back(address(*placed.array, leaf, id));
      placed.memory.push_back(reads.back());
    }
    given.push_back(placed.array);
    args.push_back(std::move(placed));
  }
  std::vector<HostArrayRef> results;
  const Took took = timed([&] {
    const auto queue = device_->backend->foreign_queue(reads);
    CallingDevice device(*this, *queue);
    {
      const DeviceMemory::CallingOut calling(*device_->memory);
      results = function.call_on_device(device, args);
    }
    queue->close();
  });
  launch_begins();
  std::vector<core::ArrayType> types;
  for (const ArrayId id : op.results) types.push_back(state_.plan.array_types[id]);
  core::check_foreign_results(function, results, types);
  record_.add(state_.step->site, took.nanoseconds);
  keep_shapes(given, results);
  if (is_tracing()) trace("foreign", op.name, took.start, took.end, details({}, 0));
  for (std::size_t i = 0; i < results.size(); ++i) state_.arrays[op.results[i]] = results[i];
}

}  // namespace hasten::runtime
