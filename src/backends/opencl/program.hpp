// Programs of an OpenCL device: from a kernel's text to functions that can be launched.
#pragma once

#include "backends/c_like/driver.hpp"
#include "backends/opencl/library.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace hasten::backends::opencl {

/// A program and its functions. Arguments belong to a function's object, so only one launch at a
/// time sets them.
class LoadedProgram final : public c_like::Program {
 public:
  LoadedProgram(const Library& library, cl_program program)
      : library_(library),
        program_(program) {}
  ~LoadedProgram() override;
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  [[nodiscard]] cl_program get() const { return program_; }

  template <class F>
  void with_kernel(const std::string& device, const char* name, F f) {
    const std::lock_guard lock(mutex_);
    f(kernel(device, name));
  }

 private:
  cl_kernel kernel(const std::string& device, const char* name);

  const Library& library_;
  cl_program program_;
  std::mutex mutex_;
  std::map<std::string, cl_kernel, std::less<>> kernels_;
};

/// The device's compiler. Thread-safe.
class Compiler {
 public:
  Compiler(const Library& library, cl_context context, cl_device_id device, std::string name);

  /// The form kept on disk: the device's binary; the text itself where the driver caches binaries
  /// itself, and compiles a function when it is launched. Throws InternalError with the compiler's
  /// message, now or when it is loaded.
  [[nodiscard]] std::vector<std::byte> compile(const std::string& text,
                                               const CompileOptions& options) const;
  [[nodiscard]] std::shared_ptr<LoadedProgram> load(std::span<const std::byte> bytes) const;

 private:
  [[nodiscard]] std::shared_ptr<LoadedProgram> from_text(const std::string& text) const;
  [[nodiscard]] std::shared_ptr<LoadedProgram> from_binary(std::span<const std::byte> bytes) const;
  [[nodiscard]] std::vector<std::byte> binary_of(cl_program program) const;
  void build(cl_program program, const std::string& flags, const std::string& text) const;
  /// Throws TargetError where the device cannot produce the same bits as others.
  void check_arithmetic() const;

  const Library& library_;
  cl_context context_;
  cl_device_id device_;
  std::string name_;
  bool keeps_text_, declares_, builds_alone_;
};

}  // namespace hasten::backends::opencl
