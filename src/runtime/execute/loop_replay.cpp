// A session owns the outputs of as many iterations as one iteration can refer to, and reuses them
// in turn. So everything the plan can reach in an iteration exists until the iteration ends, and an
// iteration that turns out to differ can be continued from where it differs.
#include "runtime/execute/loop_replay.hpp"

#include "core/scalar_ops.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <shared_mutex>
#include <utility>

namespace hasten::runtime {
namespace {

constexpr int most_failures = 4;             // of a loop that does not repeat for long
constexpr std::int64_t most_together = 256;  // launches in one command
constexpr std::int64_t most_periods = 16;
constexpr std::int64_t too_few = 8;  // launches that are not worth a command

using BufferRef = std::shared_ptr<detail::Buffer>;

// Memory that a launch uses, which the same launch gets again.
class KeptScratch final : public backends::ScratchMemory {
 public:
  explicit KeptScratch(WorkingSet& set) : set_(set) {}
  [[nodiscard]] std::byte* take(std::size_t bytes) override {
    if (next_ == blocks_.size()) blocks_.emplace_back();
    Block& block = blocks_[next_++];
    if (!block.address || block.bytes < bytes) block = {set_.scratch(bytes), bytes};
    if (!block.address) throw MemoryError("there is no memory left for launches that are recorded");
    return block.address;
  }
  void start_again() { next_ = 0; }

 private:
  struct Block {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
  };

  WorkingSet& set_;
  std::vector<Block> blocks_;
  std::size_t next_ = 0;
};

// A launch of one iteration of the period, with all its arguments.
struct Item {
  const LaunchNote* note;
  std::vector<HostArrayRef> made;  // its outputs
  std::vector<BufferRef> buffers;  // what it reads
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  std::unique_ptr<KeptScratch> scratch;
  const support::StopWord* stop;

  [[nodiscard]] backends::RecordedLaunch recorded() const {
    return {note->code,
            {note->space, inputs, outputs, note->scalars, made[0]->size(), note->largest,
             scratch.get(), nullptr, stop}};
  }
};

}  // namespace

class LoopReplay::Session {
 public:
  /// `iterations`: those already run, the oldest first. Throws MemoryError if there is no room.
  Session(const LoadedPlan& loaded, const LoopLimits& limits, std::vector<IterationNote> iterations)
      : backend_(*loaded.backend),
        stop_(limits.stop),
        lead_(limits.lead),
        iterations_(std::move(iterations)),
        turn_(loaded.memory->turn()),
        set_(loaded.memory, limits.memory) {
    for (std::size_t iteration = 0; iteration < iterations_.size(); ++iteration) {
      std::vector<Item>& items = items_.emplace_back();
      for (const LaunchNote& note : iterations_[iteration].launches)
        items.push_back(item(note, iteration));
    }
    std::vector<backends::RecordedLaunch> all;
    for (const auto& items : items_)
      for (const Item& item : items) all.push_back(item.recorded());
    replay_ = backend_.record(all);
    const std::int64_t periods = most_together / static_cast<std::int64_t>(all.size());
    periods_ = std::clamp<std::int64_t>(periods, 1, most_periods);
  }

  [[nodiscard]] bool is_recorded() const { return replay_ != nullptr; }

  [[nodiscard]] std::span<const HostArrayRef> expected_outputs(const kernels::Launch& op) const {
    const std::vector<Item>& items = current();
    if (at_ == items.size() || items[at_].note->op != &op) return {};
    return items[at_].made;
  }

  [[nodiscard]] bool takes(const SeenLaunch& launch) {
    const Item& item = current()[at_];
    const LaunchNote& note = *item.note;
    if (!std::ranges::equal(note.space, launch.space) ||
        !std::ranges::equal(note.scalars, launch.scalars) || note.largest != launch.largest)
      return false;
    for (std::size_t i = 0; i < item.buffers.size(); ++i) {
      const kernels::InputSource& input = launch.op->inputs[i];
      if (launch.arrays[input.array]->component(input.leaf) != item.buffers[i]) return false;
    }
    ++at_;
    return true;
  }

  /// Whether the iteration was like the others, so that the next one may follow.
  [[nodiscard]] bool end_iteration(std::span<const HostArrayRef> next) {
    if (at_ != current().size()) return false;
    const bool is_like = is_next(next);
    at_ = 0;
    if (++taken_ >= periods() * period() && taken_ % period() == 0 && is_like) launch_taken();
    return is_like;
  }

  /// Launches everything taken so far.
  void launch_all() {
    const std::int64_t rest = taken_ % period();
    launch_taken();
    for (std::int64_t iteration = 0; iteration < rest; ++iteration)
      launch(items_[static_cast<std::size_t>(iteration)], items_[0].size());
    launch(items_[static_cast<std::size_t>(rest)], at_);
    at_ = 0;
  }

 private:
  // Periods that are launched together. A call that can be stopped is not polled within them.
  [[nodiscard]] std::int64_t periods() const {
    const std::int64_t launches = period() * std::ssize(items_[0]);
    return lead_ ? std::clamp<std::int64_t>(lead_->allowance() / launches, 1, periods_) : periods_;
  }
  [[nodiscard]] std::int64_t period() const { return std::ssize(items_); }
  [[nodiscard]] std::size_t iteration() const {
    return static_cast<std::size_t>(taken_ % period());
  }
  [[nodiscard]] const std::vector<Item>& current() const { return items_[iteration()]; }

  // The output that a component belongs to, seen from an iteration of the period, and the leaf.
  [[nodiscard]] std::pair<HostArrayRef, std::size_t> output(const ComponentRef& ref,
                                                            std::size_t iteration) const {
    const std::size_t made_in =
        (iteration + iterations_.size() - static_cast<std::size_t>(ref.age)) % iterations_.size();
    std::size_t leaf = ref.leaf;
    for (const HostArrayRef& array : iterations_[made_in].launches[ref.launch].kept) {
      if (leaf < array->leaves().size()) return {array, leaf};
      leaf -= array->leaves().size();
    }
    throw InternalError("a loop reads what no launch has made");
  }
  [[nodiscard]] BufferRef buffer(const ComponentRef& ref, std::size_t iteration) const {
    if (ref.age == ComponentRef::other)
      return std::const_pointer_cast<detail::Buffer>(ref.buffer.lock());
    const auto& [array, leaf] = output(ref, iteration);
    return array->component(leaf);
  }

  [[nodiscard]] Item item(const LaunchNote& note, std::size_t iteration) {
    Item item{&note, note.kept, {}, {}, {}, std::make_unique<KeptScratch>(set_), stop_};
    const Holder holder{"a loop", {}, true};
    for (const ComponentRef& input : note.inputs) {
      item.buffers.push_back(buffer(input, iteration));
      if (!item.buffers.back()) throw MemoryError("what a loop reads is gone");
      item.inputs.push_back(there(set_.read(*item.buffers.back(), holder)));
    }
    if (note.op->into) item.made = {output(note.goes_on.front(), iteration).first};
    for (const HostArrayRef& array : item.made)
      for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
        item.outputs.push_back(there(set_.update(*array->component(leaf), holder)));
        if (detail::is_complex(array->leaves()[leaf])) item.outputs.push_back(item.outputs.back());
      }
    return item;
  }

  static std::byte* there(std::byte* address) {
    if (!address) throw MemoryError("there is no room for the iterations of a loop");
    return address;
  }

  [[nodiscard]] bool is_next(std::span<const HostArrayRef> next) const {
    const std::vector<ComponentRef>& expected = iterations_[iteration()].next;
    std::size_t i = 0;
    for (const HostArrayRef& array : next)
      for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
        const BufferRef& found = array->component(leaf);
        if (!found->elsewhere()) continue;
        if (i == expected.size() || buffer(expected[i++], iteration()) != found) return false;
      }
    return i == expected.size();
  }

  void launch_taken() {
    const std::int64_t periods = taken_ / period();
    taken_ = 0;
    const std::int64_t launches = period() * std::ssize(items_[0]);
    if (periods * launches >= too_few) {
      replay_->run(periods);
      if (lead_) lead_->launched(periods * launches);
      return;
    }
    for (std::int64_t i = 0; i < periods; ++i)
      for (const std::vector<Item>& items : items_) launch(items, items.size());
  }

  void launch(const std::vector<Item>& items, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      items[i].scratch->start_again();
      backend_.launch(*items[i].note->code, items[i].recorded().arguments);
      if (lead_) lead_->launched(1);
    }
  }

  backends::Backend& backend_;
  const support::StopWord* const stop_;
  Lead* const lead_;
  const std::vector<IterationNote> iterations_;
  // Threads that find no room wait until this session ends, and not for long (step_aside).
  std::shared_lock<std::shared_mutex> turn_;
  WorkingSet set_;
  std::vector<std::vector<Item>> items_;  // by iteration of the period
  std::unique_ptr<backends::Replay> replay_;
  std::int64_t periods_ = 1;  // that are launched together
  std::int64_t taken_ = 0;    // iterations, not launched yet
  std::size_t at_ = 0;        // launches of the iteration under way
};

LoopReplay::LoopReplay(const LoadedPlan& loaded, const LoopLimits& limits)
    : loaded_(loaded),
      limits_(limits) {}

LoopReplay::~LoopReplay() = default;

void LoopReplay::launched(const SeenLaunch& launch) {
  if (failures_ < most_failures) log_.add(launch, to_keep_ > 0);
}

bool LoopReplay::let_go() {
  if (to_keep_ == 0) return false;
  log_.let_go();
  to_keep_ = 0;
  failures_ = most_failures;
  return true;
}

std::span<const HostArrayRef> LoopReplay::expected_outputs(const kernels::Launch& op) const {
  return session_->expected_outputs(op);
}

bool LoopReplay::takes(const SeenLaunch& launch) { return session_->takes(launch); }

void LoopReplay::stop() {
  if (!session_) return;
  ++failures_;
  session_->launch_all();
  session_.reset();
  log_.clear();
  log_.spoil();
}

// Another thread needs room, and waits for all turns to end: the launches taken over run now, and
// the loop continues launch by launch, behind that thread, until its iterations repeat again.
void LoopReplay::step_aside() {
  session_->launch_all();
  session_.reset();
  log_.clear();
}

void LoopReplay::before_read(const detail::Buffer& buffer) {
  if (!buffer.is_in_host_memory()) before_other_work();
}

void LoopReplay::before_other_work() {
  stop();
  log_.spoil();
}

void LoopReplay::end_iteration(std::span<const HostArrayRef> next) {
  if (session_) {
    if (!session_->end_iteration(next))
      stop();
    else if (loaded_.memory->is_awaited())
      step_aside();
    return;
  }
  if (failures_ == most_failures) return;
  if (!log_.end_iteration(next)) {
    if (to_keep_ > 0) ++failures_;
    log_.let_go();
    to_keep_ = 0;
  } else if (to_keep_ == 0) {
    int oldest = 0;
    for (const ComponentRef& ref : log_.iteration(1).next) oldest = std::max(oldest, ref.age);
    const auto iterations = static_cast<std::size_t>(oldest) + 2;
    if (iterations > IterationLog::oldest + 1 || !has_room(iterations)) {
      failures_ = most_failures;
      return;
    }
    to_keep_ = iterations;
    kept_ = 0;
  } else if (++kept_ == to_keep_) {
    start(std::exchange(to_keep_, 0));
  }
}

// Whether there is room for the outputs of the iterations, and as much again for everything else.
bool LoopReplay::has_room(std::size_t iterations) const {
  std::size_t bytes = 0;
  for (const LaunchNote& launch : log_.iteration(1).launches) {
    if (launch.op->into) continue;
    std::size_t next = 0;
    for_each_output(*launch.op, [&](core::ArrayId array, const std::vector<core::Value>&) {
      std::size_t elements = 1;
      for (const std::int64_t extent : launch.shapes[next])
        elements *= static_cast<std::size_t>(extent);
      for (const core::ScalarType leaf : loaded_.plan.array_types[array].leaves)
        bytes += elements * detail::size_in_bytes(leaf);
      ++next;
    });
  }
  const DeviceMemory& memory = *loaded_.memory;
  const std::size_t budget =
      limits_.memory == 0 ? memory.budget() : std::min(limits_.memory, memory.budget());
  const std::size_t used = memory.held_bytes() - memory.kept_bytes();
  return used < budget && iterations * bytes <= (budget - used) / 2;
}

void LoopReplay::start(std::size_t iterations) {
  std::vector<IterationNote> done;
  for (std::size_t age = iterations; age > 0; --age) done.push_back(log_.iteration(age));
  log_.clear();
  try {
    session_ = std::make_unique<Session>(loaded_, limits_, std::move(done));
  } catch (const MemoryError&) {  // the loop continues as before
    failures_ = most_failures;
  }
  if (session_ && !session_->is_recorded()) {
    session_.reset();
    failures_ = most_failures;
  }
}

}  // namespace hasten::runtime
