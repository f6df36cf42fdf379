// Facts are measured once, kept on disk, and measured again if the stored ones are unusable.
#include "runtime/report/machine_facts.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace hasten::test {
namespace {

namespace fs = std::filesystem;
using backends::Facts;

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Every measurement returns another number.
class FakeMachine final : public backends::Backend {
 public:
  std::string key;
  mutable std::atomic<int> measured{0};

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] std::string description() const override { return "a machine for tests"; }
  [[nodiscard]] std::string fingerprint() const override { return "fake"; }
  [[nodiscard]] bool supports(core::ScalarType) const override { return true; }
  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel&,
                                               const backends::CompileOptions&) override {
    return {};
  }
  [[nodiscard]] std::shared_ptr<const backends::Code> load(const kernels::Kernel&,
                                                           std::span<const std::byte>) override {
    return nullptr;
  }
  void launch(const backends::Code&, const backends::LaunchArguments&) override {}
  void sort_positions(std::span<const std::int64_t>, std::span<const core::ScalarType>,
                      std::span<const std::byte* const>, const backends::SortedKeys&,
                      backends::ScratchMemory*) override {}
  [[nodiscard]] std::string dump(const kernels::Kernel&, const backends::CompileOptions&,
                                 const std::string&) override {
    return {};
  }

  [[nodiscard]] Facts facts() const override {
    Facts facts;
    facts.threads = 3;
    return facts;
  }
  [[nodiscard]] std::string facts_key() const override { return key; }
  [[nodiscard]] Facts measure() const override {
    Facts result = facts();
    result.call_ns = ++measured;
    return result;
  }
};

class MachineFacts : public testing::Test {
 protected:
  // Uses a new key, as in a fresh process, because keys that were seen are remembered.
  explicit MachineFacts() {
    static int count = 0;
    machine->key = "machine " + std::to_string(++count);
  }
  [[nodiscard]] runtime::FactsFile file() const { return {folder.path(), machine->key}; }
  [[nodiscard]] static Facts measured(double call_ns) {
    Facts facts;
    facts.threads = 3;
    facts.call_ns = call_ns;
    return facts;
  }

  TemporaryFolder folder;
  SetEnv cache_folder{"HASTEN_CACHE_DIR", folder.path().string()};
  SetEnv instead{"HASTEN_MACHINE", ""};
  std::shared_ptr<FakeMachine> machine = std::make_shared<FakeMachine>();
  runtime::Device device{"fake", machine, "fake"};
};

TEST_F(MachineFacts, AreMeasuredOnceAndKept) {
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  EXPECT_EQ(machine->measured, 1);
  EXPECT_EQ(file().find(), measured(1));
  EXPECT_EQ(runtime::facts_measured_anew(device), measured(2));
  EXPECT_EQ(runtime::measured_facts(device), measured(2));
  EXPECT_EQ(file().find(), measured(2));
}

TEST_F(MachineFacts, ComeFromDisk) {
  file().store(measured(7));
  EXPECT_EQ(runtime::measured_facts(device), measured(7));
  EXPECT_EQ(machine->measured, 0);
}

TEST_F(MachineFacts, OfAnotherKeyAreMeasuredAnew) {
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  machine->key += " with another microcode";
  EXPECT_EQ(runtime::measured_facts(device), measured(2));
  EXPECT_EQ(machine->measured, 2);
}

TEST_F(MachineFacts, CorruptForeignAndOldFilesAreMeasuredAnew) {
  file().store(measured(7));
  const std::string whole = contents(file().path());
  std::string changed = whole, old = whole;
  changed.replace(changed.find("call_ns 7"), 9, "call_ns 9");
  old.replace(old.find("form 1"), 6, "form 0");
  const runtime::FactsFile other(folder.path(), "another machine");
  other.store(measured(7));
  for (const std::string& wrong :
       {changed, old, whole.substr(0, whole.size() / 2), whole + "threads 4\n", std::string(),
        std::string("\0\xff", 2), contents(other.path())}) {
    std::ofstream(file().path(), std::ios::binary) << wrong;
    EXPECT_FALSE(file().find()) << wrong;
  }
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  EXPECT_EQ(file().find(), measured(1));
}

TEST_F(MachineFacts, FoldersThatCannotBeUsedAreEmpty) {
  const SetEnv nowhere("HASTEN_CACHE_DIR", "/dev/null/hasten");
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  const SetEnv off("HASTEN_CACHE_DIR", "off");
  EXPECT_EQ(runtime::facts_measured_anew(device), measured(2));
}

TEST_F(MachineFacts, EnvironmentAsksForAnotherMeasurementOnce) {
  file().store(measured(7));
  const SetEnv anew("HASTEN_MACHINE", "remeasure");
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  EXPECT_EQ(runtime::measured_facts(device), measured(1));
  EXPECT_EQ(file().find(), measured(1));
}

TEST_F(MachineFacts, WithoutAKeyNothingIsMeasured) {
  machine->key.clear();
  EXPECT_EQ(runtime::measured_facts(device), machine->facts());
  EXPECT_EQ(machine->measured, 0);
  EXPECT_EQ(runtime::measured_facts({"interpreter", nullptr, "interpreter"}), Facts());
}

TEST_F(MachineFacts, SeveralThreadsMeasureOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { EXPECT_EQ(runtime::measured_facts(device), measured(1)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(machine->measured, 1);
}

TEST_F(MachineFacts, FewFilesAreKept) {
  for (int i = 0; i < 40; ++i)
    runtime::FactsFile(folder.path(), "machine of " + std::to_string(i)).store(measured(7));
  std::ptrdiff_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    files += entry.path().extension() == ".facts";
  EXPECT_EQ(files, 16);
}

#if HASTEN_WITH_LLVM
// Bounds that hold on any machine, however busy.
void expect_plausible(const char* name, double number, double least, double most) {
  EXPECT_GT(number, least) << name;
  EXPECT_LT(number, most) << name;
}

TEST(ThisMachine, HasPlausibleFacts) {
  const SetEnv instead("HASTEN_MACHINE", "");
  const auto cpu = backends::make_cpu_backend();
  EXPECT_FALSE(cpu->facts().read_bytes_per_s);
  EXPECT_FALSE(cpu->facts_key().empty());
  EXPECT_EQ(cpu->facts_key().find('\n'), std::string::npos);
  const Facts facts = cpu->measure();
  EXPECT_GE(facts.threads.value_or(0), 1);
  ASSERT_FALSE(facts.caches.empty());
  for (const backends::FactRow& row : backends::fact_rows()) {
    if (const auto* pair = std::get_if<backends::FactRow::Pair>(&row.member)) {
      ASSERT_TRUE(facts.*(*pair)) << row.name;
      expect_plausible(row.name, (facts.*(*pair))->one, 1e6, 1e14);
      expect_plausible(row.name, (facts.*(*pair))->all, 1e6, 1e15);
    }
  }
  ASSERT_TRUE(facts.launch_ns && facts.call_ns);
  expect_plausible("launch_ns", *facts.launch_ns, 1, 1e9);
  expect_plausible("call_ns", *facts.call_ns, 1, 1e7);
  std::string why;
  EXPECT_TRUE(backends::parse_facts(backends::print(facts), why)) << why;
}

TEST(ThisMachine, IsNotMeasuredWhereAnotherIsPutInItsPlace) {
  const SetEnv instead("HASTEN_MACHINE", "off");
  const auto cpu = backends::make_cpu_backend();
  EXPECT_TRUE(cpu->facts_key().empty());
  Facts facts = cpu->facts();
  EXPECT_GE(facts.threads.value_or(0), 1);
  facts.threads.reset();
  EXPECT_EQ(facts, backends::default_facts());
}

TEST(ThisMachine, KeysTellWhatWasMeasured) {
  const SetEnv instead("HASTEN_MACHINE", "");
  EXPECT_EQ(backends::make_cpu_backend(1)->facts_key(), backends::make_cpu_backend(1)->facts_key());
  EXPECT_NE(backends::make_cpu_backend(1)->facts_key(), backends::make_cpu_backend(2)->facts_key());
  const std::string whole = backends::make_cpu_backend(1)->facts_key();
  const SetEnv narrow("HASTEN_CPU_WIDTH", "128");
  EXPECT_NE(backends::make_cpu_backend(1)->facts_key(), whole) << "of other vectors";
}
#endif

}  // namespace
}  // namespace hasten::test
