// A context, and one queue in order.
#include "backends/opencl/driver.hpp"

#include "support/overloaded.hpp"

#include <hasten/error.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace hasten::backends::opencl {
namespace {

using c_like::Address;
using c_like::Argument;

constexpr std::int64_t groups_per_unit = 16;

[[noreturn]] void fail(const std::string& device, const char* what, cl_int error) {
  const std::string message = device + ": " + what + " failed: " + error_name(error);
  const bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
                      error == CL_OUT_OF_HOST_MEMORY;
  if (memory) throw MemoryError(message + "; use smaller extents, or work in parts");
  throw TargetError(message);
}

cl_mem memory_of(Address address) { return reinterpret_cast<cl_mem>(address); }

// A built program and its functions. Arguments belong to a function's object, so one launch at a
// time sets them.
class LoadedProgram final : public c_like::Program {
 public:
  LoadedProgram(const Library& library, cl_program program)
      : library_(library),
        program_(program) {}
  ~LoadedProgram() override {
    for (const auto& [name, kernel] : kernels_) library_.clReleaseKernel(kernel);
    library_.clReleaseProgram(program_);
  }
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  template <class F>
  void with_kernel(const std::string& device, const char* name, F f) {
    const std::lock_guard lock(mutex_);
    cl_kernel& kernel = kernels_[name];
    if (!kernel) {
      cl_int error = CL_SUCCESS;
      kernel = library_.clCreateKernel(program_, name, &error);
      if (error != CL_SUCCESS) {
        kernels_.erase(name);
        fail(device, name, error);
      }
    }
    f(kernel);
  }

 private:
  const Library& library_;
  cl_program program_;
  std::mutex mutex_;
  std::map<std::string, cl_kernel, std::less<>> kernels_;
};

class OpenclDriver final : public c_like::Driver {
 public:
  OpenclDriver(const Library& library, cl_device_id device, std::string name)
      : library_(library),
        device_(device),
        name_(std::move(name)) {
    cl_int error = CL_SUCCESS;
    context_ = library_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) fail(name_, "clCreateContext", error);
    queue_ = library_.clCreateCommandQueue(context_, device_, 0, &error);
    if (error != CL_SUCCESS) {
      library_.clReleaseContext(context_);
      fail(name_, "clCreateCommandQueue", error);
    }
  }
  ~OpenclDriver() override {
    library_.clFinish(queue_);
    library_.clReleaseCommandQueue(queue_);
    library_.clReleaseContext(context_);
  }
  OpenclDriver(const OpenclDriver&) = delete;
  OpenclDriver& operator=(const OpenclDriver&) = delete;

  [[nodiscard]] c_like::Dialect dialect() const override { return c_like::Dialect::opencl; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string description() const override {
    return text(CL_DEVICE_NAME) + ", " + std::to_string(units()) + " compute units, " +
           text(CL_DEVICE_VERSION);
  }
  [[nodiscard]] std::string fingerprint() const override {
    return "opencl " + text(CL_DEVICE_VENDOR) + " " + text(CL_DEVICE_NAME) + " " +
           text(CL_DEVICE_VERSION) + " " + text(CL_DRIVER_VERSION);
  }
  [[nodiscard]] bool has_double() const override {
    return text(CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
  }
  [[nodiscard]] std::int64_t busy_groups(c_like::Program&, const char*) const override {
    return units() * groups_per_unit;
  }

  [[nodiscard]] std::vector<std::byte> compile(const std::string& text,
                                               const CompileOptions& options) override {
    const std::string whole = (options.contract ? "#pragma OPENCL FP_CONTRACT ON\n"
                                                : "#pragma OPENCL FP_CONTRACT OFF\n") +
                              text;
    const char* source = whole.c_str();
    cl_int error = CL_SUCCESS;
    cl_program program = library_.clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
    if (error != CL_SUCCESS) fail(name_, "clCreateProgramWithSource", error);
    const LoadedProgram owner(library_, program);
    build(program, options, text);
    std::size_t size = 0;
    check("clGetProgramInfo",
          library_.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    std::vector<std::byte> bytes(size);
    auto* data = reinterpret_cast<unsigned char*>(bytes.data());
    check("clGetProgramInfo",
          library_.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr));
    return bytes;
  }

  [[nodiscard]] std::shared_ptr<c_like::Program> load(std::span<const std::byte> bytes) override {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const std::size_t size = bytes.size();
    cl_int state = CL_SUCCESS, error = CL_SUCCESS;
    cl_program program =
        library_.clCreateProgramWithBinary(context_, 1, &device_, &size, &data, &state, &error);
    if (error != CL_SUCCESS) fail(name_, "clCreateProgramWithBinary", error);
    auto loaded = std::make_shared<LoadedProgram>(library_, program);
    build(program, {}, "a program from the cache");
    return loaded;
  }

  [[nodiscard]] std::size_t memory_bytes() const override {
    cl_ulong bytes = 0;
    library_.clGetDeviceInfo(device_, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    return bytes;
  }
  [[nodiscard]] Address allocate(std::size_t bytes) override {
    cl_int error = CL_SUCCESS;
    cl_mem memory = library_.clCreateBuffer(context_, CL_MEM_READ_WRITE,
                                            std::max<std::size_t>(bytes, 1), nullptr, &error);
    return error == CL_SUCCESS ? reinterpret_cast<Address>(memory) : nullptr;
  }
  void free(Address address) override { library_.clReleaseMemObject(memory_of(address)); }

  void write(Address to, const std::byte* from, std::size_t bytes) override {
    if (bytes == 0) return;
    check("clEnqueueWriteBuffer", library_.clEnqueueWriteBuffer(queue_, memory_of(to), CL_TRUE, 0,
                                                                bytes, from, 0, nullptr, nullptr));
  }
  void read(std::byte* to, Address from, std::size_t bytes) override {
    if (bytes == 0) return;
    check("clEnqueueReadBuffer", library_.clEnqueueReadBuffer(queue_, memory_of(from), CL_TRUE, 0,
                                                              bytes, to, 0, nullptr, nullptr));
  }

  void launch(c_like::Program& program, const char* function, c_like::Grid grid,
              std::span<const Argument> arguments) override {
    static_cast<LoadedProgram&>(program).with_kernel(name_, function, [&](cl_kernel kernel) {
      cl_uint index = 0;
      for (const Argument& argument : arguments)
        check(function,
              match(
                  argument,
                  [&](Address address) {
                    cl_mem memory = memory_of(address);
                    return library_.clSetKernelArg(kernel, index++, sizeof memory, &memory);
                  },
                  [&](const c_like::Number& number) {
                    return library_.clSetKernelArg(kernel, index++, number.bytes, &number.bits);
                  }));
      const std::size_t local[] = {static_cast<std::size_t>(c_like::group_size), 1};
      const std::size_t global[] = {static_cast<std::size_t>(grid.x) * local[0],
                                    static_cast<std::size_t>(grid.y)};
      check(function, library_.clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0,
                                                      nullptr, nullptr));
    });
    check("clFlush", library_.clFlush(queue_));
  }
  void finish() override { check("clFinish", library_.clFinish(queue_)); }

 private:
  void check(const char* what, cl_int error) const {
    if (error != CL_SUCCESS) fail(name_, what, error);
  }
  [[nodiscard]] std::string text(cl_device_info what) const {
    return text_of(library_, device_, what);
  }
  [[nodiscard]] std::int64_t units() const {
    cl_uint units = 1;
    library_.clGetDeviceInfo(device_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
    return units;
  }

  void build(cl_program program, const CompileOptions& options, const std::string& text) const {
    const std::string flags = std::string("-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt") +
                              (options.fast_math ? " -cl-fast-relaxed-math" : "");
    const cl_int error =
        library_.clBuildProgram(program, 1, &device_, flags.c_str(), nullptr, nullptr);
    if (error == CL_SUCCESS) return;
    std::size_t size = 0;
    library_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    library_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(),
                                   nullptr);
    throw InternalError(name_ + ": its compiler does not take a kernel (" + error_name(error) +
                        "): " + log.c_str() + "\nfrom " + text);
  }

  const Library& library_;
  cl_device_id device_;
  std::string name_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

}  // namespace

std::vector<cl_device_id> devices(const Library& library) {
  cl_uint count = 0;
  if (library.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  library.clGetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<cl_device_id> all;
  for (cl_platform_id platform : platforms) {
    cl_uint here = 0;
    if (library.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &here) != CL_SUCCESS)
      continue;
    all.resize(all.size() + here);
    library.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, here, all.data() + all.size() - here,
                           nullptr);
  }
  return all;
}

std::string text_of(const Library& library, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (library.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return {};
  std::string text(size, '\0');
  library.clGetDeviceInfo(device, what, size, text.data(), nullptr);
  return text.c_str();  // without what follows its end
}

std::shared_ptr<c_like::Driver> make_driver(const Library& library, cl_device_id device,
                                            std::string name) {
  return std::make_shared<OpenclDriver>(library, device, std::move(name));
}

}  // namespace hasten::backends::opencl
