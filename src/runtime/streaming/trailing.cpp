// Results go home to where their whole will be; what is there may be moved out without a copy.
#include "runtime/streaming/trailing.hpp"

#include "kernels/liveness.hpp"
#include "runtime/execute/run_state.hpp"
#include "runtime/memory/residency.hpp"
#include "runtime/streaming/joins_ahead.hpp"

#include <algorithm>
#include <utility>

namespace hasten::runtime {

using namespace kernels;

void Trailing::after(const Step& step) {
  if (step.device == core::none) return;
  const bool is_told = std::holds_alternative<Launch>(step.op) ||
                       std::holds_alternative<SortStep>(step.op) ||
                       std::holds_alternative<ForeignStep>(step.op);
  if (is_told && step.device != part_) leave(step.device);
  if (!state_.loaded.on(state_.device()).memory) return;
  for (const core::ArrayId array : definitions(step))
    if (state_.loaded.joins_ahead->of(array)) results_.emplace_back(step.device, array);
}

void Trailing::leave(std::uint32_t part) {
  part_ = part;
  for (const auto& [of, array] : std::exchange(results_, {}))
    if (of == part) {
      results_.emplace_back(of, array);
    } else {
      state_.blame(of);
      bring_home(array);
    }
  state_.blame(part);
  std::erase_if(freed_, [&](const auto& each) { return each.first != part; });
}

void Trailing::bring_home(core::ArrayId id) {
  const HostArrayRef array = state_.arrays[id];
  if (!array) return;
  const auto place = state_.joins->lend(id, array->shape(), state_);
  if (!place) return;
  for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf)
    come_home(*array->component(leaf), place->component(leaf));
}

// Where there is little, it is free at once: others would have to be moved out for it.
bool Trailing::has_room() const {
  const DeviceMemoryRef& memory = state_.loaded.on(state_.device()).memory;
  if (!memory) return false;
  const auto limit = static_cast<std::size_t>(state_.arguments.memory_limit);
  const std::size_t budget = limit > 0 ? std::min(limit, memory->budget()) : memory->budget();
  return memory->held_bytes() - memory->kept_bytes() <= budget / 2;
}

void Trailing::free(const std::vector<core::ArrayId>& arrays) {
  const bool keeps = part_ != core::none && has_room();
  for (const core::ArrayId array : arrays) {
    if (keeps) freed_.emplace_back(part_, std::move(state_.arrays[array]));
    state_.arrays[array].reset();
  }
}

}  // namespace hasten::runtime
