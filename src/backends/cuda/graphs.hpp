// Repeated launches as one command: CUDA graphs.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/cuda/module.hpp"
#include "backends/cuda/state.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace hasten::backends::cuda {

/// A launch in the form of the driver's interface.
struct Command {
  CUfunction function = nullptr;
  unsigned x = 1, y = 1;           // groups
  std::vector<Streams::Use> uses;  // of memory
  std::vector<std::uint64_t>
      values;                      // of parameters; little-endian: a short one is its first bytes
  std::shared_ptr<Module> module;  // the module of its function

  /// The addresses of the parameters, valid until this is moved.
  [[nodiscard]] std::vector<void*> pointers();
};

/// Keeps the graphs used last: a loop that runs again finds its own. Thread-safe. The context must
/// be current where its functions are called.
class Graphs {
 public:
  explicit Graphs(std::shared_ptr<const DeviceState> state) : state_(std::move(state)) {}
  ~Graphs();
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;

  /// Runs the commands, in this order, `times` times; those that share no memory may overlap.
  /// Returns false, having done nothing, when the driver refuses.
  [[nodiscard]] bool launch(std::span<Command> commands, std::int64_t times,
                            c_like::CallWork* call);

 private:
  struct Kept {
    std::vector<std::uint64_t> key;
    std::vector<std::shared_ptr<Module>> modules;
    CUgraphExec executable = nullptr;
    c_like::LastMarks last;

    [[nodiscard]] bool is_done() const;
  };

  /// Null when the driver does not create it.
  [[nodiscard]] Kept* find(std::vector<std::uint64_t> key, std::span<Command> commands,
                           std::int64_t times);
  [[nodiscard]] CUgraphExec build(std::span<Command> commands, std::int64_t times) const;
  void drop_old();
  void destroy(const Kept& kept) const;

  const std::shared_ptr<const DeviceState> state_;
  std::mutex mutex_;
  std::list<Kept> kept_;  // last used first
};

}  // namespace hasten::backends::cuda
