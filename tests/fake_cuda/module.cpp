// An image becomes a library of the process. Pointers among the arguments of a launch are
// translated just before it runs, and only pointers to live buffers.
#include "tests/fake_cuda/module.hpp"

#include "tests/fake_cuda/compile.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace fake_cuda {
namespace {

constexpr const char* ptx_begin = "// Fake PTX.\n.version 9.0\n.target sm_";
constexpr const char* digits = "0123456789abcdef";

// The image in a text, and its target architecture; empty if the text is not PTX of the fake.
std::string ptx_to_image(const std::string& text, int& architecture) {
  if (!text.starts_with(ptx_begin)) return {};
  architecture = std::atoi(text.c_str() + std::strlen(ptx_begin));
  const std::size_t begin = text.rfind(' ') + 1;
  std::string image;
  for (std::size_t i = begin; i + 1 < text.size(); i += 2) {
    const auto value = [&](char c) { return std::strchr(digits, c) - digits; };
    image += static_cast<char>(value(text[i]) * 16 + value(text[i + 1]));
  }
  return image;
}

std::size_t parameter_bytes(unsigned size) {
  return size & ~(pointer_bit | read_only_bit | restricted_bit);
}

// Bytes for an argument: eight, or more for larger ones, in whole words.
std::size_t slot_bytes(unsigned size) { return (parameter_bytes(size) + 7) / 8 * 8; }

std::mutex functions_mutex;
std::map<const void*, std::weak_ptr<Module>>& functions() {
  static auto* const all = new std::map<const void*, std::weak_ptr<Module>>;
  return *all;
}

}  // namespace

std::string image_to_ptx(const std::string& image, int architecture) {
  std::string text = ptx_begin + std::to_string(architecture) + "\n.address_size 64\n// ";
  for (const char c : image) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

Module::Module(Device& device, int file, void* library)
    : device_(device),
      file_(file),
      library_(library) {
  ++Machine::get().counts.modules;
}

Module::~Module() {
  {
    const std::lock_guard lock(functions_mutex);
    for (const auto& function : functions_) functions().erase(function.get());
  }
  dlclose(library_);
  close(file_);
  --Machine::get().counts.modules;
}

std::shared_ptr<Module> Module::load(Device& device, const void* image, CUresult& error) {
  const int capability = Machine::get().capability;
  const auto* const bytes = static_cast<const char*>(image);
  std::string decoded;
  std::string_view content;
  int virtual_architecture = 0;
  error = CUDA_ERROR_INVALID_IMAGE;
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    content = {bytes, image_size(bytes)};
  } else {
    decoded = ptx_to_image(bytes, virtual_architecture);
    content = decoded;
    if (decoded.empty()) {
      error = CUDA_ERROR_INVALID_PTX;
      return nullptr;
    }
  }
  const int file = memfd_create("fake_cuda", 0);
  if (file < 0 || write(file, content.data(), content.size()) < 0) return nullptr;
  // The name is unique while the file is open: libraries are identified by their names.
  const std::string name = "/proc/self/fd/" + std::to_string(file);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    mistake(std::string("an image cannot be loaded: ") + dlerror());
    close(file);
    return nullptr;
  }
  std::shared_ptr<Module> module(new Module(device, file, library));
  module->context_ = static_cast<Context*>(dlsym(library, context_symbol));
  const auto* architecture = static_cast<const int*>(dlsym(library, architecture_symbol));
  auto* record = static_cast<KernelRecord*>(dlsym(library, kernels_symbol));
  if (!module->context_ || !architecture || !record) return nullptr;
  module->architecture_ = *architecture;
  const bool fits = virtual_architecture > 0
                        ? virtual_architecture <= capability
                        : *architecture / 10 == capability / 10 && *architecture <= capability;
  error = fits ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!fits) return nullptr;
  const std::lock_guard lock(functions_mutex);
  for (; record->name; ++record) {
    module->functions_.push_back(std::make_unique<Function>(Function{module.get(), record}));
    functions()[module->functions_.back().get()] = module;
  }
  return module;
}

Function* Module::function(const char* name) {
  for (const auto& function : functions_)
    if (std::strcmp(function->record->name, name) == 0) return function.get();
  return nullptr;
}

std::shared_ptr<Module> Module::owner(const void* function) {
  const std::lock_guard lock(functions_mutex);
  const auto it = functions().find(function);
  return it == functions().end() ? nullptr : it->second.lock();
}

Work Module::launch(const Function& function, const Grid& grid, std::vector<std::byte> arguments) {
  return guarded(device_, [self = shared_from_this(), record = function.record, grid,
                           arguments = std::move(arguments)] {
    std::vector<std::byte> own = arguments;  // a graph runs the original again
    return self->run(*record, grid, own);
  });
}

// Translates pointers; returns the place of each argument, and the device addresses among them (0:
// none).
bool Module::resolve(const KernelRecord& kernel, std::vector<std::byte>& arguments,
                     std::vector<void*>& places, std::vector<CUdeviceptr>& given) {
  std::byte* at = arguments.data();
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    CUdeviceptr address = 0;
    if ((kernel.sizes[i] & pointer_bit) != 0) {
      std::memcpy(&address, at, sizeof address);
      std::byte* memory = address == 0 ? nullptr : device_.memory(address, 0);
      if (!memory && pinned_memory(address)) {  // its address is the same there
        memory = reinterpret_cast<std::byte*>(address);
        address = 0;
      }
      if (address != 0 && !memory) {
        mistake(std::string(kernel.name) + ": argument " + std::to_string(i) +
                " is no address of a live buffer of the device");
        return false;
      }
      std::memcpy(at, &memory, sizeof memory);
    }
    given.push_back(address);
    places.push_back(at);
    at += slot_bytes(kernel.sizes[i]);
  }
  return true;
}

// Memory behind a restricted pointer must not be written through another one: the device may read
// it through a cache that does not see stores.
bool Module::check_restricted(const KernelRecord& kernel, const std::vector<CUdeviceptr>& given) {
  for (unsigned i = 0; i < kernel.parameters; ++i)
    for (unsigned k = 0; k < kernel.parameters; ++k) {
      const bool both = i != k && given[i] != 0 && given[k] != 0;
      const bool written = ((kernel.sizes[i] & kernel.sizes[k]) & read_only_bit) == 0;
      if (!both || !written || (kernel.sizes[i] & restricted_bit) == 0) continue;
      if (!device_.same_buffer(given[i], given[k])) continue;
      mistake(std::string(kernel.name) + ": arguments " + std::to_string(i) + " and " +
              std::to_string(k) + " share a buffer, and one is restricted");
      return false;
    }
  return true;
}

CUresult Module::run(const KernelRecord& kernel, const Grid& grid,
                     std::vector<std::byte>& arguments) {
  Machine& machine = Machine::get();
  if (machine.faults.strikes("crash")) return CUDA_ERROR_LAUNCH_FAILED;
  std::vector<void*> places;
  std::vector<CUdeviceptr> given;
  if (!resolve(kernel, arguments, places, given)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (!check_restricted(kernel, given)) return CUDA_ERROR_LAUNCH_FAILED;
  const std::lock_guard lock(running_);
  const std::string error = run_grid(*context_, kernel, grid, places.data(), machine.order());
  if (!error.empty()) {
    mistake(std::string(kernel.name) + ": " + error);
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  for (const CUdeviceptr address : given)
    if (address != 0 && !device_.intact(address)) {
      mistake(std::string(kernel.name) + " wrote beside a buffer");
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
  return CUDA_SUCCESS;
}

}  // namespace fake_cuda

// -- entry points ---------------------------------------------------------------------------------

using namespace fake_cuda;

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, int*, void**) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
  if (Machine::get().faults.strikes("load")) return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult error = CUDA_SUCCESS;
  std::shared_ptr<Module> loaded = Module::load(*device, image, error);
  if (loaded) *module = reinterpret_cast<CUmodule>(Handles<Module>::all().add(std::move(loaded)));
  return error;
}

CUresult cuModuleUnload(CUmodule module) {
  Device* device = nullptr;
  const CUresult error = enter(&device);
  if (!Handles<Module>::all().remove(module)) {
    mistake("a module that does not exist is unloaded");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return error;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Module> owner = Handles<Module>::all().find(module);
  if (!owner || !function || !name) return CUDA_ERROR_INVALID_HANDLE;
  *function = reinterpret_cast<CUfunction>(owner->function(name));
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  const std::shared_ptr<Module> owner = Module::owner(function);
  if (!owner) return CUDA_ERROR_INVALID_HANDLE;
  const KernelRecord& kernel = *reinterpret_cast<const Function*>(function)->record;
  constexpr int registers = 32;  // an estimate
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(kernel.threads_max);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel.shared_end - kernel.shared);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = 0; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = registers; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = owner->architecture(); return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t dynamic_shared) {
  int shared = 0, registers = 0;
  if (const CUresult error =
          cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function))
    return error;
  cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
  if (threads < 1 || !blocks) return CUDA_ERROR_INVALID_VALUE;
  // The threads, blocks, registers and bytes of a multiprocessor of sm_90; each block takes an
  // additional 1 KB.
  const int bytes = shared + static_cast<int>(dynamic_shared) + 1024;
  *blocks = std::min({2048 / threads, 32, 65536 / (registers * threads), 233472 / bytes});
  return CUDA_SUCCESS;
}

namespace {

// The values of a launch's parameters; empty, with an error, if they do not match the kernel's.
CUresult gather(const KernelRecord& kernel, void** parameters, void** extra,
                std::vector<std::byte>& values) {
  const std::byte* buffer = nullptr;  // instead of parameters
  std::size_t buffer_bytes = 0;
  for (; !parameters && extra && *extra; extra += 2) {
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == 1)
      buffer = static_cast<const std::byte*>(extra[1]);
    if (reinterpret_cast<std::uintptr_t>(extra[0]) == 2)
      buffer_bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  if (kernel.parameters > 0 && !parameters && !buffer) return CUDA_ERROR_INVALID_VALUE;
  std::size_t offset = 0;
  for (unsigned i = 0; i < kernel.parameters; ++i) {
    const std::size_t bytes = parameter_bytes(kernel.sizes[i]), slot = slot_bytes(kernel.sizes[i]);
    const void* from = parameters ? parameters[i] : nullptr;
    if (buffer) {
      const std::size_t align = std::min<std::size_t>(bytes, 8);
      offset = (offset + align - 1) / align * align;
      if (offset + bytes > buffer_bytes) return CUDA_ERROR_INVALID_VALUE;
      from = buffer + offset;
      offset += bytes;
    }
    values.resize(values.size() + slot);
    std::memcpy(values.data() + values.size() - slot, from, bytes);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult fake_cuda::launch_work(Device& device, CUfunction handle, const Grid& grid,
                                unsigned shared, void** parameters, void** extra, Work& work) {
  const std::shared_ptr<Module> owner = Module::owner(handle);
  if (!owner || &owner->device() != &device) {
    mistake("a function of no loaded module, or of another device, is launched");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  constexpr unsigned side_max = 65535, x_max = 0x7fffffff, threads_max = 1024;
  const auto& function = *reinterpret_cast<const Function*>(handle);
  const auto& [blocks, block] = grid;
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  const bool grid_fits = blocks.x >= 1 && blocks.x <= x_max && blocks.y >= 1 &&
                         blocks.y <= side_max && blocks.z >= 1 && blocks.z <= side_max;
  if (!grid_fits || threads < 1 || threads > threads_max || shared != 0) {
    mistake(std::string(function.record->name) + ": no grid or block has such a size");
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (threads > function.record->threads_max || Machine::get().faults.strikes("launch"))
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  std::vector<std::byte> values;
  if (const CUresult error = gather(*function.record, parameters, extra, values)) return error;
  work = [run = owner->launch(function, grid, std::move(values))] {
    ++Machine::get().counts.launches;
    run();
  };
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** parameters, void** extra) {
  Device* device = nullptr;
  if (const CUresult error = enter(&device)) return error;
  Work work;
  if (const CUresult error =
          launch_work(*device, function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}},
                      shared, parameters, extra, work))
    return error;
  return submit(*device, stream, held(std::move(work)));
}
