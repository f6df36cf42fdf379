// A device with separate memory at the backend seam, whose faults the test chooses. A backend in
// host memory computes; every block is poisoned, guarded and checked.
#pragma once

#include "backends/backend.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hasten::test {

class FakeDevice final : public backends::Backend {
 public:
  /// Calls that can fail.
  enum class Call { allocate, write, read, launch, finish };
  static constexpr Call calls[] = {Call::allocate, Call::write, Call::read, Call::launch,
                                   Call::finish};

  /// `bytes`: its memory, which it reports unless it is `quiet`.
  FakeDevice(std::shared_ptr<Backend> inner, std::size_t bytes, bool quiet)
      : inner_(std::move(inner)),
        bytes_(bytes),
        is_quiet_(quiet) {}
  ~FakeDevice() override {
    for (const auto& [address, block] : blocks_) std::free(block.memory);
  }

  // -- faults ------------------------------------------------------------------------------------

  /// The n-th call of this kind from now fails (n from 1), and the `count` - 1 calls after it.
  /// Allocations are refused; other calls throw `Failure`.
  template <class Failure = TargetError>
  void fail(Call call, std::int64_t n, std::int64_t count = 1) {
    const std::lock_guard lock(mutex_);
    fault_ = {call, n, count, [](const std::string& what) { throw Failure(what); }};
    has_failed_ = false;
  }
  /// After n more calls the device is lost: all later calls fail.
  void vanish_after(std::int64_t n) {
    const std::lock_guard lock(mutex_);
    calls_left_ = n;
    has_failed_ = false;
  }
  void mend() {
    const std::lock_guard lock(mutex_);
    fault_ = {};
    calls_left_ = -1;
  }
  [[nodiscard]] bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return has_failed_;
  }
  /// Every launch allocates two blocks of this many bytes while it runs, and writes them.
  void need_scratch(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    scratch_bytes_ = bytes;
  }
  /// Launches, writes and frees are delayed until something is read, or everything is finished.
  void be_lazy(bool is_lazy) {
    const std::lock_guard lock(mutex_);
    run_queue();
    is_lazy_ = is_lazy;
  }

  /// Whether other fake devices copy bytes to this one without the host.
  void have_peers(bool has_peers) {
    const std::lock_guard lock(mutex_);
    has_peers_ = has_peers;
  }
  /// Whether the work of other calls uses all memory.
  void be_used_by_others(bool is_used) {
    const std::lock_guard lock(mutex_);
    is_used_by_others_ = is_used;
  }

  /// Called before a kernel is compiled, on the thread that compiles it.
  void before_compile(std::function<void(const kernels::Kernel&)> f) {
    const std::lock_guard lock(mutex_);
    before_compile_ = std::move(f);
  }

  // -- counts
  // --------------------------------------------------------------------------------------

  [[nodiscard]] std::size_t live_bytes() const { return read_under_lock(live_); }
  [[nodiscard]] std::size_t peak_bytes() const { return read_under_lock(peak_); }
  [[nodiscard]] std::int64_t allocations() const { return read_under_lock(allocations_); }
  [[nodiscard]] std::int64_t writes() const { return read_under_lock(writes_); }
  /// Includes launches by replays.
  [[nodiscard]] std::int64_t launches() const { return read_under_lock(launches_); }
  [[nodiscard]] std::int64_t replayed() const { return read_under_lock(replayed_); }
  /// Violations of the seam's rules, and writes outside of blocks; empty if there are none.
  [[nodiscard]] std::string damage() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, block] : blocks_) check(block);
    return damage_;
  }

  // -- the seam ----------------------------------------------------------------------------------

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string description() const override { return "a device for tests"; }
  [[nodiscard]] std::string fingerprint() const override { return inner_->fingerprint(); }
  [[nodiscard]] bool supports(core::ScalarType type) const override {
    return inner_->supports(type);
  }
  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const backends::CompileOptions& options) override {
    if (const auto f = read_under_lock(before_compile_)) f(kernel);
    return inner_->compile(kernel, options);
  }
  [[nodiscard]] std::shared_ptr<const backends::Code> load(
      const kernels::Kernel& kernel, std::span<const std::byte> bytes) override {
    return inner_->load(kernel, bytes);
  }
  [[nodiscard]] std::string dump(const kernels::Kernel&, const backends::CompileOptions&,
                                 const std::string&) override {
    return {};
  }

  void launch(const backends::Code& code, const backends::LaunchArguments& arguments) override {
    if (arguments.kept) return compact(code, arguments);
    const Kept kept(code, arguments, taken(*arguments.scratch));
    const std::lock_guard lock(mutex_);
    launch(kept);
  }
  [[nodiscard]] std::unique_ptr<backends::Replay> record(
      std::span<const backends::RecordedLaunch> launches) override {
    std::vector<Kept> all;
    for (const backends::RecordedLaunch& one : launches)
      all.emplace_back(*one.code, one.arguments, taken(*one.arguments.scratch));
    return std::make_unique<Recorded>(*this, std::move(all));
  }
  [[nodiscard]] bool can_record() const override { return true; }
  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const backends::SortedKeys& to,
                      backends::ScratchMemory* scratch) override {
    const std::vector<std::byte*> own = taken(*scratch);
    const std::lock_guard lock(mutex_);
    use(own);
    count(Call::launch);
    for (const std::byte* key : keys) find(key, 0);
    if (to.positions) find(reinterpret_cast<std::byte*>(to.positions), 0);
    if (to.heads) find(to.heads, 0);
    for (const backends::CarriedComponent& component : to.carried) {
      find(component.from, 0);
      find(component.to, 0);
    }
    run_queue();
    inner_->sort_positions(extents, types, keys, to, nullptr);
  }

  [[nodiscard]] bool in_host_memory() const override { return false; }
  [[nodiscard]] std::size_t memory_bytes() const override { return is_quiet_ ? 0 : bytes_; }

  [[nodiscard]] std::byte* allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (fails(Call::allocate) || live_ + bytes > bytes_) return nullptr;
    // A guard in front, the bytes that vectors may read behind, and a guard behind.
    const std::size_t all = (guard + bytes + behind + guard + 63) / 64 * 64;
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(64, all));
    if (!memory) return nullptr;
    std::memset(memory, guard_byte, all);
    std::memset(memory + guard, fresh_byte, bytes + behind);
    blocks_[memory + guard] = {memory, bytes, all};
    live_ += bytes;
    peak_ = std::max(peak_, live_);
    ++allocations_;
    return memory + guard;
  }
  void free(std::byte* address) override {
    const std::lock_guard lock(mutex_);
    run_queue();
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) {
      damage_ += "a block is freed that is not there; ";
      return;
    }
    check(found->second);
    std::memset(found->second.memory, freed_byte, found->second.all);
    std::free(found->second.memory);
    live_ -= found->second.bytes;
    blocks_.erase(found);
  }
  void write(std::byte* to, const std::byte* from, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    count(Call::write);
    ++writes_;
    find(to, bytes);
    later([to, values = std::vector<std::byte>(from, from + bytes)] {
      std::copy(values.begin(), values.end(), to);
    });
  }
  void write_pieces(std::byte* to, std::span<const backends::HostPiece> pieces) override {
    const std::lock_guard lock(mutex_);
    count(Call::write);
    ++writes_;
    for (const auto& [offset, bytes] : pieces) {
      find(to, offset + bytes.size());
      later([at = to + offset, values = std::vector<std::byte>(bytes.begin(), bytes.end())] {
        std::copy(values.begin(), values.end(), at);
      });
    }
  }
  void read(std::byte* to, const std::byte* from, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    count(Call::read);
    find(from, bytes);
    run_queue();
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  [[nodiscard]] bool can_copy_from(const Backend& other) const override {
    return dynamic_cast<const FakeDevice*>(&other) && read_under_lock(has_peers_);
  }
  void copy_from(std::byte* to, std::size_t offset, Backend& other, const std::byte* from,
                 std::size_t bytes) override {
    std::vector<std::byte> values(bytes);
    other.read(values.data(), from, bytes);
    const std::lock_guard lock(mutex_);
    count(Call::write);
    find(to, offset + bytes);
    run_queue();
    std::copy(values.begin(), values.end(), to + offset);
  }
  [[nodiscard]] bool is_used_by_others(const std::byte* address) override {
    const std::lock_guard lock(mutex_);
    find(address, 0);
    return is_used_by_others_;
  }
  void finish() override {
    const std::lock_guard lock(mutex_);
    count(Call::finish);
    run_queue();
  }

 private:
  static constexpr std::size_t guard = 64, behind = 128;
  static constexpr int guard_byte = 0x6b, fresh_byte = 0xa5, freed_byte = 0xdd;

  struct Allocated {
    std::byte* memory;
    std::size_t bytes, all;
  };
  // A launch, with copies of its arguments.
  struct Kept {
    Kept(const backends::Code& given, const backends::LaunchArguments& arguments,
         std::vector<std::byte*> taken)
        : code(&given),
          extents(copied(arguments.extents)),
          inputs(copied(arguments.inputs)),
          outputs(copied(arguments.outputs)),
          scalars(copied(arguments.scalars)),
          size(arguments.output_size),
          largest(arguments.largest_array),
          scratch(std::move(taken)) {}
    const backends::Code* code;
    std::vector<std::int64_t> extents;
    std::vector<const std::byte*> inputs;
    std::vector<std::byte*> outputs;
    std::vector<std::uint64_t> scalars;
    std::int64_t size, largest;
    std::vector<std::byte*> scratch;
  };
  class Recorded final : public backends::Replay {
   public:
    Recorded(FakeDevice& device, std::vector<Kept> launches)
        : device_(device),
          launches_(std::move(launches)) {}
    void run(std::int64_t times) override {
      const std::lock_guard lock(device_.mutex_);
      for (std::int64_t i = 0; i < times; ++i)
        for (const Kept& kept : launches_) {
          device_.launch(kept);
          ++device_.replayed_;
        }
    }

   private:
    FakeDevice& device_;
    const std::vector<Kept> launches_;
  };
  // Counts the kept elements; stores them if it has memory.
  class Counting final : public backends::KeptMemory {
   public:
    explicit Counting(std::span<std::byte* const> memory) : memory_(memory) {}
    std::span<std::byte* const> take(std::int64_t, std::int64_t) override { return memory_; }
    void close(std::int64_t kept, std::int64_t others) override { counts = {kept, others}; }
    std::pair<std::int64_t, std::int64_t> counts;

   private:
    std::span<std::byte* const> memory_;
  };
  // Runs first into memory that is too large, to find the number of elements.
  void compact(const backends::Code& code, const backends::LaunchArguments& arguments) {
    constexpr std::size_t outputs_max = 32, element_bytes_max = 16;
    const std::vector<std::byte*> scratch = taken(*arguments.scratch);
    const auto run = [&](std::span<std::byte* const> memory) {
      Counting counting(memory);
      inner_->launch(code, {arguments.extents,
                            arguments.inputs,
                            {},
                            arguments.scalars,
                            arguments.output_size,
                            arguments.largest_array,
                            nullptr,
                            &counting});
      return counting.counts;
    };
    std::pair<std::int64_t, std::int64_t> counts;
    {
      const std::lock_guard lock(mutex_);
      use(scratch);
      count(Call::launch);
      ++launches_;
      for (const std::byte* input : arguments.inputs) find(input, 0);
      run_queue();
      std::vector<std::byte> room(static_cast<std::size_t>(arguments.extents[0]) *
                                  element_bytes_max);
      counts = run(std::vector<std::byte*>(outputs_max, room.data()));
    }
    const std::span<std::byte* const> memory = arguments.kept->take(counts.first, counts.second);
    {
      const std::lock_guard lock(mutex_);
      for (const std::byte* output : memory) find(output, 0);
      run(memory);
    }
    arguments.kept->close(counts.first, counts.second);
  }

  void launch(const Kept& kept) {
    use(kept.scratch);
    count(Call::launch);
    ++launches_;
    for (const std::byte* input : kept.inputs) find(input, 0);
    for (const std::byte* output : kept.outputs) find(output, 0);
    later([this, kept] {
      inner_->launch(*kept.code, {kept.extents, kept.inputs, kept.outputs, kept.scalars, kept.size,
                                  kept.largest, nullptr});
    });
  }

  struct Fault {
    Call call = Call::allocate;
    std::int64_t n = 0, count = 0;  // 0: none
    std::function<void(const std::string&)> raise;
  };

  template <class T>
  T read_under_lock(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }
  template <class T>
  static std::vector<std::remove_const_t<T>> copied(std::span<T> span) {
    return {span.begin(), span.end()};
  }

  // Whether this call is the one that fails. Throws if the device is lost.
  bool fails(Call call) {
    if (calls_left_ == 0) {
      has_failed_ = true;
      throw TargetError("fake: the device is lost");
    }
    if (calls_left_ > 0) --calls_left_;
    if (fault_.count == 0 || fault_.call != call || --fault_.n > 0) return false;
    --fault_.count;
    has_failed_ = true;
    return true;
  }
  void count(Call call) {
    if (fails(call)) fault_.raise("fake: a call failed");
  }

  // Without the mutex, because it calls back to allocate.
  std::vector<std::byte*> taken(backends::ScratchMemory& from) {
    const std::size_t bytes = read_under_lock(scratch_bytes_);
    if (bytes == 0) return {};
    std::byte* const first = from.take(bytes);
    return {first, from.take(bytes)};
  }
  // Overwrites the old contents, as the launch may.
  void use(const std::vector<std::byte*>& scratch) {
    for (std::byte* const block : scratch) {
      find(block, scratch_bytes_);
      later([block, bytes = scratch_bytes_] { std::memset(block, freed_byte, bytes); });
    }
  }

  void later(std::function<void()> command) {
    queue_.push_back(std::move(command));
    if (!is_lazy_) run_queue();
  }
  void run_queue() {
    while (!queue_.empty()) {
      const std::function<void()> command = std::move(queue_.front());
      queue_.pop_front();
      command();
    }
  }

  void find(const std::byte* address, std::size_t bytes) const {
    const auto found = blocks_.find(const_cast<std::byte*>(address));
    if (found == blocks_.end()) {
      damage_ += "an address is used that is no block; ";
    } else if (bytes > found->second.bytes) {
      damage_ += "a block is too small; ";
    }
  }
  void check(const Allocated& block) const {
    const auto is_whole = [](const std::byte* first, const std::byte* last) {
      return std::all_of(first, last, [](std::byte b) { return b == std::byte{guard_byte}; });
    };
    const std::byte* const end = block.memory + guard + block.bytes + behind;
    if (!is_whole(block.memory, block.memory + guard) || !is_whole(end, block.memory + block.all))
      damage_ += "something wrote outside of its block; ";
  }

  const std::shared_ptr<Backend> inner_;
  const std::size_t bytes_;
  const bool is_quiet_;
  mutable std::mutex mutex_;
  std::map<std::byte*, Allocated> blocks_;
  std::deque<std::function<void()>> queue_;
  mutable std::string damage_;
  Fault fault_;
  std::int64_t calls_left_ = -1;
  std::int64_t allocations_ = 0, writes_ = 0, launches_ = 0, replayed_ = 0;
  std::function<void(const kernels::Kernel&)> before_compile_;
  std::size_t live_ = 0, peak_ = 0, scratch_bytes_ = 0;
  bool has_failed_ = false, is_lazy_ = false, is_used_by_others_ = false, has_peers_ = false;
};

}  // namespace hasten::test
