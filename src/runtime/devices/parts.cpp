// A part of a buffer keeps the whole buffer alive.
#include "runtime/devices/parts.hpp"

#include "runtime/execute/run_state.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/memory/residency.hpp"
#include "runtime/streaming/joins_ahead.hpp"
#include "runtime/streaming/pages_ahead.hpp"
#include "support/ticks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>

namespace hasten::runtime {
namespace {

using detail::Buffer;
using detail::HostArray;
using Extents = std::vector<std::int64_t>;

std::int64_t row_size(const Extents& shape) {
  std::int64_t size = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) size *= shape[axis];
  return size;
}

std::shared_ptr<HostArray> part_of(const HostArray& whole, std::int64_t begin, std::int64_t end,
                                   bool is_kept = false) {
  Extents shape = whole.shape();
  shape[0] = end - begin;
  const std::int64_t row = row_size(shape);
  std::vector<std::shared_ptr<Buffer>> components;
  for (std::size_t leaf = 0; leaf < whole.leaves().size(); ++leaf) {
    const auto element = static_cast<std::int64_t>(detail::size_in_bytes(whole.leaves()[leaf]));
    const std::int64_t bytes = (end - begin) * row * element;
    if (is_kept && bytes > 0) {
      components.push_back(kept_part(whole.component(leaf),
                                     static_cast<std::size_t>(begin * row * element),
                                     static_cast<std::size_t>(bytes)));
      continue;
    }
    const std::byte* const first = whole.size() == 0 ? nullptr : whole.data(leaf);
    components.push_back(Buffer::borrow(first + begin * row * element,
                                        static_cast<std::size_t>(bytes),
                                        [all = whole.component(leaf)] {}));
  }
  return std::make_shared<HostArray>(std::move(shape), whole.leaves(), std::move(components));
}

// All parts in host memory, not yet copied together.
HostArrayRef in_pieces(const std::vector<HostArrayRef>& parts, Extents shape,
                       const RunState& state) {
  const auto& leaves = parts[0]->leaves();
  std::vector<std::shared_ptr<Buffer>> components;
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    std::vector<std::shared_ptr<Buffer>> pieces;
    for (std::uint32_t k = 0; k < parts.size(); ++k) {
      state.blame(k);
      static_cast<void>(parts[k]->data(leaf));  // brings it home
      pieces.push_back(parts[k]->component(leaf));
    }
    components.push_back(joined(std::move(pieces)));
  }
  return std::make_shared<HostArray>(std::move(shape), leaves, std::move(components));
}

struct Failed {
  std::size_t number;
  std::exception_ptr error;
};

// A few threads copy memory and clear pages faster than one.
template <class F>
std::optional<Failed> each_in_parallel(std::size_t count, const F& f) {
  std::mutex mutex;
  std::optional<Failed> failed;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < count; k = next++) try {
        f(k);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed) failed = {k, std::current_exception()};
        next = count;
      }
  };
  constexpr std::size_t threads_max = 4;
  std::vector<std::jthread> others;
  while (others.size() + 1 <
         std::min<std::size_t>({count, threads_max, std::thread::hardware_concurrency()}))
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {  // the threads started so far do everything
      break;
    }
  work();
  others.clear();
  return failed;
}

}  // namespace

HostArrayRef rows_of(const HostArrayRef& array, std::int64_t begin, std::int64_t end,
                     bool is_kept) {
  const std::int64_t extent = array->shape()[0];
  end = std::clamp<std::int64_t>(end, 0, extent);
  begin = std::clamp<std::int64_t>(begin, 0, end);
  if (begin == 0 && end == extent) return array;
  return part_of(*array, begin, end, is_kept);
}

Joins::Joins(const kernels::Plan& plan) { survey(plan.steps); }

void Joins::survey(const kernels::Steps& steps) {
  for (const kernels::Step& step : steps) {
    if (const auto* rows = std::get_if<kernels::RowsStep>(&step.op)) has_rows_.insert(rows->source);
    if (const auto* join = std::get_if<kernels::JoinStep>(&step.op))
      for (std::size_t k = 0; k < join->parts.size(); ++k) places_[join->parts[k]] = {join, k};
    if (const auto* branch = std::get_if<kernels::BranchStep>(&step.op)) {
      survey(branch->then_);
      survey(branch->else_);
    }
    if (const auto* loop = std::get_if<kernels::LoopStep>(&step.op)) {
      survey(loop->condition);
      survey(loop->body);
    }
  }
}

std::shared_ptr<HostArray> Joins::lend(core::ArrayId part, const Extents& shape, RunState& state) {
  if (state.loaded.parts > 1) return lend_ahead(part, shape, state);
  const auto found = places_.find(part);
  if (found == places_.end() || shape.empty()) return nullptr;
  const auto [join, number] = found->second;
  if (state.arguments.memory_limit > 0) return nullptr;  // the whole's memory is not planned yet
  if (state.arguments.ranks) return nullptr;             // few processes need the whole
  if (state.loaded.joins_ahead)
    if (auto ahead = lend_ahead(part, shape, state)) return ahead;
  Extents all = shape;
  std::int64_t before = 0;
  all[0] = 0;
  for (std::size_t k = 0; k < join->parts.size(); ++k) {
    const HostArrayRef& other = state.arrays[join->parts[k]];
    if (k != number && !other) return nullptr;
    const std::int64_t rows = k == number ? shape[0] : other->shape()[0];
    if (k < number) before += rows;
    all[0] += rows;
  }
  if (all[0] == shape[0] || row_size(shape) == 0 || shape[0] == 0) return nullptr;
  auto whole = allocate_array(all, state.plan.array_types[part].leaves, state.account);
  if (!whole) return nullptr;
  begun_[join->array] = {whole, {}, nullptr};
  return part_of(*whole, before, before + shape[0]);
}

// The offset of a part is known before all other parts are made. A part that is made again, in
// another round, gets a new whole: others may hold the previous one.
std::shared_ptr<HostArray> Joins::lend_ahead(core::ArrayId part, const Extents& shape,
                                             RunState& state) {
  const auto place = state.loaded.joins_ahead->of(part);
  if (!place || shape.empty() || shape[0] == 0 || row_size(shape) == 0) return nullptr;
  const std::vector<std::int64_t> rows = state.loaded.joins_ahead->rows(*place, state.values);
  const auto own = rows.begin() + static_cast<std::ptrdiff_t>(place->number);
  Extents all = shape;
  all[0] = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
  const std::int64_t before = std::accumulate(rows.begin(), own, std::int64_t{0});
  if (all[0] == shape[0] || *own != shape[0]) return nullptr;
  auto& [whole, is_lent, pages] = begun_[place->join->array];
  is_lent.resize(rows.size());
  if (!whole || whole->shape() != all || is_lent[place->number]) {
    whole = allocate_whole(all, state.plan.array_types[part].leaves, state);
    is_lent.assign(rows.size(), false);
    if (state.loaded.has_memory()) pages = std::make_shared<PagesAhead>(whole);
  }
  is_lent[place->number] = true;
  return part_of(*whole, before, before + shape[0]);
}

// Within the program's limit, where that counts host memory.
std::shared_ptr<HostArray> Joins::allocate_whole(const Extents& shape,
                                                 const std::vector<core::ScalarType>& leaves,
                                                 RunState& state) {
  const std::int64_t limit = state.loaded.has_memory() ? 0 : state.arguments.memory_limit;
  const auto bytes = bytes_of(shape, leaves);
  if (limit > 0 && bytes && state.account->live + *bytes > limit) {
    if (state.arguments.part) *state.arguments.part = core::none;  // more parts do not help
    throw over_limit(state.needs(), shape, *bytes, state.account->live, limit);
  }
  auto whole = allocate_array(shape, leaves, state.account);
  if (!whole) throw no_memory(state.needs(), shape, bytes, state.account->live);
  return whole;
}

// What only a device with memory of its own reads, part after part: pieces in host memory go there
// from where they are. Results are for the host.
bool Joins::stays_in_pieces(const kernels::JoinStep& op, const RunState& state) const {
  return state.loaded.parts > 1 && state.loaded.on(state.device()).memory &&
         !begun_.contains(op.array) && std::ranges::count(state.plan.results, op.array) == 0;
}

HostArrayRef Joins::join(const kernels::JoinStep& op, RunState& state,
                         std::vector<std::int64_t>& took) {
  std::vector<HostArrayRef> parts;
  Extents shape = state.arrays[op.parts[0]]->shape();
  shape[0] = 0;
  std::size_t filled = 0, last = 0;
  for (std::size_t k = 0; k < op.parts.size(); ++k) {
    parts.push_back(state.arrays[op.parts[k]]);
    const std::int64_t rows = parts.back()->shape()[0];
    if (rows > 0) ++filled, last = k;
    shape[0] += rows;
  }
  if (filled <= 1) return parts[last];
  if (stays_in_pieces(op, state)) return in_pieces(parts, std::move(shape), state);
  std::shared_ptr<HostArray> whole;
  if (const auto begun = begun_.find(op.array); begun != begun_.end()) {
    if (begun->second.whole && begun->second.whole->shape() == shape) whole = begun->second.whole;
    begun_.erase(begun);
  }
  const auto& leaves = state.plan.array_types[op.array].leaves;
  if (!whole) whole = allocate_whole(shape, leaves, state);
  const std::int64_t row = row_size(shape);
  std::vector<std::int64_t> begin(parts.size());
  for (std::size_t k = 1; k < parts.size(); ++k) begin[k] = begin[k - 1] + parts[k - 1]->shape()[0];
  const auto bring = [&](std::size_t k) {
    const std::int64_t start = support::ticks();
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const auto bytes = static_cast<std::int64_t>(detail::size_in_bytes(leaves[leaf]));
      read_home(*parts[k]->component(leaf), whole->data(leaf) + begin[k] * row * bytes);
    }
    took[k] += support::nanoseconds_between(start, support::ticks());
  };
  constexpr std::int64_t many_bytes = std::int64_t{64} << 20;
  if (bytes_of(shape, leaves).value_or(0) < many_bytes) {
    for (std::uint32_t k = 0; k < parts.size(); ++k) state.blame(k), bring(k);
  } else if (const auto failed = each_in_parallel(parts.size(), bring)) {
    state.blame(static_cast<std::uint32_t>(failed->number));
    std::rethrow_exception(failed->error);
  }
  return whole;
}

}  // namespace hasten::runtime
