// Device memory is host memory under addresses that no host has. Buffers are surrounded by guards
// and begin with garbage; under AddressSanitizer, its own guards are used.
#include "tests/fake_cuda/machine.hpp"

#include "tests/fake_cuda/sanitizers.hpp"
#include "tests/fake_cuda/stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace fake_cuda {
namespace {

constexpr CUdeviceptr address_tag = CUdeviceptr{1} << 62;  // unlike any address of a host
constexpr std::size_t alignment = 256;
constexpr int fresh_garbage = 0xcd, freed_garbage = 0xdd, guard_byte = 0xec;
#if FAKE_CUDA_ASAN
constexpr std::size_t guard = 0;
#else
constexpr std::size_t guard = alignment;
#endif

std::byte* real_address(CUdeviceptr address) {
  return reinterpret_cast<std::byte*>(address ^ address_tag);
}

const char* variable(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value ? value : otherwise;
}

void add_faults(Faults& faults, const std::string& list) {  // "alloc:3,launch:1:2"
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    std::istringstream parts(item);
    std::string kind, nth = "1", times = "1";
    std::getline(parts, kind, ':');
    std::getline(parts, nth, ':');
    std::getline(parts, times, ':');
    if (!faults.add(kind, std::atoll(nth.c_str()), std::atoll(times.c_str())))
      mistake("FAKE_CUDA_FAIL: no kind of fault is called " + kind);
  }
}

// FAKE_CUDA_REPORT: prints the objects left at the end. The process fails because of these if the
// variable contains "leaks", and because of misuse of the driver if it contains "mistakes" or
// "leaks".
void report_at_end() {
  const char* const how = std::getenv("FAKE_CUDA_REPORT");
  if (!how) return;
  FakeCudaCounts c = {};
  fake_cuda_counts(&c);
  std::fprintf(stderr,
               "fake CUDA: left behind: %lld buffers (%lld bytes), %lld host buffers, %lld "
               "modules, %lld streams, %lld events, %lld graphs, %lld contexts; %lld launches, "
               "%lld compilations, %lld mistakes\n",
               c.buffers, c.bytes, c.host_buffers, c.modules, c.streams, c.events, c.graphs,
               c.contexts, c.launches, c.compilations, c.mistakes);
  const bool left = c.buffers + c.host_buffers + c.modules + c.streams + c.events + c.graphs > 0;
  const bool strict = std::strcmp(how, "leaks") == 0;
  if ((strict && left) || ((strict || std::strcmp(how, "mistakes") == 0) && c.mistakes > 0))
    _exit(86);
}

[[gnu::destructor]] void at_end() { report_at_end(); }

}  // namespace

// -- faults ---------------------------------------------------------------------------------------

bool Faults::add(const std::string& kind, long long nth, long long times) {
  static const std::set<std::string> kinds = {"alloc", "host_alloc", "copy",    "launch",
                                              "crash", "load",       "compile", "stream",
                                              "event", "graph",      "lost"};
  if (!kinds.contains(kind)) return false;
  const std::lock_guard lock(mutex_);
  faults_.insert({kind, {nth, times}});
  return true;
}

void Faults::clear() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

bool Faults::strikes(const char* kind) {
  const std::lock_guard lock(mutex_);
  bool strikes = false;
  const auto [begin, end] = faults_.equal_range(kind);
  for (auto it = begin; it != end; ++it)
    if (it->second.nth > 1)
      --it->second.nth;
    else if (it->second.times > 0)
      --it->second.times, strikes = true;
  if (strikes) ++Machine::get().counts.failures;
  return strikes;
}

// -- devices --------------------------------------------------------------------------------------

CUresult Device::allocate(CUdeviceptr* address, std::size_t bytes) {
  Machine& machine = Machine::get();
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (machine.faults.strikes("alloc")) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(mutex_);
  if (used_ + bytes > machine.memory || used_ + bytes < used_) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes + 2 * guard) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  auto* const begin = static_cast<std::byte*>(memory) + guard;
  std::memset(memory, guard_byte, guard);
  std::memset(begin, fresh_garbage, bytes);
  std::memset(begin + bytes, guard_byte, guard);
  *address = reinterpret_cast<CUdeviceptr>(begin) | address_tag;
  buffers_[*address] = {bytes};
  used_ += bytes;
  ++machine.counts.buffers;
  ++machine.counts.allocations;
  machine.counts.bytes += static_cast<long long>(bytes);
  return CUDA_SUCCESS;
}

CUresult Device::free(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  wait();  // as in CUDA
  if (!intact(address)) mistake("somebody wrote beside a buffer that is freed now");
  const std::lock_guard lock(mutex_);
  const auto it = buffers_.find(address);
  if (it == buffers_.end()) {
    mistake("cuMemFree of an address that is no live buffer of the device");
    return CUDA_ERROR_INVALID_VALUE;
  }
  Machine& machine = Machine::get();
  used_ -= it->second.bytes;
  --machine.counts.buffers;
  machine.counts.bytes -= static_cast<long long>(it->second.bytes);
  std::memset(real_address(address), freed_garbage, it->second.bytes);
  std::free(real_address(address) - guard);
  buffers_.erase(it);
  return CUDA_SUCCESS;
}

// The buffer that begins at the address, or the last one before it.
std::map<CUdeviceptr, Device::Buffer>::iterator Device::find(CUdeviceptr address) {
  auto it = buffers_.upper_bound(address);
  return it == buffers_.begin() ? buffers_.end() : --it;
}

std::byte* Device::memory(CUdeviceptr address, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto it = find(address);
  if (it == buffers_.end()) return nullptr;
  const std::size_t offset = address - it->first;
  const bool inside = offset <= it->second.bytes && bytes <= it->second.bytes - offset;
  return inside ? real_address(address) : nullptr;
}

bool Device::intact(CUdeviceptr address) {
  const std::lock_guard lock(mutex_);
  const auto it = find(address);
  if (it == buffers_.end()) return true;
  const std::byte* const begin = real_address(it->first);
  const auto is_guard = [](std::byte b) { return b == std::byte{guard_byte}; };
  const std::byte* const end = begin + it->second.bytes;
  return std::all_of(begin - guard, begin, is_guard) && std::all_of(end, end + guard, is_guard);
}

bool Device::same_buffer(CUdeviceptr a, CUdeviceptr b) {
  const std::lock_guard lock(mutex_);
  return find(a) != buffers_.end() && find(a) == find(b);
}

std::size_t Device::used() {
  const std::lock_guard lock(mutex_);
  return used_;
}

void Device::fail(CUresult error) {
  int none = CUDA_SUCCESS;
  error_.compare_exchange_strong(none, error);
}

void Device::wait(bool only_blocking) {
  std::vector<std::shared_ptr<Stream>> all;
  {
    const std::lock_guard lock(streams_mutex);
    all.assign(streams.begin(), streams.end());
  }
  for (const auto& stream : all)
    if (!only_blocking || stream->blocking()) stream->wait();
}

// -- the machine ----------------------------------------------------------------------------------

Machine& Machine::get() {
  static Machine* const machine = new Machine;
  return *machine;
}

Machine::Machine() {
  init_error = std::atoi(variable("FAKE_CUDA_INIT", "0"));
  capability = std::atoi(variable("FAKE_CUDA_ARCH", "90"));
  processors = std::max(1, std::atoi(variable("FAKE_CUDA_PROCESSORS", "2")));
  lazy = std::atoi(variable("FAKE_CUDA_LAZY", "0")) != 0;
  memory = std::strtoull(variable("FAKE_CUDA_MEMORY", "8589934592"), nullptr, 10);
  for (int i = 0; i < std::atoi(variable("FAKE_CUDA_DEVICES", "2")); ++i)
    devices.push_back(std::make_unique<Device>(i));
  const char* const order = variable("FAKE_CUDA_ORDER", "forward");
  if (!parse_order(order, order_))
    std::fprintf(stderr, "fake CUDA: FAKE_CUDA_ORDER: no order is called %s\n", order);
}

Order Machine::order() {
  const std::lock_guard lock(mutex_);
  Order order = order_;
  order.seed += ++orders_ * 0x9e3779b97f4a7c15U;
  return order;
}

void Machine::set_order(const Order& order) {
  const std::lock_guard lock(mutex_);
  order_ = order;
  orders_ = 0;
}

void mistake(const std::string& what) {
  ++Machine::get().counts.mistakes;
  std::fprintf(stderr, "fake CUDA: %s\n", what.c_str());
}

CUresult enter(Device** device) {
  Machine& machine = Machine::get();
  ++machine.counts.calls;
  if (!machine.initialised) return CUDA_ERROR_NOT_INITIALIZED;
  static const bool from_environment = [&] {
    if (const char* const faults = std::getenv("FAKE_CUDA_FAIL"))
      add_faults(machine.faults, faults);
    return true;
  }();
  (void)from_environment;
  Device* const current = current_device();
  if (machine.faults.strikes("lost"))
    for (const auto& each : machine.devices)
      if (!current || each.get() == current) each->fail(CUDA_ERROR_DEVICE_UNAVAILABLE);
  if (!device) return CUDA_SUCCESS;
  *device = current;
  if (!current) return CUDA_ERROR_INVALID_CONTEXT;
  return current->error();
}

}  // namespace fake_cuda

// -- control --------------------------------------------------------------------------------------

using fake_cuda::Machine;

void fake_cuda_counts(FakeCudaCounts* counts) {
  const auto& c = Machine::get().counts;
  *counts = {c.buffers,
             c.bytes,
             c.host_buffers,
             c.modules,
             c.streams,
             c.events,
             c.graphs,
             c.contexts,
             c.allocations,
             c.copies_to_device,
             c.copies_from_device,
             c.copies_on_device,
             c.launches,
             c.graph_launches,
             c.compilations,
             c.calls,
             c.failures,
             c.mistakes,
             c.held};
}

int fake_cuda_fail(const char* kind, long long nth, long long times) {
  return Machine::get().faults.add(kind, nth, times) ? 1 : 0;
}

void fake_cuda_reset() {
  Machine& machine = Machine::get();
  machine.faults.clear();
  for (const auto& device : machine.devices) device->recover();
}

int fake_cuda_order(const char* order) {
  fake_cuda::Order parsed;
  if (!fake_cuda::parse_order(order, parsed)) return 0;
  Machine::get().set_order(parsed);
  return 1;
}

void fake_cuda_lazy(int lazy) { Machine::get().lazy = lazy != 0; }

void fake_cuda_memory(unsigned long long bytes) { Machine::get().memory = bytes; }
