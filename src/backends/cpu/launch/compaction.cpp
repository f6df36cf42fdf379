// Each element is computed once and in one pass over memory: a tile's kept elements are buffered in
// the task's own memory, which stays in its core's cache, until the tiles before it are counted.
#include "backends/cpu/launch/compaction.hpp"

#include "backends/cpu/launch/streaming.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace hasten::backends::cpu {
namespace {

// Copies past the caches. Lines that are not whole go through them: others write the rest.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __x86_64__
  constexpr std::size_t line = 64;
  const std::size_t ahead =
      std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  std::memcpy(to, from, ahead);
  to += ahead, from += ahead, bytes -= ahead;
  for (; bytes >= line; to += line, from += line, bytes -= line)
    for (std::size_t i = 0; i < line; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  _mm_sfence();
#endif
  std::memcpy(to, from, bytes);
}

constexpr std::int64_t whole_tile = 16384;  // elements
constexpr std::int64_t slack = 64;          // elements that a vector store may write past the end

/// One output: it has its own memory in a task, unless it is the imaginary part of the one before.
struct Output {
  std::size_t element_bytes;
  bool imaginary;
};

std::vector<Output> outputs_of(const LoadedKernel& kernel) {
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < kernel.output_bytes.size(); ++i)
    outputs.push_back({kernel.output_bytes[i], kernel.imaginary[i]});
  return outputs;
}

/// Memory for the kept elements of a tile, and the frame that points to it.
class Room {
 public:
  Room(const LoadedKernel& kernel, const std::uint64_t* frame, std::int64_t elements)
      : frame_(frame, frame + kernel.layout.words) {
    for (const Output& output : outputs_of(kernel)) {
      if (!output.imaginary)
        memory_.push_back(std::make_unique_for_overwrite<std::byte[]>(
            static_cast<std::size_t>(elements + slack) * output.element_bytes));
      frame_[kernel.layout.outputs + addresses_.size()] =
          reinterpret_cast<std::uintptr_t>(memory_.back().get());
      addresses_.push_back(memory_.back().get());
    }
  }
  [[nodiscard]] const std::uint64_t* frame() const { return frame_.data(); }
  [[nodiscard]] const std::byte* operator[](std::size_t output) const { return addresses_[output]; }

 private:
  std::vector<std::uint64_t> frame_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<const std::byte*> addresses_;
};

class Compaction {
 public:
  Compaction(const LoadedKernel& kernel, const LaunchArguments& arguments, const Caches& caches,
             std::span<std::byte* const> to)
      : kernel_(kernel),
        arguments_(arguments),
        caches_(caches),
        size_(arguments.extents[0]),
        outputs_(outputs_of(kernel)),
        to_(to) {}

  /// Takes tiles in order. Every wait ends: the task that is waited for is already running.
  void take_tiles(const Room& room) {
    for (std::int64_t i = next_++; i * whole_tile < size_; i = next_++) {
      const std::int64_t begin = i * whole_tile, end = std::min(size_, begin + whole_tile);
      std::uint64_t count = 0;
      if (!support::is_stopped(arguments_.stop))
        kernel_.run.of(Form::usual)(room.frame(), 0, 1, begin, end, &count, run_plain);
      if (support::is_stopped(arguments_.stop)) count = 0;  // the count may be incomplete
      const auto kept = static_cast<std::int64_t>(count);
      wait_for(i);
      const std::int64_t before = kept_;
      kept_ += kept;
      counted_.store(i + 1, std::memory_order_release);
      counted_.notify_all();
      const std::size_t part = kernel_.parts ? outputs_.size() / 2 : outputs_.size();
      const bool past = go_past_caches(before + kept, end);
      for (std::size_t output = 0; output < outputs_.size(); ++output) {
        if (output < part)
          copy(room, output, before, kept, past);
        else
          copy(room, output, begin - before, end - begin - kept, past);
      }
    }
  }
  [[nodiscard]] std::int64_t kept() const { return kept_; }

 private:
  // Whether the caches will not hold the results, if as many elements are kept as of those before
  // `end`, and so no reader finds them there.
  [[nodiscard]] bool go_past_caches(std::int64_t kept, std::int64_t end) const {
    std::size_t bytes = 0;
    for (const Output& output : outputs_) bytes += output.imaginary ? 0 : output.element_bytes;
    const double share = kernel_.parts ? 0.5 : static_cast<double>(kept) / static_cast<double>(end);
    const double all = share * static_cast<double>(size_) * static_cast<double>(bytes);
    return exceeds(caches_, static_cast<std::int64_t>(all), arguments_);
  }

  void copy(const Room& room, std::size_t output, std::int64_t to, std::int64_t count,
            bool past) const {
    const auto [bytes, imaginary] = outputs_[output];
    if (imaginary || count == 0) return;
    std::byte* const place = to_[output] + static_cast<std::size_t>(to) * bytes;
    const std::size_t size = static_cast<std::size_t>(count) * bytes;
    if (past)
      copy_past_caches(place, room[output], size);
    else
      std::memcpy(place, room[output], size);
  }

  void wait_for(std::int64_t tiles) const {
    for (int spin = 0; spin < 2000; ++spin)
      if (counted_.load(std::memory_order_acquire) >= tiles) return;
    for (std::int64_t seen = counted_.load(std::memory_order_acquire); seen < tiles;
         seen = counted_.load(std::memory_order_acquire))
      counted_.wait(seen, std::memory_order_acquire);
  }

  const LoadedKernel& kernel_;
  const LaunchArguments& arguments_;
  const Caches& caches_;
  const std::int64_t size_;
  const std::vector<Output> outputs_;
  const std::span<std::byte* const> to_;
  std::atomic<std::int64_t> next_{0}, counted_{0};  // tiles
  std::int64_t kept_ = 0;                           // of those that are counted
};

}  // namespace

void compact(const LoadedKernel& kernel, const std::uint64_t* frame,
             const LaunchArguments& arguments, const Caches& caches, std::int64_t threads,
             const std::function<void(std::int64_t, const std::function<void()>&)>& in_parallel) {
  const std::int64_t size = arguments.extents[0];
  const std::int64_t tasks =
      std::clamp<std::int64_t>((size + whole_tile - 1) / whole_tile, 1, threads);
  std::vector<Room> rooms;  // before any task waits for another
  for (std::int64_t i = 0; i < tasks; ++i)
    rooms.emplace_back(kernel, frame, std::min(size, whole_tile));
  Compaction compaction(kernel, arguments, caches,
                        arguments.kept->take(size, kernel.parts ? size : 0));
  std::atomic<std::size_t> room{0};
  in_parallel(tasks, [&] { compaction.take_tiles(rooms[room++]); });
  const std::int64_t kept = compaction.kept();
  arguments.kept->close(kept, kernel.parts ? size - kept : 0);
}

}  // namespace hasten::backends::cpu
