// Marks belong to single commands: waiting for a whole queue would make two readers of one result
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
  Points result(lines_.size(), nullptr);
  const auto need = [&](const InQueue& in) {
    const Point*& last = result[in.queue];
    if (in.point.number > (last ? last->number : 0)) last = &in.point;
  };
  for (const Use& use : uses) {
    const auto found = blocks_.find(use.address);
    if (found == blocks_.end()) continue;
    need(found->second.writer);
    if (use.writes) std::ranges::for_each(found->second.readers, need);
  }
  return result;
}

bool Ordering::is_idle(Queue queue) {
  Line& line = lines_[queue];
  if (!line.is_idle) line.is_idle = is_done_(line.last.mark);
  return line.is_idle;
}

Ordering::Queue Ordering::choose_among(Queue first, Queue count) {
  const auto told_after = [&](std::uint64_t time) {
    std::optional<Queue> next;
    for (Queue queue = first; queue < first + count; ++queue)
      if (lines_[queue].told >= time && (!next || lines_[queue].told < lines_[*next].told))
        next = queue;
    return next;
  };
  const Queue oldest = *told_after(0);
  for (std::optional<Queue> queue = oldest; queue; queue = told_after(lines_[*queue].told + 1))
    if (is_idle(*queue)) return *queue;
  return oldest;
}

// Behind another owner's work a command would wait for results that it does not need. Where an
// owner's work is in one queue, a command follows it there even if it needs another queue's
// results.
Ordering::Queue Ordering::choose(const Points& needed, Owner owner) {
  for (Queue queue = 0; queue < layout_.spread; ++queue) {
    const bool comes_next = needed[queue] && needed[queue]->number == lines_[queue].last.number;
    if (comes_next && (layout_.share > 1 || !is_idle(queue))) return queue;
  }
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
    const Point* const point = needed[other];
    if (other == queue || !point || point->number <= awaited_[queue][other]) continue;
    place.after.push_back(point->mark);
    awaited_[queue][other] = point->number;
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
      block.writer = {queue, point};
      block.readers.clear();
    } else if (block.writer.queue != queue || block.writer.point.number != point.number) {
      const auto known = std::ranges::find(block.readers, queue, &InQueue::queue);
      if (known == block.readers.end())
        block.readers.push_back({queue, point});
      else
        known->point = point;
    }
  }
}

std::vector<Mark> Ordering::pending(std::span<const Use> uses) const {
  std::vector<Mark> result;
  for (const Point* point : needed(uses))
    if (point && !is_done_(point->mark)) result.push_back(point->mark);
  return result;
}

bool Ordering::is_used_by_others(Address address, Owner owner) const {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  const auto is_others = [&](const InQueue& in) {
    return in.point.number != 0 && in.point.owner != owner && !is_done_(in.point.mark);
  };
  return is_others(found->second.writer) || std::ranges::any_of(found->second.readers, is_others);
}

}  // namespace hasten::backends::c_like
