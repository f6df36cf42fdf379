// Frames of a stream overlap: while one is computed, the next ones are copied to the device and
// their work is enqueued.
#include <hasten/hasten.hpp>

#include "tests/support/devices.hpp"
#include "tests/support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Vector;

namespace {

using Floats = Vector<float>;
constexpr std::int64_t n = 1 << 16;

Acc<Floats> filtered(const Acc<Floats>& frame) {
  return hs::map(
      [](const hs::Exp<float>& x) {
        return hs::iterate(200, [](const hs::Exp<float>& y) { return hs::sqrt(y * y + 1.0F); }, x);
      },
      frame);
}

std::vector<Floats> frames(int count) {
  std::vector<Floats> result;
  for (int i = 0; i < count; ++i)
    result.push_back(Floats(n, std::vector<float>(n, static_cast<float>(i))));
  return result;
}

// One event of a trace.
struct Event {
  std::string category, name;
  double start, end;
  long thread;
};

double number_after(const std::string& line, const std::string& key) {
  const auto at = line.find("\"" + key + "\":");
  return at == std::string::npos ? 0 : std::strtod(line.c_str() + at + key.size() + 3, nullptr);
}
std::string text_after(const std::string& line, const std::string& key) {
  const auto at = line.find("\"" + key + "\":\"");
  if (at == std::string::npos) return {};
  const auto first = at + key.size() + 4;
  return line.substr(first, line.find('"', first) - first);
}

std::vector<Event> events_of(const std::filesystem::path& file) {
  std::vector<Event> events;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"ph\":\"X\"") == std::string::npos) continue;
    const double start = number_after(line, "ts");
    events.push_back({text_after(line, "cat"), text_after(line, "name"), start,
                      start + number_after(line, "dur"),
                      static_cast<long>(number_after(line, "tid"))});
  }
  return events;
}

// How many copies to the device began on another thread while a call waited for the device.
std::ptrdiff_t copies_while_others_wait(const std::vector<Event>& events) {
  return std::ranges::count_if(events, [&](const Event& copy) {
    return copy.category == "copy" && copy.name.starts_with("to ") &&
           std::ranges::any_of(events, [&](const Event& wait) {
             return wait.category == "wait" && wait.thread != copy.thread &&
                    wait.start < copy.start && copy.start < wait.end;
           });
  });
}

// The fraction of the time between the first event and the last during which some call waits for
// the device, if calls do not overlap.
double share_of_waits(const std::vector<Event>& events) {
  double first = events.front().start, last = events.front().end, waits = 0;
  for (const Event& event : events) {
    first = std::min(first, event.start);
    last = std::max(last, event.end);
    if (event.category == "wait") waits += event.end - event.start;
  }
  return waits / (last - first);
}

class Frames : public testing::TestWithParam<const char*> {};

// Without overlap, no copy would begin before the previous call has waited.
TEST_P(Frames, TheTraceShowsThatTheyOverlap) {
  const std::string kind = GetParam();
  hs::test::require_device(kind);
  if (IsSkipped() || HasFatalFailure()) return;
  const hs::Options options{.target = kind == "cuda" ? hs::cuda(0) : hs::opencl(0)};
  static_cast<void>(hs::compile(filtered, options).async(frames(1)[0]).get()(0));
  const auto file = std::filesystem::temp_directory_path() /
                    ("hasten_frames_" + kind + "_" + std::to_string(getpid()) + ".json");
  setenv("HASTEN_TRACE", file.c_str(), 1);
  const auto f = hs::compile(filtered, options);
  int count = 0;
  float last = 0;
  for (const auto& result : hs::stream(f, frames(12))) {
    last = result(n - 1);
    ++count;
  }
  unsetenv("HASTEN_TRACE");
  static_cast<void>(hs::compile(filtered, options));  // closes the file
  EXPECT_EQ(count, 12);
  EXPECT_GT(last, 14.0F);  // after 11 and after 200 rounds
  const std::vector<Event> events = events_of(file);
  std::filesystem::remove(file);
  EXPECT_GE(std::ranges::count(events, "wait", &Event::category), 12);
  const std::ptrdiff_t overlapping = copies_while_others_wait(events);
  if (overlapping == 0 && share_of_waits(events) < 0.1)
    GTEST_SKIP() << "the device is done with a frame before the next one is told";
  EXPECT_GE(overlapping, 3);
  RecordProperty("copies_while_others_wait", static_cast<int>(overlapping));
}
INSTANTIATE_TEST_SUITE_P(Of, Frames, testing::Values("opencl", "cuda"),
                         [](const testing::TestParamInfo<const char*>& of) {
                           return std::string(of.param);
                         });

class HeldFrames : public hs::test::OnFakeCuda {};

// While no frame is computed, the next ones are already on the device and enqueued.
TEST_F(HeldFrames, TheNextOnesAreToldBeforeOneIsDone) {
  const auto f = hs::compile([](const Acc<Floats>& frame) { return frame * 2.0F + 1.0F; },
                             {.target = hs::cuda(1)});
  static_cast<void>(f.async(frames(1)[0]).get()(0));
  const std::vector<Floats> given = frames(6);
  auto results = hs::stream(f, given);
  const FakeCudaCounts before = counts();
  decltype(results.begin()) result;
  holding([&] {
    result = results.begin();
    EXPECT_TRUE(are_held(3)) << "frames wait for one another";
  });
  EXPECT_EQ(counts().copies_to_device - before.copies_to_device, 3);
  release_all();
  int i = 0;
  for (; result != results.end(); ++result, ++i)
    EXPECT_EQ((*result)(0), 2.0F * static_cast<float>(i) + 1.0F);
  EXPECT_EQ(i, 6);
}

}  // namespace
