// NVRTC's functions over the host's compiler. If FAKE_CUDA_NVRTC names a real NVRTC, both must
// accept a text: the real one checks that CUDA compiles it, the fake one makes it run.
#include "tests/fake_cuda/compile.hpp"
#include "tests/fake_cuda/machine.hpp"
#include "tests/fake_cuda/module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace fake_cuda;

namespace {

constexpr int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

struct Program {
  std::string text, name, image, ptx, log;
  bool compiled = false;
};

Program* program_of(nvrtcProgram handle) { return reinterpret_cast<Program*>(handle); }

// The effect of options here; other options have no visible effect.
struct Meaning {
  int architecture = 75;
  bool real = false;  // sm_, not compute_
  bool contract = true;
  std::string defines;
};

// "--name=value" and "-name=value" as ("name", "value").
std::pair<std::string, std::string> split(std::string option) {
  while (option.starts_with('-')) option.erase(0, 1);
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos) return {option, ""};
  return {option.substr(0, equals), option.substr(equals + 1)};
}

bool understand(const std::string& option, Meaning& meaning) {
  const auto [name, value] = split(option);
  if (name == "gpu-architecture" || name == "arch") {
    meaning.real = value.starts_with("sm_");
    if (!meaning.real && !value.starts_with("compute_")) return false;
    meaning.architecture = std::atoi(value.c_str() + value.find('_') + 1);
    return std::ranges::find(architectures, meaning.architecture) != std::end(architectures);
  }
  if (name == "fmad") {
    meaning.contract = value == "true";
    return value == "true" || value == "false";
  }
  if (name == "use_fast_math") {
    meaning.contract = true;
    return value.empty();
  }
  constexpr const char* harmless[] = {"std",
                                      "ftz",
                                      "prec-div",
                                      "prec-sqrt",
                                      "Ofast-compile",
                                      "Ofc",
                                      "lineinfo",
                                      "generate-line-info",
                                      "minimal",
                                      "device-as-default-execution-space",
                                      "default-device",
                                      "restrict",
                                      "extra-device-vectorization",
                                      "maxrregcount",
                                      "split-compile",
                                      "no-source-include",
                                      "disable-warnings",
                                      "w",
                                      "ptxas-options",
                                      "device-int128"};
  return std::ranges::find(harmless, name) != std::end(harmless);
}

// -- an additional real NVRTC ---------------------------------------------------------------------

template <class F>
F function(void* library, const char* name, F) {
  return reinterpret_cast<F>(dlsym(library, name));
}

// The real NVRTC's errors for a text and one architecture; empty if there are none.
std::string objections(void* library, const Program& program, std::vector<std::string> options,
                       const std::string& architecture) {
  const auto create = function(library, "nvrtcCreateProgram", &nvrtcCreateProgram);
  const auto compile = function(library, "nvrtcCompileProgram", &nvrtcCompileProgram);
  const auto log_size = function(library, "nvrtcGetProgramLogSize", &nvrtcGetProgramLogSize);
  const auto log = function(library, "nvrtcGetProgramLog", &nvrtcGetProgramLog);
  const auto destroy = function(library, "nvrtcDestroyProgram", &nvrtcDestroyProgram);
  if (!create || !compile || !log_size || !log || !destroy) return "this is no NVRTC";
  std::erase_if(options, [](const std::string& option) {
    const std::string name = split(option).first;
    return name == "gpu-architecture" || name == "arch";
  });
  options.push_back("--gpu-architecture=" + architecture);
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  nvrtcProgram real = nullptr;
  if (create(&real, program.text.c_str(), program.name.c_str(), 0, nullptr, nullptr) != 0)
    return "nvrtcCreateProgram fails";
  std::string words;
  if (compile(real, static_cast<int>(arguments.size()), arguments.data()) != 0) {
    std::size_t size = 0;
    log_size(real, &size);
    words.resize(size);
    log(real, words.data());
    words = "NVRTC for " + architecture + ": " + words.c_str();
  }
  destroy(&real);
  return words;
}

std::string real_objections(const Program& program, const std::vector<std::string>& options) {
  static void* const library = [] {
    const char* const file = std::getenv("FAKE_CUDA_NVRTC");
    void* const opened = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (file && !opened) mistake(std::string("FAKE_CUDA_NVRTC: ") + dlerror());
    return opened;
  }();
  if (!library) return {};
  const char* const chosen = std::getenv("FAKE_CUDA_NVRTC_ARCHS");
  std::istringstream list(chosen ? chosen : "sm_75,sm_80,sm_90,sm_100");
  for (std::string architecture; std::getline(list, architecture, ',');)
    if (std::string words = objections(library, program, options, architecture); !words.empty())
      return words;
  return {};
}

template <class Get>
nvrtcResult give(nvrtcProgram handle, const Get& get, char* to, std::size_t* size) {
  Program* const program = program_of(handle);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  const std::string& content = get(*program);
  if (size) *size = content.size();
  if (to) std::memcpy(to, content.data(), content.size());
  return NVRTC_SUCCESS;
}

const std::string& log_of(const Program& program) { return program.log; }
const std::string& image_of(const Program& program) { return program.image; }
const std::string& ptx_of(const Program& program) { return program.ptx; }

}  // namespace

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS: return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_PROGRAM_CREATION_FAILURE: return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case NVRTC_ERROR_INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION: return "NVRTC_ERROR_COMPILATION";
  }
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(architectures));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* to) {
  std::ranges::copy(architectures, to);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name,
                               int headers, const char* const*, const char* const*) {
  if (!program || !source || headers != 0) return NVRTC_ERROR_INVALID_INPUT;
  *program = reinterpret_cast<nvrtcProgram>(
      new Program{source, name ? name : "default_program", {}, {}, std::string(1, '\0')});
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
  delete program_of(*program);
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int count, const char* const* options) {
  Program* const program = program_of(handle);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  const auto end = [&](nvrtcResult result, const std::string& log) {
    program->log = log + '\0';
    return result;
  };
  Meaning meaning;
  const std::vector<std::string> all(options, options + count);
  for (const std::string& option : all)
    if (!understand(option, meaning))
      return end(
          NVRTC_ERROR_INVALID_OPTION,
          "nvrtc: error: invalid value for --gpu-architecture, or unknown option: " + option);
  ++Machine::get().counts.compilations;
  if (Machine::get().faults.strikes("compile"))
    return end(NVRTC_ERROR_COMPILATION, "kernel.cu(1): error: a fault was asked for");
  if (const std::string words = real_objections(*program, all); !words.empty())
    return end(NVRTC_ERROR_COMPILATION, words);
  Compiled compiled = compile(program->text, meaning.architecture, meaning.contract);
  if (!compiled.ok) return end(NVRTC_ERROR_COMPILATION, compiled.log);
  program->ptx = image_to_ptx(compiled.image, meaning.architecture) + '\0';
  program->image = meaning.real ? std::move(compiled.image) : std::string();
  program->compiled = true;
  return end(NVRTC_SUCCESS, "");
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
  return give(program, ptx_of, nullptr, size);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  return give(program, ptx_of, ptx, nullptr);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  return give(program, image_of, nullptr, size);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  return give(program, image_of, cubin, nullptr);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  return give(program, log_of, nullptr, size);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return give(program, log_of, log, nullptr);
}
