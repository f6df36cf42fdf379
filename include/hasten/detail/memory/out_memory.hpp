// Memory of the caller's for results, typed at run time, and calls that write there.
#pragma once

#include <hasten/detail/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace hasten::detail {

/// Where one array of the results goes; no parts: nowhere.
struct OutMemory {
  struct Part {
    std::byte* begin;
    std::size_t element_bytes;
  };
  std::vector<std::int64_t> shape = {};
  std::vector<Part> parts = {};            // one for each leaf, or one of whole elements
  std::vector<std::int64_t> strides = {};  // in elements; none: row-major without gaps
  /// Of whole elements: writes a result there.
  void (*store_whole)(const HostArray& result, const OutMemory& to) = nullptr;
  Where where = {};
};

/// As execute(), of a program whose results are arrays, with a place for each. Where it can, it
/// computes them there; put_results does the rest. Throws Error if do_overlap(outs).
Results execute_at(const Executable&, std::span<const std::shared_ptr<const HostArray>> arrays,
                   std::span<const LiteralBits> scalars, std::span<const OutMemory> outs);

/// The same in flight. When it is done `deliver` (put_results where none is given) gets the
/// results, on the thread that computed them. The last copy of what is returned stops the call and
/// waits for it, so that nobody writes to the places any more.
std::shared_ptr<PendingResults> execute_async_at(
    std::shared_ptr<const Executable>, std::vector<std::shared_ptr<const HostArray>> arrays,
    std::vector<LiteralBits> scalars, std::vector<OutMemory> outs,
    std::function<void(std::span<const OutMemory>, Results)> deliver);
std::shared_ptr<PendingResults> execute_async_at(
    std::shared_ptr<const Executable>, std::vector<std::shared_ptr<const HostArray>> arrays,
    std::vector<LiteralBits> scalars, std::vector<OutMemory> outs);

/// Brings results that are elsewhere to their places, from devices without another copy. Places
/// may be memory that results are in. Throws ShapeError at the first place of another shape, before
/// anything is written.
void put_results(std::span<const OutMemory> outs, Results results);

/// Whether two places do; of places with strides nobody asks, which may lie in each other's gaps.
[[nodiscard]] bool do_overlap(std::span<const OutMemory> outs);
[[noreturn]] void throw_no_out(std::span<const std::int64_t> shape, const Where& where);

}  // namespace hasten::detail
