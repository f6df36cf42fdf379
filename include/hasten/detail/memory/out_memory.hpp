// Caller-owned memory for results, typed at run time, and calls that write to it.
#pragma once

#include <hasten/detail/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hasten::detail {

/// The destination of one array of the results; without parts, there is none.
struct OutMemory {
  struct Part {
    std::byte* begin;
    std::size_t element_bytes;
  };
  std::vector<std::int64_t> shape = {};
  std::vector<Part> parts = {};            // one per leaf, or one for whole elements
  std::vector<std::int64_t> strides = {};  // in elements; empty: row-major without gaps
  /// For whole elements: writes a result to its destination.
  void (*store_whole)(const HostArray& result, const OutMemory& to) = nullptr;
  Where where = {};
};

/// Like execute(), for a program whose results are arrays, with a destination for each. Computes
/// results in place if possible; put_results does the rest. Throws Error if do_overlap(outs).
Results execute_at(const Executable&, std::span<const std::shared_ptr<const HostArray>> arrays,
                   std::span<const LiteralBits> scalars, std::span<const OutMemory> outs);

/// Likewise as a call in flight. When it is done, `deliver` (by default put_results) receives the
/// results, on the thread that computed them. Destruction of the last copy of the returned pointer
/// stops the call and waits for it, so that nothing writes to the destinations any more.
std::shared_ptr<PendingResults> execute_async_at(
    std::shared_ptr<const Executable>, std::vector<std::shared_ptr<const HostArray>> arrays,
    std::vector<LiteralBits> scalars, std::vector<OutMemory> outs,
    std::function<void(std::span<const OutMemory>, Results)> deliver);
std::shared_ptr<PendingResults> execute_async_at(
    std::shared_ptr<const Executable>, std::vector<std::shared_ptr<const HostArray>> arrays,
    std::vector<LiteralBits> scalars, std::vector<OutMemory> outs);

/// Copies results that are elsewhere to their destinations, directly from devices. Destinations may
/// alias the memory of results. Throws ShapeError for the first destination of another shape,
/// before anything is written.
void put_results(std::span<const OutMemory> outs, Results results);

/// Whether two destinations overlap. Destinations with strides are not tested, since they may
/// interleave in each other's gaps.
[[nodiscard]] bool do_overlap(std::span<const OutMemory> outs);
[[noreturn]] void throw_no_out(std::span<const std::int64_t> shape, const Where& where);

}  // namespace hasten::detail
