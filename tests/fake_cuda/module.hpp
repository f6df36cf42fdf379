// Loaded images and the launches of their kernels.
#pragma once

#include "tests/fake_cuda/stream.hpp"

#include <string>
#include <vector>

namespace fake_cuda {

class Module;

struct Function {
  Module* module;
  const KernelRecord* record;
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  /// Loads a cubin or PTX of nvrtc.cpp. Returns null and the error if it is neither, or is for
  /// another device.
  static std::shared_ptr<Module> load(Device& device, const void* image, CUresult& error);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] int architecture() const { return architecture_; }
  Function* function(const char* name);
  /// The module whose function has this handle; null if there is none.
  static std::shared_ptr<Module> owner(const void* function);

  /// A launch as work. `arguments`: the values of all parameters, consecutive, in words of eight
  /// bytes or more.
  Work launch(const Function& function, const Grid& grid, std::vector<std::byte> arguments);

 private:
  Module(Device& device, int file, void* library);
  CUresult run(const KernelRecord& kernel, const Grid& grid, std::vector<std::byte>& arguments);
  bool resolve(const KernelRecord& kernel, std::vector<std::byte>& arguments,
               std::vector<void*>& places, std::vector<CUdeviceptr>& given);
  bool check_restricted(const KernelRecord& kernel, const std::vector<CUdeviceptr>& given);

  Device& device_;
  int file_;
  void* library_;
  Context* context_ = nullptr;
  int architecture_ = 0;
  std::vector<std::unique_ptr<Function>> functions_;
  std::mutex running_;  // one grid at a time uses the image's variables
};

/// A launch of a function as work, after the checks of its arguments that cuLaunchKernel does.
CUresult launch_work(Device& device, CUfunction function, const Grid& grid, unsigned shared,
                     void** parameters, void** extra, Work& work);

/// The fake's PTX is an image in a comment.
std::string image_to_ptx(const std::string& image, int architecture);

}  // namespace fake_cuda
