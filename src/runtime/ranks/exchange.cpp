// A rank sends its results to their readers as soon as they are made, so that communication
// overlaps with work.
#include "runtime/ranks/exchange.hpp"

#include "kernels/liveness.hpp"
#include "runtime/report/text.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

namespace hasten::runtime {

using namespace kernels;
using core::ArrayId;
using core::none;
using detail::HostArray;
using Extents = std::vector<std::int64_t>;

namespace {

// Reading one element of a small array transfers all of it.
constexpr std::size_t little_bytes = 4096;

bool is_everywhere(const HostArray& array) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    if (array.component(leaf)->sharding()) return false;
  return true;
}

std::int64_t row_size(const Extents& shape) {
  std::int64_t size = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) size *= shape[axis];
  return size;
}

}  // namespace

std::size_t Exchange::run(RunState& state, const Steps& steps, std::size_t at, Here here) {
  const Step& step = steps[at];
  if (makes_unknown(state.plan, step)) {
    // Work of other ranks that runs side by side is finished before any of them is asked for sizes.
    std::size_t end = at;
    std::vector<ArrayId> made;
    for (; end < steps.size() && makes_unknown(state.plan, steps[end]); ++end) {
      const auto reads = reads_of(steps[end]);
      if (std::ranges::any_of(reads, [&](const ReadOf& read) {
            return std::ranges::find(made, read.array) != made.end();
          }))
        break;
      for (const ArrayId a : definitions(steps[end])) made.push_back(a);
    }
    work_of_unknown(state, std::span(steps).subspan(at, end - at), here);
    return end - at;
  }
  if (is_work(step))
    work(state, step, here);
  else if (const auto* op = std::get_if<RowsStep>(&step.op))
    rows(state, *op);
  else if (std::holds_alternative<JoinStep>(step.op))
    join(state, step, here);
  else
    here(step);
  if (const auto* use = std::get_if<BindUse>(&step.op)) send_ahead(state, use->array);
  if (const auto* input = std::get_if<BindInput>(&step.op)) send_ahead(state, input->array);
  return 1;
}

// -- work of one rank -----------------------------------------------------------------------------

void Exchange::bring(RunState& state, const Step& step) {
  const int to = rank_of(step);
  for (const ReadOf& read : reads_of(step)) {
    const HostArray& array = *state.arrays[read.array];
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
      if (read.leaf == none || read.leaf == leaf) begin_move(array.component(leaf), to);
  }
}

void Exchange::do_own(RunState& state, const Step& step, Here here) {
  for (const ReadOf& read : reads_of(step)) {
    const HostArray& array = *state.arrays[read.array];
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
      if (read.leaf == none || read.leaf == leaf) finish_move(*array.component(leaf));
  }
  world_->flush();
  here(step);
}

void Exchange::work(RunState& state, const Step& step, Here here) {
  bring(state, step);
  if (rank_of(step) == world_->rank()) do_own(state, step, here);
  make_known(state, step);
}

void Exchange::work_of_unknown(RunState& state, std::span<const Step> steps, Here here) {
  for (const Step& step : steps) bring(state, step);
  for (const Step& step : steps)
    if (rank_of(step) == world_->rank()) do_own(state, step, here);
  for (const Step& step : steps) tell_extents(state, step);
}

// The rank that has done the work sends the extents to all others.
void Exchange::tell_extents(RunState& state, const Step& step) {
  const int owner = rank_of(step);
  const std::vector<ArrayId> made = definitions(step);
  std::size_t words = 0;
  for (const ArrayId a : made) words += state.plan.array_types[a].rank;
  auto extents = std::make_shared<Extents>(words);
  if (owner == world_->rank()) {
    extents->clear();
    for (const ArrayId a : made)
      extents->insert(extents->end(), state.arrays[a]->shape().begin(),
                      state.arrays[a]->shape().end());
    for (int to = 0; to < world_->size(); ++to)
      if (to != owner)
        world_->send(to, reinterpret_cast<const std::byte*>(extents->data()),
                     extents->size() * sizeof(std::int64_t), extents);
  } else {
    world_->wait(*world_->receive(owner, reinterpret_cast<std::byte*>(extents->data()),
                                  words * sizeof(std::int64_t), extents));
  }
  auto next = extents->begin();
  for (const ArrayId a : made) {
    const std::size_t rank = state.plan.array_types[a].rank;
    define(state, a, Extents(next, next + static_cast<std::ptrdiff_t>(rank)), owner);
    next += static_cast<std::ptrdiff_t>(rank);
  }
}

void Exchange::make_known(RunState& state, const Step& step) {
  const int owner = rank_of(step);
  if (const auto* launch = std::get_if<Launch>(&step.op)) {
    for_each_output(*launch, [&](ArrayId a, const std::vector<core::Value>& extents) {
      define(state, a, launch->into ? state.arrays[a]->shape() : state.extents(extents), owner);
    });
    return;
  }
  const auto& sort = std::get<SortStep>(step.op);
  const Extents shape = state.arrays[sort.keys]->shape();
  if (!sort.only_carried) define(state, sort.output, shape, owner);
  for (const ArrayId a : sort.carried_to) define(state, a, shape, owner);
}

// Registers an array that its owner has made, with what others know of it.
void Exchange::define(RunState& state, ArrayId array, Extents shape, int owner) {
  const std::vector<core::ScalarType>& leaves = state.plan.array_types[array].leaves;
  if (owner == world_->rank()) {
    const HostArray& made = *state.arrays[array];
    if (made.shape() != shape)
      throw InternalError("ranks: " + shape_text(made.shape()) + " was made for " +
                          shape_text(shape));
    // A foreign function may return its argument. Nothing may be written there.
    const bool is_given = state.arrays[array].use_count() > 1;
    std::vector<BufferRef> components;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const BufferRef& component = made.component(leaf);
      components.push_back(marked_own(
          is_given || component.use_count() > 1 ? view(component, 0, component->size()) : component,
          world_));
    }
    state.arrays[array] =
        std::make_shared<const HostArray>(std::move(shape), leaves, std::move(components));
  } else {
    std::vector<BufferRef> components;
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    for (const core::ScalarType leaf : leaves)
      components.push_back(
          buffer_at(world_, owner, static_cast<std::size_t>(size) * detail::size_in_bytes(leaf)));
    state.arrays[array] =
        std::make_shared<const HostArray>(std::move(shape), leaves, std::move(components));
  }
  send_ahead(state, array);
}

void Exchange::send_ahead(RunState& state, ArrayId array) {
  const HostArray& made = *state.arrays[array];
  for (const Readers::Reader& reader : readers_.of(array))
    for (std::size_t leaf = 0; leaf < made.leaves().size(); ++leaf)
      if (reader.leaf == none || reader.leaf == leaf) begin_move(made.component(leaf), reader.rank);
}

// -- rows and joins -------------------------------------------------------------------------------

void Exchange::rows(RunState& state, const RowsStep& op) {
  const HostArray& source = *state.arrays[op.source];
  const std::int64_t extent = source.shape()[0];
  const std::int64_t end = std::clamp<std::int64_t>(core::as_i64(state.values[op.end]), 0, extent);
  const std::int64_t begin = std::clamp<std::int64_t>(core::as_i64(state.values[op.begin]), 0, end);
  Extents shape = source.shape();
  shape[0] = end - begin;
  const auto row = static_cast<std::size_t>(row_size(shape));
  std::vector<BufferRef> components;
  for (std::size_t leaf = 0; leaf < source.leaves().size(); ++leaf) {
    const std::size_t bytes = row * detail::size_in_bytes(source.leaves()[leaf]);
    components.push_back(sliced(source.component(leaf), static_cast<std::size_t>(begin) * bytes,
                                static_cast<std::size_t>(end - begin) * bytes));
  }
  state.arrays[op.array] =
      std::make_shared<const HostArray>(std::move(shape), source.leaves(), std::move(components));
  send_ahead(state, op.array);
}

// Nothing moves: only the composition of the whole is recorded.
void Exchange::join(RunState& state, const Step& step, Here here) {
  const auto& op = std::get<JoinStep>(step.op);
  std::vector<HostArrayRef> parts;
  bool everybody_has_all = true;
  for (const ArrayId part : op.parts) {
    parts.push_back(state.arrays[part]);
    everybody_has_all &= is_everywhere(*parts.back());
  }
  if (everybody_has_all) return here(step);
  Extents shape = parts[0]->shape();
  shape[0] = 0;
  for (const HostArrayRef& part : parts) shape[0] += part->shape()[0];
  std::vector<BufferRef> components;
  for (std::size_t leaf = 0; leaf < parts[0]->leaves().size(); ++leaf) {
    std::vector<BufferRef> of_leaf;
    for (const HostArrayRef& part : parts) of_leaf.push_back(part->component(leaf));
    components.push_back(joined(world_, of_leaf));
  }
  state.arrays[op.array] = std::make_shared<const HostArray>(std::move(shape), parts[0]->leaves(),
                                                             std::move(components));
  send_ahead(state, op.array);
}

// -- elements -------------------------------------------------------------------------------------

// The rank that has a byte of a buffer, and its buffer there; no rank: each rank has the byte.
namespace {

struct Place {
  const detail::Buffer* buffer;
  std::size_t offset;
  std::optional<int> rank;
};

Place place_of(const detail::Buffer& buffer, std::size_t offset) {
  const Shards* const shards = shards_of(buffer);
  if (!shards) return {&buffer, offset, {}};
  if (shards->owner()) return {&buffer, offset, shards->owner()};
  for (const Shards::Shard& shard : shards->shards())
    if (offset >= shard.begin && offset < shard.begin + shard.buffer->size())
      return place_of(*shard.buffer, offset - shard.begin);
  throw InternalError("ranks: a byte that nobody has");
}

}  // namespace

const std::byte* Exchange::read(const BufferRef& component, std::size_t offset, std::size_t bytes) {
  if (!shards_of(*component)) return component->data() + offset;
  if (component->size() <= little_bytes) {
    for (int to = 0; to < world_->size(); ++to) begin_move(component, to);
    finish_move(*component);
    return component->data() + offset;
  }
  const Place place = place_of(*component, offset);
  if (!place.rank) return place.buffer->data() + place.offset;
  element_ = std::make_shared<Element>();
  if (*place.rank == world_->rank()) {
    std::memcpy(element_->data(), place.buffer->data() + place.offset, bytes);
    for (int to = 0; to < world_->size(); ++to)
      if (to != *place.rank) world_->send(to, element_->data(), bytes, element_);
  } else {
    world_->wait(*world_->receive(*place.rank, element_->data(), bytes, element_));
  }
  return element_->data();
}

}  // namespace hasten::runtime
