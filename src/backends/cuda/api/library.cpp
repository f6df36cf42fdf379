// The driver's library is opened once, and stays open. A mere stub is closed again.
#include "backends/cuda/api/library.hpp"

#include "support/env.hpp"
#include "support/loader.hpp"

#include <dlfcn.h>

namespace hasten::backends::cuda {
namespace {

constexpr int oldest_version = 11020;  // NVRTC makes code for a device from here on

bool find_functions(Library& library) {
#define HASTEN_CUDA_FUNCTION(name, ...)                                                  \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(library.handle, #name)); \
  if (!library.name) library.error = library.file + " has no function " #name " (driver too old)";
#include "backends/cuda/api/functions.inc"
#undef HASTEN_CUDA_FUNCTION
  return library.error.empty();
}

void find_graph_functions(Library& library) {
  library.has_graphs = true;
#define HASTEN_CUDA_FUNCTION(name, ...)                                                  \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(library.handle, #name)); \
  if (!library.name) library.has_graphs = false;
#include "backends/cuda/api/graph_functions.inc"
#undef HASTEN_CUDA_FUNCTION
}

std::string why_not_initialised(const Library& library, CUresult error) {
  if (error == stub_library)
    return library.file + " is the toolkit's stub of the driver: install NVIDIA's driver";
  if (error == no_device)
    return "the driver sees no device (" + library.words(error) +
           "); CUDA_VISIBLE_DEVICES may hide it";
  return "the driver does not start: cuInit gives " + library.words(error);
}

// On failure stores the reason in library.error.
void initialise(Library& library) {
  if (!find_functions(library)) return;
  find_graph_functions(library);
  const CUresult error = library.cuInit(0);
  if (error != success) {
    library.error = why_not_initialised(library, error);
  } else if (library.cuDriverGetVersion(&library.version) != success ||
             library.version < oldest_version) {
    library.error = "the driver knows CUDA " + version_text(library.version) + " only, and " +
                    version_text(oldest_version) + " is needed";
  }
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string Library::words(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (!cuGetErrorName || cuGetErrorName(result, &name) != success || !name)
    return "CUDA error " + std::to_string(result);
  if (cuGetErrorString(result, &text) != success || !text) return name;
  return std::string(name) + " (" + text + ")";
}

std::vector<std::string> driver_files() {
  const std::string own = support::env("HASTEN_CUDA_LIBRARY");
  return {own.empty() ? "libcuda.so.1" : own};
}

Library open_library(const std::vector<std::string>& files) {
  Library library;
  for (const std::string& file : files) {
    library.file = file;
    library.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle) break;
    library.error += (library.error.empty() ? "" : "; ") + support::loader_error();
  }
  if (!library.handle) {
    library.error += "; NVIDIA's driver brings it";
    return library;
  }
  library.error.clear();
  initialise(library);
  if (!library.error.empty()) {
    dlclose(library.handle);  // else libcuda.so.1 stays the stub for the whole process
    library.handle = nullptr;
  }
  return library;
}

const Library* library(std::string* why) {
  static const Library& opened = *new Library(open_library(driver_files()));
  if (why) *why = opened.error;
  return opened.error.empty() ? &opened : nullptr;
}

}  // namespace hasten::backends::cuda
