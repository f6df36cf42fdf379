// The contexts of OpenCL devices: the parts of one device share one, so that arrays move between
// parts without the host; each whole device has its own, whose memory no other device uses.
#pragma once

#include "backends/opencl/devices.hpp"
#include "backends/opencl/library.hpp"

#include <memory>
#include <string>

namespace hasten::backends::opencl {

class Context {
 public:
  /// Throws TargetError when the device cannot be used.
  Context(const Library& library, const Device& device, const std::string& name);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] cl_context handle() const { return context_; }

 private:
  const Library& library_;
  cl_context context_ = nullptr;
};

/// The device's context, or that of another part of the same device. Thread-safe.
std::shared_ptr<const Context> context_of(const Library& library, const Device& device,
                                          const std::string& name);

}  // namespace hasten::backends::opencl
