// Kernels for vectors of every width, and memory that detects reads outside of an array.
#pragma once

#include "backends/cpu/compile.hpp"
#include "backends/cpu/load.hpp"
#include "tests/unit/cpu/kernels.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <vector>

namespace hasten::test::cpu {

/// The machines for all widths of vectors.
inline std::vector<backends::cpu::Machine> machines() {
  std::vector<backends::cpu::Machine> all;
  for (const int bits : {128, 256, 512}) all.push_back(backends::cpu::detect_machine(bits));
  return all;
}

/// A kernel compiled for one of them.
struct Loaded {
  unsigned bits;
  std::shared_ptr<backends::cpu::LoadedKernel> kernel;
};
inline std::vector<Loaded> on_vectors_of_every_width(const Kernel& kernel) {
  kernels::verify(kernel);
  std::vector<Loaded> all;
  for (const backends::cpu::Machine& machine : machines())
    all.push_back(
        {machine.bits, backends::cpu::load_kernel(
                           kernel, backends::cpu::compile_object(kernel, {}, machine), machine)});
  return all;
}

/// Memory whose end, or beginning, borders on a page that cannot be read.
class Fenced {
 public:
  Fenced(std::int64_t bytes, bool at_end)
      : page_(sysconf(_SC_PAGESIZE)),
        size_((bytes + page_ - 1) / page_ * page_) {
    void* const at = mmap(nullptr, static_cast<std::size_t>(size_ + 2 * page_), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(at, MAP_FAILED);
    all_ = static_cast<std::byte*>(at);
    EXPECT_EQ(mprotect(all_ + page_, static_cast<std::size_t>(size_), PROT_READ | PROT_WRITE), 0);
    data_ = all_ + page_ + (at_end ? size_ - bytes : 0);
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() { munmap(all_, static_cast<std::size_t>(size_ + 2 * page_)); }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::int64_t page_, size_;
  std::byte *all_ = nullptr, *data_ = nullptr;
};

}  // namespace hasten::test::cpu
