// Plans written as bytes read back as the same plans, for every program in the text form that the
// tests contain.
#include "ahead/archive/library.hpp"
#include "core/text/parse.hpp"
#include "kernels/liveness.hpp"
#include "passes/foreign.hpp"
#include "runtime/compile/stages.hpp"
#include "runtime/report/print_plan.hpp"

#include <hasten/run/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace hasten;

// Bytes aligned to 64, as in libraries.
class Aligned {
 public:
  explicit Aligned(const std::vector<std::byte>& bytes)
      : size_(bytes.size()),
        data_(static_cast<std::byte*>(::operator new(size_, std::align_val_t{64}))) {
    std::memcpy(data_, bytes.data(), size_);
  }
  ~Aligned() { ::operator delete(data_, std::align_val_t{64}); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::size_t size_;
  std::byte* data_;
};

std::optional<kernels::Plan> plan_of(const std::filesystem::path& path, Checks checks) {
  Options options;
  options.checks = checks;
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  try {
    core::Program program = passes::choose_foreign(core::parse_program(text), std::nullopt);
    runtime::Dump silent({}, true);
    const passes::Parameters parameters = runtime::declared_parameters(program);
    return runtime::make_plan(std::move(program), parameters, options, silent);
  } catch (const Error&) {  // kernels, and invalid programs
    return std::nullopt;
  }
}

void collect_kinds(const kernels::Steps& steps, std::set<std::size_t>& kinds) {
  for (const kernels::Step& step : steps) kinds.insert(step.op.index());
}

// Texts of programs that are already lowered for a target, without a fallback.
bool calls_foreign(const kernels::Steps& steps) {
  return std::ranges::any_of(steps, [](const kernels::Step& step) {
    return std::holds_alternative<kernels::ForeignStep>(step.op);
  });
}

TEST(Archives, OfAllProgramsReadBack) {
  int programs = 0;
  std::set<std::size_t> kinds;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("hir"))
    for (const Checks checks : {Checks::none, Checks::all}) {
      if (entry.path().extension() != ".hir") continue;
      auto plan = plan_of(entry.path(), checks);
      if (!plan || calls_foreign(plan->steps)) continue;
      ++programs;
      collect_kinds(plan->steps, kinds);
      ahead::Entry written;
      written.name = "entry";
      written.interface.results = {{detail::LibraryKind::array, "r0", 1, {core::ScalarType::f32}}};
      written.kernels.resize(plan->kernels.size(), 7);
      written.plan = std::move(*plan);
      const std::vector<std::byte> bytes = ahead::write_entry(written);
      const Aligned memory(bytes);
      ahead::Places places;
      const ahead::Entry read = ahead::read_entry(memory.bytes(), places);
      EXPECT_EQ(runtime::print(read.plan), runtime::print(written.plan)) << entry.path();
      EXPECT_TRUE(ahead::write_entry(read) == bytes) << entry.path();
      for (std::size_t i = 0; i < read.plan.kernels.size(); ++i)
        EXPECT_EQ(kernels::print(read.plan.kernels[i]), kernels::print(written.plan.kernels[i]));
    }
  EXPECT_GT(programs, 40);
  EXPECT_GT(kinds.size(), 9U);
}

TEST(Archives, FunctionsOfTheProcessAreRefused) {
  ahead::Entry entry;
  entry.plan.steps.push_back({kernels::ForeignStep{0, "c::sort", {}, {}}, {}});
  EXPECT_THROW((void)ahead::write_entry(entry), InternalError);
}

TEST(Archives, CutShortAreRefused) {
  ahead::Entry entry;
  entry.name = "entry";
  entry.used.push_back({{2}, {core::ScalarType::u8}, {}});
  const std::byte two[] = {std::byte{1}, std::byte{2}};
  entry.used[0].components = {std::span<const std::byte>(two)};
  const Aligned memory(ahead::write_entry(entry));
  ahead::Places places;
  const ahead::Entry whole = ahead::read_entry(memory.bytes(), places);
  EXPECT_EQ(whole.used.at(0).components.at(0)[1], std::byte{2});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(whole.used[0].components[0].data()) % 64, 0U);
  for (std::size_t size = 0; size < memory.bytes().size(); ++size)
    EXPECT_THROW((void)ahead::read_entry(memory.bytes().first(size), places), InternalError)
        << size;
}

}  // namespace
