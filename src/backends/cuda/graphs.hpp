// Launches that are done again and again as one command: CUDA graphs.
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

/// A launch as the driver's interface has it.
struct Command {
  CUfunction function = nullptr;
  unsigned x = 1, y = 1;           // groups
  std::vector<Streams::Use> uses;  // of memory
  std::vector<std::uint64_t>
      values;                      // of parameters; little-endian: a short one is its first bytes
  std::shared_ptr<Module> module;  // whose function it is

  /// Where the parameters are, for as long as this is not moved.
  [[nodiscard]] std::vector<void*> pointers();
};

/// The graphs used last are kept: a loop that runs again finds its own. Thread-safe. The context is
/// current where its functions are called.
class Graphs {
 public:
  explicit Graphs(std::shared_ptr<const DeviceState> state) : state_(std::move(state)) {}
  ~Graphs();
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;

  /// The commands, in this order, so many times over; those that share no memory may run at once.
  /// False, and nothing is done, when the driver does not do it.
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

  /// Null when the driver does not make it.
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
