// The environment switches: their readers, and that the documentation lists all of them.
#include "support/env.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace hasten::support {
namespace {

class Env : public testing::Test {
 protected:
  static void set(const char* value) { setenv("HASTEN_SKIP_PASS", value, 1); }
  void TearDown() override { unsetenv("HASTEN_SKIP_PASS"); }
  static constexpr const char* name = "HASTEN_SKIP_PASS";
};

TEST_F(Env, UnsetIsEmpty) {
  EXPECT_EQ(env(name), "");
  EXPECT_FALSE(env_number(name));
  EXPECT_FALSE(env_has(name, "fuse"));
}

TEST_F(Env, NumbersAreWholeOrNothing) {
  set("12");
  EXPECT_EQ(env_number(name), 12);
  set("-3");
  EXPECT_EQ(env_number(name), -3);
  for (const char* wrong : {"", "x", "12x", "1.5", " 1", "99999999999999999999"}) {
    set(wrong);
    EXPECT_FALSE(env_number(name)) << wrong;
  }
}

TEST_F(Env, BytesHaveUnits) {
  set("12");
  EXPECT_EQ(env_bytes(name), 12U);
  set("3K");
  EXPECT_EQ(env_bytes(name), 3072U);
  set("10G");
  EXPECT_EQ(env_bytes(name), std::size_t{10} << 30);
  for (const char* wrong : {"", "K", "-3", "3X", "3KB", "1.5G", "99999999999T"}) {
    set(wrong);
    EXPECT_FALSE(env_bytes(name)) << wrong;
  }
}

TEST_F(Env, WordsOfAListAreWhole) {
  set("fuse,simplify");
  EXPECT_TRUE(env_has(name, "fuse"));
  EXPECT_TRUE(env_has(name, "simplify"));
  EXPECT_FALSE(env_has(name, "simp"));
  EXPECT_FALSE(env_has(name, "fuse,simplify ")) << "a word, not a part";
}

// Each test uses another name, because a switch is warned of once per process.
TEST_F(Env, NumbersThatAreNoneAreWarnedOfOnce) {
  setenv("HASTEN_TEST_NUMBER", "many", 1);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(env_number("HASTEN_TEST_NUMBER"));
  EXPECT_FALSE(env_number("HASTEN_TEST_NUMBER"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hasten: HASTEN_TEST_NUMBER: \"many\" is no whole number; what is taken: nothing\n");
  unsetenv("HASTEN_TEST_NUMBER");
  EXPECT_FALSE(env_bytes("HASTEN_TEST_BYTES"));
  setenv("HASTEN_TEST_BYTES", "3X", 1);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(env_bytes("HASTEN_TEST_BYTES"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("\"3X\" is no number of bytes"),
            std::string::npos);
  unsetenv("HASTEN_TEST_BYTES");
}

TEST_F(Env, NumbersOutOfRangeAreWarnedOf) {
  const auto warning = [](const char* of, const char* value, NumberRange range) {
    setenv(of, value, 1);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(env_number(of, range));
    unsetenv(of);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning("HASTEN_TEST_RANGE", "0", {1, 9}),
            "hasten: HASTEN_TEST_RANGE: \"0\" is no whole number from 1 to 9; what is taken: "
            "nothing\n");
  EXPECT_EQ(warning("HASTEN_TEST_LEAST", "-1", {.least = 0}),
            "hasten: HASTEN_TEST_LEAST: \"-1\" is no whole number of at least 0; what is taken: "
            "nothing\n");
  set("9");
  EXPECT_EQ(env_number(name, {1, 9}), 9);
  EXPECT_EQ(env_number(name, {.least = 9}), 9);
}

TEST_F(Env, UnknownWordsAreWarnedOfWithWhatThereIs) {
  constexpr std::string_view known[] = {"one", "two"};
  setenv("HASTEN_TEST_WORDS", "two,,set=3,three,four", 1);
  testing::internal::CaptureStderr();
  warn_of_unknown_words("HASTEN_TEST_WORDS", "number", known, "set=");
  warn_of_unknown_words("HASTEN_TEST_WORDS", "number", known);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "hasten: HASTEN_TEST_WORDS: there is no number \"three\"; there are one, two\n");
  setenv("HASTEN_TEST_KNOWN", "two,one", 1);
  testing::internal::CaptureStderr();
  warn_of_unknown_words("HASTEN_TEST_KNOWN", "number", known);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  unsetenv("HASTEN_TEST_WORDS");
  unsetenv("HASTEN_TEST_KNOWN");
}

TEST_F(Env, TheTableIsComplete) {
  for (const Switch& s : switches()) {
    EXPECT_EQ(std::string(s.name).rfind("HASTEN_", 0), 0U) << s.name;
    EXPECT_STRNE(s.default_value, "") << s.name;
    EXPECT_STRNE(s.meaning, "") << s.name;
  }
}

}  // namespace
}  // namespace hasten::support
