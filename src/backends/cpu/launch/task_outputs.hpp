// The private outputs of one task of a scatter: see private_outputs.hpp.
#pragma once

#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/launch/private_outputs.hpp"
#include "backends/cpu/launch/scratch.hpp"
#include "backends/cpu/launch/spaces.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hasten::backends::cpu {

// The distance between copies of outputs, in elements. Equal places of the copies are in different
// sets of a cache, and differ in the address bits by which processors match loads to recent stores.
inline std::int64_t distance_of_copies(std::int64_t size) {
  constexpr std::int64_t page = 512, apart = 136;  // of 8 bytes
  return divide_up(size, page) * page + apart;
}

/// The number of copies of each part's outputs, for many updates: they must fit a first cache, and
/// there must be enough updates of each.
inline std::int64_t copies_of_outputs(const LoadedKernel& kernel, std::int64_t updates,
                                      std::int64_t outputs) {
  constexpr std::int64_t bytes_max = 1 << 14, updates_min = 256;
  if (!kernel.may_have_copies || updates / updates_min < outputs) return 1;
  std::int64_t bytes = 0;
  for (const std::size_t of_output : kernel.output_bytes)
    bytes += static_cast<std::int64_t>(of_output) * outputs;
  return output_copies * bytes <= bytes_max ? output_copies : 1;
}

/// Whether all targets' results are kept in registers; between rows they are in memory.
inline bool has_few_targets(const LoadedKernel& kernel, const LaunchArguments& arguments) {
  constexpr std::int64_t columns_min = 256;
  return arguments.output_size <= kernel.schedule.few_targets &&
         arguments.extents.back() >= columns_min;
}

/// One task's private outputs of a scatter, in several copies, and the frame that points to them.
/// Throws std::bad_alloc where there is no memory for them.
class PrivateOutputs {
 public:
  PrivateOutputs(const LoadedKernel& kernel, const std::uint64_t* frame, std::int64_t size,
                 std::int64_t copies)
      : kernel_(&kernel),
        size_(size),
        copies_(copies),
        frame_(frame, frame + kernel.layout.words) {
    const std::int64_t all = size + (copies - 1) * distance();
    for (std::size_t i = 0; i < kernel.unordered.size(); ++i) {
      outputs_.emplace_back(all * static_cast<std::int64_t>(kernel.output_bytes[i]));
      frame_[kernel.layout.outputs + i] = reinterpret_cast<std::uintptr_t>(copy(i, 0));
    }
  }
  [[nodiscard]] const std::uint64_t* frame() const { return frame_.data(); }
  [[nodiscard]] std::int64_t distance() const {
    return copies_ > 1 ? distance_of_copies(size_) : 0;
  }
  void fill() {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      for (std::int64_t k = 0; k < copies_; ++k)
        fill_with_identity(kernel_->unordered[i], copy(i, k), size_);
  }
  /// Afterwards all updates are in the first copy.
  void join_copies() {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      for (std::int64_t k = 1; k < copies_; ++k)
        cpu::combine_into(kernel_->unordered[i], copy(i, 0), copy(i, k), size_);
  }
  /// Combines the elements [begin, end).
  void combine_into(std::span<std::byte* const> outputs, std::int64_t begin,
                    std::int64_t end) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(begin) * kernel_->output_bytes[i];
      cpu::combine_into(kernel_->unordered[i], outputs[i] + at, outputs_[i].data() + at,
                        end - begin);
    }
  }

 private:
  std::byte* copy(std::size_t i, std::int64_t k) {
    return outputs_[i].data() +
           k * distance() * static_cast<std::int64_t>(kernel_->output_bytes[i]);
  }

  const LoadedKernel* kernel_;
  std::int64_t size_, copies_;
  std::vector<std::uint64_t> frame_;
  std::vector<Scratch<std::byte>> outputs_;
};

}  // namespace hasten::backends::cpu
