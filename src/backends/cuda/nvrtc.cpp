// Where NVRTC is searched, and how it is called.
#include "backends/cuda/nvrtc.hpp"

#include "backends/c_like/driver.hpp"
#include "backends/cuda/api/library.hpp"
#include "support/env.hpp"
#include "support/loader.hpp"

#include <hasten/run/error.hpp>

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace hasten::backends::cuda {
namespace {

constexpr nvrtcResult invalid_option = 5;
// Omits declarations of textures and the like, a sixth of the time of a small text; the output is
// the same, byte for byte. Older versions do not know it.
constexpr const char* without_textures = "-minimal";

struct Soname {
  int major;
  const char* file;
};
constexpr Soname sonames[] = {
    {13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}};

// Uses the system's functions: std::filesystem would add 50 kB to a library linked with this.
std::vector<std::string> installed_toolkits() {
  const std::string folder = "/usr/local";
  std::vector<std::string> found;
  DIR* const all = opendir(folder.c_str());
  if (!all) return found;
  while (const dirent* const entry = readdir(all))
    if (std::string_view(entry->d_name).starts_with("cuda"))
      found.push_back(folder + "/" + entry->d_name);
  closedir(all);
  std::ranges::sort(found, std::ranges::greater());
  return found;
}

// Folders of toolkits that the loader may not know.
std::vector<std::string> toolkit_folders() {
  std::vector<std::string> homes;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string home = support::env(name); !home.empty()) homes.push_back(std::move(home));
  for (std::string& toolkit : installed_toolkits()) homes.push_back(std::move(toolkit));
  return homes;
}

void add_files(std::vector<std::string>& files, const Soname& soname) {
  files.emplace_back(soname.file);
  for (const std::string& home : toolkit_folders())
    for (const char* folder : {"/lib64/", "/lib/"}) {
      std::string file = home + folder + soname.file;
      if (access(file.c_str(), F_OK) == 0) files.push_back(std::move(file));
    }
}

bool initialise(Nvrtc& nvrtc, void* handle) {
#define HASTEN_NVRTC_FUNCTION(name, ...)                                         \
  nvrtc.name = reinterpret_cast<decltype(nvrtc.name)>(dlsym(handle, #name));     \
  if (!nvrtc.name) {                                                             \
    nvrtc.error += nvrtc.file + " has no function " #name " (11.2 is needed); "; \
    return false;                                                                \
  }
#include "backends/cuda/nvrtc_functions.inc"
#undef HASTEN_NVRTC_FUNCTION
  int count = 0;
  bool works = nvrtc.nvrtcVersion(&nvrtc.major, &nvrtc.minor) == 0 &&
               nvrtc.nvrtcGetNumSupportedArchs(&count) == 0 && count > 0;
  if (works) {
    nvrtc.archs.resize(static_cast<std::size_t>(count));
    works = nvrtc.nvrtcGetSupportedArchs(nvrtc.archs.data()) == 0;
    std::ranges::sort(nvrtc.archs);
  }
  if (!works) nvrtc.error += nvrtc.file + " does not say what it can do; ";
  return works;
}

// A program of NVRTC's, for the duration of one compilation.
class Compilation {
 public:
  Compilation(const Nvrtc& nvrtc, const std::string& text) : nvrtc_(nvrtc), text_(text) {
    check("nvrtcCreateProgram",
          nvrtc.nvrtcCreateProgram(&program_, text.c_str(), "hasten.cu", 0, nullptr, nullptr));
  }
  ~Compilation() { nvrtc_.nvrtcDestroyProgram(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  void run(const std::vector<std::string>& options) {
    std::vector<const char*> all;
    for (const std::string& option : options) all.push_back(option.c_str());
    all.push_back(without_textures);
    nvrtcResult error = compile(all);
    if (error == invalid_option) {  // found before anything is compiled
      all.pop_back();
      error = compile(all);
    }
    if (error != 0)
      throw c_like::RefusedText(
          "NVRTC " + std::to_string(nvrtc_.major) + "." + std::to_string(nvrtc_.minor),
          "(error " + std::to_string(error) + ") " + log(), text_);
  }

  std::vector<std::byte> result(bool is_ptx) {
    std::size_t size = 0;
    check("nvrtcGetSize",
          (is_ptx ? nvrtc_.nvrtcGetPTXSize : nvrtc_.nvrtcGetCUBINSize)(program_, &size));
    std::vector<std::byte> bytes(size);
    char* const to = reinterpret_cast<char*>(bytes.data());
    check("nvrtcGet", (is_ptx ? nvrtc_.nvrtcGetPTX : nvrtc_.nvrtcGetCUBIN)(program_, to));
    return bytes;
  }

 private:
  nvrtcResult compile(const std::vector<const char*>& options) const {
    return nvrtc_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }

  void check(const char* what, nvrtcResult error) const {
    if (error != 0)
      throw InternalError(std::string(what) + " failed: NVRTC error " + std::to_string(error));
  }

  [[nodiscard]] std::string log() const {
    std::size_t size = 0;
    if (nvrtc_.nvrtcGetProgramLogSize(program_, &size) != 0 || size == 0) return "no words";
    std::string text(size, '\0');
    if (nvrtc_.nvrtcGetProgramLog(program_, text.data()) != 0) return "no words";
    return text.c_str();  // without what follows its end
  }

  const Nvrtc& nvrtc_;
  const std::string& text_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

std::vector<std::string> nvrtc_files(int driver_major) {
  if (const std::string own = support::env("HASTEN_NVRTC_LIBRARY"); !own.empty()) return {own};
  std::vector<std::string> files;
  const auto is_new = [&](const Soname& soname) {
    return driver_major != 0 && soname.major > driver_major;
  };
  for (const bool newer : {false, true})
    for (const Soname& soname : sonames)
      if (is_new(soname) == newer) add_files(files, soname);
  return files;
}

Nvrtc open_nvrtc(const std::vector<std::string>& files) {
  Nvrtc nvrtc;
  for (const std::string& file : files) {
    nvrtc.file = file;
    void* const handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
      nvrtc.error += support::loader_error() + "; ";
    } else if (initialise(nvrtc, handle)) {
      nvrtc.error.clear();
      return nvrtc;
    } else {
      dlclose(handle);
    }
  }
  nvrtc.error += "NVRTC is part of the CUDA toolkit, and a package by itself";
  return nvrtc;
}

const Nvrtc* nvrtc(std::string* why) {
  static const Nvrtc& opened = []() -> const Nvrtc& {
    const Library* const driver = library();
    return *new Nvrtc(open_nvrtc(nvrtc_files(driver ? driver->version / 1000 : 0)));
  }();
  if (why) *why = opened.error;
  return opened.error.empty() ? &opened : nullptr;
}

CodeTarget code_target(const Nvrtc& nvrtc, int device_arch) {
  if (std::ranges::binary_search(nvrtc.archs, device_arch)) return {device_arch, false};
  const auto newer = std::ranges::upper_bound(nvrtc.archs, device_arch);
  if (newer != nvrtc.archs.begin()) return {*std::prev(newer), true};
  throw TargetError("NVRTC " + std::to_string(nvrtc.major) + "." + std::to_string(nvrtc.minor) +
                    " makes no code for devices as old as sm_" + std::to_string(device_arch) +
                    " (the oldest is sm_" + std::to_string(nvrtc.archs.front()) +
                    "); install an older one, and name it in HASTEN_NVRTC_LIBRARY");
}

std::vector<std::string> compiler_options(CodeTarget target, const CompileOptions& options) {
  std::vector<std::string> result = {
      "--gpu-architecture=" + std::string(target.is_ptx ? "compute_" : "sm_") +
          std::to_string(target.arch),
      "--std=c++17", "-default-device"};
  if (options.fast_math) {
    result.emplace_back("--use_fast_math");
  } else {
    result.insert(result.end(), {"--ftz=false", "--prec-div=true", "--prec-sqrt=true"});
    result.emplace_back(options.contract ? "--fmad=true" : "--fmad=false");
  }
  return result;
}

std::vector<std::byte> compile(const Nvrtc& nvrtc, const std::string& text, CodeTarget target,
                               const CompileOptions& options) {
  Compilation compilation(nvrtc, text);
  compilation.run(compiler_options(target, options));
  return compilation.result(target.is_ptx);
}

}  // namespace hasten::backends::cuda
