// The system's tables, read from folders that the tests make.
#include "backends/cpu/machine/processor.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace hasten::test::cpu {
namespace {

namespace fs = std::filesystem;
using namespace backends::cpu;
using backends::CacheFacts;

class Processor : public testing::Test {
 protected:
  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text << '\n';
  }
  void cache(int processor, int index, const std::string& level, const std::string& type,
             const std::string& size, const std::string& sharers) const {
    const fs::path at = fs::path("sys/devices/system/cpu") / ("cpu" + std::to_string(processor)) /
                        "cache" / ("index" + std::to_string(index));
    write(at / "level", level);
    write(at / "type", type);
    write(at / "size", size);
    write(at / "shared_cpu_list", sharers);
  }
  [[nodiscard]] const fs::path& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST_F(Processor, CachesAreThoseOfData) {
  cache(0, 0, "1", "Data", "48K", "0,32");
  cache(0, 1, "1", "Instruction", "32K", "0,32");
  cache(0, 2, "2", "Unified", "2048K", "0,32");
  cache(0, 3, "3", "Unified", "32M", "0-7,32-39");
  cache(5, 0, "2", "Unified", "512K", "5");
  const std::vector<CacheFacts> expected = {
      {1, 48 << 10, 2, {}}, {2, 2 << 20, 2, {}}, {3, 32 << 20, 16, {}}};
  EXPECT_EQ(cache_table(root(), 0), expected);
  EXPECT_EQ(cache_table(root(), 5), (std::vector<CacheFacts>{{2, 512 << 10, 1, {}}}));
  EXPECT_TRUE(cache_table(root(), 7).empty());
}

TEST_F(Processor, CachesThatMakeNoSenseAreLeftOut) {
  cache(0, 0, "2", "Unified", "1024K", "what");
  cache(0, 1, "1", "Data", "32K", "");
  cache(0, 2, "", "Unified", "32K", "0");
  cache(0, 3, "3", "Unified", "", "0");
  cache(0, 4, "3", "Unified", "-1K", "0");
  cache(0, 5, "1", "Data", "16K", "0");  // a level that occurs twice
  const std::vector<CacheFacts> expected = {{1, 32 << 10, 1, {}}, {2, 1 << 20, 1, {}}};
  EXPECT_EQ(cache_table(root(), 0), expected);
}

TEST_F(Processor, QuotaIsTheLeastOfAllGroups) {
  EXPECT_FALSE(processor_quota(root()));
  EXPECT_FALSE(memory_quota(root()));
  write("proc/self/cgroup", "0::/a/b/c");
  write("sys/fs/cgroup/a/b/c/cpu.max", "max 100000");
  EXPECT_FALSE(processor_quota(root()));
  write("sys/fs/cgroup/a/b/cpu.max", "400000 100000");
  write("sys/fs/cgroup/a/cpu.max", "150000 100000");
  write("sys/fs/cgroup/a/memory.max", "1000000");
  write("sys/fs/cgroup/a/b/memory.max", "max");
  EXPECT_EQ(processor_quota(root()), 1.5);
  EXPECT_EQ(memory_quota(root()), 1000000);
}

TEST_F(Processor, QuotaOfTheFirstVersion) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/box\n2:cpu,cpuacct:/box/in\n0::/");
  write("sys/fs/cgroup/cpu/box/in/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu/box/in/cpu.cfs_period_us", "100000");
  write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_FALSE(processor_quota(root()));
  EXPECT_FALSE(memory_quota(root()));
  write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "200000");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096");
  EXPECT_EQ(processor_quota(root()), 0.25);
  EXPECT_EQ(memory_quota(root()), 4096);
}

TEST_F(Processor, WordsTellModelsApart) {
  write("proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
        "model name\t: AMD EPYC\nstepping\t: 1\nmicrocode\t: 0x1000065\ncpu MHz\t\t: 2596.136\n"
        "power management:\n\nprocessor\t: 1\nmodel\t\t: 18");
  EXPECT_EQ(processor_words(root()), "AuthenticAMD 25 17 AMD EPYC 1 0x1000065");
}

TEST(ThisProcessor, IsKnown) {
  EXPECT_GE(usable_threads(), 1);
  const std::vector<int> processors = allowed_processors();
  ASSERT_FALSE(processors.empty());
  EXPECT_LE(usable_threads(), std::ssize(processors));
  const auto caches = find_caches();
  ASSERT_FALSE(caches.empty());
  for (const CacheFacts& cache : caches) {
    EXPECT_GE(cache.bytes, 1024);
    EXPECT_GE(cache.level, 1);
    EXPECT_GE(cache.sharers, 1);
  }
}

}  // namespace
}  // namespace hasten::test::cpu
