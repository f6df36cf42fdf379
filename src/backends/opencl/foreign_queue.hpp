// A queue in which the user's own code enqueues work.
#pragma once

#include "backends/opencl/queues.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hasten::backends::opencl {

class QueueOfOthers final : public ForeignQueue {
 public:
  /// `queues` must outlive it.
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
  std::optional<std::size_t> begun_;  // if it is timed
  bool is_closed_ = false;
};

}  // namespace hasten::backends::opencl
