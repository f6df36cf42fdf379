// One set of blocks serves all parts: a device does things in the order it is told, and what is
// read is there before the next part is written.
#include "runtime/execute/split_launch.hpp"

#include "support/counters.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

class Scratch final : public backends::ScratchMemory {
 public:
  explicit Scratch(WorkingSet& set) : set_(set) {}
  [[nodiscard]] std::byte* take(std::size_t bytes) override {
    std::byte* const address = set_.scratch(bytes);
    if (!address) throw MemoryError("there is no device memory for what a part of a launch needs");
    return address;
  }

 private:
  WorkingSet& set_;
};

class Parts {
 public:
  Parts(DeviceMemoryRef memory, WorkingSet& set, std::size_t limit, std::size_t share,
        const ElementwiseLaunch& launch)
      : memory_(std::move(memory)),
        set_(set),
        limit_(limit),
        share_(share),
        launch_(launch) {}

  LaunchedParts run() {
    take_blocks();
    for (std::int64_t begin = 0; begin < launch_.size; begin += length_, ++done_.count)
      run(begin, std::min(length_, launch_.size - begin));
    support::counters().bytes_to_devices.fetch_add(done_.bytes_to, relaxed);
    support::counters().bytes_from_devices.fetch_add(done_.bytes_from, relaxed);
    done_.bytes_to += set_.copied_bytes();  // which the copies themselves have counted
    return done_;
  }

 private:
  // As many elements as fit, at most.
  [[nodiscard]] std::int64_t longest() const {
    std::size_t element = 0;
    std::size_t room = memory_->budget();
    if (limit_ != 0) room = std::min(room, limit_);
    for (const auto& input : launch_.inputs)
      if (input.stays)
        room -= std::min(room, input.stays->size());
      else
        element += input.bytes;
    for (const auto& output : launch_.outputs) element += output.bytes;
    const std::size_t most = room / share_ / std::max<std::size_t>(element, 1);
    return static_cast<std::int64_t>(
        std::min<std::size_t>(most, std::numeric_limits<std::int32_t>::max()));
  }

  // What others have pinned, or claim, leaves less: half of it is tried next.
  void take_blocks() {
    for (length_ = std::min(longest(), launch_.size) / part_unit * part_unit; length_ > 0;
         length_ = length_ / 2 / part_unit * part_unit) {
      inputs_.clear();
      outputs_.clear();
      WorkingSet set(memory_, limit_);  // gives back what it got, if it is not all
      if (take_blocks(set)) break;
    }
    inputs_.clear();
    outputs_.clear();
    if (length_ == 0 || !take_blocks(set_))
      throw MemoryError("there is no device memory for the smallest part of a launch");
  }

  bool take_blocks(WorkingSet& set) {
    const auto take = [&](const ElementwiseLaunch::Component& component) {
      return set.scratch(static_cast<std::size_t>(length_) * component.bytes);
    };
    const Holder holder{"a launch in parts", {}, false};
    for (const auto& input : launch_.inputs) {
      inputs_.push_back(input.stays ? set.read(*input.stays, holder) : take(input));
      if (!inputs_.back()) return false;
    }
    for (const auto& output : launch_.outputs) {
      outputs_.push_back(output.stands_twice ? outputs_.back() : take(output));
      if (!outputs_.back()) return false;
    }
    return true;
  }

  void run(std::int64_t begin, std::int64_t length) {
    const auto bytes = [&](const ElementwiseLaunch::Component& component, std::int64_t elements) {
      return static_cast<std::size_t>(elements) * component.bytes;
    };
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const auto& input = launch_.inputs[i];
      if (input.stays) continue;
      memory_->backend().write(const_cast<std::byte*>(inputs_[i]), input.home + bytes(input, begin),
                               bytes(input, length));
      done_.bytes_to += static_cast<std::int64_t>(bytes(input, length));
    }
    std::vector<std::int64_t> space(launch_.rank, 1);
    space.back() = length;
    {
      WorkingSet set(memory_, limit_);
      Scratch scratch(set);
      memory_->backend().launch(
          launch_.code, {space, inputs_, outputs_, launch_.scalars(space), length,
                         std::max(length, largest_staying()), &scratch, nullptr, launch_.stop});
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto& output = launch_.outputs[i];
      if (output.stands_twice) continue;
      memory_->backend().read(output.home + bytes(output, begin), outputs_[i],
                              bytes(output, length));
      done_.bytes_from += static_cast<std::int64_t>(bytes(output, length));
    }
  }

  [[nodiscard]] std::int64_t largest_staying() const {
    std::size_t largest = 0;
    for (const auto& input : launch_.inputs)
      if (input.stays) largest = std::max(largest, input.stays->size() / input.bytes);
    return static_cast<std::int64_t>(largest);
  }

  const DeviceMemoryRef memory_;
  WorkingSet& set_;
  const std::size_t limit_, share_;  // of the room: one in so many
  const ElementwiseLaunch& launch_;
  std::int64_t length_ = 0;  // of a part
  LaunchedParts done_;
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> outputs_;
};

}  // namespace

void ElementwiseLaunch::add_input(const detail::HostArray& array, std::size_t leaf,
                                  bool is_in_place) {
  Component input{nullptr, detail::size_in_bytes(array.leaves()[leaf])};
  if (is_in_place)
    input.home = array.data(leaf);
  else
    input.stays = array.component(leaf).get();
  inputs.push_back(input);
}

void ElementwiseLaunch::add_outputs(const detail::HostArray& array) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    outputs.push_back({array.data(leaf), detail::size_in_bytes(array.leaves()[leaf])});
    if (!detail::is_complex(array.leaves()[leaf])) continue;
    outputs.push_back(outputs.back());
    outputs.back().stands_twice = true;
  }
}

LaunchedParts launch_in_parts(const DeviceMemoryRef& memory, std::size_t limit,
                              const ElementwiseLaunch& launch) {
  // Shorter parts leave more for what the launch works in.
  for (std::size_t share = 1;; share *= 4) {
    LaunchedParts parts;
    try {
      with_room(memory, limit,
                [&](WorkingSet& set) { parts = Parts(memory, set, limit, share, launch).run(); });
      return parts;
    } catch (const MemoryError&) {
      if (share >= 64) throw;
    }
  }
}

}  // namespace hasten::runtime
