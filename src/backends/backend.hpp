// The interface between the runtime, which runs programs (src/runtime), and the code for one
// machine (src/backends/*).
//
// A backend compiles kernels to bytes that can be kept on disk, loads them, and launches them over
// an iteration space. It knows nothing of programs. Everything here is thread-safe.
#pragma once

#include "backends/code_store.hpp"
#include "backends/facts.hpp"
#include "backends/sorted_keys.hpp"
#include "core/traverse.hpp"
#include "kernels/kernel.hpp"
#include "support/stopping.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::backends {

/// The options that code is compiled for, beside the kernel: part of its key.
struct CompileOptions {
  bool contract = false;      // FastMath::contract or all: a*b+c may be fused
  bool fast_math = false;     // FastMath::all
  bool own_math = false;      // Determinism::everywhere: the same bits on every target
  bool polls = false;         // long loops test LaunchArguments::stop, where that costs something
  bool foreign_text = false;  // calls functions of the user's text, and so any built-in one
};
/// The form in which options are kept with code from which more may be compiled later; without
/// `foreign_text`.
constexpr std::byte packed(const CompileOptions& options) {
  return static_cast<std::byte>((options.contract ? 1 : 0) | (options.fast_math ? 2 : 0) |
                                (options.own_math ? 4 : 0) | (options.polls ? 8 : 0));
}
constexpr CompileOptions unpacked(std::byte options) {
  const auto has = [&](std::byte bit) { return (options & bit) != std::byte{0}; };
  return {has(std::byte{1}), has(std::byte{2}), has(std::byte{4}), has(std::byte{8})};
}

/// Loaded code of one kernel. Dropping the last reference unloads it.
class Code {
 public:
  virtual ~Code() = default;

  /// How much launches have compiled since it was loaded, for other extents; null: nothing.
  std::shared_ptr<std::atomic<std::int64_t>> compiled_later;
};

/// Provides device memory that a launch needs while it runs. The memory is returned when the call
/// has returned, and may then be reused: a backend executes commands in order.
class ScratchMemory {
 public:
  virtual ~ScratchMemory() = default;
  /// Throws MemoryError when none is left.
  [[nodiscard]] virtual std::byte* take(std::size_t bytes) = 0;
};

/// Provides the outputs of a compaction, which alone knows how many elements it keeps.
class KeptMemory {
 public:
  virtual ~KeptMemory() = default;
  /// Allocates memory for `kept` elements that are kept, and `others` that are not (0 if there are
  /// no outputs for them), and returns its addresses by Kernel::outputs. Called once per launch.
  /// Throws MemoryError.
  [[nodiscard]] virtual std::span<std::byte* const> take(std::int64_t kept,
                                                         std::int64_t others) = 0;
  /// The final numbers. A backend that does not work in host memory has asked for exactly these.
  virtual void close(std::int64_t kept, std::int64_t others) = 0;
};

struct LaunchArguments {
  std::span<const std::int64_t> extents;  // of the space, one per axis; all > 0, except
                                          // fold: the last may be 0 when there is a seed,
                                          // scan: the last may be 0; scatter with a seed: any
  // In the backend's memory: by Kernel::inputs, and by Kernel::outputs. In host memory the
  // guarantees of Buffer hold.
  std::span<const std::byte* const> inputs;
  std::span<std::byte* const> outputs;
  std::span<const std::uint64_t> scalars;  // by Kernel::scalars: bits, low bytes
                                           // (complex ones stand twice, in parts)
  std::int64_t output_size = 0;            // scatter: elements of each output
  /// Elements of the largest of these arrays; code for smaller arrays may be faster.
  std::int64_t largest_array = std::numeric_limits<std::int64_t>::max();
  ScratchMemory* scratch = nullptr;  // of backends that do not work in host memory
  KeptMemory* kept = nullptr;        // compact, which has no `outputs`
  /// When it is set, loops in scalar code end and outputs are invalid: in code that polls, for a
  /// word of make_stop_word; on targets that work in host memory, in all code, for any word.
  const support::StopWord* stop = nullptr;
  bool* in_parallel = nullptr;  // set by a backend with threads that has cut the launch for several
  /// The number of elements of each input; empty if not known.
  std::span<const std::int64_t> input_sizes = {};
};

/// The commands that one call has enqueued on a device: the launches, sorts and replays of the
/// thread that created this object, while it lives. With nested calls they belong to the innermost
/// one. Not to be moved between threads.
class Work {
 public:
  virtual ~Work() = default;
  /// Waits for these commands, and not for those of other calls. Throws their errors.
  virtual void finish() = 0;
};

/// A queue of a device, for commands that the user's own code enqueues. It stays on its thread.
class ForeignQueue {
 public:
  /// Without `close`: waits for the commands enqueued so far.
  virtual ~ForeignQueue() = default;
  /// Same as detail::ForeignDevice's.
  [[nodiscard]] virtual void* queue() const = 0;
  [[nodiscard]] virtual void* context() const = 0;
  [[nodiscard]] virtual void* device() const = 0;
  /// Commands enqueued from now on run after the current users of this memory, and may write it.
  virtual void writes(std::byte* address) = 0;
  /// All commands are enqueued: later users of the memory they read or wrote run after them.
  virtual void close() = 0;
};

/// Memory owned by others that kernels read in place.
struct Adopted {
  std::byte* address = nullptr;      // null: it cannot be used
  std::shared_ptr<void> owner = {};  // keeps the memory alive
  std::string refusal = {};          // the reason, and how to remedy it
};

/// One of the launches of a replay.
struct RecordedLaunch {
  const Code* code;
  LaunchArguments arguments;
};

/// Launches that are repeated with the same memory and numbers.
class Replay {
 public:
  virtual ~Replay() = default;
  /// Equivalent to launching all of them, in their order, `times` times.
  virtual void run(std::int64_t times) = 0;
};

/// Bytes in host memory that belong at this offset of a block.
struct HostPiece {
  std::size_t offset;
  std::span<const std::byte> bytes;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// "cpu"; same as Target::name().
  [[nodiscard]] virtual std::string name() const = 0;
  /// One line for `hasten info`: the device and its main properties.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Identifies code generator version, library versions and device: compiled bytes are valid only
  /// where this string is equal.
  [[nodiscard]] virtual std::string fingerprint() const = 0;
  /// What tables and drivers report of the device, immediately: nothing is measured.
  [[nodiscard]] virtual Facts facts() const { return {}; }
  /// One line that identifies everything `measure` depends on; empty if that equals `facts`.
  [[nodiscard]] virtual std::string facts_key() const { return {}; }
  /// Those facts, and what a fraction of a second of measuring adds. Callers use
  /// runtime/report/machine_facts.hpp, which caches them.
  [[nodiscard]] virtual Facts measure() const { return facts(); }
  [[nodiscard]] virtual bool supports(core::ScalarType) const = 0;
  /// False in a process that is ending, once exit() has destroyed what compiling needs.
  [[nodiscard]] virtual bool can_compile() const { return true; }
  /// The target whose foreign functions it calls; none: the fallbacks are computed, and kernels
  /// have no calls.
  [[nodiscard]] virtual std::optional<detail::ForeignTarget> foreign_target() const { return {}; }

  /// Called once, before anything is compiled.
  virtual void keep_code_in(std::shared_ptr<const CodeStore>) {}

  /// Slow; called from several threads concurrently.
  [[nodiscard]] virtual std::vector<std::byte> compile(const kernels::Kernel&,
                                                       const CompileOptions&) = 0;
  [[nodiscard]] virtual std::shared_ptr<const Code> load(const kernels::Kernel&,
                                                         std::span<const std::byte>) = 0;
  /// How the code runs the kernel, in words, for explain(): the extents of lanes, tiles and panels.
  [[nodiscard]] virtual std::string describe_schedule(const kernels::Kernel&, const Code&) const {
    return {};
  }
  /// A word, initially 0, that running kernels see the host set. Null: the device has none.
  [[nodiscard]] virtual std::shared_ptr<support::StopWord> make_stop_word() { return nullptr; }

  /// Runs the kernel over the whole space and returns when it is done; a backend with its own
  /// memory may return earlier, and executes later commands afterwards. Results never depend on the
  /// number of threads. Throws MemoryError when there is no memory for what it needs while it runs
  /// (also thrown by `scratch`); then the launch may be repeated: outputs that it updates (scatter)
  /// are unchanged. A compaction returns when the number of kept elements is known. A backend that
  /// works in host memory throws Stopped when `stop` was set meanwhile.
  virtual void launch(const Code&, const LaunchArguments&) = 0;

  /// Null: launching one by one is as good. The arguments of the launches, and what they take from
  /// `scratch` now, must stay valid for every run of the replay. Throws as launches do, without
  /// other effects.
  [[nodiscard]] virtual std::unique_ptr<Replay> record(std::span<const RecordedLaunch>) {
    return nullptr;
  }
  /// Whether `record` may return a replay.
  [[nodiscard]] virtual bool can_record() const { return false; }

  /// Positions along the innermost axis in ascending order of the keys, whose components are
  /// unsigned integers or bool, compared in their order; stable. `scratch` as for launches.
  virtual void sort_positions(std::span<const std::int64_t> extents,
                              std::span<const core::ScalarType> types,
                              std::span<const std::byte* const> keys, const SortedKeys& to,
                              ScratchMemory* scratch) = 0;

  /// A queue whose commands run after everything that writes these blocks. For a backend with its
  /// own memory that has foreign functions.
  [[nodiscard]] virtual std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<std::byte* const> /*reads*/) {
    return nullptr;
  }

  /// Whether kernels work on host memory. If not, the functions below move arrays; their addresses
  /// are pointers or handles that are valid for this backend alone.
  [[nodiscard]] virtual bool in_host_memory() const { return true; }
  /// As reported by the device; 0 if it does not report it.
  [[nodiscard]] virtual std::size_t memory_bytes() const { return 0; }
  /// Null when there is no memory of that size.
  [[nodiscard]] virtual std::byte* allocate(std::size_t) { return nullptr; }
  virtual void free(std::byte*) {}
  /// `bytes` bytes of memory owned by others, from an offset into what they name it by: a pointer,
  /// or a handle of the device's interface. `owner` keeps the memory alive, and is released with
  /// the owner of the result.
  [[nodiscard]] virtual Adopted adopt(void* /*handle*/, std::uint64_t /*offset*/,
                                      std::size_t /*bytes*/, std::shared_ptr<void> /*owner*/) {
    return {.refusal = "it takes no memory of others'"};
  }
  /// `from` may change once it returns.
  virtual void write(std::byte*, const std::byte* /*from*/, std::size_t) {}
  /// Pieces of host memory, each to its place. This implementation is for addresses that are
  /// pointers.
  virtual void write_pieces(std::byte* to, std::span<const HostPiece> pieces) {
    for (const HostPiece& piece : pieces)
      if (!piece.bytes.empty()) write(to + piece.offset, piece.bytes.data(), piece.bytes.size());
  }
  /// Waits for earlier commands.
  virtual void read(std::byte* /*to*/, const std::byte*, std::size_t) {}
  /// Whether memory can be copied from the other device, or this one, to this one without the host.
  [[nodiscard]] virtual bool can_copy_from(const Backend& /*other*/) const { return false; }
  /// Copies that way, to `offset` bytes behind an address. Both blocks stay valid until it returns,
  /// and then the bytes have arrived.
  virtual void copy_from(std::byte* /*to*/, std::size_t /*offset*/, Backend& /*other*/,
                         const std::byte* /*from*/, std::size_t /*bytes*/) {}
  /// Whether commands of calls on other threads still use the memory. Whoever takes it nevertheless
  /// waits for them.
  [[nodiscard]] virtual bool is_used_by_others(const std::byte*) { return false; }
  /// Waits for all commands. Throws the errors that occurred meanwhile.
  virtual void finish() {}
  /// Called when a call begins.
  [[nodiscard]] virtual std::unique_ptr<Work> begin_work();
  /// Nanoseconds that the launches and sorts in `f` took on the device's own clock, without the
  /// gaps between them; waits for them. Negative: the device has no clock.
  [[nodiscard]] virtual std::int64_t timed(core::FunctionRef<void()> f) {
    f();
    return -1;
  }

  /// The stages a backend can show for HASTEN_DUMP ("llvm", "asm", "opencl", "cuda"); empty text
  /// if it has no such stage.
  [[nodiscard]] virtual std::string dump(const kernels::Kernel&, const CompileOptions&,
                                         const std::string& stage) = 0;
};

/// src/backends/cpu. `threads` 0: HASTEN_THREADS, else as many as may run.
std::shared_ptr<Backend> make_cpu_backend(int threads = 0);

/// src/backends/opencl: the index-th device of all platforms. Null when there is none.
std::shared_ptr<Backend> make_opencl_backend(std::size_t index);
/// For `hasten info`: a device that is not in use yet.
struct DeviceState {
  std::string description;
  Facts facts;
};
/// In the order of their indices; empty, with the reason in `why`, when there are none.
std::vector<DeviceState> opencl_devices(std::string& why);

/// src/backends/cuda: the index-th device of NVIDIA's driver. Null when there is none.
std::shared_ptr<Backend> make_cuda_backend(std::size_t index);
/// Same as opencl_devices.
std::vector<DeviceState> cuda_devices(std::string& why);
/// For `hasten info`: the libraries that the target needs, and where they were searched.
struct LibraryState {
  std::string file;
  bool is_found;
  std::string detail;  // its version, or the error
};
std::vector<LibraryState> cuda_libraries();

}  // namespace hasten::backends
