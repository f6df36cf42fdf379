// CUDA for the contenders: memory, kernels from our own text, graphs; all on the first device, in
// its primary context, which Hasten uses, too.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/context.hpp"
#include "backends/cuda/device.hpp"
#include "forms.hpp"

namespace bench::gpu {

namespace cuda = hasten::backends::cuda;
using contenders::Rules;

/// The functions of the driver that only the benchmarks use.
struct Extra {
  cuda::CUresult (*copy_on_device)(cuda::CUdeviceptr, cuda::CUdeviceptr, std::size_t,
                                   cuda::CUstream);
  cuda::CUresult (*begin_capture)(cuda::CUstream, int mode);
  cuda::CUresult (*end_capture)(cuda::CUstream, cuda::CUgraph*);
  cuda::CUresult (*instantiate)(cuda::CUgraphExec*, cuda::CUgraph, unsigned long long flags);
  cuda::CUresult (*launch_graph)(cuda::CUgraphExec, cuda::CUstream);
  cuda::CUresult (*destroy_exec)(cuda::CUgraphExec);
  cuda::CUresult (*destroy_graph)(cuda::CUgraph);
};

/// One argument of a launch: an address or a number.
struct Argument {
  std::uint64_t bits = 0;
  Argument(cuda::CUdeviceptr address) : bits(address) {}
  Argument(std::int64_t x) : bits(static_cast<std::uint64_t>(x)) {}
  Argument(float x);
};

class Device {
 public:
  /// Opens the device at the first call. Throws std::runtime_error that names what is missing.
  static Device& get();

  [[nodiscard]] const cuda::DeviceProperties& properties() const { return properties_; }
  /// "NVIDIA H200, sm_90, 132 multiprocessors, 139.8 GiB; driver for CUDA 13.0, NVRTC 13.0"
  [[nodiscard]] std::string description() const;
  [[nodiscard]] cuda::CUstream stream() const { return stream_.handle(); }
  [[nodiscard]] const Extra& extra() const { return extra_; }
  [[nodiscard]] const cuda::Library& library() const { return library_; }
  void check(const char* what, cuda::CUresult error) const { context_.check(what, error); }

  /// Launches blocks of 256 threads; returns before they have run.
  void launch(const char* kernel, Rules rules, std::int64_t blocks,
              std::initializer_list<Argument> arguments);
  /// Blocks for one element per thread, but at most enough to keep the device busy for long.
  [[nodiscard]] std::int64_t blocks_for(std::int64_t elements) const;
  void wait() const { stream_.synchronize(); }

 private:
  explicit Device(const cuda::Library& library, cuda::DeviceProperties properties);
  [[nodiscard]] cuda::CUmodule module(Rules rules);

  const cuda::Library& library_;
  const cuda::DeviceProperties properties_;
  cuda::Context context_;
  cuda::Context::Current current_;  // until the process ends
  cuda::Stream stream_;
  Extra extra_{};
  std::map<Rules, cuda::CUmodule> modules_;
  std::map<std::pair<std::string, Rules>, cuda::CUfunction> functions_;
};

/// Memory of the device.
class Bytes {
 public:
  explicit Bytes(std::size_t size);
  Bytes(const void* from, std::size_t size);
  ~Bytes();
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  [[nodiscard]] cuda::CUdeviceptr address() const { return address_; }
  void read(void* to, std::size_t size) const;

 private:
  cuda::CUdeviceptr address_ = 0;
};

/// `size` elements in device memory.
template <class T>
class Elements {
 public:
  explicit Elements(std::int64_t size) : size_(size), bytes_(count() * sizeof(T)) {}
  explicit Elements(std::span<const T> from)
      : size_(std::ssize(from)),
        bytes_(from.data(), from.size_bytes()) {}
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] cuda::CUdeviceptr address() const { return bytes_.address(); }
  [[nodiscard]] std::vector<T> home() const {
    std::vector<T> all(count());
    bytes_.read(all.data(), count() * sizeof(T));
    return all;
  }

 private:
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(size_); }
  std::int64_t size_;
  Bytes bytes_;
};

/// Captures what is enqueued while `record` runs, and launches it as one graph.
class Graph {
 public:
  template <class F>
  explicit Graph(F record) {
    begin();
    record();
    end();
  }
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch() const;

 private:
  static void begin();
  void end();
  cuda::CUgraph graph_ = nullptr;
  cuda::CUgraphExec exec_ = nullptr;
};

}  // namespace bench::gpu
