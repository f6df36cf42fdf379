// The state of a device in use: its context and the objects in it. Shared by the driver and its
// modules, so that neither outlives it.
#pragma once

#include "backends/c_like/launch/stop_words.hpp"
#include "backends/cuda/context.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/staging.hpp"

#include <memory>
#include <string>

namespace hasten::backends::cuda {

class DeviceState {
 public:
  /// Throws TargetError when the device cannot be used.
  DeviceState(const Library& library, DeviceProperties properties, std::string name);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const DeviceProperties properties;
  const Context context;
  [[nodiscard]] Streams& streams() const { return parts_->streams; }
  [[nodiscard]] Stagings& uploads() const { return parts_->uploads; }
  [[nodiscard]] Stagings& downloads() const { return parts_->downloads; }
  [[nodiscard]] Memory& memory() const { return parts_->memory; }
  [[nodiscard]] c_like::StopWords& stop_words() const { return *parts_->stop_words; }

 private:
  // Created and released while the context is current.
  struct Parts {
    explicit Parts(const Context& context);
    ~Parts() { stop_words->close(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    Stagings uploads, downloads;
    Memory memory;
    Streams streams;
    std::shared_ptr<c_like::StopWords> stop_words;
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace hasten::backends::cuda
