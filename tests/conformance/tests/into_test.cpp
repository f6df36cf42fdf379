// Random whole programs have the same bits in the caller's memory: in separate memory, and in the
// memory of arguments.
#include "tests/conformance/tool/random/operations.hpp"

#include <hasten/detail/memory/out_memory.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace hasten::conformance {
namespace {

using detail::HostArray, detail::OutMemory, detail::Results;

constexpr std::size_t around = 80;  // more than a vector, and not a multiple of its alignment
constexpr std::byte untouched{0xA5};

std::size_t bytes_of(const HostArray& array, std::size_t leaf) {
  return static_cast<std::size_t>(array.size()) * detail::size_in_bytes(array.leaves()[leaf]);
}

// Memory for consecutive components, with some bytes before and after each.
class Arena {
 public:
  explicit Arena(std::size_t bytes) : memory_(bytes, untouched) {}
  std::byte* take(std::size_t bytes) {
    std::byte* const begin = memory_.data() + used_ + around;
    used_ += (bytes + 15) / 16 * 16 + around;
    if (used_ + around > memory_.size()) throw InternalError("the arena is too small");
    taken_.emplace_back(begin, bytes);
    return begin;
  }
  void restart() { used_ = 0; }
  [[nodiscard]] bool is_touched_between() const {
    std::vector<std::byte> left = memory_;
    for (const std::span<std::byte> part : taken_)
      std::fill_n(left.begin() + (part.data() - memory_.data()), part.size(), untouched);
    return std::ranges::any_of(left, [](std::byte b) { return b != untouched; });
  }

 private:
  std::vector<std::byte> memory_;
  std::vector<std::span<std::byte>> taken_;
  std::size_t used_ = 0;
};

std::size_t space_for(std::span<const Host> arrays) {
  std::size_t bytes = 2 * around;
  for (const Host& array : arrays)
    for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf)
      bytes += bytes_of(*array, leaf) + around + 16;
  return bytes;
}

std::vector<OutMemory> places_for(const Results& expected, Arena& arena) {
  std::vector<OutMemory> outs;
  for (const Host& result : expected) {
    OutMemory out;
    out.shape = result->shape();
    for (std::size_t leaf = 0; leaf < result->leaves().size(); ++leaf)
      out.parts.push_back(
          {arena.take(bytes_of(*result, leaf)), detail::size_in_bytes(result->leaves()[leaf])});
    outs.push_back(std::move(out));
  }
  return outs;
}

std::vector<Host> lent(std::span<const Host> arrays, Arena& arena) {
  std::vector<Host> result;
  for (const Host& array : arrays) {
    std::vector<std::shared_ptr<detail::Buffer>> components;
    for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf) {
      const std::size_t bytes = bytes_of(*array, leaf);
      std::byte* const to = arena.take(bytes);
      if (bytes > 0) std::memcpy(to, array->data(leaf), bytes);
      components.push_back(detail::Buffer::borrow(to, bytes, {}));
    }
    result.push_back(
        std::make_shared<const HostArray>(array->shape(), array->leaves(), components));
  }
  return result;
}

bool are_there(const std::vector<OutMemory>& outs, const Results& expected) {
  for (std::size_t i = 0; i < outs.size(); ++i)
    for (std::size_t leaf = 0; leaf < outs[i].parts.size(); ++leaf) {
      const std::size_t bytes = bytes_of(*expected[i], leaf);
      if (bytes > 0 && std::memcmp(outs[i].parts[leaf].begin, expected[i]->data(leaf), bytes) != 0)
        return false;
    }
  return true;
}

std::int64_t computed_in_place(const std::vector<OutMemory>& outs, const Results& results) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < outs.size(); ++i)
    count += results[i]->size() > 0 && results[i]->component(0)->is_in_host_memory() &&
             results[i]->data(0) == outs[i].parts[0].begin;
  return count;
}

struct Counts {
  std::int64_t results = 0, in_place = 0;
};

// A description of the fault, or "".
std::string try_into(const detail::Executable& executable, const Inputs& given, Counts& counts) {
  Results expected;
  try {
    expected = detail::execute(executable, given.arrays, given.scalars);
  } catch (const Error&) {
    return "";
  }
  Arena own(space_for(expected));
  const std::vector<OutMemory> apart = places_for(expected, own);
  Results made = detail::execute_at(executable, given.arrays, given.scalars, apart);
  counts.results += std::ssize(apart);
  counts.in_place += computed_in_place(apart, made);
  detail::put_results(apart, std::move(made));
  if (!are_there(apart, expected)) return "other results in memory of their own";
  if (own.is_touched_between()) return "bytes beside a result are written";
  Arena shared(space_for(expected) + space_for(given.arrays));
  const std::vector<Host> arguments = lent(given.arrays, shared);
  shared.restart();
  const std::vector<OutMemory> over = places_for(expected, shared);
  detail::put_results(over, detail::execute_at(executable, arguments, given.scalars, over));
  return are_there(over, expected) ? "" : "other results in memory of the arguments";
}

class RandomProgramsInto : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(RandomProgramsInto);

TEST_P(RandomProgramsInto, GiveTheSameBits) {
  Counts counts;
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const std::vector<Step> steps = random_steps()(rc::Random(seed), 12).value();
    const Program program = build(steps);
    detail::Traced traced = program.traced;
    traced.options = GetParam();
    const auto executable = detail::compile_program(traced);
    for (std::uint64_t inputs = 1; inputs <= 3; ++inputs) {
      const std::string wrong = try_into(*executable, inputs_for(program, inputs), counts);
      ASSERT_EQ(wrong, "") << "seed " << seed << ", inputs " << inputs << "\n" << describe(steps);
    }
  }
  if (GetParam().target.name() == cpu().name()) {
    EXPECT_GT(8 * counts.in_place, counts.results);  // other results are empty, copied or passed on
  }
  RecordProperty("results", std::to_string(counts.results));
  RecordProperty("in_place", std::to_string(counts.in_place));
}

}  // namespace
}  // namespace hasten::conformance
