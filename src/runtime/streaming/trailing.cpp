// Results are copied to their place in the whole; what is there already may be moved out without a
// copy.
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
    if (state_.joins->goes_home(array)) results_.emplace_back(step.device, array);
}

void Trailing::leave(std::uint32_t part) {
  part_ = part;
  finish();  // so that results of at most one part are on their way
  for (const auto& [of, array] : std::exchange(results_, {}))
    if (of == part) {
      results_.emplace_back(of, array);
    } else {
      bring_home(array, of);
    }
  std::erase_if(freed_, [&](const auto& each) { return each.first != part; });
  if (!under_way_.empty() && !has_room(3)) finish();
}

void Trailing::bring_home(core::ArrayId id, std::uint32_t part) {
  const HostArrayRef array = state_.arrays[id];
  if (!array) return;
  state_.blame(part);
  // The parts of a compaction have known sizes once the last one is made: then they are joined.
  const bool has_place = state_.loaded.joins_ahead->of(id).has_value();
  auto place = has_place ? state_.joins->lend(id, array->shape(), state_) : nullptr;
  if (place || !has_place) {
    homecoming_.begin(array, std::move(place), part);
    under_way_.push_back(id);
  }
  state_.blame(part_);
}

void Trailing::wait_for(const std::vector<core::ArrayId>& arrays) {
  const auto is_under_way = [&](core::ArrayId array) {
    return std::ranges::find(under_way_, array) != under_way_.end();
  };
  if (std::ranges::any_of(arrays, is_under_way)) finish();
}

void Trailing::finish() {
  under_way_.clear();
  const std::optional<Homecoming::Failure> failure = homecoming_.finish();
  if (!failure) return;
  state_.blame(failure->part);
  std::rethrow_exception(failure->error);
}

// Whether at most this many quarters of the budget are in use. If memory is scarce, it is freed at
// once: otherwise other arrays would be moved out for it.
bool Trailing::has_room(std::size_t quarters) const {
  const DeviceMemoryRef& memory = state_.loaded.on(state_.device()).memory;
  if (!memory) return false;
  const auto limit = static_cast<std::size_t>(state_.arguments.memory_limit);
  const std::size_t budget = limit > 0 ? std::min(limit, memory->budget()) : memory->budget();
  return memory->held_bytes() - memory->kept_bytes() <= budget / 4 * quarters;
}

void Trailing::free(const std::vector<core::ArrayId>& arrays) {
  const bool keeps = part_ != core::none && has_room(2);
  for (const core::ArrayId array : arrays) {
    if (keeps) freed_.emplace_back(part_, std::move(state_.arrays[array]));
    state_.arrays[array].reset();
  }
}

}  // namespace hasten::runtime
