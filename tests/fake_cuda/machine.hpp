// The devices, and what is the same for all of them: settings, faults, counts.
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

/// What goes wrong on request.
class Faults {
 public:
  /// As fake_cuda_fail.
  bool add(const std::string& kind, long long nth, long long times);
  void clear();
  /// Whether this one of a kind is to fail. Counts it.
  bool strikes(const char* kind);

 private:
  struct Fault {
    long long nth, times;
  };
  std::mutex mutex_;
  std::multimap<std::string, Fault> faults_;
};

/// A device and its primary context. Addresses are not the host's: only kernels that were given
/// them, and copies, reach the memory behind them.
class Device {
 public:
  explicit Device(int index) : index(index) {}

  CUresult allocate(CUdeviceptr* address, std::size_t bytes);
  CUresult free(CUdeviceptr address);
  /// The memory behind an address if `bytes` from there on are of one live buffer; else null.
  std::byte* memory(CUdeviceptr address, std::size_t bytes);
  /// Whether nobody wrote beside the buffer of this address.
  bool intact(CUdeviceptr address);
  bool same_buffer(CUdeviceptr a, CUdeviceptr b);
  std::size_t used();

  /// The error after which nothing runs on the device; 0: none. The first one stays.
  [[nodiscard]] CUresult error() const { return static_cast<CUresult>(error_.load()); }
  void fail(CUresult error);
  void recover() { error_ = CUDA_SUCCESS; }

  /// Waits for all streams, or for those that the null stream waits for.
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
  /// Lives as long as the process, and longer than every object of the program.
  static Machine& get();

  bool initialised = false;
  int init_error = CUDA_SUCCESS;  // FAKE_CUDA_INIT
  int capability = 90;            // FAKE_CUDA_ARCH
  int processors = 2;             // FAKE_CUDA_PROCESSORS
  std::atomic<bool> lazy = false;
  std::atomic<unsigned long long> memory = 0;
  std::vector<std::unique_ptr<Device>> devices;
  Faults faults;

  /// The order of a new launch; random ones differ from launch to launch.
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

/// Says on stderr what the program did wrong, and counts it.
void mistake(const std::string& what);
/// Whether the address is in host memory that CUDA knows, which kernels see there, too.
bool pinned_memory(CUdeviceptr address);

/// The device of the calling thread's current context; null if none.
Device* current_device();

/// The device of a context; null, and a mistake, if it is none.
Device* device_of(CUcontext context);

/// What every call begins with: counts it, lets devices be lost, checks that there is a context.
/// CUDA_SUCCESS, or what the call is to return.
CUresult enter(Device** device = nullptr);

}  // namespace fake_cuda
