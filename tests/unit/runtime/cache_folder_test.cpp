// A cache folder that another user controls: none of that user's files is read, waited for or
// removed.
#include "runtime/compile/disk_cache.hpp"
#include "runtime/files.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace hasten::test {
namespace {

namespace fs = std::filesystem;
using runtime::DiskCache;
using support::Digest;

const std::vector<std::byte> some_code(300, std::byte{7});
const Digest some_key{1, 2};

class CacheFolder : public testing::Test {
 protected:
  TemporaryFolder folder;
  DiskCache disk{folder.path()};
  const fs::path file = folder.path() / (support::to_hex(some_key) + ".kernel");

  void SetUp() override {
    disk.store(some_key, "machine", some_code);
    ASSERT_EQ(disk.find(some_key, "machine"), some_code);
  }
  [[nodiscard]] bool finds() const { return disk.find(some_key, "machine").has_value(); }
  [[nodiscard]] fs::path write(const std::string& name) const {
    std::ofstream(folder.path() / name) << "somebody's";
    fs::last_write_time(folder.path() / name,
                        fs::file_time_type::clock::now() - std::chrono::hours(100));
    return folder.path() / name;
  }
};

TEST_F(CacheFolder, KeepsWhatIsNotItsOwn) {
  const std::string digest = support::to_hex(some_key);
  std::vector<fs::path> others;
  for (const std::string& name :
       {std::string("thesis.kernel"), std::string("mine.temporary"), digest + ".kernel.old",
        digest.substr(1) + ".kernel", "x" + digest + ".kernel", digest + ".kernel.temporary",
        digest + ".kernel.1.x.temporary", std::string("picture.12.3.temporary"), std::string("a"),
        std::string("notes.facts"), digest + ".KERNEL"})
    others.push_back(write(name));
  fs::create_directory(folder.path() / (support::to_hex(Digest{3, 4}) + ".kernel"));
  const fs::path target = write("target");
  fs::create_symlink(target, folder.path() / (support::to_hex(Digest{5, 6}) + ".kernel"));
  const fs::path left = write(digest + ".kernel.12.3.temporary");  // its writer is dead
  EXPECT_EQ(disk.summary().all.entries, 1U);
  EXPECT_EQ(disk.clear(), 1U);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(left));
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_TRUE(fs::exists(target));
  EXPECT_TRUE(fs::is_symlink(folder.path() / (support::to_hex(Digest{5, 6}) + ".kernel")));
}

TEST_F(CacheFolder, RefusesFilesThatOthersMayWrite) {
  for (const mode_t mode : {0666, 0622, 0620, 0602}) {
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    EXPECT_FALSE(finds()) << std::oct << mode;
  }
  ASSERT_EQ(chmod(file.c_str(), 0644), 0);
  EXPECT_TRUE(finds());
}

TEST_F(CacheFolder, RefusesFoldersThatOthersMayWrite) {
  for (const mode_t mode : {0777, 01777, 0770, 0702}) {
    ASSERT_EQ(chmod(folder.path().c_str(), mode), 0);
    EXPECT_FALSE(finds()) << std::oct << mode;
    EXPECT_NE(runtime::why_refused(folder.path()).find("other users"), std::string::npos);
    disk.store({7, 8}, "machine", some_code);
    EXPECT_EQ(disk.clear(), 0U);
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(finds());
  EXPECT_FALSE(disk.find({7, 8}, "machine"));
  EXPECT_EQ(runtime::why_refused(folder.path()), "");
}

TEST(CacheFolderOwner, IsTheUserOrTheAdministrator) {
  EXPECT_TRUE(runtime::is_trusted(1000, 1000));
  EXPECT_TRUE(runtime::is_trusted(0, 1000));
  EXPECT_TRUE(runtime::is_trusted(0, 0));
  EXPECT_FALSE(runtime::is_trusted(1001, 1000));
  EXPECT_FALSE(runtime::is_trusted(1000, 0));
}

// The rule on file owners; the tests above check it for the user who runs the tests.
TEST_F(CacheFolder, RefusesWhatBelongsToOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only the administrator can give files away";
  ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(finds());
  EXPECT_EQ(disk.clear(), 0U);
  ASSERT_EQ(chown(file.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(finds());
  EXPECT_NE(runtime::why_refused(folder.path()).find("another user"), std::string::npos);
  ASSERT_EQ(chown(folder.path().c_str(), 0, 0), 0);
}

TEST_F(CacheFolder, IsNoFolder) {
  const fs::path other = write("a file");
  const DiskCache none(other);
  EXPECT_FALSE(none.find(some_key, "machine"));
  none.store(some_key, "machine", some_code);
  EXPECT_NE(runtime::why_refused(other), "");
}

TEST_F(CacheFolder, WaitsForNoPipeAndFollowsNoLink) {
  const fs::path moved = folder.path() / "moved";
  fs::rename(file, moved);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(finds());
  EXPECT_EQ(disk.summary().all.entries, 0U);
  fs::remove(file);
  fs::create_symlink(moved, file);
  EXPECT_FALSE(finds());
  disk.store(some_key, "machine", some_code);  // replaces the link, not what it leads to
  EXPECT_TRUE(finds());
  EXPECT_TRUE(fs::exists(moved));
}

TEST_F(CacheFolder, MarkerFollowsNoLink) {
  const fs::path marker = folder.path() / "swept", victim = folder.path() / "victim";
  fs::remove(marker);
  fs::create_symlink(victim, marker);
  for (std::uint64_t i = 0; i < 300; ++i) disk.store({i, 9}, "machine", some_code);
  EXPECT_FALSE(fs::exists(victim));
  fs::remove(marker);
  ASSERT_EQ(mkfifo(marker.c_str(), 0600), 0);
  for (std::uint64_t i = 0; i < 300; ++i) disk.store({i, 9}, "machine", some_code);
}

TEST_F(CacheFolder, AbsurdSizesAreMisses) {
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  constexpr std::size_t at_fingerprint = 12, at_code = 16;
  for (const std::uint64_t bytes :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 7 - 64, std::uint64_t{1} << 63,
        std::uint64_t{1} << 40, std::uint64_t{301}, std::uint64_t{0}}) {
    for (const std::uint32_t fingerprint : {7U, 0U, ~0U, 308U}) {
      std::string broken = whole;
      std::memcpy(broken.data() + at_code, &bytes, sizeof bytes);
      std::memcpy(broken.data() + at_fingerprint, &fingerprint, sizeof fingerprint);
      std::ofstream(file, std::ios::binary | std::ios::trunc) << broken;
      EXPECT_FALSE(finds()) << bytes << ' ' << fingerprint;
      static_cast<void>(disk.summary());
    }
  }
  // Its size is as stated, and more than the cache may hold.
  const std::uint64_t bytes = std::uint64_t{1} << 40;
  std::memcpy(whole.data() + at_code, &bytes, sizeof bytes);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole;
  std::error_code no_room;
  fs::resize_file(file, whole.size() - some_code.size() + bytes, no_room);
  EXPECT_FALSE(finds());
  static_cast<void>(disk.summary());
}

}  // namespace
}  // namespace hasten::test
