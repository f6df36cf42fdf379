// A loaded program and its functions.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/cuda/state.hpp"

#include <map>
#include <mutex>
#include <span>
#include <string>

namespace hasten::backends::cuda {

class Module final : public c_like::Program {
 public:
  struct Function {
    CUfunction handle = nullptr;
    std::int64_t groups = 1;  // resident at once on the whole device
  };

  /// From a cubin, or PTX. Throws TargetError when the driver rejects it.
  Module(std::shared_ptr<const DeviceState> device, std::span<const std::byte> bytes);
  ~Module() override;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Looked up once. The context must be current.
  [[nodiscard]] const Function& function(const char* name);
  /// Called after one of its commands was enqueued; not concurrently.
  void was_launched(std::size_t queue, const c_like::Mark& mark) { last_.add(queue, mark); }

 private:
  Function look_up(const char* name) const;

  std::shared_ptr<const DeviceState> device_;
  CUmodule module_ = nullptr;
  c_like::LastMarks last_;
  std::mutex mutex_;
  std::map<std::string, Function, std::less<>> functions_;
};

}  // namespace hasten::backends::cuda
