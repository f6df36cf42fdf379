// NVRTC compiles the kernels, as it does Hasten's, by each of the rules at first use.
#include "device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "backends/cuda/nvrtc.hpp"

namespace bench::gpu {
namespace {

constexpr const char* text =
#include "kernels.inc"
    ;

constexpr int capture_mode_relaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED

template <class F>
void find(const cuda::Library& library, F& function, const char* name) {
  function = reinterpret_cast<F>(dlsym(library.handle, name));
  if (!function) throw std::runtime_error(std::string("the driver has no function ") + name);
}

Extra find_extra(const cuda::Library& library) {
  Extra extra{};
  find(library, extra.copy_on_device, "cuMemcpyDtoDAsync_v2");
  find(library, extra.begin_capture, "cuStreamBeginCapture_v2");
  find(library, extra.end_capture, "cuStreamEndCapture");
  find(library, extra.instantiate, "cuGraphInstantiateWithFlags");
  find(library, extra.launch_graph, "cuGraphLaunch");
  find(library, extra.destroy_exec, "cuGraphExecDestroy");
  find(library, extra.destroy_graph, "cuGraphDestroy");
  return extra;
}

const cuda::Nvrtc& compiler() {
  std::string why;
  const cuda::Nvrtc* const nvrtc = cuda::nvrtc(&why);
  if (!nvrtc) throw std::runtime_error("there is no NVRTC: " + why);
  return *nvrtc;
}

}  // namespace

Argument::Argument(float x) : bits(std::bit_cast<std::uint32_t>(x)) {}

Device& Device::get() {
  static Device& device = []() -> Device& {
    std::string why;
    const cuda::Library* const library = cuda::library(&why);
    if (!library) throw std::runtime_error("there is no CUDA: " + why);
    const std::vector<cuda::DeviceProperties> all = cuda::devices(*library, why);
    if (all.empty()) throw std::runtime_error("there is no CUDA device: " + why);
    return *new Device(*library, all.front());  // never destroyed: buffers may outlive main
  }();
  return device;
}

Device::Device(const cuda::Library& library, cuda::DeviceProperties properties)
    : library_(library),
      properties_(std::move(properties)),
      context_(library, properties_.handle, properties_.name),
      current_(context_),
      stream_(context_),
      extra_(find_extra(library)) {}

std::string Device::description() const {
  const cuda::Nvrtc& nvrtc = compiler();
  return properties_.description() + "; driver for CUDA " + cuda::version_text(library_.version) +
         ", NVRTC " + std::to_string(nvrtc.major) + "." + std::to_string(nvrtc.minor);
}

cuda::CUmodule Device::module(Rules rules) {
  cuda::CUmodule& module = modules_[rules];
  if (module) return module;
  hasten::backends::CompileOptions options;
  options.contract = rules != Rules::strict;
  options.fast_math = rules == Rules::any;
  std::vector<std::byte> code =
      cuda::compile(compiler(), text, cuda::code_target(compiler(), properties_.arch()), options);
  code.push_back(std::byte{0});
  check("cuModuleLoadDataEx",
        library_.cuModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr));
  return module;
}

void Device::launch(const char* kernel, Rules rules, std::int64_t blocks,
                    std::initializer_list<Argument> arguments) {
  cuda::CUfunction& function = functions_[{kernel, rules}];
  if (!function) check(kernel, library_.cuModuleGetFunction(&function, module(rules), kernel));
  constexpr std::size_t most = 8;
  if (arguments.size() > most) throw std::invalid_argument("too many arguments");
  std::array<Argument, most> values = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  std::array<void*, most> pointers{};
  std::copy(arguments.begin(), arguments.end(), values.begin());
  for (std::size_t i = 0; i < most; ++i) pointers[i] = &values[i].bits;
  check(kernel, library_.cuLaunchKernel(function, static_cast<unsigned>(blocks), 1, 1, 256, 1, 1, 0,
                                        stream(), pointers.data(), nullptr));
}

std::int64_t Device::blocks_for(std::int64_t elements) const {
  constexpr std::int64_t rounds = 32;  // of eight blocks per multiprocessor
  return std::clamp<std::int64_t>((elements + 255) / 256, 1,
                                  rounds * 8 * properties_.multiprocessors);
}

// -- memory ---------------------------------------------------------------------------------------

Bytes::Bytes(std::size_t size) {
  const Device& device = Device::get();
  device.check("cuMemAlloc",
               device.library().cuMemAlloc_v2(&address_, std::max<std::size_t>(size, 1)));
}

Bytes::Bytes(const void* from, std::size_t size) : Bytes(size) {
  const Device& device = Device::get();
  device.check("cuMemcpyHtoDAsync",
               device.library().cuMemcpyHtoDAsync_v2(address_, from, size, device.stream()));
  device.wait();
}

Bytes::~Bytes() { Device::get().library().cuMemFree_v2(address_); }

void Bytes::read(void* to, std::size_t size) const {
  const Device& device = Device::get();
  device.check("cuMemcpyDtoHAsync",
               device.library().cuMemcpyDtoHAsync_v2(to, address_, size, device.stream()));
  device.wait();
}

// -- graphs ---------------------------------------------------------------------------------------

void Graph::begin() {
  const Device& device = Device::get();
  device.check("cuStreamBeginCapture",
               device.extra().begin_capture(device.stream(), capture_mode_relaxed));
}

void Graph::end() {
  const Device& device = Device::get();
  device.check("cuStreamEndCapture", device.extra().end_capture(device.stream(), &graph_));
  device.check("cuGraphInstantiate", device.extra().instantiate(&exec_, graph_, 0));
}

Graph::~Graph() {
  const Device& device = Device::get();
  device.wait();
  if (exec_) device.extra().destroy_exec(exec_);
  if (graph_) device.extra().destroy_graph(graph_);
}

void Graph::launch() const {
  const Device& device = Device::get();
  device.check("cuGraphLaunch", device.extra().launch_graph(exec_, device.stream()));
}

}  // namespace bench::gpu
