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

/// A target that is there. `backend` is null for the interpreter, `memory` for backends that work
/// in host memory. Of `multi` they are those of the first device.
struct Device {
  std::string name;
  std::shared_ptr<backends::Backend> backend;
  std::string fingerprint;
  std::shared_ptr<DeviceMemory> memory = nullptr;
  /// The devices of `multi`; none: this one alone.
  std::vector<std::shared_ptr<const Device>> parts = {};
  /// The processes of `mpi`, each with this device; null: this one alone.
  std::shared_ptr<World> ranks = nullptr;

  /// Among how many programs are split.
  [[nodiscard]] std::size_t sharers() const;
  /// Whose foreign functions all of its devices call.
  [[nodiscard]] std::optional<detail::ForeignTarget> foreign_target() const;
  /// Whether all of its devices can still make code; see Backend::can_compile.
  [[nodiscard]] bool can_compile() const;
};

/// HASTEN_TARGET if the target is the default, else the best there is. Throws TargetError listing
/// what there is.
[[nodiscard]] std::shared_ptr<const Device> find_device(const Target& target,
                                                        const std::source_location& where);

/// Adds a target of this name, or replaces it: for tests, and for targets made by users one day.
void add_device(const std::string& name, std::shared_ptr<backends::Backend> backend);

/// For `hasten info`: every target there could be, and why it is absent.
struct TargetState {
  std::string name;
  bool is_available;
  std::string description;  // the device, or the reason
  backends::Facts facts = {};
  std::shared_ptr<const Device> device = nullptr;  // null: nobody has begun to use it
};
[[nodiscard]] std::vector<TargetState> target_states();

/// Libraries looked for at run time.
struct Library {
  std::string file;  // "libcuda.so.1"
  bool is_found;
  std::string detail;  // what the loader said
  const char* purpose;
};
[[nodiscard]] std::vector<Library> probe_libraries();

}  // namespace hasten::runtime
