// The devices, and their common state: settings, faults, counts.
#pragma once

#include "tests/fake_cuda/abi.hpp"
#include "tests/fake_cuda/block.hpp"
#include "tests/fake_cuda/control.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake_cuda {

class Stream;

/// Faults that tests request.
class Faults {
 public:
  /// See fake_cuda_fail.
  bool add(const std::string& kind, long long nth, long long times);
  void clear();
  /// Counts an event of this kind; returns whether it is to fail.
  bool strikes(const char* kind);

 private:
  struct Fault {
    long long nth, times;
  };
  std::mutex mutex_;
  std::multimap<std::string, Fault> faults_;
};

/// A device and its primary context. Addresses are not the host's: only copies, and kernels that
/// receive the addresses as arguments, reach the memory behind them.
class Device {
 public:
  explicit Device(int index) : index(index) {}

  CUresult allocate(CUdeviceptr* address, std::size_t bytes);
  CUresult free(CUdeviceptr address);
  /// The memory at an address if `bytes` from there on are inside one live buffer; else null.
  std::byte* memory(CUdeviceptr address, std::size_t bytes);
  /// Whether the guards of the buffer at this address are unchanged.
  bool intact(CUdeviceptr address);
  bool same_buffer(CUdeviceptr a, CUdeviceptr b);
  std::size_t used();

  /// The error after which nothing runs on the device; 0 if there is none. The first error stays.
  [[nodiscard]] CUresult error() const { return static_cast<CUresult>(error_.load()); }
  void fail(CUresult error);
  void recover() { error_ = CUDA_SUCCESS; }

  /// Waits for all streams, or only for those that the null stream waits for.
  void wait(bool only_blocking = false);

  const int index;
  std::atomic<int> retained = 0;
  std::mutex null_stream;  // runs on the caller's thread
  std::mutex streams_mutex;
  std::set<std::shared_ptr<Stream>> streams;

 private:
  struct Buffer {
    std::size_t bytes;
  };
  std::map<CUdeviceptr, Buffer>::iterator find(CUdeviceptr address);

  std::mutex mutex_;
  std::map<CUdeviceptr, Buffer> buffers_;
  std::size_t used_ = 0;
  std::atomic<int> error_ = CUDA_SUCCESS;
};

/// Settings from the environment and from the control functions.
class Machine {
 public:
  /// Lives until the process ends, and longer than every object of the program.
  static Machine& get();

  bool initialised = false;
  int init_error = CUDA_SUCCESS;  // FAKE_CUDA_INIT
  int capability = 90;            // FAKE_CUDA_ARCH
  int processors = 2;             // FAKE_CUDA_PROCESSORS
  std::atomic<bool> lazy = false;
  std::atomic<unsigned long long> memory = 0;
  std::vector<std::unique_ptr<Device>> devices;
  Faults faults;

  /// The order of a new launch; random orders differ between launches.
  Order order();
  void set_order(const Order& order);

  struct Counts {
    std::atomic<long long> buffers, bytes, host_buffers, modules, streams, events, graphs, contexts,
        allocations, copies_to_device, copies_from_device, copies_on_device, launches,
        graph_launches, compilations, calls, failures, mistakes, held;
  } counts = {};

 private:
  Machine();
  std::mutex mutex_;
  Order order_;
  std::uint64_t orders_ = 0;
};

/// Prints the program's mistake to stderr and counts it.
void mistake(const std::string& what);
/// Whether the address is in host memory registered with CUDA, which kernels can access, too.
bool pinned_memory(CUdeviceptr address);

/// The device of the calling thread's current context; null if none.
Device* current_device();

/// The device of a context; returns null and reports a mistake if it is not a context.
Device* device_of(CUcontext context);

/// The common beginning of every call: counts it, may lose the device, and checks that there is a
/// context. Returns CUDA_SUCCESS, or the call's return value.
CUresult enter(Device** device = nullptr);

}  // namespace fake_cuda
