// One entry per structure, with the literals of the program its plan was compiled from.
#include "runtime/compile/program_cache.hpp"
#include "runtime/profile/sites.hpp"

#include "core/structural_hash.hpp"
#include "kernels/analysis/loops/long_loops.hpp"
#include "passes/literals.hpp"
#include "runtime/compile/code_store.hpp"
#include "runtime/compile/kernel_cache.hpp"
#include "runtime/compile/stages.hpp"
#include "runtime/devices/shares.hpp"
#include "runtime/execute/remembered.hpp"
#include "runtime/ranks/ranked_call.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/print_plan.hpp"
#include "runtime/report/text.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/streaming/joins_ahead.hpp"
#include "support/env.hpp"
#include "support/hash.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hasten::runtime {
namespace {

using support::Digest;

constexpr std::size_t most_programs = 256;

// A structure seen before. Planning holds the mutex: others who need the same program wait.
struct CachedProgram {
  std::mutex mutex;
  std::shared_ptr<const LoadedPlan> loaded;
  passes::Parameters parameters;  // only grows
  std::vector<core::Bits> baked;  // by literal slot: what `loaded` was compiled from
};

class ProgramCache {
 public:
  /// The key of this structure with these divisors: each of the first few sets has an entry of its
  /// own, in which the divisors are compiled in. All further ones share the structure's.
  Digest with_divisors(const Digest& structure, const Digest& divisors) {
    constexpr std::size_t most_sets = 4;
    const std::lock_guard lock(mutex_);
    if (divisors_.size() >= most_programs && !divisors_.contains(structure)) divisors_.clear();
    std::vector<Digest>& sets = divisors_[structure];
    if (std::ranges::find(sets, divisors) == sets.end()) {
      if (sets.size() == most_sets) return structure;
      sets.push_back(divisors);
    }
    return support::Hasher().add(structure).add(divisors).finish();
  }

  std::shared_ptr<CachedProgram> entry(const Digest& key) {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
    if (entries_.size() >= most_programs) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, std::make_shared<CachedProgram>());
    places_[key] = entries_.begin();
    return entries_.front().second;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    places_.clear();
    entries_.clear();
    divisors_.clear();
  }

 private:
  using Entries = std::list<std::pair<Digest, std::shared_ptr<CachedProgram>>>;
  std::mutex mutex_;
  Entries entries_;  // last used first
  std::unordered_map<Digest, Entries::iterator, support::DigestHash> places_;
  std::unordered_map<Digest, std::vector<Digest>, support::DigestHash> divisors_;
};

// Never destroyed: calls may be in flight while the process ends.
ProgramCache& program_cache() {
  static ProgramCache& instance = *new ProgramCache;
  return instance;
}

Digest key_of(const core::Program& program, const Device& device, const Options& options,
              std::size_t parts) {
  const support::Digest structure = core::structural_hash(program);
  support::Hasher hasher;
  hasher.add(structure).add(device.name).add(device.fingerprint).add(device.sharers()).add(parts);
  hasher.add(options.checks).add(options.determinism).add(options.fast_math);
  hasher.add(support::env("HASTEN_SKIP_PASS")).add(support::env("HASTEN_FISSION_SEED"));
  for (const core::Literal& literal : program.literals)
    if (literal.kind == core::LiteralKind::baked) hasher.add(literal.bits.lo).add(literal.bits.hi);
  const Digest key = hasher.finish();
  support::Hasher divisors;
  bool any = false;
  for (const std::uint32_t slot : passes::divisor_slots(program)) {
    const core::Literal& literal = program.literals[slot];
    if (literal.kind != core::LiteralKind::automatic) continue;
    divisors.add(literal.bits.lo).add(literal.bits.hi);
    any = true;
  }
  return any ? program_cache().with_divisors(key, divisors.finish()) : key;
}

void check_types(const kernels::Plan& plan, const Device& device, const Options& options,
                 const std::source_location& where) {
  const char* const own_math =
      options.determinism == Determinism::everywhere
          ? ". Under Determinism::everywhere functions of all floats are computed in double"
          : "";
  const auto check = [&](core::ScalarType type) {
    if (!device.backend->supports(type))
      throw TargetError(
          fmt::format("the target \"{}\" cannot compute with elements of type {}; use "
                      "another type, or another target (interpreter() has them all){}",
                      device.name, detail::name_of(type), own_math),
          where);
  };
  for (const kernels::Kernel& kernel : plan.kernels) {
    for (const core::ScalarType type : kernel.value_types) check(type);
    for (const core::ScalarType type : kernel.outputs) check(type);
  }
}

void dump_code(const kernels::Plan& plan, const Device& device,
               const backends::CompileOptions& options, Dump& dump) {
  for (const char* stage : {"llvm", "asm", "opencl", "cuda"}) {
    dump.stage(stage, [&] {
      std::string text;
      for (const kernels::Kernel& kernel : plan.kernels)
        text += device.backend->dump(kernel, options, stage) + "\n";
      return text;
    });
  }
}

// Makes parameters of slots whose numbers differ from those compiled in, and of those that were the
// same as another until now. Whether any did. Numbers that were equal and change together are
// taken for one that C++ captured.
bool note_changes(CachedProgram& entry, const core::Program& program) {
  passes::Parameters& parameters = entry.parameters;
  using Number = std::array<std::uint64_t, 5>;
  std::map<Number, std::uint32_t> first;
  bool any = false;
  for (std::uint32_t slot = 0; slot < program.literals.size(); ++slot) {
    const core::Bits &now = program.literals[slot].bits, &before = entry.baked[slot];
    const std::uint32_t same_as = parameters.same_as[slot];
    if (parameters.chosen[slot]) {
      if (same_as == slot || program.literals[same_as].bits == now) continue;
    } else if (before == now) {
      continue;
    }
    const auto type = static_cast<std::uint64_t>(program.literals[slot].type);
    const Number number = parameters.chosen[slot]
                              ? Number{0, same_as, 0, now.lo, now.hi}
                              : Number{1 + type, before.lo, before.hi, now.lo, now.hi};
    parameters.same_as[slot] = first.try_emplace(number, slot).first->second;
    parameters.chosen[slot] = any = true;
  }
  return any;
}

// Kernels that could not be made are tried again.
bool has_failed(const LoadedPlan& loaded) {
  return std::ranges::any_of(loaded.needed_code(),
                             [](const KernelCodeRef& code) { return code->has_failed(); });
}

passes::FissionDevices fission_devices(const Device& device, std::size_t parts) {
  passes::FissionDevices devices;
  devices.parts = parts;
  if (device.parts.empty() && parts > 1)
    devices.works_apart.push_back(!device.backend->in_host_memory());
  for (const auto& part : device.parts)
    devices.works_apart.push_back(!part->backend->in_host_memory());
  if (device.ranks) {
    devices.works_apart.resize(device.sharers(), device.memory != nullptr);
    devices.is_exact = true;
  }
  devices.seed = static_cast<std::uint64_t>(support::env_number("HASTEN_FISSION_SEED").value_or(0));
  return devices;
}

// Records which kernels the steps of each device launch.
void note_uses(LoadedPlan& loaded, const kernels::Steps& steps) {
  for (const kernels::Step& step : steps) {
    if (const auto* launch = std::get_if<kernels::Launch>(&step.op)) {
      std::size_t device = loaded.device_of(step.device);
      if (loaded.ranked && loaded.ranked->is_cut) {
        if (static_cast<int>(device) != loaded.ranked->world->rank()) continue;
        device = 0;
      }
      std::vector<bool>& uses = (device == 0 ? loaded : loaded.others[device - 1]).uses;
      uses[launch->kernel] = true;
      if (launch->limited != core::none) uses[launch->limited] = true;
    }
    if (const auto* branch = std::get_if<kernels::BranchStep>(&step.op)) {
      note_uses(loaded, branch->then_);
      note_uses(loaded, branch->else_);
    }
    if (const auto* loop = std::get_if<kernels::LoopStep>(&step.op)) {
      note_uses(loaded, loop->condition);
      note_uses(loaded, loop->body);
    }
  }
}

// Kept in the cache folder, next to the code of the first device.
class SharesOnDisk final : public Shares::Keeper {
 public:
  SharesOnDisk(const Device& device, const kernels::Plan& plan)
      : store_(make_code_store(device.fingerprint)) {
    support::Hasher hasher;
    for (const support::Digest& key : plan.keys) hasher.add(key);
    hasher.add(print(plan));
    name_ = "shares " + support::to_hex(hasher.finish());
  }
  [[nodiscard]] std::string find() const override {
    const auto bytes = store_->find(name_);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "";
  }
  void keep(const std::string& text) const override {
    store_->store(name_, std::as_bytes(std::span(text)));
  }

 private:
  const std::shared_ptr<const backends::CodeStore> store_;
  std::string name_;
};

void drop_unneeded(const LoadedPlan& loaded, CompiledProgram& result) {
  const std::vector<KernelCodeRef> needed = loaded.needed_code();
  std::erase_if(result.kernels_ours, [&](const KernelCodeRef& code) {
    return std::ranges::find(needed, code) == needed.end();
  });
}

// Any device may have to take over the work of another one, but this is rare.
void find_code(LoadedPlan& loaded, const std::shared_ptr<const Device>& device,
               const Options& options, CompiledProgram& result) {
  const backends::CompileOptions for_kernels = compile_options(options);
  const auto find = [&](LoadedDevice& to, const std::shared_ptr<const Device>& on) {
    KernelsToLoad found = find_kernels(on, loaded.plan.kernels, loaded.plan.keys, for_kernels);
    to.code = std::move(found.code);
    for (KernelCodeRef& ours : found.ours) result.kernels_ours.push_back(std::move(ours));
  };
  if (device->parts.empty()) {
    find(loaded, device);
    result.kernels_in_memory = std::ssize(loaded.code) - std::ssize(result.kernels_ours);
    if (!loaded.ranked || !loaded.ranked->is_cut) return;
    loaded.shares = std::make_shared<Shares>(
        static_cast<std::size_t>(loaded.ranked->world->size()), std::vector<double>(),
        std::make_unique<const SharesOnDisk>(*device, loaded.plan), Shares::Among::ranks);
    loaded.uses.resize(loaded.plan.kernels.size());
    note_uses(loaded, loaded.plan.steps);
    drop_unneeded(loaded, result);
    return;
  }
  for (std::size_t k = 0; k < device->parts.size(); ++k) {
    const Device& part = *device->parts[k];
    if (k > 0) loaded.others.push_back({part.backend, part.memory, {}, {}});
    LoadedDevice& own = k == 0 ? loaded : loaded.others.back();
    find(own, device->parts[k]);
    own.uses.resize(loaded.plan.kernels.size());
  }
  note_uses(loaded, loaded.plan.steps);
  drop_unneeded(loaded, result);
  if (loaded.parts > 1) return;  // parts use the whole's shares
  loaded.shares =
      std::make_shared<Shares>(loaded.devices(), std::vector<double>(),
                               std::make_unique<const SharesOnDisk>(*device, loaded.plan));
}

void make_plan(CachedProgram& entry, const core::Program& program,
               const std::shared_ptr<const Device>& device, const Options& options,
               const std::source_location& where, Dump& dump, std::size_t parts,
               CompiledProgram& result) {
  const TraceSpan span("compile", "program");
  auto loaded = std::make_shared<LoadedPlan>();
  loaded->remembered = std::make_shared<RememberedLaunches>();
  loaded->plan =
      make_plan(program, entry.parameters, options, dump, fission_devices(*device, parts));
  loaded->note_branches();
  loaded->parts = parts;
  if (parts > 1 || (device->parts.size() > 1 && !device->ranks))
    loaded->joins_ahead = std::make_shared<const JoinsAhead>(loaded->plan);
  loaded->backend = device->backend;
  loaded->memory = device->memory;
  check_types(loaded->plan, *device, options, where);
  for (const auto& part : device->parts) check_types(loaded->plan, *part, options, where);
  dump_code(loaded->plan, *device, compile_options(options), dump);
  if (device->ranks) {
    const std::size_t own =
        program.scalar_inputs.size() +
        static_cast<std::size_t>(std::ranges::count(entry.parameters.chosen, true));
    loaded->ranked =
        ranked_plan(loaded->plan, device->ranks, loaded->plan.scalar_inputs.size() > own);
  }
  find_code(*loaded, device, options, result);
  if (loaded->has_memory()) loaded->copy_sites = copy_sites_of(loaded->plan);
  entry.baked.clear();
  for (const core::Literal& literal : program.literals) entry.baked.push_back(literal.bits);
  entry.loaded = std::move(loaded);
  log(2, [&] {
    return fmt::format("program planned in {:.2f} ms: {}", span.milliseconds(),
                       counted(std::ssize(entry.loaded->code), "kernel"));
  });
}

}  // namespace

backends::CompileOptions compile_options(const Options& options) {
  const bool everywhere = options.determinism == Determinism::everywhere;
  return {.contract = options.fast_math != FastMath::none && !everywhere,
          .fast_math = options.fast_math == FastMath::all && !everywhere,
          .own_math = everywhere};
}

CompiledProgram compile_cached(const core::Program& program,
                               const std::shared_ptr<const Device>& device, const Options& options,
                               const std::source_location& where, Dump& dump, std::size_t parts) {
  const std::shared_ptr<CachedProgram> entry =
      program_cache().entry(key_of(program, *device, options, parts));
  CompiledProgram result;
  const std::lock_guard lock(entry->mutex);
  if (entry->parameters.chosen.empty()) entry->parameters = declared_parameters(program);
  if (!entry->loaded || note_changes(*entry, program) || has_failed(*entry->loaded))
    make_plan(*entry, program, device, options, where, dump, parts, result);
  result.loaded = entry->loaded;
  for (std::size_t slot = 0; slot < program.literals.size(); ++slot)
    if (entry->parameters.chosen[slot]) result.literals.push_back(program.literals[slot].bits);
  return result;
}

std::shared_ptr<const LoadedPlan> with_polls(const std::shared_ptr<const LoadedPlan>& loaded,
                                             const std::shared_ptr<const Device>& device,
                                             const Options& options) {
  const bool has_long_loops = std::ranges::any_of(
      loaded->plan.kernels,
      [](const kernels::Kernel& kernel) { return kernels::LongLoops(kernel).any(); });
  if (has(options.checks, Checks::trusted) || !has_long_loops) return loaded;
  std::shared_ptr<LoadedPlan> polls;
  backends::CompileOptions for_kernels = compile_options(options);
  for_kernels.polls = true;
  for (std::size_t k = 0; k < loaded->devices(); ++k) {
    const std::shared_ptr<const Device>& own = device->parts.empty() ? device : device->parts[k];
    if (own->backend->in_host_memory() || !own->backend->make_stop_word()) continue;
    if (!polls) polls = std::make_shared<LoadedPlan>(*loaded);
    LoadedDevice& to = k == 0 ? *polls : polls->others[k - 1];
    to.code = find_kernels(own, polls->plan.kernels, polls->plan.keys, for_kernels).code;
  }
  return polls ? polls : loaded;
}

void forget_programs() { program_cache().clear(); }

}  // namespace hasten::runtime
