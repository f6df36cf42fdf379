// Marks are of single commands: waiting for all of a queue would make two readers of one result
// wait for each other.
#include "backends/c_like/launch/ordering.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hasten::backends::c_like {

Ordering::Ordering(const Layout& layout, IsDone is_done)
    : layout_(layout),
      is_done_(std::move(is_done)),
      lines_(layout.queues),
      awaited_(layout.queues, std::vector<std::uint64_t>(layout.queues, 0)) {}

Ordering::Points Ordering::needed(std::span<const Use> uses) const {
  Points result(lines_.size());
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

bool Ordering::is_idle(Queue queue) {
  Line& line = lines_[queue];
  if (!line.is_idle) line.is_idle = is_done_(line.last.mark);
  return line.is_idle;
}

Ordering::Queue Ordering::choose_among(Queue first, Queue count) {
  std::vector<Queue> by_age(count);
  for (Queue i = 0; i < count; ++i) by_age[i] = first + i;
  std::ranges::stable_sort(by_age, {}, [&](Queue queue) { return lines_[queue].told; });
  for (const Queue queue : by_age)
    if (is_idle(queue)) return queue;
  return by_age.front();
}

// Behind others' work a command would wait for what it does not need.
Ordering::Queue Ordering::choose(const Points& needed, Owner owner) {
  for (Queue queue = 0; queue < layout_.spread; ++queue)
    if (needed[queue].number != 0 && needed[queue].number == lines_[queue].last.number)
      return queue;
  Queue own = 0;
  std::optional<Queue> oldest;
  for (Queue queue = 0; queue < layout_.spread; ++queue) {
    if (lines_[queue].last.owner != owner || is_idle(queue)) continue;
    ++own;
    if (!oldest || lines_[queue].told < lines_[*oldest].told) oldest = queue;
  }
  if (own >= layout_.share) return *oldest;
  const Queue queue = choose_among(0, layout_.spread);
  return lines_[queue].is_idle ? queue : oldest.value_or(queue);
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

Ordering::Place Ordering::place(std::span<const Use> uses, Owner owner) {
  const Points all = needed(uses);
  return wait_in(choose(all, owner), all);
}

Ordering::Place Ordering::place(Queue queue, std::span<const Use> uses) {
  return wait_in(queue, needed(uses));
}

void Ordering::enqueued(Queue queue, std::span<const Use> uses, const Mark& mark, Owner owner) {
  Line& line = lines_[queue];
  const Point point{line.last.number + 1, mark, owner};
  line = {point, ++now_, false};
  for (const Use& use : uses) {
    Block& block = blocks_[use.address];
    if (use.writes) {
      block = {queue, point, {}};
    } else if (block.writer_queue != queue || block.writer.number != point.number) {
      block.readers.resize(lines_.size());
      block.readers[queue] = point;
    }
  }
}

std::vector<Mark> Ordering::pending(std::span<const Use> uses) const {
  std::vector<Mark> result;
  for (Point& point : needed(uses))
    if (point.number != 0 && !is_done_(point.mark)) result.push_back(std::move(point.mark));
  return result;
}

bool Ordering::is_used_by_others(Address address, Owner owner) const {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  const auto is_others = [&](const Point& point) {
    return point.number != 0 && point.owner != owner && !is_done_(point.mark);
  };
  const Block& block = found->second;
  return is_others(block.writer) || std::ranges::any_of(block.readers, is_others);
}

}  // namespace hasten::backends::c_like
