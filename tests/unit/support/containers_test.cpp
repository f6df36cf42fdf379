// The small tools of src/support: hashing, and matching on variants.
#include "support/hash.hpp"
#include "support/overloaded.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <variant>

namespace hasten::support {
namespace {

TEST(Hash, DependsOnEveryWordAndTheirOrder) {
  std::set<Digest> seen;
  for (int length = 0; length < 200; ++length) {  // across the block borders of the hash
    Hasher hasher;
    for (int i = 0; i < length; ++i) hasher.add(i);
    EXPECT_TRUE(seen.insert(hasher.finish()).second) << length;
    Hasher changed;
    for (int i = 0; i < length; ++i) changed.add(i == length / 2 ? -1 : i);
    EXPECT_TRUE(length == 0 || seen.insert(changed.finish()).second) << length;
  }
  EXPECT_NE(Hasher().add(1).add(2).finish(), Hasher().add(2).add(1).finish());
}

TEST(Hash, TextsAreMarkedOff) {
  EXPECT_NE(Hasher().add("ab").add("c").finish(), Hasher().add("a").add("bc").finish());
  EXPECT_EQ(Hasher().add("ab").finish(), Hasher().add(std::string("ab")).finish());
}

TEST(Hash, IsStableAndPrintable) {
  // Kernel caches on disk depend on it.
  EXPECT_EQ(to_hex(hash_bytes("hasten", 6)).size(), 32U);
  EXPECT_EQ(to_hex(Digest{0xab, 0x1}), "000000000000000100000000000000ab");
}

TEST(Match, CallsTheFunctionOfTheAlternative) {
  using Variant = std::variant<int, std::string, std::unique_ptr<int>>;
  const auto name = [](const Variant& v) {
    return match(
        v, [](int) { return "int"; }, [](const std::string&) { return "string"; },
        [](const auto&) { return "other"; });
  };
  EXPECT_STREQ(name(1), "int");
  EXPECT_STREQ(name("text"), "string");
  EXPECT_STREQ(name(std::make_unique<int>(1)), "other");
}

TEST(Match, MayChangeWhatIsHeld) {
  std::variant<int, std::string> v = 1;
  match(v, [](int& i) { i = 5; }, [](std::string& s) { s.clear(); });
  EXPECT_EQ(std::get<int>(v), 5);
  int& held = match(v, [](int& i) -> int& { return i; }, [](std::string&) -> int& { throw 0; });
  EXPECT_EQ(&held, &std::get<int>(v));
}

}  // namespace
}  // namespace hasten::support
