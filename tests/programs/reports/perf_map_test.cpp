// HASTEN_PERF: the addresses of the CPU target's code, as Linux' perf reads them.
#include "tests/programs/support.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using hs::Acc, hs::Vector;

namespace {

#if HASTEN_WITH_LLVM

TEST(PerfMaps, NameFunctionsOfKernels) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::filesystem::remove(path);
  const auto program = [](float factor) {
    return hs::map([=](const auto& x) { return hs::sin(x) * factor + 0.3125f; },
                   hs::use(Vector<float>{1, 2}));
  };
  hs::run(program(3.0f), {.target = hs::cpu(), .fast_math = hs::FastMath::contract});
  EXPECT_FALSE(std::filesystem::exists(path));
  setenv("HASTEN_PERF", "1", 1);
  hs::run(hs::sum(program(3.0f)), {.target = hs::cpu(), .fast_math = hs::FastMath::contract});
  unsetenv("HASTEN_PERF");
  std::ifstream file(path);
  std::string line, names;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::uint64_t first = 0, size = 0;
    std::string hasten, skeleton, key, function;
    ASSERT_TRUE(words >> std::hex >> first >> size >> hasten >> skeleton >> key >> function)
        << line;
    EXPECT_GT(first, 0x1000U) << line;
    EXPECT_GT(size, 0U) << line;
    EXPECT_LT(size, 1U << 20) << line;
    EXPECT_EQ(hasten, "hasten");
    EXPECT_EQ(key.size(), 8U) << line;
    names += skeleton + " " + function + "\n";
  }
  EXPECT_NE(names.find("fold hasten_run\n"), std::string::npos) << names;
  std::filesystem::remove(path);
}

#endif

}  // namespace
