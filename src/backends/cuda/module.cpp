// The resources that a function reports determine how many of its blocks run at once.
#include "backends/cuda/module.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace hasten::backends::cuda {

Module::Module(std::shared_ptr<const DeviceState> device, std::span<const std::byte> bytes)
    : device_(std::move(device)) {
  std::vector<std::byte> image(bytes.begin(), bytes.end());  // an aligned copy
  image.push_back(std::byte{0});                             // PTX ends with a zero
  const Context::Current current(device_->context);
  std::array<char, 8192> log = {};
  int options[] = {error_log_buffer, error_log_buffer_size_bytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const CUresult error =
      device_->context.library().cuModuleLoadDataEx(&module_, image.data(), 2, options, values);
  const std::string words = log.data();
  const std::string what = "loading a kernel" + (words.empty() ? words : " (" + words + ")");
  device_->context.check(what.c_str(), error);
}

Module::~Module() {
  try {
    const Context::Current current(device_->context);
    for (const auto& [queue, mark] : last_.by_queue())  // running code must stay loaded
      static_cast<const Event*>(mark.get())->synchronize();
    last_.clear();
    device_->context.library().cuModuleUnload(module_);
  } catch (const Error&) {  // the device is lost, and the module with it
    last_.clear();
  }
}

const Module::Function& Module::function(const char* name) {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(name);
  if (found != functions_.end()) return found->second;
  return functions_.emplace(name, look_up(name)).first->second;
}

Module::Function Module::look_up(const char* name) const {
  const Library& library = device_->context.library();
  Function function;
  device_->context.check(name, library.cuModuleGetFunction(&function.handle, module_, name));
  const auto attribute = [&](FunctionAttribute which) {
    int value = 0;
    device_->context.check("cuFuncGetAttribute",
                           library.cuFuncGetAttribute(&value, which, function.handle));
    return value;
  };
  const FunctionUse use{attribute(num_regs), attribute(shared_size_bytes)};
  const std::int64_t blocks =
      blocks_per_multiprocessor(device_->properties.multiprocessor, use, c_like::group_size);
  function.groups = std::max<std::int64_t>(blocks, 1) * device_->properties.multiprocessors;
  return function;
}

}  // namespace hasten::backends::cuda
