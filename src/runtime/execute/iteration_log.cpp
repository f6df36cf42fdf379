// Buffers are identified by their owners: an address may be reused for another buffer.
#include "runtime/execute/iteration_log.hpp"

#include <algorithm>
#include <tuple>

namespace hasten::runtime {
namespace {

constexpr std::size_t most_iterations =
    IterationLog::oldest + 3;  // a period, and the iteration under way

template <class A, class B>
bool is_same(const A& a, const B& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

bool operator==(const ComponentRef& a, const ComponentRef& b) {
  return a.age == b.age && a.launch == b.launch && a.leaf == b.leaf && is_same(a.buffer, b.buffer);
}

bool operator==(const LaunchNote& a, const LaunchNote& b) {
  const auto all = [](const LaunchNote& x) {
    return std::tie(x.op, x.code, x.space, x.shapes, x.scalars, x.largest, x.inputs, x.goes_on);
  };
  return all(a) == all(b);
}

void IterationLog::start_iteration() {
  iterations_.emplace_front();
  if (iterations_.size() > most_iterations) iterations_.pop_back();
}

void IterationLog::clear() {
  iterations_.clear();
  start_iteration();
}

void IterationLog::let_go() {
  for (IterationNote& iteration : iterations_)
    for (LaunchNote& launch : iteration.launches) launch.kept.clear();
}

ComponentRef IterationLog::ref(const std::shared_ptr<detail::Buffer>& buffer) const {
  const std::size_t ages = std::min<std::size_t>(iterations_.size(), oldest + 1);
  for (std::size_t age = 0; age < ages; ++age) {
    const std::vector<LaunchNote>& launches = iterations_[age].launches;
    for (std::size_t i = 0; i < launches.size(); ++i)
      for (std::size_t leaf = 0; leaf < launches[i].made.size(); ++leaf)
        if (is_same(launches[i].made[leaf], buffer)) return {static_cast<int>(age), i, leaf, {}};
  }
  return {ComponentRef::other, 0, 0, buffer};
}

void IterationLog::add(const SeenLaunch& launch, bool keeps) {
  IterationNote& iteration = iterations_.front();
  if (iteration.launches.size() == most_launches) spoil();
  if (!iteration.is_whole) return;
  const kernels::Launch& op = *launch.op;
  LaunchNote note{&op,
                  launch.code,
                  {launch.space.begin(), launch.space.end()},
                  {},
                  {launch.scalars.begin(), launch.scalars.end()},
                  launch.largest,
                  {},
                  {},
                  {},
                  {}};
  for (const kernels::InputSource& input : op.inputs)
    note.inputs.push_back(ref(launch.arrays[input.array]->component(input.leaf)));
  for_each_output(op, [&](core::ArrayId id, const std::vector<core::Value>&) {
    const std::shared_ptr<const detail::HostArray>& output = launch.arrays[id];
    note.shapes.push_back(output->shape());
    if (keeps) note.kept.push_back(output);
    for (std::size_t leaf = 0; leaf < output->leaves().size(); ++leaf) {
      if (op.into) {
        note.goes_on.push_back(ref(output->component(leaf)));
        if (note.goes_on.back().age != 0) spoil();
      } else {
        note.made.emplace_back(output->component(leaf));
      }
    }
  });
  iteration.launches.push_back(std::move(note));
}

bool IterationLog::end_iteration(std::span<const std::shared_ptr<const detail::HostArray>> next) {
  IterationNote& iteration = iterations_.front();
  for (const auto& array : next)
    for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
      const std::shared_ptr<detail::Buffer>& buffer = array->component(leaf);
      if (buffer->elsewhere()) iteration.next.push_back(ref(buffer));
    }
  const bool is_like = iterations_.size() > 1 && iteration.is_whole &&
                       !iteration.launches.empty() && iteration == iterations_[1];
  start_iteration();
  return is_like;
}

}  // namespace hasten::runtime
