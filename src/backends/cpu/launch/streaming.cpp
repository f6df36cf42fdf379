// Half a line that is stored past the caches waits for its other half. Where several arrays are
// written and much is computed between the halves, processors send incomplete lines: elements with
// nine results and two hundred operations are three times as fast with ordinary stores.
#include "backends/cpu/launch/streaming.hpp"

#include "backends/cpu/launch/spaces.hpp"

namespace hasten::backends::cpu {
namespace {

constexpr double stream_nanoseconds = 0.5;  // of a result
// Rows of a map that do not begin on lines have two more partial vectors.
constexpr std::int64_t unaligned_row_bytes = 4096;

// Whether halves of lines would wait too long, with this many results per element.
bool wait_too_long(const LoadedKernel& kernel, std::size_t results) {
  return results > 1 &&
         kernel.schedule.nanoseconds > stream_nanoseconds * static_cast<double>(results);
}

// The loops write disjoint parts of the result.
bool streams_loops(const LoadedKernel& kernel, const LaunchArguments& arguments,
                   const Caches& caches) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kernel.output_bytes.size(); ++i)
    if (!kernel.imaginary[i]) bytes += kernel.output_bytes[i];
  return exceeds(caches, static_cast<std::int64_t>(bytes) * arguments.output_size, arguments);
}

}  // namespace

// Inputs pass through the cache too, usually as many bytes: where both together are half as large
// again as the cache, few of the results would be left there for their readers.
bool exceeds(const Caches& caches, std::int64_t written, const LaunchArguments& arguments) {
  if (caches.surely_hold(written * 2)) return false;
  const std::int64_t last = caches.last();
  return arguments.inputs.empty() ? written > last : written > last / 4 * 3;
}

bool comes_from_memory(const Caches& caches, std::int64_t elements, CacheLevel level) {
  const std::int64_t bytes = 4 * elements;
  if (caches.surely_hold(bytes)) return false;
  return bytes > (level == CacheLevel::second ? caches.second() : caches.last() / 4 * 3);
}

bool streams(const LoadedKernel& kernel, const LaunchArguments& arguments, const Caches& caches) {
  if (wait_too_long(kernel, kernel.output_bytes.size())) return false;
  const bool is_map = kernel.skeleton == kernels::Skeleton::map;
  // Steps of a scan's columns come between the vectors of a row, which must be whole lines.
  const bool in_columns = kernel.has_columns && kernel.lanes == kernels::FoldLanes::outer;
  const std::int64_t row = arguments.extents[kernel.rank - (in_columns ? 2 : 1)];
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < kernel.output_bytes.size(); ++i) {
    const auto size = static_cast<std::int64_t>(kernel.output_bytes[i]);
    const std::int64_t row_bytes = row * size;
    if (in_columns && kernel.schedule.lanes * size % 64 != 0) return false;
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(arguments.outputs[i]) % 64 == 0 &&
        (kernel.rank == 1 || row_bytes % 64 == 0 || (is_map && row_bytes >= unaligned_row_bytes));
    if (!aligned) return false;
    bytes += size * product(arguments.extents);
  }
  return exceeds(caches, bytes, arguments);
}

bool streams_writes(const LoadedKernel& kernel, const LaunchArguments& arguments,
                    const Caches& caches) {
  if (!kernel.unique) return false;
  if (!kernel.loop_ranks.empty()) return streams_loops(kernel, arguments, caches);
  std::size_t results = 0, bytes = 0;  // of an element
  for (std::size_t i = 0; i < kernel.output_bytes.size(); ++i) {
    if (kernel.imaginary[i]) continue;
    results += kernel.writes;
    bytes += kernel.writes * kernel.output_bytes[i];
  }
  if (wait_too_long(kernel, results)) return false;
  return exceeds(caches, static_cast<std::int64_t>(bytes) * product(arguments.extents), arguments);
}

// The memory of overwritten inputs is in the caches already, because it has just been read.
std::int64_t map_flags(const LoadedKernel& kernel, const LaunchArguments& arguments,
                       const Caches& caches) {
  const auto is_input = [&](const std::byte* output) {
    return std::ranges::find(arguments.inputs, output) != arguments.inputs.end();
  };
  if (std::ranges::any_of(arguments.outputs, is_input)) return run_in_place;
  return streams(kernel, arguments, caches) ? run_stream : run_plain;
}

}  // namespace hasten::backends::cpu
