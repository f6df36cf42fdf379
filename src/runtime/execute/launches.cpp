// What a launch needs: its arrays in their places, its space and its scalars.
#include "runtime/execute/launches.hpp"

#include "kernels/elementwise.hpp"
#include "runtime/execute/split_launch.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/no_memory.hpp"
#include "support/counters.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace hasten::runtime {

using core::ArrayId;
using core::Bits;
using kernels::ArgumentSource;
using kernels::InputSource;
using kernels::Kernel;
using kernels::Launch;
using kernels::Skeleton;
using kernels::SortStep;
using Extents = std::vector<std::int64_t>;

namespace {

bool is_empty(const Extents& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

}  // namespace

Launches::Loop::Loop(Launches& launches) : launches_(launches), outer_(launches.loop_) {
  const RunState& state = launches.state_;
  if (state.loaded.memory && state.loaded.backend->can_record())
    replay_.emplace(state.loaded,
                    LoopLimits{static_cast<std::size_t>(state.arguments.memory_limit),
                               state.stop_word(), launches.lead_ ? &*launches.lead_ : nullptr});
  launches.loop_ = replay_ ? &*replay_ : nullptr;
}

std::byte* Launches::Scratch::take(std::size_t bytes) {
  std::byte* const address = launches_.working_set_->scratch(bytes);
  if (!address) throw no_scratch(launches_.state_.needs(), bytes, launches_.report());
  return address;
}

// -- memory ---------------------------------------------------------------------------------------

std::shared_ptr<detail::HostArray> Launches::allocate(ArrayId id, Extents shape) {
  const std::vector<core::ScalarType>& leaves = state_.plan.array_types[id].leaves;
  const std::optional<std::int64_t> bytes = bytes_of(shape, leaves);
  if (!bytes || *bytes > most_bytes) fail_memory(shape, bytes);
  if (state_.loaded.memory) return allocate_on_device(std::move(shape), leaves, *bytes);
  if (state_.arguments.memory_limit > 0 &&
      state_.account->live + *bytes > state_.arguments.memory_limit)
    throw over_limit(state_.needs(), shape, *bytes, state_.account->live,
                     state_.arguments.memory_limit);
  auto array = allocate_array(shape, leaves, state_.account);
  if (!array) fail_memory(shape, bytes);
  return array;
}

std::shared_ptr<detail::HostArray> Launches::allocate_on_device(
    Extents shape, const std::vector<core::ScalarType>& leaves, std::int64_t bytes) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= bytes == 0 ? 0 : extent;
  std::vector<std::shared_ptr<detail::Buffer>> components;
  for (const core::ScalarType leaf : leaves) {
    const std::size_t size = static_cast<std::size_t>(count) * detail::size_in_bytes(leaf);
    components.push_back(working_set_->make(size, state_.account, holder(true)));
    if (!components.back()) fail_room("its result, an array", shape, bytes);
  }
  return std::make_shared<detail::HostArray>(std::move(shape), leaves, std::move(components));
}

Holder Launches::holder(bool made) const {
  return {state_.step->operation, state_.step->where, made};
}

// Where the backend finds a component.
std::byte* Launches::address(const detail::HostArray& array, std::size_t leaf, bool goes_on) const {
  const detail::Buffer& component = *array.component(leaf);
  if (!state_.loaded.memory) return component.data();
  std::byte* const address = goes_on ? working_set_->update(component, holder(true))
                                     : working_set_->read(component, holder(false));
  if (!address)
    fail_room("what it reads, an array", array.shape(),
              static_cast<std::int64_t>(component.size()));
  return address;
}

// Gives f a working set on a device with its own memory; f may be called twice.
void Launches::with_room(core::FunctionRef<void()> f) {
  if (!state_.loaded.memory) return f();
  runtime::with_room(state_.loaded.memory, static_cast<std::size_t>(state_.arguments.memory_limit),
                     [&](WorkingSet& set) {
                       working_set_ = &set;
                       f();
                     });
}

void Launches::launch_begins() {
  if (state_.loaded.memory) working_set_->is_complete();
  was_complete_ = true;
}

std::string Launches::report() const {
  return state_.loaded.memory->report(static_cast<std::size_t>(state_.arguments.memory_limit));
}
void Launches::fail_room(const char* what, const Extents& shape, std::int64_t bytes) const {
  throw no_room(state_.needs(), what, shape, bytes, report());
}
void Launches::fail_memory(const Extents& shape, std::optional<std::int64_t> bytes) const {
  throw no_memory(state_.needs(), shape, bytes, state_.account->live);
}

// -- launches -------------------------------------------------------------------------------------

void Launches::run(const Launch& op) {
  if (state_.plan.kernels[op.kernel].skeleton == Skeleton::compact) return compact(op);
  if (is_replayed(op)) return;
  if (!op.is_condition || loop_) return launch_anew(op);
  LaunchKey key = key_of(op);
  if (is_remembered(op, key)) return;
  launch_anew(op);
  if (key.inputs.empty()) return;
  if (state_.loaded.memory)
    to_remember_.emplace_back(std::move(key), state_.arrays[op.output]);
  else
    state_.loaded.remembered->keep(std::move(key), *state_.arrays[op.output]);
}

void Launches::remember() {
  for (auto& [key, result] : to_remember_) state_.loaded.remembered->keep(std::move(key), *result);
}

// Without inputs if somebody else may change what is read.
LaunchKey Launches::key_of(const Launch& op) {
  bind_scalars(op, false);
  LaunchKey key{op.kernel, state_.extents(op.space), scalars_, {}};
  for (const InputSource& input : op.inputs) {
    key.inputs.push_back(state_.arrays[input.array]->component(input.leaf));
    if (!key.inputs.back()->borrowed()) continue;
    key.inputs.clear();
    break;
  }
  return key;
}

bool Launches::is_remembered(const Launch& op, const LaunchKey& key) {
  if (key.inputs.empty()) return false;
  HostArrayRef known = state_.loaded.remembered->find(key);
  if (!known) return false;
  state_.arrays[op.output] = std::move(known);
  return true;
}

void Launches::launch_anew(const Launch& op) {
  was_complete_ = false;
  try {
    with_room([&] { place_and_launch(op); });
  } catch (const MemoryError&) {
    const bool has_more = loop_ && loop_->let_go();
    if (!has_more && !launch_in_parts(op)) throw;
    if (has_more) with_room([&] { place_and_launch(op); });
  }
}

// A map whose arrays do not fit together. False if it is not one, or there is no room for parts.
bool Launches::launch_in_parts(const Launch& op) {
  const Kernel& kernel = state_.plan.kernels[op.kernel];
  const auto in_place = reads_in_place(kernel);
  if (!state_.loaded.memory || was_complete_ || op.into || !in_place) return false;
  before_other_work();
  const std::vector<core::ScalarType>& leaves = state_.plan.array_types[op.output].leaves;
  const auto output = allocate_array(state_.extents(op.output_extents), leaves, state_.account);
  if (!output) return false;
  state_.arrays[op.output] = output;
  const Numbers numbers = prepare(op, *output);
  if ((kernel.rank > 1 && !numbers.is_collapsed) || output->size() < 2 * part_unit) return false;
  const auto bind = [&](std::span<const std::int64_t> space) {
    space_.assign(space.begin(), space.end());
    bind_scalars(op, numbers.is_collapsed);
    return std::span<const std::uint64_t>(scalars_);
  };
  ElementwiseLaunch launch{state_.loaded.code[op.kernel]->get(), space_.size(), output->size(),
                           bind, state_.stop_word()};
  for (std::size_t i = 0; i < op.inputs.size(); ++i)
    launch.add_input(*state_.arrays[op.inputs[i].array], op.inputs[i].leaf, (*in_place)[i]);
  launch.add_outputs(*output);
  const auto start = std::chrono::steady_clock::now();
  try {
    const std::int64_t parts = runtime::launch_in_parts(
        state_.loaded.memory, static_cast<std::size_t>(state_.arguments.memory_limit), launch);
    record(op.kernel, numbers.bytes, start, std::chrono::steady_clock::now(), parts);
    return true;
  } catch (const MemoryError&) {  // the first error says more
    return false;
  }
}

void Launches::place_and_launch(const Launch& op) {
  if (!op.into) {
    using Shape = std::vector<core::Value>;
    // Of an attempt before.
    for_each_output(op, [&](ArrayId id, const Shape&) { state_.arrays[id].reset(); });
    for_each_output(op, [&](ArrayId id, const Shape& extents) {
      state_.arrays[id] = allocate(id, state_.extents(extents));
    });
  }
  const HostArrayRef output = state_.arrays[op.output];
  const Kernel& kernel = state_.plan.kernels[op.kernel];
  const bool fills = kernel.skeleton != Skeleton::scatter || !kernel.seed.empty();
  if (output->size() > 0 && (fills || !is_empty(state_.extents(op.space))))
    launch(op, *output);
  else
    before_other_work();
}

void Launches::run(const SortStep& op) {
  before_other_work();
  with_room([&] { place_and_sort(op); });
}

void Launches::place_and_sort(const SortStep& op) {
  const HostArrayRef keys = state_.arrays[op.keys];
  auto output = allocate(op.output, keys->shape());
  if (output->size() > 0) {
    std::vector<const std::byte*> components;
    for (std::size_t leaf = 0; leaf < keys->leaves().size(); ++leaf)
      components.push_back(address(*keys, leaf));
    auto* const positions = reinterpret_cast<std::int64_t*>(address(*output, 0));
    launch_begins();
    state_.loaded.backend->sort_positions(keys->shape(), keys->leaves(), components, positions,
                                          &scratch_);
  }
  state_.arrays[op.output] = std::move(output);
}

void Launches::launch(const Launch& op, const detail::HostArray& output) {
  const Numbers numbers = prepare(op, output);
  inputs_.clear();
  for (const InputSource& input : op.inputs)
    inputs_.push_back(address(*state_.arrays[input.array], input.leaf));
  outputs_.clear();
  for_each_output(op, [&](ArrayId id, const auto&) {
    const HostArrayRef made = state_.arrays[id];
    for (std::size_t leaf = 0; leaf < made->leaves().size(); ++leaf) {
      outputs_.push_back(address(*made, leaf, op.into));
      if (detail::is_complex(made->leaves()[leaf])) outputs_.push_back(outputs_.back());
    }
  });
  launch_begins();
  const backends::Code& code =
      state_.loaded.code[op.kernel]->get();  // while arrays are on their way
  const auto start = std::chrono::steady_clock::now();
  state_.loaded.backend->launch(code, {space_, inputs_, outputs_, scalars_, output.size(),
                                       numbers.largest, &scratch_, nullptr, state_.stop_word()});
  if (lead_) lead_->launched(1);
  record(op.kernel, numbers.bytes, start, std::chrono::steady_clock::now());
  if (loop_) loop_->launched(seen(op, numbers));
}

// The space and the scalars of a launch, whose output is in its place.
Launches::Numbers Launches::prepare(const Launch& op, const detail::HostArray& output) {
  space_ = state_.extents(op.space);
  if (space_.empty()) space_.push_back(1);
  const bool collapsed = state_.plan.kernels[op.kernel].collapsible && collapse(op);
  bind_scalars(op, collapsed);
  Numbers numbers{0, output.size(), collapsed};
  const auto moves = [&](const detail::HostArray& array, std::size_t leaf) {
    numbers.bytes += static_cast<std::int64_t>(array.component(leaf)->size());
  };
  for (const InputSource& input : op.inputs) {
    moves(*state_.arrays[input.array], input.leaf);
    numbers.largest = std::max(numbers.largest, state_.arrays[input.array]->size());
  }
  for_each_output(op, [&](ArrayId id, const auto&) {
    const detail::HostArray& made = *state_.arrays[id];
    for (std::size_t leaf = 0; leaf < made.leaves().size(); ++leaf) moves(made, leaf);
    numbers.largest = std::max(numbers.largest, made.size());
  });
  return numbers;
}

SeenLaunch Launches::seen(const Launch& op, const Numbers& numbers) const {
  return {
      &op, &state_.loaded.code[op.kernel]->get(), space_, scalars_, state_.arrays, numbers.largest};
}

// Whether the loop under way does this launch together with others, later. If not, and it was
// replaying, it has launched all that came before.
bool Launches::is_replayed(const Launch& op) {
  if (!loop_ || !loop_->is_replaying()) return false;
  const std::span<const HostArrayRef> outputs = loop_->expected_outputs(op);
  std::vector<HostArrayRef> before;
  bool is_expected = !outputs.empty();
  for_each_output(op, [&](ArrayId id, const auto& extents) {
    if (outputs.empty()) return;
    const HostArrayRef& output = outputs[before.size()];
    before.push_back(state_.arrays[id]);
    is_expected &= op.into ? before.back() == output : output->shape() == state_.extents(extents);
  });
  const auto set = [&](std::span<const HostArrayRef> arrays) {
    std::size_t next = 0;
    for_each_output(op, [&](ArrayId id, const auto&) { state_.arrays[id] = arrays[next++]; });
  };
  if (is_expected) {
    set(outputs);
    const Numbers numbers = prepare(op, *outputs[0]);
    if (loop_->takes(seen(op, numbers))) {
      const auto now = std::chrono::steady_clock::now();
      record(op.kernel, numbers.bytes, now, now);
      return true;
    }
    set(before);
  }
  loop_->stop();
  return false;
}

void Launches::before_read(const detail::HostArray& array, std::size_t leaf) const {
  if (loop_) loop_->before_read(*array.component(leaf));
}
void Launches::before_other_work() const {
  if (loop_) loop_->before_other_work();
}

void Launches::record(std::uint32_t kernel, std::int64_t bytes, TraceClock::time_point start,
                      TraceClock::time_point end, std::int64_t launches) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const std::chrono::nanoseconds took = end - start;
  uses_[kernel].launches.fetch_add(launches, relaxed);
  uses_[kernel].bytes.fetch_add(bytes, relaxed);
  uses_[kernel].nanoseconds.fetch_add(took.count(), relaxed);
  counts_.launches += launches;
  counts_.bytes_moved += bytes;
  support::counters().launches.fetch_add(launches, relaxed);
  if (is_tracing()) trace("launch", state_.operation(), start, end);
}

// Runs the space, or what is folded of it, as one long row when nothing in the kernel can tell.
bool Launches::collapse(const Launch& op) {
  for (const ArrayId a : op.in_place)
    if (state_.arrays[a]->shape() != space_) return false;
  const Kernel& kernel = state_.plan.kernels[op.kernel];
  const std::size_t outer = kernel.skeleton == Skeleton::fold ? outer_axes(kernel) : 0;
  std::int64_t size = 1;
  for (std::int64_t& extent : std::span(space_).subspan(outer)) {
    size *= extent;
    extent = 1;
  }
  space_.back() = size;
  return true;
}

void Launches::bind_scalars(const Launch& op, bool collapsed) {
  scalars_.clear();
  for (const ArgumentSource& argument : op.arguments) {
    if (argument.host != core::none) {
      const Bits& bits = state_.values[argument.host];
      scalars_.push_back(argument.imaginary ? bits.hi : bits.lo);
    } else {
      const bool is_own = !collapsed || argument.is_limit;
      const Extents& shape = is_own ? state_.arrays[argument.array]->shape() : space_;
      scalars_.push_back(static_cast<std::uint64_t>(shape[argument.axis]));
    }
  }
}

}  // namespace hasten::runtime
