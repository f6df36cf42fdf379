// Small text files, and numbers in texts.
#include "support/lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace hasten::support;

TEST(Lines, OfFiles) {
  const std::string path = std::filesystem::temp_directory_path() / "hasten_lines_test";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("one\n\nthree", file);
  std::fclose(file);
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(first_line(path), "one");
  std::filesystem::remove(path);
  EXPECT_TRUE(lines_of(path).empty());
  EXPECT_EQ(first_line(path), "");
}

TEST(Lines, Parts) {
  EXPECT_EQ(split("a,,b", ',').size(), 3U);
  EXPECT_EQ(split("", ',').size(), 1U);
  std::string_view text = " 12-7";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, "-7");
  EXPECT_EQ(take_number<int>(text), -7);
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  text = "99999999999";
  EXPECT_EQ(take_number<std::int32_t>(text), std::nullopt);
}

}  // namespace
