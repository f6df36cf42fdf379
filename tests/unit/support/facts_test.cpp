// Facts as text, and their replacement by HASTEN_MACHINE.
#include "backends/facts.hpp"
#include "tests/unit/runtime/support.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace hasten::test {
namespace {

using backends::Facts;

Facts read(const std::string& text) {
  std::string why;
  const auto facts = backends::parse_facts(text, why);
  EXPECT_TRUE(facts) << why;
  return facts.value_or(Facts());
}

TEST(FactsText, ReadsBack) {
  Facts facts = backends::default_facts();
  facts.threads = 12;
  facts.memory_bytes = std::int64_t{1} << 40;
  facts.caches[0].read_bytes_per_s.reset();
  EXPECT_EQ(read(backends::print(facts)), facts);
  EXPECT_EQ(read(""), Facts());
  EXPECT_EQ(read("# a comment\n\ncall_ns 12.5\n").call_ns, 12.5);
}

TEST(FactsText, SaysWhichLineIsWrong) {
  for (const char* wrong :
       {"speed 3", "call_ns", "call_ns fast", "call_ns -1", "call_ns nan", "call_ns inf",
        "call_ns 1 2", "call_ns 0", "threads 1.5", "threads 0", "read_bytes_per_s 1",
        "read_bytes_per_s 1 2 3", "cache 1", "cache 0 32768 1", "cache 1 -5 1", "cache 1 32768 0",
        "cache 1 32768 1 fast", "cache 2 1 1\ncache 1 1 1"}) {
    std::string why;
    EXPECT_FALSE(backends::parse_facts(std::string("# head\n") + wrong, why)) << wrong;
    EXPECT_NE(why.find("line "), std::string::npos) << why;
  }
}

TEST(FactsText, HasEachNameOnce) {
  std::set<std::string> names;
  for (const backends::FactRow& row : backends::fact_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_STRNE(row.meaning, "") << row.name;
  }
}

TEST(LastCache, IsTheTableUnlessTheSweepSeesFarLess) {
  Facts facts;
  EXPECT_EQ(backends::last_cache_bytes(facts), 0);
  facts.caches = {{1, 32 << 10, 1, {}}, {3, 240 << 20, 16, {}}};
  EXPECT_EQ(backends::last_cache_bytes(facts), 240 << 20);
  facts.cache_seen_bytes = 120 << 20;
  EXPECT_EQ(backends::last_cache_bytes(facts), 240 << 20);
  facts.cache_seen_bytes = 32 << 20;
  EXPECT_EQ(backends::last_cache_bytes(facts), 32 << 20);
}

TEST(LastCache, IsAtMost16MiBForEachSharer) {
  Facts facts;
  facts.caches = {{2, 2 << 20, 1, {}}, {3, 260 << 20, 2, {}}};  // two of a processor's many cores
  EXPECT_EQ(backends::last_cache_bytes(facts), 32 << 20);
  facts.cache_seen_bytes = 8 << 20;
  EXPECT_EQ(backends::last_cache_bytes(facts), 32 << 20) << "a quarter of the limited size";
  facts.cache_seen_bytes = 4 << 20;
  EXPECT_EQ(backends::last_cache_bytes(facts), 4 << 20);
  facts.cache_seen_bytes.reset();
  facts.caches.back() = {3, 32 << 20, 2, {}};
  EXPECT_EQ(backends::last_cache_bytes(facts), 32 << 20) << "two threads may have as much";
}

TEST(FactsInstead, AreDefaultsOrAFile) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "facts").string();
  {
    const SetEnv machine("HASTEN_MACHINE", "remeasure");
    EXPECT_FALSE(backends::facts_instead());
  }
  {
    const SetEnv machine("HASTEN_MACHINE", "off");
    EXPECT_EQ(backends::facts_instead(), backends::default_facts());
  }
  const SetEnv machine("HASTEN_MACHINE", path);
  EXPECT_THROW(static_cast<void>(backends::facts_instead()), Error) << "no such file";
  std::ofstream(path) << "cache 3 1000000 4\n";
  EXPECT_EQ(backends::facts_instead().value_or(Facts()).caches.at(0).bytes, 1000000);
  std::ofstream(path) << "cache three\n";
  try {
    static_cast<void>(backends::facts_instead());
    ADD_FAILURE() << "is no fact";
  } catch (const Error& e) {
    for (const char* part : {"HASTEN_MACHINE", path.c_str(), "line 1", "cache three"})
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace hasten::test
