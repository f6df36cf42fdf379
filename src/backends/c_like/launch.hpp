// Launches of kernels: which of their functions run, over how many groups, with what scratch
// memory.
#pragma once

#include "backends/c_like/driver.hpp"

#include <vector>

namespace hasten::backends::c_like {

/// A kernel and its program on a device.
class LoadedKernel final : public Code {
 public:
  LoadedKernel(const kernels::Kernel& kernel, std::shared_ptr<Program> program)
      : kernel_(kernel),
        program_(std::move(program)) {}
  [[nodiscard]] const kernels::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] Program& program() const { return *program_; }

 private:
  kernels::Kernel kernel_;
  std::shared_ptr<Program> program_;
};

/// Device memory for the time of some launches.
class Scratch {
 public:
  explicit Scratch(Driver& driver) : driver_(driver) {}
  ~Scratch() {
    for (const Address address : addresses_) driver_.free(address);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  /// Throws MemoryError when there is none left.
  Address take(std::int64_t bytes);

 private:
  Driver& driver_;
  std::vector<Address> addresses_;
};

class Sorter;

/// Enqueues what a launch needs; returns before it has run.
void launch(Driver& driver, Sorter& sorter, const LoadedKernel& code,
            const LaunchArguments& arguments);

}  // namespace hasten::backends::c_like
