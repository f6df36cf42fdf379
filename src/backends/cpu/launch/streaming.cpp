// Half a line that is stored past the caches waits for its other half. Where several arrays are
// written and much is computed between the halves, processors send what they have: elements of
// nine results and two hundred operations are three times as fast by stores that do not stream.
#include "backends/cpu/launch/streaming.hpp"

namespace hasten::backends::cpu {
namespace {

constexpr double stream_nanoseconds = 0.5;  // of a result

std::int64_t product(std::span<const std::int64_t> extents) {
  std::int64_t result = 1;
  for (const std::int64_t extent : extents) result *= extent;
  return result;
}

// Halves of lines would wait too long, of so many results of an element.
bool wait_too_long(const LoadedKernel& kernel, std::size_t results) {
  return results > 1 &&
         kernel.schedule.nanoseconds > stream_nanoseconds * static_cast<double>(results);
}

}  // namespace

bool streams(const LoadedKernel& kernel, const LaunchArguments& arguments,
             std::int64_t cache_bytes) {
  if (wait_too_long(kernel, kernel.output_bytes.size())) return false;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < kernel.output_bytes.size(); ++i) {
    const auto size = static_cast<std::int64_t>(kernel.output_bytes[i]);
    const bool aligned = reinterpret_cast<std::uintptr_t>(arguments.outputs[i]) % 64 == 0 &&
                         (kernel.rank == 1 || arguments.extents.back() * size % 64 == 0);
    if (!aligned) return false;
    bytes += size * product(arguments.extents);
  }
  return bytes > cache_bytes;
}

bool streams_writes(const LoadedKernel& kernel, const LaunchArguments& arguments,
                    std::int64_t cache_bytes) {
  if (!kernel.unique) return false;
  std::size_t results = 0, bytes = 0;  // of an element
  for (std::size_t i = 0; i < kernel.output_bytes.size(); ++i) {
    if (kernel.imaginary[i]) continue;
    results += kernel.writes;
    bytes += kernel.writes * kernel.output_bytes[i];
  }
  if (wait_too_long(kernel, results)) return false;
  return static_cast<std::int64_t>(bytes) * product(arguments.extents) > cache_bytes;
}

}  // namespace hasten::backends::cpu
