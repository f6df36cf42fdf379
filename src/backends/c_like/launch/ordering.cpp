// Marks are of single commands: waiting for all of a queue would make two readers of one result
// wait for each other.
#include "backends/c_like/launch/ordering.hpp"

#include <algorithm>

namespace hasten::backends::c_like {

Ordering::Ordering(std::size_t queues, std::size_t spread)
    : spread_(spread),
      last_(queues, 0),
      awaited_(queues, std::vector<std::uint64_t>(queues, 0)),
      told_(queues, 0) {}

Ordering::Points Ordering::needed(std::span<const Use> uses) const {
  Points result(last_.size());
  const auto need = [&](Queue queue, const Point& point) {
    if (point.number > result[queue].number) result[queue] = point;
  };
  for (const Use& use : uses) {
    const auto found = blocks_.find(use.address);
    if (found == blocks_.end()) continue;
    const Block& block = found->second;
    need(block.writer_queue, block.writer);
    if (!use.writes) continue;
    for (Queue queue = 0; queue < block.readers.size(); ++queue) need(queue, block.readers[queue]);
  }
  return result;
}

Ordering::Queue Ordering::choose(const Points& needed) const {
  for (Queue queue = 0; queue < spread_; ++queue)
    if (needed[queue].number != 0 && needed[queue].number == last_[queue]) return queue;
  const auto first = told_.begin();
  return static_cast<Queue>(std::min_element(first, first + static_cast<std::ptrdiff_t>(spread_)) -
                            first);
}

Ordering::Place Ordering::wait_in(Queue queue, const Points& needed) {
  Place place{queue, {}};
  for (Queue other = 0; other < needed.size(); ++other) {
    if (other == queue || needed[other].number <= awaited_[queue][other]) continue;
    place.after.push_back(needed[other].mark);
    awaited_[queue][other] = needed[other].number;
  }
  return place;
}

Ordering::Place Ordering::place(std::span<const Use> uses) {
  const Points all = needed(uses);
  return wait_in(choose(all), all);
}

Ordering::Place Ordering::place(Queue queue, std::span<const Use> uses) {
  return wait_in(queue, needed(uses));
}

void Ordering::enqueued(Queue queue, std::span<const Use> uses, const Mark& mark) {
  const Point point{++last_[queue], mark};
  told_[queue] = ++now_;
  for (const Use& use : uses) {
    Block& block = blocks_[use.address];
    if (use.writes) {
      block = {queue, point, {}};
    } else if (block.writer_queue != queue || block.writer.number != point.number) {
      block.readers.resize(last_.size());
      block.readers[queue] = point;
    }
  }
}

}  // namespace hasten::backends::c_like
