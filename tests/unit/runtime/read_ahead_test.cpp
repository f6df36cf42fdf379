// Rows of mapped files are in memory before their part's turn comes.
#include "runtime/streaming/read_ahead.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace hasten::runtime {
namespace {

constexpr std::int64_t row_bytes = 4096 * 256, rows = 32;

/// A file that is mapped into memory, of which no page has been touched yet.
class Mapped {
 public:
  Mapped() : file_(memfd_create("hasten-test", 0)) {
    if (file_ < 0 || ftruncate(file_, rows * row_bytes) != 0) return;
    void* const made = mmap(nullptr, rows * row_bytes, PROT_READ, MAP_SHARED, file_, 0);
    if (made != MAP_FAILED) data_ = static_cast<std::byte*>(made);
  }
  ~Mapped() {
    if (data_) munmap(data_, rows * row_bytes);
    if (file_ >= 0) close(file_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

  /// Whether this process has the row's first page.
  [[nodiscard]] bool has(std::int64_t row) const {
    const auto page = reinterpret_cast<std::uintptr_t>(data_ + row * row_bytes) / 4096;
    std::uint64_t entry = 0;
    const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (map < 0) return false;
    const auto got = pread(map, &entry, sizeof entry, static_cast<off_t>(page * sizeof entry));
    close(map);
    return got == sizeof entry && (entry >> 63) != 0;
  }

 private:
  int file_;
  std::byte* data_ = nullptr;
};

class ReadsAhead : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_tell())
      GTEST_SKIP() << "the system has no such request, or does not say which pages there are";
  }

  // Asked of the system itself, not of the code under test.
  static bool can_tell() {
#ifdef MADV_POPULATE_READ
    const Mapped other;
    return other.data() && sysconf(_SC_PAGESIZE) == 4096 &&
           madvise(other.data(), row_bytes, MADV_POPULATE_READ) == 0 && other.has(0);
#else
    return false;
#endif
  }

  [[nodiscard]] std::shared_ptr<const detail::HostArray> array() const {
    auto buffer = detail::Buffer::borrow(file.data(), rows * row_bytes, [] {});
    return std::make_shared<const detail::HostArray>(
        std::vector<std::int64_t>{rows, row_bytes}, std::vector{detail::ScalarType::u8},
        std::vector<std::shared_ptr<detail::Buffer>>{std::move(buffer)});
  }
  [[nodiscard]] bool has_soon(std::int64_t row) const {
    for (int i = 0; i < 1000 && !file.has(row); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return file.has(row);
  }

  Mapped file;
};

TEST_F(ReadsAhead, TheNextTwoParts) {
  ReadAhead ahead;
  ahead.after(array(), 2, 10);
  EXPECT_TRUE(has_soon(25));
  EXPECT_TRUE(file.has(10));
  EXPECT_FALSE(file.has(0));
  EXPECT_FALSE(file.has(9));
  EXPECT_FALSE(file.has(31));
  ahead.after(array(), 18, 26);
  EXPECT_TRUE(has_soon(31));  // there are no more
  EXPECT_FALSE(file.has(0));
}

TEST_F(ReadsAhead, NothingBehindTheLastRow) {
  ReadAhead ahead;
  ahead.after(array(), 24, 32);
  ahead.after(array(), 40, 50);
  ahead.after(array(), 20, 31);  // in order: the others are over when this one's row is there
  EXPECT_TRUE(has_soon(31));
  for (std::int64_t row = 0; row < 31; ++row) EXPECT_FALSE(file.has(row)) << row;
}

TEST_F(ReadsAhead, EndsWithRowsLeft) {
  for (int i = 0; i < 100; ++i) {
    ReadAhead ahead;
    for (std::int64_t row = 0; row < rows; ++row) ahead.after(array(), row, row + 1);
  }
}

}  // namespace
}  // namespace hasten::runtime
