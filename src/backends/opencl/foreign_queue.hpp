// A queue that the user's own code is told work in.
#pragma once

#include "backends/opencl/queues.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hasten::backends::opencl {

class QueueOfOthers final : public ForeignQueue {
 public:
  /// `queues` must live as long.
  QueueOfOthers(const Library& library, Queues& queues, cl_context context, cl_device_id device,
                std::span<const c_like::Address> reads, c_like::CallWork* call);
  ~QueueOfOthers() override;
  QueueOfOthers(const QueueOfOthers&) = delete;
  QueueOfOthers& operator=(const QueueOfOthers&) = delete;

  [[nodiscard]] void* queue() const override { return queues_.handle(queue_); }
  [[nodiscard]] void* context() const override { return context_; }
  [[nodiscard]] void* device() const override { return device_; }
  void writes(std::byte* address) override;
  void close() override;

 private:
  const Library& library_;
  Queues& queues_;
  cl_context context_;
  cl_device_id device_;
  c_like::CallWork* const call_;
  std::vector<Queues::Use> uses_;
  const std::size_t queue_;
  std::optional<std::size_t> begun_;  // if somebody times it
  bool is_closed_ = false;
};

}  // namespace hasten::backends::opencl
