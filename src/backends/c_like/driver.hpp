// The common part of CUDA and OpenCL: memory, programs in text, ordered launches.
//
// One driver is one device. Everything is thread-safe. Launches and copies of one device take
// effect as if in the order of their calls. Waits are as narrow as possible: a copy waits for the
// users of its memory, `wait_for` for one command; only `finish` waits for all.
#pragma once

#include "backends/backend.hpp"
#include "backends/c_like/text/source.hpp"
#include "backends/host_sort.hpp"
#include "support/stopping.hpp"

#include <hasten/run/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hasten::backends::c_like {

/// A location in device memory: a pointer or a handle, depending on the driver.
using Address = std::byte*;

/// A point in a device's sequence of commands, as the driver represents it: an event.
using Mark = std::shared_ptr<const void>;

/// A loaded program. Dropping the last reference unloads it.
class Program : public std::enable_shared_from_this<Program> {
 public:
  virtual ~Program() = default;
};

/// An argument of a kernel's function: memory, memory that it only reads, or a number in its lowest
/// `bytes` bytes.
struct Input {
  Address address;
};
struct Number {
  std::uint64_t bits;
  std::size_t bytes;
};
inline Number number(std::int64_t x) { return {static_cast<std::uint64_t>(x), 8}; }
inline Number number(std::int32_t x) { return {static_cast<std::uint32_t>(x), 4}; }
/// A word of host memory, from make_stop_word.
struct Shared {
  const support::StopWord* word;
};
using Argument = std::variant<Address, Input, Number, Shared>;

struct Grid {
  std::int64_t x = 1, y = 1;  // groups
};

/// A launch, recorded for later.
struct KeptLaunch {
  std::shared_ptr<Program> program;
  std::string function;
  Grid grid;
  std::vector<Argument> arguments;
};

/// A compiler rejects a text.
class RefusedText : public InternalError {
 public:
  /// `compiler`: its name and its error code; `words`: its message.
  RefusedText(const std::string& compiler, std::string words, const std::string& text)
      : InternalError(compiler + ": its compiler does not take a kernel: " + words + "\nfrom " +
                      text),
        words_(std::move(words)) {}
  [[nodiscard]] const std::string& words() const { return words_; }

 private:
  std::string words_;
};

struct SortMethod;  // launch/sort/sort.hpp

class Driver {
 public:
  virtual ~Driver() = default;

  [[nodiscard]] virtual const Dialect& dialect() const = 0;
  [[nodiscard]] virtual const SortMethod& sort_method() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;         // "opencl:0"
  [[nodiscard]] virtual std::string description() const = 0;  // the device, in words
  [[nodiscard]] virtual std::string fingerprint() const = 0;  // of device, driver and compiler
  [[nodiscard]] virtual Facts facts() const { return {}; }    // as Backend::facts
  [[nodiscard]] virtual bool has_double() const = 0;
  /// Whether items of a group run one after the other, on a processor with large caches.
  [[nodiscard]] virtual bool is_processor() const = 0;

  /// Throws RefusedText, or `load` does, when the text is invalid.
  [[nodiscard]] virtual std::vector<std::byte> compile(const std::string& text,
                                                       const CompileOptions& options) = 0;
  [[nodiscard]] virtual std::shared_ptr<Program> load(std::span<const std::byte> bytes) = 0;
  /// The number of groups of a function that keep the whole device busy.
  [[nodiscard]] virtual std::int64_t busy_groups(Program& program, const char* function) const = 0;

  /// As reported by the device; 0 if it does not report it.
  [[nodiscard]] virtual std::size_t memory_bytes() const { return 0; }
  /// Null when there is no memory of that size. Zero bytes have an address too.
  [[nodiscard]] virtual Address allocate(std::size_t bytes) = 0;
  /// Launches already enqueued with the memory keep it.
  virtual void free(Address address) = 0;
  /// Same as Backend::adopt. This implementation is for drivers whose addresses are pointers.
  [[nodiscard]] virtual Adopted adopt(void* handle, std::uint64_t offset, std::size_t /*bytes*/,
                                      std::shared_ptr<void> owner) {
    return {static_cast<Address>(handle) + offset, std::move(owner), {}};
  }
  /// `from` may change once it returns.
  virtual void write(Address to, const std::byte* from, std::size_t bytes) = 0;
  /// Same as Backend::write_pieces. This implementation is for drivers whose addresses are
  /// pointers.
  virtual void write_pieces(Address to, std::span<const HostPiece> pieces) {
    for (const HostPiece& piece : pieces)
      if (!piece.bytes.empty()) write(to + piece.offset, piece.bytes.data(), piece.bytes.size());
  }
  virtual void read(std::byte* to, Address from, std::size_t bytes) = 0;
  /// Same as Backend::can_copy_from and copy_from.
  [[nodiscard]] virtual bool can_copy_from(const Driver& /*other*/) const { return false; }
  virtual void copy_from(Address /*to*/, std::size_t /*offset*/, Driver& /*other*/,
                         Address /*from*/, std::size_t /*bytes*/) {}
  /// Same as Backend::make_stop_word.
  [[nodiscard]] virtual std::shared_ptr<support::StopWord> make_stop_word() { return nullptr; }

  virtual void launch(Program& program, const char* function, Grid grid,
                      std::span<const Argument> arguments) = 0;
  /// Runs all of them, in this order, `times` times, as one command. False: the driver has no such
  /// command, or rejects this one, and nothing was done.
  virtual bool launch_together(std::span<const KeptLaunch>, std::int64_t /*times*/) {
    return false;
  }
  /// Same as Backend::foreign_queue.
  [[nodiscard]] virtual std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<const Address> /*reads*/) {
    return nullptr;
  }
  virtual void finish() = 0;
  /// Waits until everything before the mark has happened. Throws its errors.
  virtual void wait_for(const Mark&) {}
  /// Whether a command may fail without an error in the commands after it in its queue. Then each
  /// command has to be checked.
  [[nodiscard]] virtual bool fails_silently() const { return false; }
  /// Whether the mark's command has happened. Does not wait; throws the command's error.
  [[nodiscard]] virtual bool has_happened(const Mark&) { return true; }
  /// When the command of a mark that has happened began and ended, by the device's clock, in
  /// nanoseconds; nothing if the device records no times, or not for this command.
  [[nodiscard]] virtual std::optional<std::pair<std::int64_t, std::int64_t>> times_of(const Mark&) {
    return std::nullopt;
  }
  /// Whether commands in flight that are not of this thread's call use the memory.
  [[nodiscard]] virtual bool is_used_by_others(Address) { return false; }
  /// Same as Backend::timed.
  [[nodiscard]] virtual std::int64_t timed(core::FunctionRef<void()> f) {
    f();
    return -1;
  }
};

/// A Backend on a device; `sort`: see DeviceBackend.
std::shared_ptr<Backend> make_c_like_backend(std::shared_ptr<Driver> driver,
                                             std::shared_ptr<const HostSort> sort = nullptr);

}  // namespace hasten::backends::c_like
