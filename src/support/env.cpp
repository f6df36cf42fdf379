// Reads the environment on every call: tests change it, and no fast path uses this.
#include "support/env.hpp"

#include "support/lines.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>

namespace hasten::support {
namespace {

constexpr Switch table[] = {
    {"HASTEN_TARGET", "the machine's best",
     "where programs run that name no target: cpu, interpreter, opencl:0, cuda:0, multi:..."},
    {"HASTEN_THREADS", "as many as the process may run", "threads of the CPU target, 1 to 4096"},
    {"HASTEN_MACHINE", "what is kept of it, else measured when somebody asks",
     "facts of the CPU target's machine: `remeasure` measures them anew, `off` takes those of a "
     "common machine, all else is a file of them"},
    {"HASTEN_BLAS_LIBRARY", "OpenBLAS, BLIS or libblas", "file of the BLAS that blas.hpp calls"},
    {"HASTEN_FFTW_LIBRARY", "libfftw3.so.3", "file of the FFTW of doubles that fft.hpp calls"},
    {"HASTEN_FFTWF_LIBRARY", "libfftw3f.so.3", "file of the FFTW of floats that fft.hpp calls"},
    {"HASTEN_CUBLAS_LIBRARY", "libcublas.so.13, 12 or 11",
     "file of the cuBLAS that blas.hpp calls on CUDA devices"},
    {"HASTEN_CUFFT_LIBRARY", "libcufft.so.12, 11 or 10",
     "file of the cuFFT that fft.hpp calls on CUDA devices"},
    {"HASTEN_CPU_WIDTH", "the machine's", "vector width of the CPU target in bits: 128, 256, 512"},
    {"HASTEN_CUDA_LIBRARY", "libcuda.so.1", "file of NVIDIA's driver for the CUDA target"},
    {"HASTEN_NVRTC_LIBRARY", "the newest that the driver can use",
     "file of NVRTC, the compiler of the CUDA target"},
    {"HASTEN_OPENCL_LIBRARY", "libOpenCL.so.1", "file of OpenCL's loader, or of one driver"},
    {"HASTEN_OPENCL_SUBDEVICES", "1",
     "equal parts that each OpenCL device is split into, if it can be: opencl:0, opencl:1..."},
    {"HASTEN_OPENCL_SORT", "the host's functions, on processors",
     "`kernels`: OpenCL devices that are processors sort by kernels, as others do"},
    {"HASTEN_DEVICE_MEMORY", "seven eighths of what the device has",
     "bytes of arrays a device may hold, with K, M, G or T behind the number if you like"},
    {"HASTEN_DEVICE_EXACT", "off",
     "any text: device memory of exactly the size that is needed, and none kept, for tools that "
     "watch it"},
    {"HASTEN_INDEX_LIMIT", "1073741824",
     "elements of the largest array that devices index with 32 bits; more than that is never "
     "taken"},
    {"HASTEN_CACHE_DIR", "$XDG_CACHE_HOME/hasten, ~/.cache/hasten",
     "folder of the kernel cache and of measured facts; `off` keeps them in memory only"},
    {"HASTEN_DUMP", "nothing",
     "comma-separated stages written to standard error: surface, core, fused, kernels, plan, llvm, "
     "asm, opencl, cuda; with dir=PATH among them, to files in that folder"},
    {"HASTEN_TRACE", "nothing",
     "file for a Chrome/Perfetto trace of compilations, launches and copies"},
    {"HASTEN_PROFILE", "off",
     "any text: profiles of all programs that ran, on standard error when the process ends"},
    {"HASTEN_PERF", "off",
     "any text: the CPU target names its code in /tmp/perf-PID.map, for `perf report`"},
    {"HASTEN_DEBUG", "0", "1: devices; 2: kernels and times; 3: passes; 4: calls"},
    {"HASTEN_FISSION_SEED", "0",
     "chance decides which operations of a program for several devices are cut; 0: all that can "
     "be"},
    {"HASTEN_STREAMING", "0",
     "a number from 1 to 256: all calls go through their devices in so many parts, for tests"},
    {"HASTEN_FUSION_SEED", "0",
     "a number other than 0: fusion decides at random among what is legal, for tests"},
    {"HASTEN_WATCH_KERNELS", "on in a library compiled with AddressSanitizer, else off",
     "1: AddressSanitizer, which must be in the process, watches the CPU target's code, too"},
    {"HASTEN_SKIP_PASS", "nothing", "comma-separated passes that are left out"},
};

void warn_of_number(const char* name, const std::string& text, const std::string& wanted) {
  if (text.empty()) return;
  const auto* row = std::ranges::find(table, std::string_view(name), &Switch::name);
  const std::string otherwise = row == std::end(table) ? "nothing" : row->default_value;
  warn_of_env(name, "\"" + text + "\" is no " + wanted + "; what is taken: " + otherwise);
}

}  // namespace

std::span<const Switch> switches() { return table; }

std::string env(const char* name) {
  const char* value = ::secure_getenv(name);  // a program with others' rights trusts none
  return value ? value : "";
}

std::optional<std::int64_t> env_number(const char* name, NumberRange range) {
  const std::string text = env(name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && range.least <= number && number <= range.most) return number;
  std::string wanted = "whole number";
  if (range.most < NumberRange{}.most)
    wanted += " from " + std::to_string(range.least) + " to " + std::to_string(range.most);
  else if (range.least > NumberRange{}.least)
    wanted += " of at least " + std::to_string(range.least);
  warn_of_number(name, text, wanted);
  return std::nullopt;
}

namespace {

std::optional<std::size_t> bytes_of(std::string_view text) {
  std::size_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || last - end > 1) return std::nullopt;
  if (end == last) return number;
  const std::size_t unit = std::string_view("KMGT").find(*end);
  if (unit == std::string_view::npos) return std::nullopt;
  const std::size_t shift = 10 * (unit + 1);
  if (number > std::numeric_limits<std::size_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

}  // namespace

std::optional<std::size_t> env_bytes(const char* name) {
  const std::string text = env(name);
  const auto bytes = bytes_of(text);
  if (!bytes)
    warn_of_number(name, text, "number of bytes, with K, M, G or T behind it if you like");
  return bytes;
}

std::vector<std::string> env_words(const char* name) {
  std::vector<std::string> words;
  const std::string list = env(name);
  for (const std::string_view item : split(list, ','))
    if (!item.empty()) words.emplace_back(item);
  return words;
}

void warn_of_env(const char* name, const std::string& what) {
  static std::mutex mutex;
  static auto& warned = *new std::set<std::string, std::less<>>;  // outlives static objects
  {
    const std::lock_guard lock(mutex);
    if (!warned.emplace(name).second) return;
  }
  const std::string line = std::string("hasten: ") + name + ": " + what + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string cannot_write(const std::string& path, int error) {
  return path + " cannot be written: " + std::generic_category().message(error);
}

void warn_of_unknown_words(const char* name, const char* noun,
                           std::span<const std::string_view> known, std::string_view setting) {
  for (const std::string& word : env_words(name)) {
    if (std::ranges::find(known, word) != known.end()) continue;
    if (!setting.empty() && word.starts_with(setting)) continue;
    std::string there;
    for (const std::string_view each : known)
      there += (there.empty() ? "" : ", ") + std::string(each);
    return warn_of_env(
        name, std::string("there is no ") + noun + " \"" + word + "\"; there are " + there);
  }
}

bool env_has(const char* name, const std::string& word) {
  const std::string list = "," + env(name) + ",";
  return list.find("," + word + ",") != std::string::npos;
}

}  // namespace hasten::support
