// Kernels on disk: valid, corrupt, foreign, too many, from several processes.
#include "runtime/compile/disk_cache.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

namespace hasten::test {
namespace {

namespace fs = std::filesystem;
using runtime::DiskCache;
using support::Digest;
using Bytes = std::vector<std::byte>;

Bytes code(std::size_t size, unsigned seed = 1) {
  Bytes result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<std::byte>(seed * 31 + i * 7);
  return result;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".kernel") result.push_back(entry.path());
  return result;
}

class KernelsOnDisk : public testing::Test {
 protected:
  TemporaryFolder folder;
  DiskCache disk{folder.path() / "deep" / "cache"};

  fs::path only_file() {
    const auto files = files_in(folder.path() / "deep" / "cache");
    EXPECT_EQ(files.size(), 1U);
    return files.at(0);
  }
};

TEST_F(KernelsOnDisk, AreFoundAgain) {
  EXPECT_FALSE(disk.find({1, 2}, "machine"));
  disk.store({1, 2}, "machine", code(1000));
  EXPECT_EQ(disk.find({1, 2}, "machine"), code(1000));
  EXPECT_FALSE(disk.find({1, 3}, "machine"));
  EXPECT_FALSE(disk.find({1, 2}, "another"));
  disk.store({5, 6}, "machine", code(0));
  EXPECT_EQ(disk.find({5, 6}, "machine"), Bytes());
  EXPECT_EQ(disk.summary().all.entries, 2U);
}

TEST_F(KernelsOnDisk, CorruptFilesAreIgnoredAndReplaced) {
  const Bytes good = code(500);
  disk.store({1, 2}, "machine", good);
  std::string whole;
  {
    std::ifstream in(only_file(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto write = [&](const std::string& text) {
    std::ofstream(only_file(), std::ios::binary | std::ios::trunc) << text;
  };
  for (std::size_t at = 0; at < whole.size(); at += 13) {  // flips a bit in every part of the file
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x10);
    write(broken);
    EXPECT_FALSE(disk.find({1, 2}, "machine")) << "byte " << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_FALSE(disk.find({1, 2}, "machine")) << size << " bytes";
  }
  write(whole + "more");
  EXPECT_FALSE(disk.find({1, 2}, "machine"));
  disk.store({1, 2}, "machine", good);
  EXPECT_EQ(disk.find({1, 2}, "machine"), good);
}

TEST_F(KernelsOnDisk, UnderAnotherNameAreForeign) {
  disk.store({1, 2}, "machine", code(10));
  const fs::path made = only_file();
  fs::rename(made, made.parent_path() / (support::to_hex(Digest{3, 4}) + ".kernel"));
  EXPECT_FALSE(disk.find({3, 4}, "machine"));
}

TEST_F(KernelsOnDisk, LeastRecentlyUsedGoFirst) {
  const DiskCache small(folder.path(), 10'000);
  for (std::uint64_t i = 0; i < 20; ++i) small.store({i, i}, "machine", code(900));
  const auto age = [&](std::uint64_t i, int hours) {
    fs::last_write_time(folder.path() / (support::to_hex(Digest{i, i}) + ".kernel"),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (std::uint64_t i = 0; i < 20; ++i)
    if (small.find({i, i}, "machine")) age(i, 100 - static_cast<int>(i));
  ASSERT_TRUE(small.find({0, 0}, "machine"));  // used, so recent again
  small.sweep();
  EXPECT_LE(small.summary().all.bytes, 10'000U);
  EXPECT_TRUE(small.find({0, 0}, "machine"));
  EXPECT_FALSE(small.find({1, 1}, "machine"));
  EXPECT_TRUE(small.find({19, 19}, "machine"));
}

TEST_F(KernelsOnDisk, StoringSweepsByItself) {
  const DiskCache small(folder.path(), 20'000);
  for (std::uint64_t i = 0; i < 600; ++i) small.store({i, 7}, "machine", code(900));
  EXPECT_LT(small.summary().all.entries, 400U);
}

TEST_F(KernelsOnDisk, AreCountedByFingerprintAndCleared) {
  disk.store({1, 0}, "machine a", code(100));
  disk.store({2, 0}, "machine a", code(100));
  disk.store({3, 0}, "machine b", code(100));
  const DiskCache::Summary summary = disk.summary();
  EXPECT_EQ(summary.by_fingerprint.at("machine a").entries, 2U);
  EXPECT_EQ(summary.by_fingerprint.at("machine b").entries, 1U);
  EXPECT_GT(summary.all.bytes, 300U);
  EXPECT_EQ(disk.clear(), 3U);
  EXPECT_EQ(disk.summary().all.entries, 0U);
}

TEST_F(KernelsOnDisk, FoldersThatCannotBeUsedAreEmpty) {
  std::ofstream(folder.path() / "file") << "x";
  const DiskCache nowhere(folder.path() / "file" / "cache"), off(fs::path{});
  for (const DiskCache* cache : {&nowhere, &off}) {
    cache->store({1, 2}, "machine", code(10));
    EXPECT_FALSE(cache->find({1, 2}, "machine"));
    EXPECT_EQ(cache->summary().all.entries, 0U);
    EXPECT_EQ(cache->clear(), 0U);
  }
}

TEST_F(KernelsOnDisk, LeftoversOfDeadWritersGo) {
  disk.store({1, 2}, "machine", code(10));
  const fs::path leftover = only_file().string() + ".123.4.temporary";
  std::ofstream(leftover) << "half";
  disk.sweep();
  EXPECT_TRUE(fs::exists(leftover));  // its writer may still be running
  fs::last_write_time(leftover, fs::file_time_type::clock::now() - std::chrono::hours(2));
  disk.sweep();
  EXPECT_FALSE(fs::exists(leftover));
}

// Every process stores and reads the same keys and sweeps; whatever is found must be right.
int hammer(const DiskCache& disk, unsigned seed) {
  for (unsigned round = 0; round < 300; ++round) {
    const std::uint64_t key = (round * 7 + seed) % 12;
    const Bytes expected = code(2000 + key, static_cast<unsigned>(key));
    const auto found = disk.find({key, key}, "machine");
    if (found && *found != expected) return 1;
    if (!found || round % 5 == 0) disk.store({key, key}, "machine", expected);
    if (round % 17 == 0) disk.sweep();
  }
  return 0;
}

TEST_F(KernelsOnDisk, ProcessesAndThreadsShareAFolder) {
  const DiskCache small(folder.path(), 15'000);
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 4; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(hammer(small, i));
    children.push_back(child);
  }
  int wrong = 0;
  {
    std::thread other([&] { EXPECT_EQ(hammer(small, 5), 0); });
    wrong = hammer(small, 4);
    other.join();
  }
  EXPECT_EQ(wrong, 0);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(CacheFolderName, FollowsTheEnvironment) {
  const SetEnv home("HOME", "/var/someone");
  {
    const SetEnv none("HASTEN_CACHE_DIR", ""), xdg("XDG_CACHE_HOME", "");
    EXPECT_EQ(runtime::cache_folder(), "/var/someone/.cache/hasten");
  }
  {
    const SetEnv none("HASTEN_CACHE_DIR", ""), xdg("XDG_CACHE_HOME", "/var/caches");
    EXPECT_EQ(runtime::cache_folder(), "/var/caches/hasten");
  }
  {
    const SetEnv chosen("HASTEN_CACHE_DIR", "/here");
    EXPECT_EQ(runtime::cache_folder(), "/here");
  }
  const SetEnv off("HASTEN_CACHE_DIR", "off");
  EXPECT_TRUE(runtime::cache_folder().empty());
}

class CachedPrograms : public RuntimeTest {};

TEST_F(CachedPrograms, SurviveACorruptCache) {
  const auto total = [&] { return run(sum(use(Vector<float>{1, 2, 3})), options).item(); };
  EXPECT_EQ(total(), 6);
  for (const fs::path& file : files_in(folder.path())) fs::resize_file(file, 20);
  forget();
  EXPECT_EQ(total(), 6);
  EXPECT_EQ(backend->compiled, 2);
  forget();
  EXPECT_EQ(total(), 6);
  EXPECT_EQ(backend->compiled, 2);  // it was replaced
}

TEST_F(CachedPrograms, BytesTheBackendRefusesAreReplaced) {
  const auto total = [&] { return run(sum(use(Vector<float>{1, 2, 3})), options).item(); };
  total();
  // A valid file with the wrong contents, as after a bug in a backend that keeps its fingerprint.
  const auto files = files_in(folder.path());
  ASSERT_EQ(files.size(), 1U);
  const std::string name = files[0].stem().string();
  const Digest key{std::stoull(name.substr(16), nullptr, 16),
                   std::stoull(name.substr(0, 16), nullptr, 16)};
  DiskCache(folder.path()).store(key, backend->fingerprint(), code(10));
  forget();
  EXPECT_EQ(total(), 6);
  EXPECT_EQ(backend->compiled, 2);
}

}  // namespace
}  // namespace hasten::test
