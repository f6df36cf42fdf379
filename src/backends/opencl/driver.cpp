// A context, and the commands enqueued there.
#include "backends/opencl/driver.hpp"

#include "backends/c_like/host_functions.hpp"
#include "backends/c_like/launch/sort/sort.hpp"
#include "backends/c_like/launch/stop_words.hpp"
#include "backends/host_memory.hpp"
#include "backends/opencl/adopting.hpp"
#include "backends/opencl/context.hpp"
#include "backends/opencl/foreign_queue.hpp"
#include "backends/opencl/host_functions.hpp"
#include "backends/opencl/program.hpp"
#include "backends/opencl/queues.hpp"

#include "support/overloaded.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hasten::backends::opencl {
namespace {

using c_like::Address;
using c_like::Argument;

constexpr std::int64_t groups_per_unit = 16;
constexpr std::int64_t queues_of_a_call = 4;  // more do not speed up small kernels
constexpr std::size_t bytes_of_large = std::size_t{1} << 20;

cl_mem memory_of(Address address) { return reinterpret_cast<cl_mem>(address); }

class OpenclDriver final : public c_like::Driver,
                           public WritesHostMemory,
                           public c_like::RunsHostFunctions {
 public:
  OpenclDriver(const Library& library, const Device& device, std::string name)
      : library_(library),
        device_(device.id),
        part_(device.part),
        name_(std::move(name)),
        is_processor_(opencl::is_processor(library, device.id)),
        shared_context_(context_of(library, device, name_)),
        context_(shared_context_->handle()) {
    // Oclgrind runs a queue's commands only when the host waits for that queue.
    const bool several = platform_of(library_, device_) != "Oclgrind";
    // A unit runs one kernel after the other: a call's kernels in its order, so that a kernel
    // enqueued first, because its results are awaited, does not follow later ones from another
    // queue.
    const std::int64_t share = std::clamp<std::int64_t>(units(), 1, queues_of_a_call);
    queues_.emplace(library_, context_, device_, name_,
                    several ? static_cast<std::size_t>(share) : 0);
    compiler_.emplace(library_, context_, device_, name_);
    if (is_processor_ && HostFunctions::has_them(library_, device_))
      host_functions_.emplace(library_);
    if (has_fine_grain()) stop_words_ = stop_words();
  }
  ~OpenclDriver() override {
    queues_.reset();
    if (stop_words_) stop_words_->close();
  }
  OpenclDriver(const OpenclDriver&) = delete;
  OpenclDriver& operator=(const OpenclDriver&) = delete;

  [[nodiscard]] const c_like::Dialect& dialect() const override { return c_like::Dialect::opencl; }
  [[nodiscard]] const c_like::SortMethod& sort_method() const override {
    return c_like::tiled_sort;
  }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string description() const override {
    return text(CL_DEVICE_NAME) + part_ + ", " + std::to_string(units()) + " compute units, " +
           text(CL_DEVICE_VERSION);
  }
  [[nodiscard]] std::string fingerprint() const override {
    return "opencl " + text(CL_DEVICE_VENDOR) + " " + text(CL_DEVICE_NAME) + " " +
           text(CL_DEVICE_VERSION) + " " + text(CL_DRIVER_VERSION);
  }
  [[nodiscard]] Facts facts() const override { return facts_of(library_, device_); }
  [[nodiscard]] bool has_double() const override {
    return text(CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
  }
  [[nodiscard]] std::int64_t busy_groups(c_like::Program&, const char*) const override {
    return units() * groups_per_unit;
  }

  [[nodiscard]] std::vector<std::byte> compile(const std::string& text,
                                               const CompileOptions& options) override {
    return compiler_->compile(text, options);
  }
  [[nodiscard]] std::shared_ptr<c_like::Program> load(std::span<const std::byte> bytes) override {
    return compiler_->load(bytes);
  }

  [[nodiscard]] std::size_t memory_bytes() const override {
    cl_ulong bytes = 0;
    library_.clGetDeviceInfo(device_, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    return bytes;
  }
  [[nodiscard]] Address allocate(std::size_t bytes) override {
    // PoCL would get these from the system each time.
    if (host_functions_ && bytes >= bytes_of_large)
      return reinterpret_cast<Address>(make_pooled_buffer(library_, context_, bytes));
    cl_int error = CL_SUCCESS;
    cl_mem memory = library_.clCreateBuffer(context_, CL_MEM_READ_WRITE,
                                            std::max<std::size_t>(bytes, 1), nullptr, &error);
    return error == CL_SUCCESS ? reinterpret_cast<Address>(memory) : nullptr;
  }
  void free(Address address) override {
    queues_->forget(address);  // before the address can come back
    library_.clReleaseMemObject(memory_of(address));
  }

  [[nodiscard]] Adopted adopt(void* handle, std::uint64_t offset, std::size_t bytes,
                              std::shared_ptr<void> owner) override {
    return adopt_buffer(
        library_, context_, static_cast<cl_mem>(handle), {offset, bytes},
        {[queues = &*queues_](Address gone) { queues->forget(gone); }, std::move(owner)});
  }

  [[nodiscard]] bool is_processor() const override { return is_processor_; }
  [[nodiscard]] bool writes_host_memory() const override { return is_processor_; }
  [[nodiscard]] Adopted adopt_host(std::byte* memory, std::size_t bytes,
                                   std::shared_ptr<void> owner) override {
    return adopt_host_memory(
        library_, context_, memory, bytes,
        {[queues = &*queues_](Address gone) { queues->forget(gone); }, std::move(owner)});
  }

  void write(Address to, const std::byte* from, std::size_t bytes) override {
    const HostPiece all{0, {from, bytes}};
    if (bytes > 0) write_pieces(to, std::span(&all, 1));
  }
  void write_pieces(Address to, std::span<const HostPiece> pieces) override {
    std::size_t next = 0;
    queues_->upload(
        "clEnqueueWriteBuffer", to,
        [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
          const auto& [offset, bytes] = pieces[next++];
          return library_.clEnqueueWriteBuffer(queue, memory_of(to), CL_FALSE, offset, bytes.size(),
                                               bytes.data(), count, after, event);
        },
        pieces.size());
  }
  void read(std::byte* to, Address from, std::size_t bytes) override {
    if (bytes == 0) return;
    if (is_processor_ && host_memory_of(library_, memory_of(from)) == to) {
      arrive(from, bytes);
      return look();
    }
    queues_->download(
        "clEnqueueReadBuffer", from,
        [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
          return library_.clEnqueueReadBuffer(queue, memory_of(from), CL_FALSE, 0, bytes, to, count,
                                              after, event);
        });
    look();
  }

  [[nodiscard]] bool can_copy_from(const c_like::Driver& other) const override {
    const auto* const source = dynamic_cast<const OpenclDriver*>(&other);
    return source && source->context_ == context_;
  }
  void copy_from(Address to, std::size_t offset, c_like::Driver& other, Address from,
                 std::size_t bytes) override {
    if (bytes == 0) return;
    auto& source = static_cast<OpenclDriver&>(other);
    queues_->copy_between(
        "clEnqueueCopyBuffer", to, *source.queues_, from, c_like::CallWork::current(*this),
        [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
          return library_.clEnqueueCopyBuffer(queue, memory_of(from), memory_of(to), 0, offset,
                                              bytes, count, after, event);
        });
  }

  [[nodiscard]] std::shared_ptr<support::StopWord> make_stop_word() override {
    return stop_words_ ? stop_words_->take() : nullptr;
  }

  void launch(c_like::Program& program, const char* function, c_like::Grid grid,
              std::span<const Argument> arguments) override {
    static_cast<LoadedProgram&>(program).with_kernel(name_, function, [&](cl_kernel kernel) {
      cl_uint index = 0;
      std::vector<Queues::Use> uses;
      for (const Argument& argument : arguments)
        check(function,
              match(
                  argument,
                  [&](Address address) {
                    uses.push_back({address, true});
                    return set_memory(kernel, index++, address);
                  },
                  [&](const c_like::Input& input) {
                    uses.push_back({input.address, false});
                    return set_memory(kernel, index++, input.address);
                  },
                  [&](const c_like::Number& number) {
                    return library_.clSetKernelArg(kernel, index++, number.bytes, &number.bits);
                  },
                  [&](const c_like::Shared& shared) {
                    return library_.clSetKernelArgSVMPointer(kernel, index++, shared.word);
                  }));
      const std::size_t local[] = {static_cast<std::size_t>(c_like::group_size), 1};
      const std::size_t global[] = {static_cast<std::size_t>(grid.x) * local[0],
                                    static_cast<std::size_t>(grid.y)};
      queues_->launch(
          function, uses, c_like::CallWork::current(*this),
          [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
            return library_.clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, count,
                                                   after, event);
          });
    });
    if (c_like::CallWork* const call = c_like::CallWork::current(*this)) call->limit_lead();
  }
  [[nodiscard]] bool runs_host_functions() const override { return host_functions_.has_value(); }
  [[nodiscard]] bool run_on_host(const char* name, std::span<const Queues::Use> uses,
                                 c_like::HostFunction f) override {
    std::vector<cl_mem> memory;
    for (const Queues::Use& use : uses) memory.push_back(memory_of(use.address));
    if (!std::ranges::all_of(memory, [&](cl_mem each) { return host_functions_->sees(each); }))
      return false;
    c_like::CallWork* const call = c_like::CallWork::current(*this);
    queues_->launch(
        name, uses, call,
        [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
          return host_functions_->enqueue(queue, memory, std::move(f), count, after, event);
        });
    if (call) call->limit_lead();
    return true;
  }
  [[nodiscard]] std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<const Address> reads) override {
    return std::make_unique<QueueOfOthers>(library_, *queues_, context_, device_, reads,
                                           c_like::CallWork::current(*this));
  }
  void finish() override { queues_->finish(); }
  void wait_for(const c_like::Mark& mark) override { queues_->wait_for("a launch", mark); }
  // A command's error is reported by its own event, and by no later one.
  [[nodiscard]] bool fails_silently() const override { return true; }
  [[nodiscard]] bool has_happened(const c_like::Mark& mark) override {
    return queues_->has_happened(mark);
  }
  [[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> times_of(
      const c_like::Mark& mark) override {
    return queues_->times_of(mark);
  }
  [[nodiscard]] bool is_used_by_others(Address address) override {
    return queues_->is_used_by_others(address, c_like::CallWork::current(*this));
  }
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) override {
    return queues_->timed(f);
  }

 private:
  // The bytes read may be those that a failed command left.
  void look() const {
    if (c_like::CallWork* const call = c_like::CallWork::current(*this)) call->look();
  }
  // Makes what kernels wrote to its memory visible to the host.
  void arrive(Address from, std::size_t bytes) {
    void* place = nullptr;
    queues_->download(
        "clEnqueueMapBuffer", from,
        [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
          cl_int error = CL_SUCCESS;
          place = library_.clEnqueueMapBuffer(queue, memory_of(from), CL_FALSE, CL_MAP_READ, 0,
                                              bytes, count, after, event, &error);
          return error;
        });
    queues_->download(
        "clEnqueueUnmapMemObject", from,
        [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
          return library_.clEnqueueUnmapMemObject(queue, memory_of(from), place, count, after,
                                                  event);
        });
  }
  // Shared virtual memory that both sides may use at once. Few devices but processors have it.
  [[nodiscard]] bool has_fine_grain() const {
    if (!library_.clSVMAlloc || !library_.clSVMFree || !library_.clSetKernelArgSVMPointer)
      return false;
    cl_bitfield has = 0;
    constexpr cl_bitfield needed = svm_fine_grain_buffer | svm_atomics;
    return library_.clGetDeviceInfo(device_, device_svm_capabilities, sizeof has, &has, nullptr) ==
               CL_SUCCESS &&
           (has & needed) == needed;
  }
  [[nodiscard]] std::shared_ptr<c_like::StopWords> stop_words() const {
    const auto make = [this](std::size_t bytes) {
      constexpr cl_bitfield kind =
          memory_read_write | memory_svm_fine_grain_buffer | memory_svm_atomics;
      return library_.clSVMAlloc(context_, kind, bytes, 0);
    };
    const auto free = [this](void* memory) { library_.clSVMFree(context_, memory); };
    return std::make_shared<c_like::StopWords>(make, free);
  }
  cl_int set_memory(cl_kernel kernel, cl_uint index, Address address) const {
    cl_mem memory = memory_of(address);
    return library_.clSetKernelArg(kernel, index, sizeof memory, &memory);
  }
  void check(const char* what, cl_int error) const {
    if (error != CL_SUCCESS) fail(name_, what, error);
  }
  [[nodiscard]] std::string text(cl_device_info what) const {
    return text_of(library_, device_, what);
  }
  [[nodiscard]] std::int64_t units() const { return compute_units(library_, device_); }

  const Library& library_;
  cl_device_id device_;
  std::string part_;
  std::string name_;
  bool is_processor_;
  std::shared_ptr<const Context> shared_context_;
  cl_context context_;
  std::optional<HostFunctions> host_functions_;  // outlives the queues
  std::optional<Queues> queues_;
  std::optional<Compiler> compiler_;
  std::shared_ptr<c_like::StopWords> stop_words_;  // null: kernels see no host memory
};

}  // namespace

std::shared_ptr<c_like::Driver> make_driver(const Library& library, const Device& device,
                                            std::string name) {
  return std::make_shared<OpenclDriver>(library, device, std::move(name));
}

}  // namespace hasten::backends::opencl
