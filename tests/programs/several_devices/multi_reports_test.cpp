// What users see of several devices: shares, the data moved between them, the time waited for each;
// and a trace with a line for each.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace hs = hasten;
namespace fs = std::filesystem;
using hs::Acc, hs::Matrix, hs::Profile, hs::ProfileRow;

namespace {

constexpr std::int64_t rows = 64, columns = 128, rounds = 3, calls = 4;

class MultiReports : public testing::Test {
 protected:
  void SetUp() override { hs::test::require_device("opencl"); }

  static auto smoothing() {
    return hs::compile(
        [](const Acc<Matrix<float>>& a) {
          return hs::aiterate(
              rounds,
              [](const Acc<Matrix<float>>& v) {
                return hs::compute(
                    hs::stencil([](auto at) { return (at(-1, 0) + at(1, 0) + at(0, 0)) * 0.25F; },
                                hs::boundary::clamp, v));
              },
              a);
        },
        {.target = hs::multi({hs::cpu(), hs::opencl(0)}), .split = {1, 1}});
  }
  static Matrix<float> picture() {
    return Matrix<float>::from_function(
        {rows, columns}, [](hs::Ix<2> i) { return static_cast<float>(i[0] * 7 % 13 + i[1]); });
  }

  static const ProfileRow* row_of(const Profile& profile, const std::string& kind,
                                  const std::string& name) {
    const auto found = std::ranges::find_if(profile.rows(), [&](const ProfileRow& row) {
      return row.kind == kind && row.name.find(name) != std::string::npos;
    });
    return found == profile.rows().end() ? nullptr : &*found;
  }
};

TEST_F(MultiReports, ProfilesHaveMovementsAndWaitingByDevice) {
  const auto f = smoothing();
  const Matrix<float> given = picture();
  for (int call = 0; call < calls; ++call) f(given);
  const Profile profile = f.profile();
  const ProfileRow* const part = row_of(profile, "copy", "argument 0 to opencl:0");
  ASSERT_TRUE(part) << profile;
  EXPECT_EQ(part->calls, 1) << profile;  // it stays there
  EXPECT_GE(part->bytes, rows / 2 * columns * 4) << profile;
  EXPECT_LT(part->bytes, rows * columns * 4) << profile;
  // A row beside the part goes there for each round, and one comes from there.
  const ProfileRow* const halos = row_of(profile, "copy", "halos and partial results to opencl:0");
  ASSERT_TRUE(halos) << profile;
  EXPECT_GE(halos->calls, calls * (rounds - 1)) << profile;
  EXPECT_TRUE(row_of(profile, "copy", "parts from opencl:0")) << profile;
  const ProfileRow* const wait = row_of(profile, "wait", "for opencl:0");
  ASSERT_TRUE(wait) << profile;
  EXPECT_EQ(wait->calls, calls) << profile;
  EXPECT_GT(wait->total_ms, 0) << profile;
  EXPECT_TRUE(row_of(profile, "launch", " on cpu") && row_of(profile, "launch", " on opencl:0"))
      << profile;
  EXPECT_FALSE(row_of(profile, "copy", "cpu")) << profile;  // it works in host memory
  double total = 0;
  for (const ProfileRow& row : profile.rows()) total += row.total_ms;
  EXPECT_NEAR(total, profile.total_ms(), 1e-6 * total) << profile;
}

TEST_F(MultiReports, ExplanationsHaveThemInACall) {
  const auto f = smoothing();
  f(picture());
  const std::string text = f.explain().str();
  EXPECT_NE(text.find("shares: cpu 50 %, opencl:0 50 %"), std::string::npos) << text;
  const std::size_t at = text.find("  opencl:0, in a call: ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  for (const char* part : {" to it in ", " from it in ", "waited for "})
    EXPECT_NE(line.find(part), std::string::npos) << line;
}

// The number of a line that a trace names.
std::optional<std::string> line_named(const std::vector<std::string>& events,
                                      const std::string& name) {
  for (const std::string& event : events) {
    if (event.find("thread_name") == std::string::npos ||
        event.find("\"name\":\"" + name + "\"") == std::string::npos)
      continue;
    const std::size_t at = event.find("\"tid\":");
    return event.substr(at, event.find(',', at) - at);
  }
  return std::nullopt;
}

TEST_F(MultiReports, TracesHaveALineForEachDevice) {
  const fs::path file =
      fs::temp_directory_path() / ("hasten-multi-trace-" + std::to_string(getpid()) + ".json");
  ASSERT_EQ(setenv("HASTEN_TRACE", file.c_str(), 1), 0);
  const auto f = smoothing();
  f(picture());
  unsetenv("HASTEN_TRACE");
  const auto other = smoothing();  // looks at the environment again, and closes the file
  std::vector<std::string> events;
  std::ifstream in(file);
  for (std::string event; std::getline(in, event);) events.push_back(event);
  in.close();
  fs::remove(file);

  const auto count = [&](const std::string& line, const std::string& category) {
    return std::ranges::count_if(events, [&](const std::string& event) {
      return event.find(line + ",") != std::string::npos ||
                     event.find(line + "}") != std::string::npos
                 ? event.find("\"cat\":\"" + category + "\"") != std::string::npos
                 : false;
    });
  };
  const auto cpu = line_named(events, "cpu"), opencl = line_named(events, "opencl:0");
  ASSERT_TRUE(cpu && opencl) << events.size();
  EXPECT_NE(*cpu, *opencl);
  EXPECT_GE(count(*cpu, "launch"), rounds);
  EXPECT_GE(count(*opencl, "device"), rounds);  // as its own clock has them
  EXPECT_GE(count(*opencl, "copy"), 2);
}

}  // namespace
