// Compactions: launches that report the size of their results at the end. In host memory results
// are allocated at their largest possible size and then shrunk; a device asks after counting.
#include "runtime/execute/launches.hpp"
#include "runtime/memory/memory.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>

namespace hasten::runtime {

using core::ArrayId;
using kernels::InputSource;
using kernels::Launch;

/// Memory for the elements that are kept, and those that are not.
class Launches::Kept final : public backends::KeptMemory {
 public:
  Kept(Launches& launches, const Launch& op) : launches_(launches), op_(op) {}

  std::span<std::byte* const> take(std::int64_t kept, std::int64_t others) override {
    add(op_.output, kept);
    if (op_.others != core::none) add(op_.others, others);
    return addresses_;
  }

  void close(std::int64_t kept, std::int64_t others) override {
    set(op_.output, 0, kept);
    if (op_.others != core::none) set(op_.others, 1, others);
  }

 private:
  void add(ArrayId id, std::int64_t size) {
    made_.push_back(launches_.allocate(id, {size}));
    const detail::HostArray& array = *made_.back();
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
      addresses_.push_back(launches_.address(array, leaf, id));
      if (detail::is_complex(array.leaves()[leaf])) addresses_.push_back(addresses_.back());
    }
  }

  void set(ArrayId id, std::size_t place, std::int64_t size) {
    launches_.state_.arrays[id] = shrunk(made_[place], size, launches_.state_.account);
  }

  Launches& launches_;
  const Launch& op_;
  std::vector<std::shared_ptr<detail::HostArray>> made_;
  std::vector<std::byte*> addresses_;
};

// A replayed loop cannot defer it: later steps depend on the number of kept elements.
void Launches::compact(const Launch& op) {
  before_other_work();
  try {
    with_room([&] { place_and_compact(op); });
  } catch (const MemoryError&) {
    if (!loop_ || !loop_->let_go()) throw;
    with_room([&] { place_and_compact(op); });
  }
}

void Launches::place_and_compact(const Launch& op) {
  for (const ArrayId id : {op.output, op.others})
    if (id != core::none) state_.arrays[id].reset();  // of an earlier attempt
  Kept kept(*this, op);
  space_ = state_.extents(op.space);
  if (space_[0] == 0) {
    static_cast<void>(kept.take(0, 0));
    return kept.close(0, 0);
  }
  bind_scalars(op, false);
  std::int64_t largest = space_[0], bytes = 0;
  inputs_.clear();
  input_sizes_.clear();
  for (const InputSource& input : op.inputs) {
    const detail::HostArray& array = *state_.arrays[input.array];
    inputs_.push_back(address(array, input.leaf, input.array));
    input_sizes_.push_back(array.size());
    largest = std::max(largest, array.size());
    bytes += static_cast<std::int64_t>(array.component(input.leaf)->size());
  }
  launch_begins();
  const backends::Code& code = code_of(op);
  in_parallel_ = false;
  const Took took = timed([&] {
    device_->backend->launch(code, {space_,
                                    inputs_,
                                    {},
                                    scalars_,
                                    space_[0],
                                    largest,
                                    &scratch_,
                                    &kept,
                                    stop_word(),
                                    &in_parallel_,
                                    input_sizes_});
  });
  for (const ArrayId id : {op.output, op.others}) {
    if (id == core::none) continue;
    const detail::HostArray& made = *state_.arrays[id];
    for (std::size_t leaf = 0; leaf < made.leaves().size(); ++leaf)
      bytes += static_cast<std::int64_t>(made.component(leaf)->size());
  }
  record(op, {bytes, largest, false, fingerprint(space_, static_cast<std::uint64_t>(bytes))}, took);
}

}  // namespace hasten::runtime
