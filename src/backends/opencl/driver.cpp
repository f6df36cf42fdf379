// A context, and one queue in order.
#include "backends/opencl/driver.hpp"

#include "backends/opencl/program.hpp"

#include "support/overloaded.hpp"

#include <algorithm>
#include <optional>

namespace hasten::backends::opencl {
namespace {

using c_like::Address;
using c_like::Argument;

constexpr std::int64_t groups_per_unit = 16;

cl_mem memory_of(Address address) { return reinterpret_cast<cl_mem>(address); }

class OpenclDriver final : public c_like::Driver {
 public:
  OpenclDriver(const Library& library, const Device& device, std::string name)
      : library_(library),
        device_(device.id),
        part_(device.part),
        name_(std::move(name)) {
    cl_int error = CL_SUCCESS;
    context_ = library_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) fail(name_, "clCreateContext", error);
    queue_ = library_.clCreateCommandQueue(context_, device_, 0, &error);
    if (error != CL_SUCCESS) {
      library_.clReleaseContext(context_);
      fail(name_, "clCreateCommandQueue", error);
    }
    compiler_.emplace(library_, context_, device_, name_);
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
    return text(CL_DEVICE_NAME) + part_ + ", " + std::to_string(units()) + " compute units, " +
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
    return compiler_->compile(text, options);
  }
  [[nodiscard]] std::shared_ptr<c_like::Program> load(std::span<const std::byte> bytes) override {
    return compiler_->load(bytes);
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
                  argument, [&](Address address) { return set_memory(kernel, index++, address); },
                  [&](const c_like::Input& input) {
                    return set_memory(kernel, index++, input.address);
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
  cl_int set_memory(cl_kernel kernel, cl_uint index, Address address) const {
    cl_mem memory = memory_of(address);
    return library_.clSetKernelArg(kernel, index, sizeof memory, &memory);
  }
  void check(const char* what, cl_int error) const {
    if (error != CL_SUCCESS) fail(name_, what, error);
  }
  [[nodiscard]] std::string text(cl_device_info what) const {
    return text_of(library_, device_, what);
  }
  [[nodiscard]] std::int64_t units() const { return compute_units(library_, device_); }

  const Library& library_;
  cl_device_id device_;
  std::string part_;
  std::string name_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::optional<Compiler> compiler_;
};

}  // namespace

std::shared_ptr<c_like::Driver> make_driver(const Library& library, const Device& device,
                                            std::string name) {
  return std::make_shared<OpenclDriver>(library, device, std::move(name));
}

}  // namespace hasten::backends::opencl
