// A device that is programmed in text: launches, memory and ordering, not its code.
#pragma once

#include "backends/backend.hpp"
#include "backends/c_like/launch/call_work.hpp"
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/sort/on_host.hpp"
#include "backends/host_memory.hpp"
#include "backends/late_inputs.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {

/// The codes it launches are `LoadedKernel`s of this device.
class DeviceBackend : public Backend, public TakesLateInputs, public WritesHostMemory {
 public:
  /// `sort`: what sorts where the device runs the host's functions; null: its own kernels do.
  explicit DeviceBackend(std::shared_ptr<Driver> driver,
                         std::shared_ptr<const HostSort> sort = nullptr);

  [[nodiscard]] std::string name() const override { return driver_->name(); }
  [[nodiscard]] std::string description() const override { return driver_->description(); }
  [[nodiscard]] Facts facts() const override { return driver_->facts(); }
  [[nodiscard]] bool supports(core::ScalarType type) const override {
    return driver_->has_double() ||
           (type != core::ScalarType::f64 && type != core::ScalarType::c128);
  }

  void launch(const Code& code, const LaunchArguments& arguments) override;
  void launch_with_late(const Code& code, const LaunchArguments& arguments,
                        LateInputs& late) override;
  [[nodiscard]] std::unique_ptr<Replay> record(std::span<const RecordedLaunch> launches) override;
  [[nodiscard]] bool can_record() const override { return true; }
  [[nodiscard]] std::shared_ptr<support::StopWord> make_stop_word() override {
    return driver_->make_stop_word();
  }
  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const SortedKeys& to,
                      ScratchMemory* scratch) override;
  [[nodiscard]] std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<std::byte* const> reads) override {
    return driver_->foreign_queue(reads);
  }

  [[nodiscard]] bool in_host_memory() const override { return false; }
  [[nodiscard]] std::size_t memory_bytes() const override { return driver_->memory_bytes(); }
  [[nodiscard]] std::byte* allocate(std::size_t bytes) override { return driver_->allocate(bytes); }
  void free(std::byte* address) override { driver_->free(address); }
  [[nodiscard]] Adopted adopt(void* handle, std::uint64_t offset, std::size_t bytes,
                              std::shared_ptr<void> owner) override {
    return driver_->adopt(handle, offset, bytes, std::move(owner));
  }
  [[nodiscard]] bool writes_host_memory() const override {
    return host_memory_ != nullptr && host_memory_->writes_host_memory();
  }
  [[nodiscard]] Adopted adopt_host(std::byte* memory, std::size_t bytes,
                                   std::shared_ptr<void> owner) override {
    return host_memory_->adopt_host(memory, bytes, std::move(owner));
  }
  void write(std::byte* to, const std::byte* from, std::size_t bytes) override {
    driver_->write(to, from, bytes);
  }
  void write_pieces(std::byte* to, std::span<const HostPiece> pieces) override {
    driver_->write_pieces(to, pieces);
  }
  void read(std::byte* to, const std::byte* from, std::size_t bytes) override {
    driver_->read(to, const_cast<Address>(from), bytes);
  }
  [[nodiscard]] bool can_copy_from(const Backend& other) const override {
    const auto* const source = dynamic_cast<const DeviceBackend*>(&other);
    return source && driver_->can_copy_from(*source->driver_);
  }
  void copy_from(std::byte* to, std::size_t offset, Backend& other, const std::byte* from,
                 std::size_t bytes) override {
    driver_->copy_from(to, offset, *static_cast<DeviceBackend&>(other).driver_,
                       const_cast<Address>(from), bytes);
  }
  [[nodiscard]] bool is_used_by_others(const std::byte* address) override {
    return driver_->is_used_by_others(const_cast<Address>(address));
  }
  void finish() override { driver_->finish(); }
  [[nodiscard]] std::unique_ptr<Work> begin_work() override {
    return std::make_unique<CallWork>(driver_);
  }
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) override {
    return driver_->timed(f);
  }

 protected:
  [[nodiscard]] Driver& driver() const { return *driver_; }
  void keep_common(const std::shared_ptr<const CodeStore>& store) {
    common_.sorter.keep_code_in(store);
    common_.fill.keep_code_in(store);
  }

 private:
  std::shared_ptr<Driver> driver_;
  WritesHostMemory* host_memory_;  // the driver's; null: it has none
  std::shared_ptr<const HostSort> host_sort_;
  RunsHostFunctions* host_functions_;  // the driver's; null: there are none, or nothing to run
  CommonPrograms common_;
  std::int64_t limit_;
};

}  // namespace hasten::backends::c_like
