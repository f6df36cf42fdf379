// Agreement before a call, and the distribution of its results.
#include "runtime/ranks/ranked_call.hpp"

#include "passes/fission/fission.hpp"
#include "runtime/devices/shares.hpp"
#include "runtime/ranks/exchange.hpp"
#include "runtime/report/print_plan.hpp"
#include "support/hash.hpp"
#include "support/ticks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace hasten::runtime {
namespace {

using detail::HostArray;

// Results up to this size are sent to all ranks at once, since their readers read them soon.
constexpr std::int64_t small_bytes = 4096;

support::Digest digest_of(const RankedPlan& ranked, const Arguments& arguments) {
  support::Hasher hasher;
  hasher.add(ranked.digest);
  const auto add = [&](const HostArray& array) {
    for (const std::int64_t extent : array.shape()) hasher.add(extent);
  };
  for (const HostArrayRef& array : arguments.inputs) add(*array);
  for (const HostArrayRef& array : arguments.used) add(*array);
  for (const detail::LiteralBits& bits : arguments.scalars) hasher.add(bits.lo).add(bits.hi);
  for (const core::Bits& bits : arguments.literals) hasher.add(bits.lo).add(bits.hi);
  return hasher.finish();
}

// -- where arrays are cut -------------------------------------------------------------------------

// The shares before each rank but the first, by the distribution of an array's rows; nothing if
// each rank has it, or the parts are not in order.
std::vector<std::int64_t> points_of(const HostArray& array, int ranks) {
  if (array.shape().empty() || array.size() == 0) return {};
  const detail::Buffer& first = *array.component(0);
  const Shards* const shards = shards_of(first);
  if (!shards || shards->owner()) return {};
  const auto rows = static_cast<std::uint64_t>(array.shape()[0]);
  const std::uint64_t row = first.size() / rows;
  std::vector<std::uint64_t> begin(static_cast<std::size_t>(ranks) + 1, 0);
  int last = 0;
  for (const Shards::Shard& shard : shards->shards()) {
    const Shards* const own = shards_of(*shard.buffer);
    if (!own || !own->owner() || *own->owner() < last || shard.begin % row != 0) return {};
    for (; last < *own->owner(); ++last)
      begin[static_cast<std::size_t>(last) + 1] = shard.begin / row;
  }
  for (; last + 1 < ranks; ++last) begin[static_cast<std::size_t>(last) + 1] = rows;
  std::vector<std::int64_t> points;
  constexpr auto whole = static_cast<std::uint64_t>(passes::exact_share);
  if (rows > whole) return {};
  for (int k = 1; k < ranks; ++k)
    points.push_back(
        static_cast<std::int64_t>((begin[static_cast<std::size_t>(k)] * whole + rows - 1) / rows));
  return points;
}

std::vector<std::int64_t> points_of(std::span<const double> split, int ranks) {
  std::vector<double> shares(split.begin(), split.end());
  if (shares.empty()) shares.assign(static_cast<std::size_t>(ranks), 1);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> points;
  double before = 0;
  for (std::size_t k = 0; k + 1 < shares.size(); ++k) {
    before += shares[k];
    const auto whole = static_cast<double>(passes::exact_share);
    points.push_back(
        std::min(static_cast<std::int64_t>(before / sum * whole + 0.5), passes::exact_share));
  }
  return points;
}

/// Decides where a call is cut.
class Cutting {
 public:
  Cutting(const LoadedPlan& loaded, const Arguments& arguments, std::span<const double> split,
          int ranks)
      : learning_(loaded.shares.get()),
        ranks_(ranks) {
    std::int64_t elements = 0;
    for (const auto& arrays : {arguments.inputs, arguments.used})
      for (const HostArrayRef& array : arrays) {
        elements += array->size();
        if (split.empty() && points_.empty()) points_ = points_of(*array, ranks);
      }
    if (!points_.empty()) return;
    if (split.empty() && learning_) learned_ = learning_->begin(elements);
    points_ = points_of(learned_ ? learned_->shares : split, ranks);
  }

  /// Equal on ranks that have learned the same.
  [[nodiscard]] std::uint64_t note() const {
    support::Hasher hasher;
    for (const std::int64_t point : points_) hasher.add(point);
    return hasher.finish().lo;
  }
  /// Forgets everything, because ranks on other machines have kept or lost different facts.
  void begin_again() {
    if (!learned_) return;
    learning_->forget();
    learned_.reset();
    points_ = points_of({}, ranks_);
  }
  [[nodiscard]] CallShares shares() const {
    CallShares shares;
    shares.points = points_;
    shares.runs_on.assign(static_cast<std::size_t>(ranks_), 0);
    return shares;
  }
  /// Learns the nanoseconds that each rank was busy: the same numbers on all ranks.
  void learn(const std::vector<std::uint64_t>& took) {
    if (!learned_ || took.empty()) return;
    learned_->of_devices.assign(took.begin(), took.end());
    learning_->end(*learned_, std::ranges::max(learned_->of_devices));
  }

 private:
  Shares* const learning_;
  const int ranks_;
  std::vector<std::int64_t> points_;
  std::optional<CallShares> learned_;
};

// -- results --------------------------------------------------------------------------------------

bool has_sharding(const HostArray& array) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    if (array.component(leaf)->sharding()) return true;
  return false;
}

// Requires an array that only this call knows.
void move_to_all(const HostArray& array, const World& world) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    for (int to = 0; to < world.size(); ++to) begin_move(array.component(leaf), to);
    finish_move(*array.component(leaf));
  }
}

// A reader requests it from the others, which read it too: no rank has it already.
HostArrayRef shared(const HostArray& array, const std::shared_ptr<World>& world) {
  std::vector<BufferRef> components;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const BufferRef& component = array.component(leaf);
    const Shards* const shards = shards_of(*component);
    if (shards && shards->is_everywhere()) finish_move(*component);
    if (!shards || shards->is_everywhere())
      components.push_back(component);
    else if (shards->owner())
      components.push_back(joined(world, {component}));
    else
      components.push_back(detail::Buffer::sharded(
          std::make_shared<Shards>(world, shards->shards()), component->size()));
  }
  return std::make_shared<const HostArray>(array.shape(), array.leaves(), std::move(components));
}

// For one call: bytes brought to some rank do not become the user's array, which is read on all
// ranks or on none.
std::vector<HostArrayRef> for_call(std::span<const HostArrayRef> arrays,
                                   const std::shared_ptr<World>& world) {
  std::vector<HostArrayRef> result;
  for (const HostArrayRef& array : arrays)
    result.push_back(has_sharding(*array) ? shared(*array, world) : array);
  return result;
}

// A copy in separate memory that only this rank has to know.
HostArrayRef kept(const HostArray& array) {
  std::vector<BufferRef> components;
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf) {
    const BufferRef& component = array.component(leaf);
    components.push_back(component->sharding() ? same_memory(component) : component);
  }
  return std::make_shared<const HostArray>(array.shape(), array.leaves(), std::move(components));
}

void share(detail::Results& results, const std::shared_ptr<World>& world) {
  for (auto& result : results) {
    if (!has_sharding(*result)) continue;
    std::int64_t bytes = 0;
    for (std::size_t leaf = 0; leaf < result->leaves().size(); ++leaf)
      bytes += static_cast<std::int64_t>(result->component(leaf)->size());
    if (bytes > small_bytes) {
      result = shared(*result, world);
      continue;
    }
    move_to_all(*result, *world);
    result = kept(*result);
  }
}

// -- places ---------------------------------------------------------------------------------------

void collect(const kernels::Steps& steps, std::vector<std::source_location>& places) {
  for (const kernels::Step& step : steps) {
    places.push_back(step.where);
    if (const auto* branch = std::get_if<kernels::BranchStep>(&step.op)) {
      collect(branch->then_, places);
      collect(branch->else_, places);
    }
    if (const auto* loop = std::get_if<kernels::LoopStep>(&step.op)) {
      collect(loop->condition, places);
      collect(loop->body, places);
    }
  }
}

std::source_location place_in(const kernels::Plan& plan, const char* file, std::uint32_t line) {
  std::vector<std::source_location> places;
  collect(plan.steps, places);
  for (const std::source_location& place : places)
    if (place.line() == line && std::strcmp(place.file_name(), file) == 0) return place;
  return {};
}

}  // namespace

std::shared_ptr<const RankedPlan> ranked_plan(const kernels::Plan& plan,
                                              std::shared_ptr<World> world, bool is_cut) {
  support::Hasher hasher;
  for (const support::Digest& key : plan.keys) hasher.add(key);
  hasher.add(print(plan));
  return std::make_shared<const RankedPlan>(
      RankedPlan{std::move(world), is_cut, hasher.finish(), std::make_shared<const Readers>(plan)});
}

detail::Results run_on_ranks(const LoadedPlan& loaded, const RankedPlan& ranked,
                             Arguments& arguments, std::span<const double> split,
                             const std::source_location& where,
                             core::FunctionRef<detail::Results(const Arguments&)> run) {
  const std::shared_ptr<World>& world = ranked.world;
  detail::Results results;
  const auto place = [&](const char* file, std::uint32_t line) {
    return place_in(loaded.plan, file, line);
  };
  std::optional<Cutting> cutting;
  if (ranked.is_cut) cutting.emplace(loaded, arguments, split, world->size());
  const std::uint64_t note = cutting ? cutting->note() : 0;
  const World::Together act{World::Act::call, digest_of(ranked, arguments), where, place, note,
                            arguments.stop};
  if (!cutting) {
    for (const HostArrayRef& array : arguments.inputs) bring_to_all(*array);
    for (const HostArrayRef& array : arguments.used) bring_to_all(*array);
  }
  const std::vector<std::uint64_t> took = world->together(act, [&] {
    if (!cutting) {
      results = run(arguments);
      return;
    }
    if (!world->notes_agree()) cutting->begin_again();
    CallShares shares = cutting->shares();
    Exchange exchange(world, *ranked.readers);
    const std::vector<HostArrayRef> inputs = for_call(arguments.inputs, world);
    const std::vector<HostArrayRef> used = for_call(arguments.used, world);
    arguments.inputs = inputs;
    arguments.used = used;
    arguments.shares = &shares;
    arguments.ranks = &exchange;
    const std::int64_t start = support::ticks(), waited = world->waited();
    results = run(arguments);
    const std::int64_t all = support::nanoseconds_between(start, support::ticks());
    world->say(
        static_cast<std::uint64_t>(std::max<std::int64_t>(all - world->waited() + waited, 1)));
    share(results, world);
  });
  if (cutting) cutting->learn(took);
  return results;
}

}  // namespace hasten::runtime
