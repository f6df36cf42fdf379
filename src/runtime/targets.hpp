// Where programs can run: the registry of targets, and the choice among them.
#pragma once

#include "backends/backend.hpp"
#include "runtime/memory/device_memory.hpp"

#include <hasten/run/options.hpp>

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace hasten::runtime {

class World;

/// An available target. `backend` is null for the interpreter, `memory` for backends that work in
/// host memory. For `multi` they are those of the first device.
struct Device {
  std::string name;
  std::shared_ptr<backends::Backend> backend;
  std::string fingerprint;
  std::shared_ptr<DeviceMemory> memory = nullptr;
  /// The devices of `multi`; none: only this one.
  std::vector<std::shared_ptr<const Device>> parts = {};
  /// The processes of `mpi`, each with this device; null: only this one.
  std::shared_ptr<World> ranks = nullptr;

  /// The number of devices or ranks that share programs.
  [[nodiscard]] std::size_t sharers() const;
  /// The target whose foreign functions all of its devices call.
  [[nodiscard]] std::optional<detail::ForeignTarget> foreign_target() const;
  /// In a child of fork() where some of its devices do not work, the first that does. None: all of
  /// them do, or none.
  [[nodiscard]] std::optional<std::size_t> one_after_fork() const;
  /// Whether all of its devices can still compile; see Backend::can_compile.
  [[nodiscard]] bool can_compile() const;
};

/// HASTEN_TARGET if the target is the default, else the best available. Throws TargetError listing
/// the available ones.
[[nodiscard]] std::shared_ptr<const Device> find_device(const Target& target,
                                                        const std::source_location& where);

/// Adds a target of this name, or replaces it: for tests, and for user-defined targets in future.
void add_device(const std::string& name, std::shared_ptr<backends::Backend> backend);

/// For `hasten info`: every possible target, and why it is absent.
struct TargetState {
  std::string name;
  bool is_available;
  std::string description;  // the device, or the reason
  backends::Facts facts = {};
  std::shared_ptr<const Device> device = nullptr;  // null: not in use yet
};
[[nodiscard]] std::vector<TargetState> target_states();

/// Libraries that are searched at run time.
struct Library {
  std::string file;  // "libcuda.so.1"
  bool is_found;
  std::string detail;  // the loader's message
  const char* purpose;
};
[[nodiscard]] std::vector<Library> probe_libraries();

}  // namespace hasten::runtime
