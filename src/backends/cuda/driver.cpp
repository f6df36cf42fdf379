// Launches in several streams, uploads and downloads in others; docs/cuda-target.md says which
// commands wait for which.
#include "backends/cuda/driver.hpp"

#include "backends/c_like/launch/sort/sort.hpp"
#include "backends/cuda/foreign_queue.hpp"
#include "backends/cuda/graphs.hpp"
#include "backends/cuda/module.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "backends/cuda/state.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

namespace hasten::backends::cuda {
namespace {

using c_like::Address;
using c_like::Argument;

// Groups per place on the device: several of them even out irregular work.
constexpr std::int64_t rounds = 4;

CUdeviceptr device_address(Address address) { return reinterpret_cast<CUdeviceptr>(address); }

class CudaDriver final : public c_like::Driver {
 public:
  explicit CudaDriver(std::shared_ptr<const DeviceState> state) : state_(std::move(state)) {}

  [[nodiscard]] const c_like::Dialect& dialect() const override { return c_like::Dialect::cuda; }
  [[nodiscard]] const c_like::SortMethod& sort_method() const override {
    return c_like::chained_sort;
  }
  [[nodiscard]] std::string name() const override { return state_->context.name(); }
  [[nodiscard]] std::string description() const override {
    return state_->properties.description() + "; " + compiler_words();
  }
  [[nodiscard]] std::string fingerprint() const override {
    const Nvrtc* const compiler = nvrtc();
    return "cuda sm_" + std::to_string(state_->properties.arch()) + " driver " +
           std::to_string(library().version) + " nvrtc " +
           (compiler ? std::to_string(compiler->major) + "." + std::to_string(compiler->minor)
                     : "none");
  }
  [[nodiscard]] Facts facts() const override { return state_->properties.facts(); }
  [[nodiscard]] bool has_double() const override { return true; }
  [[nodiscard]] bool is_processor() const override { return false; }
  [[nodiscard]] std::int64_t busy_groups(c_like::Program& program,
                                         const char* function) const override {
    const Context::Current current(state_->context);
    return rounds * static_cast<Module&>(program).function(function).groups;
  }

  [[nodiscard]] std::vector<std::byte> compile(const std::string& text,
                                               const CompileOptions& options) override {
    std::string why;
    const Nvrtc* const compiler = nvrtc(&why);
    if (!compiler)
      throw TargetError(name() + ": there is no NVRTC to compile kernels with: " + why +
                        "; install the CUDA toolkit's libnvrtc, or name it in "
                        "HASTEN_NVRTC_LIBRARY");
    return cuda::compile(*compiler, text, code_target(*compiler, state_->properties.arch()),
                         options);
  }
  [[nodiscard]] std::shared_ptr<c_like::Program> load(std::span<const std::byte> bytes) override {
    return std::make_shared<Module>(state_, bytes);
  }

  [[nodiscard]] std::size_t memory_bytes() const override { return state_->properties.memory; }
  [[nodiscard]] Address allocate(std::size_t bytes) override {
    const Context::Current current(state_->context);
    return reinterpret_cast<Address>(state_->memory().allocate(bytes));
  }
  void free(Address address) override {
    if (state_->context.is_lost()) return;
    try {
      const Context::Current current(state_->context);
      state_->streams().forget(address);  // before the address can come back
      state_->memory().free(device_address(address));
    } catch (const Error&) {  // the context is gone, and the memory with it
    }
  }

  void write(Address to, const std::byte* from, std::size_t bytes) override {
    if (bytes == 0) return;
    upload(to, bytes, [&](Staging& staging) { staging.upload(device_address(to), from, bytes); });
  }
  void read(std::byte* to, Address from, std::size_t bytes) override {
    if (bytes == 0) return;
    const Context::Current current(state_->context);
    state_->streams().wait_for_users({from, false});
    const auto taken = state_->downloads().take(bytes);
    state_->streams().before_download(taken.which, from);
    state_->downloads().at(taken.which).download(to, device_address(from), bytes);
  }
  // The copy is in the stream of an upload to this device. The other device's memory stays until
  // the host has seen the end of the copy, so its streams need not know of it.
  [[nodiscard]] bool can_copy_from(const c_like::Driver& other) const override {
    return dynamic_cast<const CudaDriver*>(&other) != nullptr;
  }
  void copy_from(Address to, std::size_t offset, c_like::Driver& other, Address from,
                 std::size_t bytes) override {
    if (bytes == 0) return;
    const DeviceState& source = *static_cast<CudaDriver&>(other).state_;
    {
      const Context::Current current(source.context);
      source.streams().wait_for_users({from, false});
    }
    upload(to, bytes, [&](Staging& staging) {
      state_->context.check(
          "cuMemcpyPeerAsync",
          library().cuMemcpyPeerAsync(device_address(to) + offset, state_->context.handle(),
                                      device_address(from), source.context.handle(), bytes,
                                      staging.stream().handle()));
    });
    const Context::Current current(state_->context);
    state_->streams().wait_for_users({to, false});
  }

  [[nodiscard]] std::shared_ptr<support::StopWord> make_stop_word() override {
    return state_->stop_words().take();
  }

  void launch(c_like::Program& program, const char* function, c_like::Grid grid,
              std::span<const Argument> arguments) override {
    const Context::Current current(state_->context);
    Command command = command_of(program, function, grid, arguments);
    std::list<TimedLaunch>* const watched = watched_launches();
    std::vector<void*> pointers = command.pointers();
    constexpr auto threads = static_cast<unsigned>(c_like::group_size);
    c_like::CallWork* const call = c_like::CallWork::current(*this);
    state_->streams().launch(
        command.uses, call, 1,
        [&](const Stream& stream) {
          if (watched) watched->emplace_back(state_->context).begin.record(stream);
          state_->context.check(function, library().cuLaunchKernel(
                                              command.function, command.x, command.y, 1, threads, 1,
                                              1, 0, stream.handle(), pointers.data(), nullptr));
          if (watched) watched->back().end.record(stream);
        },
        [&](std::size_t queue, const c_like::Mark& mark) {
          command.module->was_launched(queue, mark);
        });
    if (call) call->limit_lead();
  }
  bool launch_together(std::span<const c_like::KeptLaunch> launches, std::int64_t times) override {
    const Context::Current current(state_->context);
    std::vector<Command> commands;
    for (const c_like::KeptLaunch& launch : launches)
      commands.push_back(
          command_of(*launch.program, launch.function.c_str(), launch.grid, launch.arguments));
    c_like::CallWork* const call = c_like::CallWork::current(*this);
    if (!graphs_.launch(commands, times, call)) return false;
    if (call) call->limit_lead();
    return true;
  }
  [[nodiscard]] std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<const Address> reads) override {
    return std::make_unique<StreamOfOthers>(state_, reads, c_like::CallWork::current(*this));
  }
  void finish() override {
    const Context::Current current(state_->context);
    state_->streams().synchronize();
  }
  void wait_for(const c_like::Mark& mark) override {
    const Context::Current current(state_->context);
    static_cast<const Event*>(mark.get())->synchronize();
  }
  [[nodiscard]] bool is_used_by_others(Address address) override {
    if (state_->context.is_lost()) return false;
    const Context::Current current(state_->context);
    return state_->streams().is_used_by_others(address, c_like::CallWork::current(*this));
  }
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) override {
    const Context::Current current(state_->context);
    std::list<TimedLaunch> launches;
    {
      struct Watching {
        explicit Watching(std::list<TimedLaunch>& into)
            : outer(std::exchange(watched_launches(), &into)) {}
        ~Watching() { watched_launches() = outer; }
        Watching(const Watching&) = delete;
        Watching& operator=(const Watching&) = delete;
        std::list<TimedLaunch>* const outer;
      } const watching(launches);
      f();
    }
    double milliseconds = 0;
    for (const TimedLaunch& launch : launches) {
      launch.end.synchronize();
      milliseconds += launch.end.milliseconds_since(launch.begin);
    }
    return static_cast<std::int64_t>(milliseconds * 1e6);
  }

 private:
  [[nodiscard]] const Library& library() const { return state_->context.library(); }

  // Encloses the commands that write to the memory in the staging's stream.
  template <class F>
  void upload(Address to, std::size_t bytes, F enqueue) {
    const Context::Current current(state_->context);
    state_->streams().wait_for_users({to, true});
    const auto taken = state_->uploads().take(bytes);
    Staging& staging = state_->uploads().at(taken.which);
    state_->streams().before_upload(taken.which, to);
    try {
      enqueue(staging);
    } catch (...) {  // nothing else knows of the pieces in flight
      library().cuStreamSynchronize(staging.stream().handle());
      throw;
    }
    state_->streams().after_upload(taken.which, to);
  }

  [[nodiscard]] Command command_of(c_like::Program& program, const char* function,
                                   c_like::Grid grid, std::span<const Argument> arguments) const {
    Command command;
    command.module = std::static_pointer_cast<Module>(program.shared_from_this());
    command.function = command.module->function(function).handle;
    command.x = static_cast<unsigned>(std::min(grid.x, state_->properties.grid_x));
    command.y = static_cast<unsigned>(std::min(grid.y, state_->properties.grid_y));
    const auto add = [&](Address address, bool writes) {
      command.uses.push_back({address, writes});
      command.values.push_back(device_address(address));
    };
    for (const Argument& argument : arguments)
      match(
          argument, [&](Address address) { add(address, true); },
          [&](const c_like::Input& input) { add(input.address, false); },
          [&](const c_like::Number& number) { command.values.push_back(number.bits); },
          [&](const c_like::Shared& shared) {
            command.values.push_back(reinterpret_cast<std::uintptr_t>(shared.word));
          });
    return command;
  }

  [[nodiscard]] static std::string compiler_words() {
    std::string why;
    const Nvrtc* const compiler = nvrtc(&why);
    if (!compiler) return "no NVRTC, so that no kernel can be compiled: " + why;
    return "NVRTC " + std::to_string(compiler->major) + "." + std::to_string(compiler->minor);
  }

  std::shared_ptr<const DeviceState> state_;
  Graphs graphs_{state_};
};

}  // namespace

std::shared_ptr<c_like::Driver> make_driver(const Library& library, const DeviceProperties& device,
                                            std::string name) {
  return std::make_shared<CudaDriver>(
      std::make_shared<const DeviceState>(library, device, std::move(name)));
}

}  // namespace hasten::backends::cuda
