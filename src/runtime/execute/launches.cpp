// Prepares a launch: its arrays in their places, its space and its scalars.
#include "runtime/execute/launches.hpp"

#include "backends/host_memory.hpp"
#include "core/print.hpp"
#include "kernels/analysis/stages/late_inputs.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/no_memory.hpp"
#include "runtime/report/text.hpp"
#include "support/counters.hpp"
#include "support/ticks.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace hasten::runtime {

using core::ArrayId;
using kernels::InputSource;
using kernels::Kernel;
using kernels::Launch;
using kernels::Skeleton;
using kernels::SortStep;

namespace {

using Extents = std::vector<std::int64_t>;

bool is_empty(const Extents& extents) {
  return std::find(extents.begin(), extents.end(), 0) != extents.end();
}

}  // namespace

Launches::Loop::Loop(Launches& launches) : launches_(launches), outer_(launches.loop_) {
  const RunState& state = launches.state_;
  const bool is_one =
      state.loaded.others.empty() && state.loaded.parts == 1 && !state.arguments.ranks;
  if (state.loaded.memory && is_one && !launches.is_timed_ && state.loaded.backend->can_record())
    replay_.emplace(state.loaded,
                    LoopLimits{static_cast<std::size_t>(state.arguments.memory_limit),
                               state.stop_word(0), launches.lead_ ? &*launches.lead_ : nullptr});
  launches.loop_ = replay_ ? &*replay_ : nullptr;
}

std::byte* Launches::Scratch::take(std::size_t bytes) {
  std::byte* const address = launches_.working_set_->scratch(bytes);
  if (!address) throw no_scratch(launches_.state_.needs(), bytes, launches_.report());
  return address;
}

// A device starts with the inputs it has, while another one makes the inputs of its last stage.
void Launches::LateInputs::find(const Launch& op) {
  op_ = &op;
  is_late_.clear();
  const Kernel& kernel = launches_.state_.plan.kernels[op.kernel];
  if (launches_.state_.loaded.others.empty() || launches_.loop_ ||
      kernel.skeleton != Skeleton::scan)
    return;
  by_ = dynamic_cast<backends::TakesLateInputs*>(launches_.device_->backend.get());
  if (!by_) return;
  is_late_ = kernels::late_inputs(kernel);
  for (std::size_t i = 0; i < is_late_.size(); ++i) {
    const InputSource& input = op.inputs[i];
    if (is_late_[i] &&
        launches_.state_.arrays[input.array]->component(input.leaf)->is_in_host_memory())
      is_late_[i] = false;
  }
}

const std::byte* Launches::LateInputs::take(std::size_t input) {
  return launches_.address(op_->inputs[input]);
}

// -- memory ---------------------------------------------------------------------------------------

std::shared_ptr<detail::HostArray> Launches::allocate(const std::vector<core::ScalarType>& leaves,
                                                      const Extents& shape) {
  const std::optional<std::int64_t> bytes = bytes_of(shape, leaves);
  if (!bytes || *bytes > most_bytes) fail_memory(shape, bytes);
  if (device_->memory) return allocate_on_device(shape, leaves, *bytes);
  if (auto array = state_.take_spare(shape, leaves)) return array;
  const std::int64_t limit = state_.arguments.memory_limit;
  const auto is_over = [&] { return limit > 0 && state_.account->live + *bytes > limit; };
  if (is_over() && state_.spare) state_.spare.emplace();
  if (is_over()) throw over_limit(state_.needs(), shape, *bytes, state_.account->live, limit);
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

// The place of a part in its whole, which is in host memory; null if it has no such place, or is
// computed elsewhere.
std::shared_ptr<detail::HostArray> Launches::in_its_whole(ArrayId id, const Extents& shape) {
  if (!state_.joins) return nullptr;
  if (!device_->memory) return state_.joins->lend(id, shape, state_);
  if (state_.loaded.parts > 1) return nullptr;
  auto* const device = dynamic_cast<backends::WritesHostMemory*>(device_->backend.get());
  if (!device || !device->writes_host_memory()) return nullptr;
  const auto place = state_.joins->lend(id, shape, state_);
  if (!place) return nullptr;
  std::vector<std::shared_ptr<detail::Buffer>> components;
  for (std::size_t leaf = 0; leaf < place->leaves().size(); ++leaf) {
    const std::shared_ptr<detail::Buffer>& own = place->component(leaf);
    backends::Adopted made = device->adopt_host(own->data(), own->size(), own);
    if (!made.address) return nullptr;
    components.push_back(
        adopted(device_->memory, made.address, own->size(), std::move(made.owner)));
  }
  return std::make_shared<detail::HostArray>(shape, place->leaves(), std::move(components));
}

Holder Launches::holder(bool made) const {
  return {state_.step->operation, state_.step->where, made};
}

// The address of a component for the backend.
std::byte* Launches::address(const detail::HostArray& array, std::size_t leaf, ArrayId id,
                             bool goes_on) const {
  const detail::Buffer& component = *array.component(leaf);
  if (!device_->memory) return component.data();
  const std::int64_t before = working_set_->copied_bytes();
  const auto start = TraceClock::now();
  std::byte* const address = goes_on ? working_set_->update(component, holder(true))
                                     : working_set_->read(component, holder(false));
  if (const std::int64_t bytes = working_set_->copied_bytes() - before; bytes > 0)
    copied(id, array.shape(), bytes, start);
  if (!address)
    fail_room("what it reads, an array", array.shape(),
              static_cast<std::int64_t>(component.size()));
  return address;
}

void Launches::copied(ArrayId id, const Extents& shape, std::int64_t bytes,
                      TraceClock::time_point start) const {
  const auto end = TraceClock::now();
  const std::int64_t took = (end - start) / std::chrono::nanoseconds(1);
  record_.recording().copied_to(state_.loaded.copy_sites[id], state_.device(), bytes, took);
  record_.leave_out(took);
  if (!is_tracing()) return;
  TraceDetails about = details(shape, bytes);
  about.line = trace_line();
  trace("copy", "to " + device_->backend->name() + " for " + state_.operation(), start, end, about);
}

// Calls f with a working set on a device with its own memory; f may be called twice.
void Launches::with_room(core::FunctionRef<void()> f) {
  if (!device_->memory) return f();
  runtime::with_room(device_->memory, static_cast<std::size_t>(state_.arguments.memory_limit),
                     [&](WorkingSet& set) {
                       working_set_ = &set;
                       f();
                     });
}

void Launches::launch_begins() {
  if (device_->memory) working_set_->is_complete();
  was_complete_ = true;
}

std::string Launches::report() const {
  return device_->memory->report(static_cast<std::size_t>(state_.arguments.memory_limit));
}
void Launches::fail_room(const char* what, const Extents& shape, std::int64_t bytes) const {
  throw no_room(state_.needs(), what, shape, bytes, report());
}
void Launches::fail_memory(const Extents& shape, std::optional<std::int64_t> bytes) const {
  throw no_memory(state_.needs(), shape, bytes, state_.account->live);
}

// -- launches -------------------------------------------------------------------------------------

void Launches::run(const Launch& op) {
  on_device_of_step();
  if (state_.plan.kernels[op.kernel].skeleton == Skeleton::compact) return compact(op);
  if (goes_on_in_place(op) || is_replayed(op)) return;
  // A result that is kept for later calls would be an array that only this process knows.
  if (!op.is_condition || loop_ || state_.arguments.ranks) return launch_anew(op);
  LaunchKey key = key_of(op);
  if (is_remembered(op, key)) return;
  launch_anew(op);
  if (key.inputs.empty()) return;
  if (device_->memory)
    to_remember_.emplace_back(std::move(key), state_.arrays[op.output]);
  else
    state_.loaded.remembered->keep(std::move(key), *state_.arrays[op.output]);
}

void Launches::remember() {
  for (auto& [key, result] : to_remember_) state_.loaded.remembered->keep(std::move(key), *result);
}

// The key has no inputs if others may change the memory that is read.
LaunchKey Launches::key_of(const Launch& op) {
  bind_scalars(op, false);
  LaunchKey key{op.kernel, state_.extents(op.space), scalars_, {}};
  for (const InputSource& input : op.inputs) {
    key.inputs.push_back(state_.arrays[input.array]->component(input.leaf));
    if (!is_lent(*key.inputs.back())) continue;
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

// A copy of an array without other holders is the array itself, unless the bytes are in another
// memory too, because the host has read them or another device may have them. A loop that may be
// replayed writes each state to its own memory, because it may launch later.
bool Launches::goes_on_in_place(const Launch& op) {
  if (op.reused == core::none || loop_) return false;
  HostArrayRef& array = state_.arrays[op.reused];
  if (array.use_count() != 1) return false;
  for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
    const std::shared_ptr<detail::Buffer>& component = array->component(leaf);
    if (component.use_count() != 1 || is_lent(*component)) return false;
    const bool is_twice =
        device_->memory ? component->is_in_host_memory() : component->elsewhere() != nullptr;
    if (is_twice) return false;
  }
  state_.arrays[op.output] = std::move(array);
  return true;
}

void Launches::launch_anew(const Launch& op) {
  was_complete_ = false;
  try {
    with_room([&] { place_and_launch(op); });
  } catch (const MemoryError&) {
    if (!loop_ || !loop_->let_go()) throw;
    with_room([&] { place_and_launch(op); });
  }
}

void Launches::place_and_launch(const Launch& op) {
  if (!op.into) {
    using Shape = std::vector<core::Value>;
    // Of an earlier attempt.
    for_each_output(op, [&](ArrayId id, const Shape&) { state_.arrays[id].reset(); });
    const bool in_place = state_.outs && state_.outs->fit(op, state_);
    for_each_output(op, [&](ArrayId id, const Shape& extents) {
      HostArrayRef& array = state_.arrays[id];
      array = in_place ? state_.outs->lend(id) : nullptr;
      if (array) return;
      state_.put_extents(extents, shape_);
      array = over_inputs(op, id, shape_);
      if (!array) array = in_its_whole(id, shape_);
      if (!array) array = allocate(id, shape_);
    });
  }
  const HostArrayRef output = state_.arrays[op.output];
  const Kernel& kernel = state_.plan.kernels[op.kernel];
  const bool fills = kernel.skeleton != Skeleton::scatter || !kernel.seed.empty();
  if (output->size() > 0 && (fills || !kernel.loops.empty() || !is_empty(state_.extents(op.space))))
    launch(op, *output);
  else
    before_other_work();
  forget_overwritten(op);
}

void Launches::run(const SortStep& op) {
  on_device_of_step();
  before_other_work();
  with_room([&] { place_and_sort(op); });
}

// The inputs and outputs of a sort: the keys and their order, then the carried arrays.
struct Launches::SortedArrays {
  std::vector<HostArrayRef> read, made;
};

void Launches::place_and_sort(const SortStep& op) {
  const HostArrayRef keys = state_.arrays[op.keys];
  SortedArrays arrays{{keys}, {}};
  if (!op.only_carried) arrays.made.push_back(allocate(op.output, keys->shape()));
  const bool in_place = state_.outs && state_.outs->fit(op, keys->shape(), state_);
  for (std::size_t i = 0; i < op.carried.size(); ++i) {
    arrays.read.push_back(state_.arrays[op.carried[i]]);
    if (arrays.read.back()->shape()[0] < keys->shape()[0])
      throw InternalError("sort: an array that is carried is too short");
    const HostArrayRef lent = in_place ? state_.outs->lend(op.carried_to[i]) : nullptr;
    arrays.made.push_back(lent ? lent : allocate(op.carried_to[i], keys->shape()));
  }
  if (keys->size() > 0) sort(op, arrays);
  auto made = arrays.made.begin();
  if (!op.only_carried) state_.arrays[op.output] = *made++;
  for (const ArrayId carried : op.carried_to) state_.arrays[carried] = *made++;
}

void Launches::sort(const SortStep& op, const SortedArrays& arrays) {
  const detail::HostArray& keys = *arrays.read[0];
  std::vector<const std::byte*> components;
  for (std::size_t leaf = 0; leaf < keys.leaves().size(); ++leaf)
    components.push_back(address(keys, leaf, op.keys));
  const backends::SortedKeys to = sorted_keys(op, arrays);
  launch_begins();
  const std::int64_t bytes = bytes_of(keys.shape(), keys.leaves()).value_or(0);
  const Took took = timed([&] {
    try {
      device_->backend->sort_positions(keys.shape(), keys.leaves(), components, to, &scratch_);
    } catch (const MemoryError& error) {
      if (device_->memory || error.where().line() != 0) throw;
      throw no_memory_to_sort(state_.needs(), keys.shape(), bytes, state_.account->live);
    }
  });
  record_.add(state_.step->site, took.nanoseconds);
  keep_shapes(arrays.read, arrays.made);
  if (is_tracing())
    trace("sort", state_.operation(), took.start, took.end, details(keys.shape(), bytes));
}

backends::SortedKeys Launches::sorted_keys(const SortStep& op, const SortedArrays& arrays) {
  backends::SortedKeys to;
  std::size_t next = 0;
  if (!op.only_carried) {
    const detail::HostArray& order = *arrays.made[next++];
    to.positions = reinterpret_cast<std::int64_t*>(address(order, 0, op.output));
    if (order.leaves().size() > 1) to.heads = address(order, 1, op.output);
  }
  to.at_heads = op.at_heads;
  if (op.first != core::none) to.first = core::as_i64(state_.values[op.first]);
  for (std::size_t i = 0; i < op.carried.size(); ++i) {
    const detail::HostArray &from = *arrays.read[1 + i], &made = *arrays.made[next + i];
    for (std::size_t leaf = 0; leaf < made.leaves().size(); ++leaf)
      to.carried.push_back({detail::size_in_bytes(made.leaves()[leaf]),
                            address(from, leaf, op.carried[i]),
                            address(made, leaf, op.carried_to[i])});
  }
  return to;
}

void Launches::launch(const Launch& op, const detail::HostArray& output) {
  const Numbers numbers = prepare(op, output);
  inputs_.clear();
  input_sizes_.clear();
  late_inputs_.find(op);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    inputs_.push_back(late_inputs_.has(i) ? nullptr : address(op.inputs[i]));
    input_sizes_.push_back(state_.arrays[op.inputs[i].array]->size());
  }
  outputs_.clear();
  for_each_output(op, [&](ArrayId id, const auto&) {
    const HostArrayRef made = state_.arrays[id];
    for (std::size_t leaf = 0; leaf < made->leaves().size(); ++leaf) {
      outputs_.push_back(address(*made, leaf, id, op.into));
      if (detail::is_complex(made->leaves()[leaf])) outputs_.push_back(outputs_.back());
    }
  });
  launch_begins();
  const backends::Code& code = code_of(op);  // while arrays are on their way
  in_parallel_ = false;
  const Took took = timed([&] {
    const backends::LaunchArguments arguments{space_,        inputs_,         outputs_,    scalars_,
                                              output.size(), numbers.largest, &scratch_,   nullptr,
                                              stop_word(),   &in_parallel_,   input_sizes_};
    if (late_inputs_.any())
      late_inputs_.launch(code, arguments);
    else
      device_->backend->launch(code, arguments);
  });
  if (lead_) lead_->launched(1);
  record(op, numbers, took);
  if (loop_) loop_->launched(seen(op, numbers));
}

const backends::Code& Launches::code_of(const Launch& op) const {
  const bool in_range = op.limited == core::none || state_.values[op.in_range].lo != 0;
  return device_->code[in_range ? op.kernel : op.limited]->get();
}

// The space and the scalars of a launch, whose output is in place.
Launches::Numbers Launches::prepare(const Launch& op, const detail::HostArray& output) {
  state_.put_extents(op.space, space_);
  if (space_.empty()) space_.push_back(1);
  const std::uint64_t of_space = fingerprint(space_, 0);
  const Kernel& kernel = state_.plan.kernels[op.kernel];
  const bool collapsed = kernel.collapsible && collapse(op);
  bind_scalars(op, collapsed);
  if (kernels::are_one(op.flat_rows, kernel, scalars_, space_))
    flatten(op.flat_rows.first, kernels::axes_of_rows(kernel));
  Numbers numbers{0, output.size(), collapsed, 0};
  const auto moves = [&](const detail::HostArray& array, std::size_t leaf) {
    numbers.bytes += static_cast<std::int64_t>(array.component(leaf)->size());
  };
  for (const InputSource& input : op.inputs) {
    moves(*state_.arrays[input.array], input.leaf);
    numbers.largest = std::max(numbers.largest, state_.arrays[input.array]->size());
  }
  for_each_output(op, [&](ArrayId id, const auto&) {
    const detail::HostArray& made = *state_.arrays[id];
    numbers.bytes += bytes_written(op, made);
    numbers.largest = std::max(numbers.largest, made.size());
  });
  numbers.fingerprint = fingerprint({}, static_cast<std::uint64_t>(numbers.bytes) ^ of_space);
  return numbers;
}

// Updates touch at most one existing element per element of the space.
std::int64_t Launches::bytes_written(const Launch& op, const detail::HostArray& output) const {
  std::int64_t updates = op.into ? 1 : output.size();
  if (op.into)
    for (const std::int64_t extent : state_.extents(op.space))
      if (__builtin_mul_overflow(updates, extent, &updates)) updates = output.size();
  updates = std::min(updates, output.size());
  std::int64_t bytes = 0;
  for (const core::ScalarType leaf : output.leaves())
    bytes += updates * static_cast<std::int64_t>(detail::size_in_bytes(leaf));
  return bytes;
}

SeenLaunch Launches::seen(const Launch& op, const Numbers& numbers) const {
  return {&op, &code_of(op), space_, scalars_, state_.arrays, numbers.largest};
}

// Whether the current loop defers this launch, to run it together with others. If not, and the loop
// was replaying, it has launched everything before.
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
      const auto now = TraceClock::now();
      record(op, numbers, {-1, now, now});
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

// -- observation of launches ----------------------------------------------------------------------

// In host memory a launch is over when it returns. A device is timed only on request
// (Recording::times_devices), because it has to be waited for.
Launches::Took Launches::timed(core::FunctionRef<void()> f) {
  Took took{-1};
  const bool traces = is_tracing();
  if (traces) took.start = TraceClock::now();
  const std::int64_t start = support::ticks();
  if (is_timed_)
    took.nanoseconds = device_->backend->timed(f);
  else
    f();
  if (!device_->memory) took.nanoseconds = support::nanoseconds_between(start, support::ticks());
  if (traces) took.end = TraceClock::now();
  return took;
}

// Differs wherever rows of a profile would differ, except for data-dependent indices.
std::uint64_t Launches::fingerprint(std::span<const std::int64_t> space, std::uint64_t start) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  std::uint64_t result = start * odd;
  for (const std::int64_t extent : space)
    result = (result ^ static_cast<std::uint64_t>(extent)) * odd;
  return result | 2;
}

void Launches::record(const Launch& op, const Numbers& numbers, const Took& took,
                      std::int64_t launches) {
  record_.add(state_.step->site, took.nanoseconds);
  counts_.launches += launches;
  counts_.bytes_moved += numbers.bytes;
  support::counters().launches.fetch_add(launches, std::memory_order_relaxed);
  const std::uint64_t fingerprint = numbers.fingerprint ^ (in_parallel_ ? 1 : 0);
  if (!record_.recording().knows(state_.step->site, fingerprint)) keep_shapes(op, fingerprint);
  if (is_tracing())
    trace("launch", state_.operation(), took.start, took.end,
          details(state_.extents(op.space), numbers.bytes));
}

void Launches::keep_shapes(const Launch& op, std::uint64_t fingerprint) {
  LaunchShapes shapes{state_.extents(op.space), scalars_, {}, 0, in_parallel_};
  if (device_->memory) shapes.in_parallel = true;
  const auto bytes = [&](ArrayId id, std::size_t leaf) {
    return static_cast<std::int64_t>(state_.arrays[id]->component(leaf)->size());
  };
  for (const InputSource& input : op.inputs)
    shapes.inputs.push_back(bytes(input.array, input.leaf));
  const auto written = [&](ArrayId id) { shapes.written += bytes_written(op, *state_.arrays[id]); };
  for_each_output(op, [&](ArrayId id, const auto&) { written(id); });
  if (op.others != core::none) written(op.others);
  record_.recording().keep(state_.step->site, fingerprint, std::move(shapes));
}

void Launches::keep_shapes(std::span<const HostArrayRef> read, std::span<const HostArrayRef> made) {
  LaunchShapes shapes;
  const auto bytes = [](const detail::HostArray& array) {
    return bytes_of(array.shape(), array.leaves()).value_or(0);
  };
  for (const HostArrayRef& array : read) shapes.inputs.push_back(bytes(*array));
  for (const HostArrayRef& array : made) shapes.written += bytes(*array);
  if (!read.empty())
    shapes.space = read[0]->shape();
  else if (!made.empty())
    shapes.space = made[0]->shape();
  std::int64_t all = shapes.written;
  for (const std::int64_t input : shapes.inputs) all += input;
  const std::uint64_t found = fingerprint(shapes.space, static_cast<std::uint64_t>(all));
  if (!record_.recording().knows(state_.step->site, found))
    record_.recording().keep(state_.step->site, found, std::move(shapes));
}

// Each of several devices has its own line. Launches of devices with queues appear on it when they
// are done (OwnWork).
std::string Launches::trace_line() const {
  return state_.loaded.others.empty() ? "" : device_->backend->name();
}

TraceDetails Launches::details(std::span<const std::int64_t> shape, std::int64_t bytes) const {
  return {bytes, shape.empty() ? "" : shape_text(shape), core::print(state_.step->where),
          device_->memory ? "" : trace_line()};
}

// Runs the space, or its folded part, as one long row when nothing in the kernel can tell.
bool Launches::collapse(const Launch& op) {
  for (const ArrayId a : op.in_place)
    if (state_.arrays[a]->shape() != space_) return false;
  const Kernel& kernel = state_.plan.kernels[op.kernel];
  flatten(kernel.skeleton == Skeleton::fold ? outer_axes(kernel) : 0, space_.size());
  return true;
}

// Merges the axes from `first` up to `end`.
void Launches::flatten(std::size_t first, std::size_t end) {
  std::int64_t size = 1;
  for (std::int64_t& extent : std::span(space_).subspan(first, end - first)) {
    size *= extent;
    extent = 1;
  }
  space_[end - 1] = size;
}

void Launches::bind_scalars(const Launch& op, bool collapsed) {
  scalars_.clear();
  for (const kernels::ArgumentSource& argument : op.arguments) {
    if (argument.host != core::none) {
      const core::Bits& bits = state_.values[argument.host];
      scalars_.push_back(argument.imaginary ? bits.hi : bits.lo);
    } else {
      const bool is_own = !collapsed || argument.is_limit;
      const Extents& shape = is_own ? state_.arrays[argument.array]->shape() : space_;
      scalars_.push_back(static_cast<std::uint64_t>(shape[argument.axis]));
    }
  }
}

}  // namespace hasten::runtime
