// One walk forward for costs, one backward for decisions, consumers before producers; then both
// again, since an array in memory costs its readers a load and no work.
#include "passes/fusion/inlining.hpp"

#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hasten::passes::fusion {
namespace {

using namespace core;

// Statements inlined into one kernel before a chain is cut: compile time grows faster than speed.
constexpr int kernel_size_max = 1000;
// More use sites than this count as very many.
constexpr std::size_t sites_max = 8;

std::vector<ArrayId> sources_of(const ArrayOp& op) {
  std::vector<ArrayId> sources;
  const bool is_control =
      std::holds_alternative<ArrayIf>(op) || std::holds_alternative<ArrayWhile>(op);
  if (!is_control && !std::holds_alternative<HostScalar>(op))
    visit_operands(op, [](Value) {}, [&](ArrayId a) { sources.push_back(a); });
  return sources;
}

/// A read of a function.
struct Read {
  ArrayId array;
  std::vector<Value> index;
  bool is_linear;
  auto operator<=>(const Read&) const = default;
};
using EachRead = FunctionRef<void(const Read&)>;

// The reads of a function: each array once per index.
void reads_of(const Region& fn, std::set<Read>& reads, EachRead f) {
  const auto note = [&](Read read) {
    const auto [found, is_new] = reads.insert(std::move(read));
    if (is_new) f(*found);
  };
  for (const Stmt& stmt : fn.body) {
    if (const auto* x = std::get_if<Load>(&stmt.op)) note({x->array, x->index, false});
    if (const auto* x = std::get_if<LoadLinear>(&stmt.op)) note({x->array, {x->index}, true});
    visit_regions(stmt, [&](const Region& inner) { reads_of(inner, reads, f); });
  }
}

void for_each_read(const Region& fn, EachRead f) {
  std::set<Read> reads;
  reads_of(fn, reads, f);
}

class Inlining {
 public:
  Inlining(Program& program, const Shapes& shapes, std::uint64_t seed)
      : program_(program),
        shapes_(shapes),
        seed_(seed),
        uses_(program.array_types.size()),
        producers_(program.array_types.size()),
        decided_(program.array_types.size(), Storage::undecided) {
    note_decided(program.body);
    decide_all();
    decide_all();
    for (ArrayId a = 0; a < uses_.size(); ++a) uses_[a].kernel_size = uses_[a].own.size;
    for (const auto& [home, size] : sizes_) uses_[home].kernel_size += size;
  }

  std::vector<ArrayUse> take() { return std::move(uses_); }

 private:
  // Storage that earlier passes have decided: see stages.hpp.
  void note_decided(const Block& block) {
    for (const Binding& binding : block.bindings) {
      for (const ArrayId a : binding.results) decided_[a] = binding.storage;
      visit_blocks(binding.op, [&](const Block& inner) { note_decided(inner); });
    }
  }

  void decide_all() {
    measure(program_.body);
    demand_results(program_.body, "a result of the program");
    sizes_.clear();
    decide(program_.body);
  }

  // -- forward: costs -------------------------------------------------------------------------

  void measure(Block& block) {
    for (const ArrayId a : block.params) start(a, block).linear = true;
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) { measure(inner); });
      for (const ArrayId a : binding.results) measure(binding, a, block);
    }
  }

  ArrayUse& start(ArrayId a, const Block& block) {
    uses_[a] = {};
    uses_[a].block = &block;
    return uses_[a];
  }

  void measure(Binding& binding, ArrayId a, const Block& block) {
    producers_[a] = &binding;
    ArrayUse& use = start(a, block);
    if (const Region* fn = region_of(binding.op)) use.own = work_of(*fn);
    ++use.own.size;
    if (is_delayable(binding.op)) use.total = total(binding.op, use.own);
    // The second time: an array in memory is not computed again where it is read, unless cheap.
    const bool stays = binding.storage == Storage::manifest && !is_cheap(use.total);
    use.linear = (stays && !for_order_.contains(a)) || is_linear(binding.op, a);
    use.read = use.total;
    if (!is_delayable(binding.op) || stays) {
      use.read = {};
      use.read.loads = static_cast<int>(program_.array_types[a].leaves.size());
    }
  }

  [[nodiscard]] Work total(const ArrayOp& op, const Work& own) const {
    Work result = own;
    const Region* const fn = region_of(op);
    const bool takes_leaves =
        std::holds_alternative<Map>(op) || std::holds_alternative<ZipWith>(op);
    std::size_t param = 0;
    for (const ArrayId source : sources_of(op)) {
      Work read = uses_[source].read;
      const std::size_t end = param + program_.array_types[source].leaves.size();
      if (takes_leaves && !is_computed(source))
        read.loads = std::min(read.loads, used_params(*fn, param, end));
      param = end;
      result.add(read);
    }
    if (fn)
      for_each_read(*fn, [&](const Read& read) {
        const ArrayId a = read.array;
        if (!producers_[a] || !is_delayable(producers_[a]->op)) return;
        --result.loads;  // replaced by the computation
        result.add(uses_[a].read);
      });
    return result;
  }

  [[nodiscard]] bool is_computed(ArrayId a) const {
    return producers_[a] && is_delayable(producers_[a]->op) && uses_[a].read.size > 0;
  }

  // Components that nobody uses are not loaded.
  static int used_params(const Region& fn, std::size_t begin, std::size_t end) {
    const auto first = fn.params.begin();
    const std::set<Value> params(first + static_cast<std::ptrdiff_t>(begin),
                                 first + static_cast<std::ptrdiff_t>(end));
    std::set<Value> used;
    const auto note = [&](Value v) {
      if (params.contains(v)) used.insert(v);
    };
    for_each_use(fn, note, [](ArrayId) {});
    return static_cast<int>(used.size());
  }

  [[nodiscard]] bool is_linear(const ArrayOp& op, ArrayId a) const {
    if (!is_delayable(op) || program_.array_types[a].rank <= 1) return true;
    if (std::holds_alternative<Map>(op) || std::holds_alternative<Reshape>(op) ||
        std::holds_alternative<Demand>(op))
      return uses_[sources_of(op)[0]].linear;
    const auto* zip = std::get_if<ZipWith>(&op);
    return zip && std::ranges::all_of(zip->sources, [&](ArrayId s) {
             return uses_[s].linear && shapes_.same_space(s, a, a);
           });
  }

  // -- backward: use sites and decisions --------------------------------------------------------

  void demand_memory(ArrayId a, const char* reason) {
    if (!uses_[a].must) uses_[a].must = reason;
  }

  // Stores an array that is not computed in the order in which it is needed.
  void demand_order(ArrayId a, const char* reason) {
    demand_memory(a, reason);
    for_order_.insert(a);
  }

  void demand_results(const Block& block, const char* reason) {
    for (const ArrayId a : block.results) demand_memory(a, reason);
  }

  // Arrays that no block's binding makes have nothing to compute, and no device.
  [[nodiscard]] std::uint32_t device_of(ArrayId a) const {
    return producers_[a] ? producers_[a]->device : none;
  }

  void demand(ArrayId a, const UseSite& site, const Block& from) {
    ArrayUse& use = uses_[a];
    if (device_of(a) != none && device_of(a) != device_of(site.home))
      demand_memory(a, "read by another device");
    if (device_of(site.home) == on_host) demand_memory(a, "read by the host");
    if (use.block != &from) use.everywhere = true;
    auto& sites = use.sites;
    if (std::ranges::find(sites, site) != sites.end()) return;
    if (sites.size() < sites_max)
      sites.push_back(site);
    else
      use.everywhere = true;
  }

  void decide(Block& block) {
    for (auto it = block.bindings.rbegin(); it != block.bindings.rend(); ++it) {
      Binding& binding = *it;
      if (!binding.results.empty()) decide_storage(binding, uses_[binding.results[0]]);
      demand_operands(binding, block);
    }
  }

  void decide_storage(Binding& binding, ArrayUse& use) {
    const char* reason = decided_[binding.results[0]] == Storage::undecided
                             ? reason_for_memory(binding, use)
                             : reason_before(binding, use);
    binding.storage = reason ? Storage::manifest : Storage::delayed;
    binding.reason = reason ? reason : "";
    if (!reason)
      for (const UseSite& site : use.sites) sizes_[site.home] += use.own.size;
  }

  [[nodiscard]] const char* reason_before(const Binding& binding, const ArrayUse& use) const {
    if (decided_[binding.results[0]] == Storage::delayed) return nullptr;
    return use.must ? use.must : binding.reason;
  }

  // Returns null if the array is delayed.
  const char* reason_for_memory(const Binding& binding, const ArrayUse& use) {
    if (std::holds_alternative<ForeignArrays>(binding.op)) return "made by foreign code";
    const bool is_argument =
        std::holds_alternative<Use>(binding.op) || std::holds_alternative<Input>(binding.op);
    if (is_argument) return "";
    if (use.must) return use.must;
    // compute() passes its reason on to its source, control to its results.
    if (is_one_of<Compute, Rows, ArrayIf, ArrayWhile>(binding.op)) return "";
    if (!is_delayable(binding.op)) return "read by other kernels";
    if (const char* reason = seed_ != 0 ? chance(use) : cost(binding, use)) return reason;
    for (const UseSite& site : use.sites)
      if (sizes_[site.home] + use.own.size > kernel_size_max)
        return "its consumer's kernel is large enough";
    return nullptr;
  }

  static const char* cost(const Binding& binding, const ArrayUse& use) {
    if (moves_elements(binding.op)) return nullptr;
    const bool is_cheap_often = is_cheap(use.total);
    if (use.everywhere && !is_cheap_often) return "read in many places, by the host or in a loop";
    if (use.sites.size() > 1 && !is_cheap_often) return "used in several places";
    for (const UseSite& site : use.sites) {
      if (site.path == computed_index && !is_cheap_often) return "read at computed indices";
      if (!is_cheap(use.total, site.times)) return "each element is used many times";
    }
    return nullptr;
  }

  // Any array may be stored; delayed arrays must not grow without bounds.
  const char* chance(const ArrayUse& use) {
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    const bool grows = (use.everywhere || use.sites.size() > 1) && use.total.size > 64;
    return grows || (seed_ >> 33) % 3 == 0 ? "chosen at random" : nullptr;
  }

  void demand_operands(Binding& binding, Block& block) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) return demand_reads(scalar->stmt);
    demand_control(binding.op);
    if (binding.results.empty()) return;
    const ArrayId self = binding.results[0];
    const bool is_manifest = binding.storage == Storage::manifest;
    // Sources of an inlined operation are read wherever the operation is.
    const std::vector<UseSite> sites =
        is_manifest ? std::vector{UseSite{self, own_index, Times::once}} : uses_[self].sites;
    for (const UseSite& site : sites) {
      demand_sources(binding, site, block);
      if (const Region* fn = region_of(binding.op))
        demand_reads(*fn, site.home, block, own_index_of(binding.op));
    }
    if (is_manifest || !uses_[self].everywhere) return;
    for (const ArrayId source : sources_of(binding.op)) uses_[source].everywhere = true;
    if (const Region* fn = region_of(binding.op))
      for_each_read(*fn, [&](const Read& read) { uses_[read.array].everywhere = true; });
  }

  void demand_control(ArrayOp& op) {
    if (auto* branch = std::get_if<ArrayIf>(&op)) {
      for (Block* b : {&branch->then_, &branch->else_}) {
        demand_results(*b, "the result of a branch");
        decide(*b);
      }
    }
    if (auto* loop = std::get_if<ArrayWhile>(&op)) {
      demand_results(loop->body, "the state of a loop");
      decide(loop->body);
      decide(loop->condition);
      for (const ArrayId a : loop->init) demand_memory(a, "the state of a loop");
    }
    if (auto* foreign = std::get_if<ForeignArrays>(&op)) {
      demand_results(foreign->fallback, "the result of a fallback");
      decide(foreign->fallback);
    }
  }

  void demand_sources(const Binding& binding, const UseSite& site, const Block& block) {
    const bool stays = binding.storage == Storage::manifest;
    match(
        binding.op, [&](const Compute& op) { demand_memory(op.source, "it is to be kept"); },
        [&](const Rows& op) { demand_memory(op.source, "devices take parts of it"); },
        [&](const GenerateSegments& op) { demand_memory(op.offsets, "searched by elements"); },
        [&](const SortPositions& op) {
          demand_memory(op.source, "sorted in memory");
          for (const ArrayId carried : op.carried) demand_memory(carried, "carried by a sort");
        },
        [&](const ForeignArrays& op) {
          for (const ArrayId source : op.args) demand_memory(source, "handed to foreign code");
        },
        [&](const Permute& op) { demand_permuted(op, site, block); },
        [&](const Concat& op) {
          if (!op.joins) return demand_parts(op.sources, site, block);
          for (const ArrayId source : op.sources) demand_memory(source, "a device's part");
        },
        [&](const FoldSegments& op) { demand_segments(op, site, block); },
        [&](const Reshape& op) {
          if (stays) return demand_memory(op.source, "reshaped in memory");
          if (!uses_[op.source].linear)
            demand_order(op.source, "reshaped, and not computed in row-major order");
          // Also of an array in memory: what reads it there is no kernel's that makes it.
          demand(op.source, moved(binding, site), block);
        },
        [&](const Demand& op) {
          if (stays)
            demand_memory(op.source, "checked in memory");
          else
            demand(op.source, site, block);
        },
        [&](const Slice& op) { demand(op.source, moved(binding, site), block); },
        [&](const Replicate& op) {
          const Times times = is_fold(site.home) ? Times::in_contraction : Times::often;
          demand(op.source, needed(times, moved(binding, site)), block);
        },
        [&](const Backpermute& op) {
          const Times times = is_injective(op.fn) ? Times::once : Times::often;
          demand(op.source, needed(times, moved(binding, site)), block);
        },
        [&](const Fold& op) {
          // Within its consumer's kernel, the fold needs each element once per row.
          const UseSite row{site.home, path(site.path, binding.results[0]), Times::once};
          demand(op.source, stays ? site : row, block);
        },
        // Long rows are scanned in two passes by some targets, and both need the elements.
        [&](const Scan& op) { demand(op.source, needed(Times::twice, site), block); },
        // Read at the current index.
        [&](const OneOf<Map, ZipWith, Compact> auto&) {
          for (const ArrayId source : sources_of(binding.op)) demand(source, site, block);
        },
        [](const OneOf<HostScalar, Use, Input, Unit, Generate, ArrayIf, ArrayWhile> auto&) {});
  }

  // The site of the source of an operation at `site` that reads its source at another index.
  UseSite moved(const Binding& binding, UseSite site) {
    site.path = path(site.path, binding.results[0]);
    return site;
  }

  static UseSite needed(Times times, UseSite site) {
    site.times = std::max(site.times, times);
    return site;
  }

  [[nodiscard]] bool is_fold(ArrayId a) const {
    return producers_[a] && std::holds_alternative<Fold>(producers_[a]->op);
  }

  // The defaults are written by a kernel of their own.
  void demand_permuted(const Permute& op, const UseSite& site, const Block& block) {
    std::uint32_t loop_path = site.path;
    for (const PermuteLoop& loop : op.loops) {
      const UseSite of_loop{site.home, loop_path, site.times};
      demand(loop.targets, of_loop, block);
      demand(loop.source, of_loop, block);
      loop_path = path(loop_path, site.home);
    }
    if (op.mode != detail::PermuteMode::covering)
      demand(op.defaults, {site.home, path(site.path, site.home), Times::once}, block);
  }

  // Each offset is read at the end of a segment and at the start of the next, in every row.
  void demand_segments(const FoldSegments& op, const UseSite& site, const Block& block) {
    demand(op.source, {site.home, path(site.path, op.source), Times::once}, block);
    demand(op.offsets, {site.home, path(site.path, site.home), Times::often}, block);
  }

  // Each part is a kernel of its own.
  void demand_parts(const std::vector<ArrayId>& sources, const UseSite& site, const Block& block) {
    std::uint32_t part = site.path;
    for (const ArrayId source : sources) {
      part = path(part, site.home);
      demand(source, {site.home, part, site.times}, block);
    }
  }

  // What a function of elements of segments reads at its element's place is read like a source.
  static Value own_index_of(const ArrayOp& op) {
    const auto* const segments = std::get_if<GenerateSegments>(&op);
    return segments ? segments->fn.params[1] : none;
  }

  // Reads inside functions are at computed indices, as if each place were another one, unless they
  // are at the element's own.
  void demand_reads(const Region& fn, ArrayId home, const Block& block, Value own) {
    for_each_read(fn, [&](const Read& read) {
      const ArrayId a = read.array;
      if (own != none && !read.is_linear && read.index == std::vector{own})
        return demand(a, {home, own_index, Times::once}, block);
      if (read.is_linear && !uses_[a].linear) demand_order(a, "read by linear index");
      const UseSite site{home, computed_index, Times::often};
      demand(a, site, block);
      // A repeated site is another copy of the code.
      if (std::ranges::count(uses_[a].sites, site) > 0) sizes_[home] += uses_[a].own.size;
    });
  }

  // Reads of host scalars.
  void demand_reads(Stmt& stmt) {
    constexpr const char* reason = "read by the host";
    if (auto* load = std::get_if<Load>(&stmt.op)) demand_memory(load->array, reason);
    if (auto* load = std::get_if<LoadLinear>(&stmt.op)) demand_memory(load->array, reason);
    edit_regions(stmt, [&](Region& region) {
      for (Stmt& inner : region.body) demand_reads(inner);
    });
  }

  std::uint32_t path(std::uint32_t from, ArrayId through) {
    return paths_.try_emplace({from, through}, static_cast<std::uint32_t>(paths_.size() + 1))
        .first->second;
  }

  Program& program_;
  const Shapes& shapes_;
  std::uint64_t seed_;
  std::vector<ArrayUse> uses_;       // by array
  std::vector<Binding*> producers_;  // by array; null: parameters of blocks
  std::vector<Storage> decided_;     // by array, before
  std::set<ArrayId> for_order_;      // in memory because they are not computed in row-major order
  std::map<ArrayId, int> sizes_;     // statements inlined, by home
  std::map<std::pair<std::uint32_t, ArrayId>, std::uint32_t> paths_;
};

}  // namespace

bool is_delayable(const ArrayOp& op) {
  return match(
      op,
      [](const OneOf<Unit, Generate, Map, ZipWith, Reshape, Replicate, Slice, Backpermute,
                     Demand> auto&) { return true; },
      [](const OneOf<HostScalar, Use, Input, GenerateSegments, Rows, Fold, FoldSegments, Scan,
                     Permute, Concat, Compact, SortPositions, Compute, ArrayIf, ArrayWhile,
                     ForeignArrays> auto&) { return false; });
}

std::vector<ArrayUse> decide_storage(Program& program, const Shapes& shapes, std::uint64_t seed) {
  return Inlining(program, shapes, seed).take();
}

}  // namespace hasten::passes::fusion
