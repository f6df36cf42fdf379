// Devices are made on first use, and kept.
#include "runtime/targets.hpp"

#include "runtime/best_target.hpp"
#include "runtime/compile/code_store.hpp"
#include "runtime/ranks/world.hpp"
#include "support/env.hpp"
#include "support/loader.hpp"

#include <hasten/run/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>

namespace hasten::runtime {
namespace {

constexpr const char* interpreter_description =
    "runs programs as they are written and checks every index: the definition of the language";

// "opencl:1", or "opencl", which is "opencl:0".
std::optional<std::size_t> index_after(const std::string& kind, const std::string& name) {
  if (name == kind) return 0;
  if (!name.starts_with(kind + ":")) return std::nullopt;
  std::size_t index = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + kind.size() + 1, end, index);
  if (error != std::errc() || rest != end) return std::nullopt;
  return index;
}

using Devices = std::vector<backends::DeviceState>;

/// A target that has numbered devices.
struct Kind {
  const char* name;
  Devices (*devices)(std::string& why);                           // why: set if there are none
  std::shared_ptr<backends::Backend> (*make)(std::size_t index);  // null: no such device
};

#if !HASTEN_WITH_OPENCL
namespace without {
Devices opencl_devices(std::string& why) {
  why = "this build of Hasten has no OpenCL headers (HASTEN_WITH_OPENCL=OFF)";
  return {};
}
std::shared_ptr<backends::Backend> make_opencl_backend(std::size_t) { return nullptr; }
}  // namespace without
#endif

constexpr Kind kinds[] = {
#if HASTEN_WITH_OPENCL
    {"opencl", backends::opencl_devices, backends::make_opencl_backend},
#else
    {"opencl", without::opencl_devices, without::make_opencl_backend},
#endif
    {"cuda", backends::cuda_devices, backends::make_cuda_backend},
};

bool is_of(const Kind& kind, const std::string& name) {
  return name == kind.name || name.starts_with(std::string(kind.name) + ":");
}

bool is_multi(const std::string& name) { return name == "multi" || name.starts_with("multi:"); }

bool is_mpi(const std::string& name) { return name == "mpi" || name.starts_with("mpi:"); }

// "multi:cpu,opencl:0"; "multi" alone: the processor and all GPUs.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  if (name == "multi") return devices_of_multi();
  for (std::size_t begin = std::string("multi:").size(); begin <= name.size();) {
    const std::size_t end = std::min(name.find(',', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class Registry {
 public:
  std::shared_ptr<const Device> find(const std::string& name) {
    if (is_multi(name)) return find_all(name);
    if (is_mpi(name)) return find_of_ranks(name);
    const std::lock_guard lock(mutex_);
    const auto known = devices_.find(name);
    if (known != devices_.end()) return known->second;
    auto device = make(name);
    if (device) devices_[name] = device;
    return device;
  }

  void add(const std::string& name, std::shared_ptr<backends::Backend> backend) {
    const std::lock_guard lock(mutex_);
    devices_[name] = device_of(name, std::move(backend));
    // These may have the device that had this name.
    std::erase_if(devices_, [](const auto& each) { return is_multi(each.first); });
  }

  std::vector<std::string> added() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, device] : devices_)
      if (name != "cpu" && name != "interpreter" && !is_multi(name) &&
          std::ranges::none_of(kinds, [&](const Kind& kind) { return is_of(kind, name); }))
        names.push_back(name);
    return names;
  }

 private:
  // Null if one of the devices is absent, or computes nothing by itself.
  std::shared_ptr<const Device> find_all(const std::string& name) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = devices_.find(name); known != devices_.end()) return known->second;
    }
    std::vector<std::shared_ptr<const Device>> parts;
    for (const std::string& part : parts_of(name)) {
      auto device = is_multi(part) ? nullptr : find(part);
      if (!device || !device->backend || is_among(parts, *device)) return nullptr;
      parts.push_back(std::move(device));
    }
    if (parts.empty()) return nullptr;
    std::string fingerprint;
    for (const auto& part : parts) fingerprint += part->fingerprint + "; ";
    const Device& first = *parts[0];
    Device all{name, first.backend, std::move(fingerprint), first.memory, {}};
    if (parts.size() > 1)
      all.parts = std::move(parts);
    else
      all.fingerprint = first.fingerprint;
    const std::lock_guard lock(mutex_);
    return devices_.try_emplace(name, std::make_shared<const Device>(std::move(all))).first->second;
  }

  // "mpi": each rank has the processor; "mpi:cuda": a device of its machine, by its number there.
  std::shared_ptr<const Device> find_of_ranks(const std::string& name) {
    auto ranks = world();
    if (!ranks) return nullptr;
    std::string own = name == "mpi" ? "cpu" : name.substr(std::string("mpi:").size());
    for (const Kind& kind : kinds) {
      std::string why;
      if (const std::size_t count = own == kind.name ? kind.devices(why).size() : 0)
        own += ":" + std::to_string(static_cast<std::size_t>(ranks->rank_here()) % count);
    }
    const auto device = is_mpi(own) || is_multi(own) ? nullptr : find(own);
    if (!device || !device->backend) return nullptr;
    return std::make_shared<const Device>(
        Device{name, device->backend, device->fingerprint, device->memory, {}, std::move(ranks)});
  }

  static bool is_among(const std::vector<std::shared_ptr<const Device>>& parts,
                       const Device& device) {
    return std::ranges::any_of(parts, [&](const auto& p) { return p->backend == device.backend; });
  }

  static std::shared_ptr<const Device> device_of(const std::string& name,
                                                 std::shared_ptr<backends::Backend> backend) {
    std::string fingerprint = backend ? backend->fingerprint() : "interpreter";
    if (backend) backend->keep_code_in(make_code_store(fingerprint));
    if (support::env_number("HASTEN_DEBUG").value_or(0) >= 1)
      std::fputs(fmt::format("hasten: device {}: {}\n", name,
                             backend ? backend->description() : interpreter_description)
                     .c_str(),
                 stderr);
    auto memory =
        backend && !backend->in_host_memory() ? std::make_shared<DeviceMemory>(backend) : nullptr;
    return std::make_shared<const Device>(
        Device{name, std::move(backend), std::move(fingerprint), std::move(memory)});
  }

  static std::shared_ptr<const Device> make(const std::string& name) {
    if (name == "interpreter") return device_of(name, nullptr);
#if HASTEN_WITH_LLVM
    if (name == "cpu") return device_of(name, backends::make_cpu_backend());
#endif
    for (const Kind& kind : kinds)
      if (const auto index = index_after(kind.name, name))
        if (auto backend = kind.make(*index)) return device_of(name, std::move(backend));
    return nullptr;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Device>> devices_;
};

// Never destroyed: calls may be in flight while the process ends.
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

constexpr const char* no_llvm = "this build of Hasten has no LLVM (HASTEN_WITH_LLVM=OFF)";
constexpr const char* no_multi =
    "it is made of different devices that compute by themselves, as in \"multi:cpu,opencl:0\", and "
    "each "
    "must be there";

constexpr const char* no_mpi =
    "a process must be one of several first: link hasten::mpi, and call hs::mpi::init(argc, argv); "
    "\"mpi:opencl\" and \"mpi:cuda\" have a device of each machine";

constexpr const char* no_device_of_rank =
    "each rank needs a device that computes by itself: a processor, or what \"mpi:opencl\" and "
    "\"mpi:cuda\" name";

// Why an available kind of target is absent; empty: there is no such target.
std::string why_absent(const std::string& name) {
  if (name == "cpu") return no_llvm;
  if (is_multi(name)) return no_multi;
  if (is_mpi(name)) return world() ? no_device_of_rank : no_mpi;
  for (const Kind& kind : kinds) {
    if (!is_of(kind, name)) continue;
    std::string why;
    const std::size_t count = kind.devices(why).size();
    return count == 0 ? why : fmt::format("there are {} such devices, from 0", count);
  }
  return {};
}

void add_devices(std::vector<TargetState>& states, const char* kind, const Devices& devices,
                 const std::string& why) {
  for (std::size_t i = 0; i < devices.size(); ++i)
    states.push_back(
        {fmt::format("{}:{}", kind, i), true, devices[i].description, devices[i].facts});
  if (devices.empty()) states.push_back({kind, false, why});
}

// Requires a device that exists already, or costs nothing to make.
TargetState state_of(const std::string& name) {
  const auto device = registry().find(name);
  return {name, true, device->backend->description(), device->backend->facts(), device};
}

TargetState state_of_multi() {
  std::string names;
  for (const std::string& part : devices_of_multi()) names += (names.empty() ? "" : ", ") + part;
  const bool is_there = !names.empty();
  return {"multi", is_there,
          is_there ? "several devices at once: \"multi\" takes " + names +
                         ", \"multi:cpu,opencl:0\" those it names"
                   : no_multi};
}

TargetState state_of_mpi() {
  const auto ranks = world();
  if (!ranks) return {"mpi", false, no_mpi};
  return {"mpi", true, fmt::format("rank {} of {}", ranks->rank(), ranks->size())};
}

std::string available_names() {
  std::string names;
  for (const TargetState& state : target_states())
    if (state.is_available) names += (names.empty() ? "" : ", ") + state.name;
  return names;
}

}  // namespace

std::shared_ptr<const Device> find_device(const Target& target, const std::source_location& where) {
  std::string name = target.name(), from = "Options::target";
  if (name.empty()) {
    name = support::env("HASTEN_TARGET");
    from = "HASTEN_TARGET";
  }
  if (name.empty()) name = best_target();
  if (auto device = registry().find(name)) return device;
  const std::string why = why_absent(name);
  throw TargetError(fmt::format("{}: {} \"{}\"{}{}; available here: {}", from,
                                why.empty() ? "unknown target" : "there is no target", name,
                                why.empty() ? "" : ": ", why, available_names()),
                    where);
}

void add_device(const std::string& name, std::shared_ptr<backends::Backend> backend) {
  registry().add(name, std::move(backend));
}

std::vector<TargetState> target_states() {
  std::vector<TargetState> states;
#if HASTEN_WITH_LLVM
  states.push_back(state_of("cpu"));
#else
  states.push_back({"cpu", false, no_llvm});
#endif
  states.push_back({"interpreter", true, interpreter_description});
  for (const std::string& name : registry().added()) states.push_back(state_of(name));
  for (const Kind& kind : kinds) {
    std::string why;
    const Devices devices = kind.devices(why);
    add_devices(states, kind.name, devices, why);
  }
  states.push_back(state_of_multi());
  states.push_back(state_of_mpi());
  return states;
}

std::vector<Library> probe_libraries() {
  std::vector<Library> result;
  for (const backends::LibraryState& state : backends::cuda_libraries())
    result.push_back({state.file, state.is_found, state.detail, "cuda"});
  constexpr const char* opencl = "libOpenCL.so.1";
  void* const handle = dlopen(opencl, RTLD_LAZY | RTLD_LOCAL);
  result.push_back({opencl, handle != nullptr, handle ? "" : support::loader_error(), "opencl"});
  if (handle) dlclose(handle);
  return result;
}

std::size_t Device::sharers() const {
  return ranks ? static_cast<std::size_t>(ranks->size()) : std::max<std::size_t>(parts.size(), 1);
}

std::optional<detail::ForeignTarget> Device::foreign_target() const {
  const auto target = backend->foreign_target();
  const bool is_one = std::ranges::all_of(
      parts, [&](const auto& part) { return part->backend->foreign_target() == target; });
  return is_one ? target : std::nullopt;
}

std::optional<std::size_t> Device::one_after_fork() const {
  const auto works = [](const auto& part) {
    return !part->memory || part->memory->is_of_this_process();
  };
  const auto first = std::ranges::find_if(parts, works);
  if (first == parts.end() || std::ranges::all_of(parts, works)) return std::nullopt;
  return static_cast<std::size_t>(first - parts.begin());
}

bool Device::can_compile() const {
  return (!backend || backend->can_compile()) &&
         std::ranges::all_of(parts, [](const auto& part) { return part->can_compile(); });
}

}  // namespace hasten::runtime
