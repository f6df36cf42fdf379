// PoCL generates code for a function at its first launch, for the launch's sizes, and keeps it in
// its own cache. Requesting a binary from it generates code for every function and any sizes, which
// later launches do not use: several times the work. So its programs are kept as text.
//
// Most of the remaining time would be spent on Clang's header of all built-in functions, which PoCL
// reads twice for every program. Version 3.1, whose headers are known, works without it: the
// functions that kernels call are declared before their text.
#include "backends/opencl/program.hpp"

#include "backends/opencl/declarations.hpp"
#include "backends/opencl/devices.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends::opencl {
namespace {

// A text's first line, a comment, has the compiler's flags: the stored text is complete.
constexpr std::string_view comment = "// ";

// Without warnings: PoCL reports their number on the user's stderr.
std::string flags_of(const CompileOptions& options) {
  return std::string("-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt") +
         (options.fast_math ? " -cl-fast-relaxed-math" : "");
}

std::string_view contraction(const CompileOptions& options) {
  return options.contract ? "#pragma OPENCL FP_CONTRACT ON\n" : "#pragma OPENCL FP_CONTRACT OFF\n";
}

std::string flags_in(const std::string& text) {
  return text.substr(comment.size(), text.find('\n') - comment.size());
}

// Oclgrind, an interpreter, has no machine code to keep, and does not accept all of its own
// binaries. Its compiler frees memory twice when two threads compile at once.
bool keeps_text(std::string_view platform) {
  return platform == "Portable Computing Language" || platform == "Oclgrind";
}

bool is_pocl_3_1(const Library& library, cl_device_id device) {
  return platform_of(library, device) == "Portable Computing Language" &&
         text_of(library, device, CL_DRIVER_VERSION).starts_with("3.1");
}

}  // namespace

LoadedProgram::~LoadedProgram() {
  for (const auto& [name, kernel] : kernels_) library_.clReleaseKernel(kernel);
  library_.clReleaseProgram(program_);
}

cl_kernel LoadedProgram::kernel(const std::string& device, const char* name) {
  const auto known = kernels_.find(std::string_view(name));
  if (known != kernels_.end()) return known->second;
  cl_int error = CL_SUCCESS;
  cl_kernel made = library_.clCreateKernel(program_, name, &error);
  if (error != CL_SUCCESS) fail(device, name, error);
  return kernels_[name] = made;
}

Compiler::Compiler(const Library& library, cl_context context, cl_device_id device,
                   std::string name)
    : library_(library),
      context_(context),
      device_(device),
      name_(std::move(name)),
      keeps_text_(keeps_text(platform_of(library, device))),
      declares_(is_pocl_3_1(library, device)),
      builds_alone_(platform_of(library, device) == "Oclgrind") {}

std::vector<std::byte> Compiler::compile(const std::string& text,
                                         const CompileOptions& options) const {
  if (options.own_math) check_arithmetic();
  std::string whole = std::string(comment) + flags_of(options);
  const bool declares = declares_ && !options.foreign_text;
  if (declares) whole += " -D_OPENCL_H_";
  whole += "\n";
  whole += contraction(options);
  if (declares) whole += declarations();
  whole += text;
  if (!keeps_text_) return binary_of(from_text(whole)->get());
  const auto bytes = std::as_bytes(std::span(whole));
  return {bytes.begin(), bytes.end()};
}

void Compiler::check_arithmetic() const {
  const std::string missing = missing_for_same_bits(single_arithmetic_of(library_, device_));
  if (missing.empty()) return;
  throw TargetError("the target \"" + name_ +
                    "\" cannot give the bits that other targets give, as "
                    "Determinism::everywhere asks: its floats lack " +
                    missing + "; use another target, or Determinism::run_to_run");
}

std::shared_ptr<LoadedProgram> Compiler::load(std::span<const std::byte> bytes) const {
  if (!keeps_text_) return from_binary(bytes);
  return from_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::shared_ptr<LoadedProgram> Compiler::from_text(const std::string& text) const {
  const char* source = text.c_str();
  cl_int error = CL_SUCCESS;
  cl_program program = library_.clCreateProgramWithSource(context_, 1, &source, nullptr, &error);
  if (error != CL_SUCCESS) fail(name_, "clCreateProgramWithSource", error);
  auto loaded = std::make_shared<LoadedProgram>(library_, program);
  build(program, flags_in(text), text);
  return loaded;
}

std::shared_ptr<LoadedProgram> Compiler::from_binary(std::span<const std::byte> bytes) const {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t size = bytes.size();
  cl_int state = CL_SUCCESS, error = CL_SUCCESS;
  cl_program program =
      library_.clCreateProgramWithBinary(context_, 1, &device_, &size, &data, &state, &error);
  if (error != CL_SUCCESS) fail(name_, "clCreateProgramWithBinary", error);
  auto loaded = std::make_shared<LoadedProgram>(library_, program);
  build(program, "", "a program from the cache");
  return loaded;
}

std::vector<std::byte> Compiler::binary_of(cl_program program) const {
  const auto ask = [&](cl_program_info what, std::size_t bytes, void* to) {
    const cl_int error = library_.clGetProgramInfo(program, what, bytes, to, nullptr);
    if (error != CL_SUCCESS) fail(name_, "clGetProgramInfo", error);
  };
  std::size_t size = 0;
  ask(CL_PROGRAM_BINARY_SIZES, sizeof size, &size);
  std::vector<std::byte> bytes(size);
  auto* data = reinterpret_cast<unsigned char*>(bytes.data());
  ask(CL_PROGRAM_BINARIES, sizeof data, &data);
  return bytes;
}

void Compiler::build(cl_program program, const std::string& flags, const std::string& text) const {
  static std::mutex one_at_a_time;
  std::unique_lock lock(one_at_a_time, std::defer_lock);
  if (builds_alone_) lock.lock();
  const cl_int error =
      library_.clBuildProgram(program, 1, &device_, flags.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return;
  std::size_t size = 0;
  library_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  library_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  throw c_like::RefusedText(name_, "(" + error_name(error) + ") " + log.c_str(), text);
}

}  // namespace hasten::backends::opencl
