// Programs in the text form, truncated and changed at random: each is either rejected with an error
// or a program that every stage accepts.
#include "core/print.hpp"
#include "core/text/parse.hpp"
#include "core/verify.hpp"
#include "kernels/lowering/lower.hpp"
#include "passes/foreign.hpp"
#include "passes/pipeline.hpp"

#include <hasten/run/error.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace hasten::test {
namespace {

// The programs of the tests for passes.
std::vector<std::string> programs() {
  std::vector<std::string> found;
  std::set<std::filesystem::path> files;  // in a fixed order
  for (const auto& entry : std::filesystem::recursive_directory_iterator("hir"))
    if (entry.path().extension() == ".hir") files.insert(entry.path());
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path);
    std::string line, text;
    while (std::getline(file, line)) {
      if (text.empty() && !line.starts_with("program")) continue;
      text += line + "\n";
      if (line == "}") break;
    }
    if (!text.empty()) found.push_back(text);
  }
  return found;
}

enum class Outcome { refused, taken };

// Throws InternalError if a stage after the verifier does not accept the program.
Outcome try_text(const std::string& text) {
  core::Program program;
  try {
    program = core::parse_program(text);
    core::verify(program, "reading");
  } catch (const Error&) {
    return Outcome::refused;
  }
  const std::string printed = core::print(program);
  EXPECT_EQ(core::print(core::parse_program(printed)), printed) << text;
  try {
    program = passes::optimise(passes::choose_foreign(std::move(program), std::nullopt));
    core::verify(program, "passes");
    for (const kernels::Kernel& kernel :
         kernels::lower(std::move(program), Checks::none, Determinism::run_to_run).kernels)
      kernels::verify(kernel);
  } catch (const InternalError& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  } catch (const Error&) {  // such as one for a program that is too large
  }
  return Outcome::taken;
}

class Changes {
 public:
  std::string of(std::string text) {
    for (unsigned i = 0; i < 1 + random_() % 3; ++i) {
      const std::size_t at = random_() % text.size();
      switch (random_() % 4) {
        case 0: text.erase(at, 1 + random_() % 4); break;
        case 1: text.insert(at, 1, any()); break;
        case 2: text[at] = any(); break;
        default: exchange_numbers(text);
      }
      if (text.empty()) break;
    }
    return text;
  }

 private:
  char any() {
    static constexpr std::string_view parts = "x%0123456789 {}()[]:.,;->=#\n\"abcdefilnoprstu_";
    return parts[random_() % parts.size()];
  }
  // Exchanges numbers of values, arrays or extents, which often makes another valid program.
  void exchange_numbers(std::string& text) {
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] >= '0' && text[i] <= '9') digits.push_back(i);
    if (!digits.empty())
      text[digits[random_() % digits.size()]] = text[digits[random_() % digits.size()]];
  }

  std::mt19937 random_{7};
};

TEST(FuzzedTexts, EndNothing) {
  const std::vector<std::string> texts = programs();
  ASSERT_GT(texts.size(), 50U);
  Changes changes;
  constexpr int rounds = 400;
  int taken = 0;
  for (const std::string& text : texts) {
    for (std::size_t size = 0; size < text.size(); size += 7) (void)try_text(text.substr(0, size));
    for (int round = 0; round < rounds; ++round)
      if (try_text(changes.of(text)) == Outcome::taken) ++taken;
    if (HasFailure()) break;
  }
  EXPECT_GT(taken, 1'000) << "what is refused at once tries only the reader";
}

}  // namespace
}  // namespace hasten::test
