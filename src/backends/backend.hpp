// The seam between what runs programs (src/runtime) and what knows a machine (src/backends/*).
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

/// What code is compiled for, beside the kernel: part of its key.
struct CompileOptions {
  bool contract = false;   // FastMath::contract or all: a*b+c may be fused
  bool fast_math = false;  // FastMath::all
  bool own_math = false;   // Determinism::everywhere: the same bits on every target
  bool polls = false;      // long loops look at LaunchArguments::stop, where that costs something
  bool foreign_text = false;  // calls functions of the user's text, and so any built-in one
};
/// As they are kept with code of which more may be compiled later, but for `foreign_text`.
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
};

/// Where a launch takes memory of the device that it needs while it runs. It goes back when the
/// call has returned, to whoever is next: a backend does things in the order it was told.
class ScratchMemory {
 public:
  virtual ~ScratchMemory() = default;
  /// Throws MemoryError when there is none left.
  [[nodiscard]] virtual std::byte* take(std::size_t bytes) = 0;
};

/// Where a compaction, which alone knows how many elements it keeps, takes its outputs.
class KeptMemory {
 public:
  virtual ~KeptMemory() = default;
  /// Addresses by Kernel::outputs, of memory for so many elements that are kept, and so many that
  /// are not (0 if there are no outputs for them). Once in a launch. Throws MemoryError.
  [[nodiscard]] virtual std::span<std::byte* const> take(std::int64_t kept,
                                                         std::int64_t others) = 0;
  /// How many there are. A backend that does not work in host memory has asked for no more.
  virtual void close(std::int64_t kept, std::int64_t others) = 0;
};

struct LaunchArguments {
  std::span<const std::int64_t> extents;  // of the space, one per axis; all > 0, except
                                          // fold: the last may be 0 when there is a seed,
                                          // scan: the last may be 0; scatter with a seed: any
  // In the backend's memory: by Kernel::inputs, and by Kernel::outputs. In host memory Buffer's
  // guarantees hold.
  std::span<const std::byte* const> inputs;
  std::span<std::byte* const> outputs;
  std::span<const std::uint64_t> scalars;  // by Kernel::scalars: bits, low bytes
                                           // (complex ones stand twice, in parts)
  std::int64_t output_size = 0;            // scatter: elements of each output
  /// Elements of the largest array among them; code for smaller arrays may be better.
  std::int64_t largest_array = std::numeric_limits<std::int64_t>::max();
  ScratchMemory* scratch = nullptr;  // of backends that do not work in host memory
  KeptMemory* kept = nullptr;        // compact, which has no `outputs`
  /// When it is set, loops in scalar code end and outputs are worth nothing: of code that polls, if
  /// the word is make_stop_word's; on targets that work in host memory, any word and all code.
  const support::StopWord* stop = nullptr;
  bool* in_parallel = nullptr;  // set by a backend of threads that has cut it for several
  /// Elements of each of the inputs; empty: not known.
  std::span<const std::int64_t> input_sizes = {};
};

/// What one call has told a device: the launches, sorts and replays of the thread that made this,
/// as long as it lives. Of calls within calls it is the innermost's. It stays on its thread.
class Work {
 public:
  virtual ~Work() = default;
  /// Waits for it, and not for what others told the device. Throws what went wrong.
  virtual void finish() = 0;
};

/// A queue of a device, for work that the user's own code tells it. It stays on its thread.
class ForeignQueue {
 public:
  /// Without `close`: waits for what was told.
  virtual ~ForeignQueue() = default;
  /// As detail::ForeignDevice's.
  [[nodiscard]] virtual void* queue() const = 0;
  [[nodiscard]] virtual void* context() const = 0;
  [[nodiscard]] virtual void* device() const = 0;
  /// What is told from now on happens after all that uses this memory, which it may write.
  virtual void writes(std::byte* address) = 0;
  /// All was told: whoever uses what it read or wrote comes after it.
  virtual void close() = 0;
};

/// Memory of others' that kernels read where it is.
struct Adopted {
  std::byte* address = nullptr;      // null: it cannot be used
  std::shared_ptr<void> owner = {};  // keeps it
  std::string refusal = {};          // why not, and how to mend it
};

/// One of the launches that a replay does.
struct RecordedLaunch {
  const Code* code;
  LaunchArguments arguments;
};

/// Launches that are done again and again, with the same memory and numbers.
class Replay {
 public:
  virtual ~Replay() = default;
  /// As launching them all, in their order, so many times over.
  virtual void run(std::int64_t times) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// "cpu"; as in Target::name().
  [[nodiscard]] virtual std::string name() const = 0;
  /// One line for `hasten info`: the device and what matters about it.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Identifies code generator version, library versions and device: compiled bytes are valid
  /// exactly where this string is equal.
  [[nodiscard]] virtual std::string fingerprint() const = 0;
  /// What tables and drivers say of the device, at once: nothing is measured.
  [[nodiscard]] virtual Facts facts() const { return {}; }
  /// One line that identifies all that `measure` depends on; empty: it would say what `facts` does.
  [[nodiscard]] virtual std::string facts_key() const { return {}; }
  /// Those facts, and what a part of a second of work tells. Ask runtime/report/machine_facts.hpp,
  /// which keeps them.
  [[nodiscard]] virtual Facts measure() const { return facts(); }
  [[nodiscard]] virtual bool supports(core::ScalarType) const = 0;
  /// False in a process that is ending, once exit() has destroyed what compiles.
  [[nodiscard]] virtual bool can_compile() const { return true; }
  /// Whose foreign functions it calls; none: the fallbacks are computed, and no kernel has calls.
  [[nodiscard]] virtual std::optional<detail::ForeignTarget> foreign_target() const { return {}; }

  /// Called once, before anything is compiled.
  virtual void keep_code_in(std::shared_ptr<const CodeStore>) {}

  /// Slow; called from several threads at once.
  [[nodiscard]] virtual std::vector<std::byte> compile(const kernels::Kernel&,
                                                       const CompileOptions&) = 0;
  [[nodiscard]] virtual std::shared_ptr<const Code> load(const kernels::Kernel&,
                                                         std::span<const std::byte>) = 0;
  /// How the code runs the kernel, in words, for explain(): what lanes, tiles and panels take.
  [[nodiscard]] virtual std::string describe_schedule(const kernels::Kernel&, const Code&) const {
    return {};
  }
  /// A word, 0 at first, that kernels under way see the host set. Null: the device has none.
  [[nodiscard]] virtual std::shared_ptr<support::StopWord> make_stop_word() { return nullptr; }

  /// Runs the kernel over the whole space and returns when it is done; a backend with its own
  /// memory may return before, and does later what it was told later. Results never depend on the
  /// number of threads. Throws MemoryError when there is no memory for what it needs while it runs
  /// (what `scratch` throws, too); then it may be asked again: outputs that are gone on (scatter)
  /// are as they were. A compaction returns when it is known how many elements are kept. One that
  /// works in host memory throws Stopped when `stop` was set meanwhile.
  virtual void launch(const Code&, const LaunchArguments&) = 0;

  /// Null: launching one by one is as good. What the launches are given, and what they take from
  /// `scratch` now, must be there whenever the replay runs. Throws as launches do, and does nothing
  /// else.
  [[nodiscard]] virtual std::unique_ptr<Replay> record(std::span<const RecordedLaunch>) {
    return nullptr;
  }
  /// Whether `record` may give something.
  [[nodiscard]] virtual bool can_record() const { return false; }

  /// Positions along the innermost axis in ascending order of the keys, whose components are
  /// unsigned integers or bool, compared in their order; first of equals first. `scratch` as for
  /// launches.
  virtual void sort_positions(std::span<const std::int64_t> extents,
                              std::span<const core::ScalarType> types,
                              std::span<const std::byte* const> keys, const SortedKeys& to,
                              ScratchMemory* scratch) = 0;

  /// A queue in which all that makes these blocks has happened before what it is told. Of a backend
  /// with its own memory that has foreign functions.
  [[nodiscard]] virtual std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<std::byte* const> /*reads*/) {
    return nullptr;
  }

  /// Whether kernels work on host memory. If not, the functions below are what moves arrays; their
  /// addresses are pointers or handles that mean something to this backend alone.
  [[nodiscard]] virtual bool in_host_memory() const { return true; }
  /// What the device says it has; 0: it does not say.
  [[nodiscard]] virtual std::size_t memory_bytes() const { return 0; }
  /// Null when there is no memory of that size.
  [[nodiscard]] virtual std::byte* allocate(std::size_t) { return nullptr; }
  virtual void free(std::byte*) {}
  /// So many bytes of others' memory, from an offset on into what they call it by: a pointer, or
  /// the handle that the device's interface has. `owner` keeps it, and goes when the result's is
  /// gone.
  [[nodiscard]] virtual Adopted adopt(void* /*handle*/, std::uint64_t /*offset*/,
                                      std::size_t /*bytes*/, std::shared_ptr<void> /*owner*/) {
    return {.refusal = "it takes no memory of others'"};
  }
  /// `from` may change once it returns.
  virtual void write(std::byte*, const std::byte* /*from*/, std::size_t) {}
  /// Waits for what was to be done before.
  virtual void read(std::byte* /*to*/, const std::byte*, std::size_t) {}
  /// Whether there is a way from the other's memory to this one's that is not through the host.
  [[nodiscard]] virtual bool can_copy_from(const Backend& /*other*/) const { return false; }
  /// On that way. Both blocks stay until it returns, and then the bytes are there.
  virtual void copy_from(std::byte* /*to*/, Backend& /*other*/, const std::byte* /*from*/,
                         std::size_t /*bytes*/) {}
  /// Whether what other calls than this thread's have told the device still uses the memory. Who
  /// takes it all the same waits for them.
  [[nodiscard]] virtual bool is_used_by_others(const std::byte*) { return false; }
  /// Waits for all that was to be done. Throws what went wrong in between.
  virtual void finish() {}
  /// A call begins.
  [[nodiscard]] virtual std::unique_ptr<Work> begin_work();
  /// Nanoseconds that the launches and sorts in `f` took on the device's own clock, less what is
  /// between them; waits for them. Negative: the device has no clock to ask.
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
/// For `hasten info`: a device that nobody has begun to use.
struct DeviceState {
  std::string description;
  Facts facts;
};
/// In the order of their indices; empty with the reason in `why` when there are none.
std::vector<DeviceState> opencl_devices(std::string& why);

/// src/backends/cuda: the index-th device of NVIDIA's driver. Null when there is none.
std::shared_ptr<Backend> make_cuda_backend(std::size_t index);
/// As opencl_devices.
std::vector<DeviceState> cuda_devices(std::string& why);
/// For `hasten info`: the libraries that the target needs, as they were looked for.
struct LibraryState {
  std::string file;
  bool is_found;
  std::string detail;  // its version, or what is wrong
};
std::vector<LibraryState> cuda_libraries();

}  // namespace hasten::backends
