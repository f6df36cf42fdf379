// The loads and tests per element in the generated code of pull and push arrays, counted in its
// text.
#include "backends/backend.hpp"
#include "backends/c_like/text/schedule.hpp"
#include "backends/c_like/text/source.hpp"
#include "kernels/analysis/code_motion.hpp"
#include "kernels/text/parse.hpp"
#include "support/sanitizers.hpp"
#include "tests/unit/runtime/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

namespace hasten::test {
namespace {

namespace fs = std::filesystem;
using backends::c_like::Dialect;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++result;
  return result;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find(to, begin) - begin);
}

class GeneratedCode : public RuntimeTest {
 protected:
  /// The kernel of a program that is one kernel.
  template <class F>
  kernels::Kernel kernel_of(F&& program) {
    const fs::path dumps = folder.path() / "dumps";
    fs::remove_all(dumps);
    const SetEnv dump("HASTEN_DUMP", "kernels,dir=" + dumps.string());
    const auto compiled = compile(std::forward<F>(program), options);
    EXPECT_EQ(compiled.kernel_count(), 1);
    std::ostringstream text;
    text << std::ifstream(fs::directory_iterator(dumps)->path()).rdbuf();
    return kernels::parse_kernel(text.str());
  }

  static std::string device_text(const kernels::Kernel& kernel, const Dialect& dialect,
                                 std::string_view module) {
    return source_of(kernel, backends::c_like::choose_schedule(kernel), dialect,
                     backends::c_like::IndexWidth::narrow, module);
  }
};

#ifdef HASTEN_WITH_LLVM
// The blocks of LLVM's text that load whole vectors without masks.
std::vector<std::string> blocks_without_masks(const std::string& ir) {
  std::vector<std::string> blocks(1);
  std::istringstream lines(ir);
  for (std::string line; std::getline(lines, line);) {
    const bool begins = !line.empty() && line[0] != ' ' && line.find(':') != std::string::npos;
    if (begins) blocks.emplace_back();
    blocks.back() += line + "\n";
  }
  std::erase_if(blocks, [](const std::string& block) {
    return count(block, " load <") == 0 || count(block, "@llvm.masked") > 0;
  });
  return blocks;
}

std::string llvm(const kernels::Kernel& kernel) {
  return backends::make_cpu_backend(1)->dump(kernel, {}, "llvm");
}

// The largest number of loads for a vector of results in code without masks.
std::size_t loads_of(const kernels::Kernel& kernel) {
  std::size_t most = 0;
  for (const std::string& block : blocks_without_masks(llvm(kernel)))
    most = std::max(most, count(block, " load <"));
  return most;
}
#endif

// 25 neighbours, each read once.
auto blur() {
  return [](Acc<Matrix<float>> a) {
    return force(stencil(
        [](auto at) {
          Exp<float> sum = 0.0f;
          for (int y = -2; y <= 2; ++y)
            for (int x = -2; x <= 2; ++x) sum = sum + at(y, x);
          return sum;
        },
        boundary::clamp, pull(a)));
  };
}

// Three sums of three neighbours in a row read nine times, five distinct elements.
auto sums_of_sums() {
  return [](Acc<Vector<float>> a) {
    const auto p = pull(a);
    return force(pull(size(a) - 4, [p](auto i) {
      const auto sum = [&](auto k) { return p(k) + p(k + 1) + p(k + 2); };
      return sum(i) + 2.0f * sum(i + 1) + sum(i + 2);
    }));
  };
}

// Each row has a number, and `sums` sums with it that the inner loop uses.
auto sums_of_rows(int sums) {
  return [sums](Acc<Matrix<float>> a, Acc<Vector<float>> b) {
    return force(pull(shape(a), [=, p = pull(a), q = pull(b)](auto i, auto j) {
      Exp<float> result = p(i, j);
      for (int k = 1; k <= sums; ++k)
        result = result * p(i, j) + (q(i) + static_cast<float>(k) * 0.5f);
      return result;
    }));
  };
}

// Sums of five neighbours in a row of sums of five in a column.
auto blur_by_sums() {
  return [](Acc<Matrix<float>> a) {
    const auto p = pull(a);
    const auto last = shape(a)[0] - 1;
    const auto columns = pull(shape(a), [=](auto i, auto j) {
      Exp<float> sum = 0.0f;
      for (int k = -2; k <= 2; ++k) sum = sum + p(clamp(i + k, 0, last), j);
      return sum;
    });
    return force(
        stencil([](auto at) { return at(0, -2) + at(0, -1) + at(0, 0) + at(0, 1) + at(0, 2); },
                boundary::clamp, columns));
  };
}

// Two stencils side by side.
auto joined_stencils() {
  return [](Acc<Vector<float>> a) {
    const auto p = pull(a);
    const auto sum = [&](const auto& b) {
      return stencil([](auto at) { return at(-1) + at(0) + at(1); }, b, p);
    };
    return force(interleave(sum(boundary::clamp), sum(boundary::mirror)));
  };
}

// Loops over three index spaces, of one write and of two writes.
auto joined() {
  return [](Acc<Vector<float>> a, Acc<Vector<float>> b) {
    const auto p = pull(a), q = pull(b);
    const auto pairs = push_many<2>(size(b), 2 * size(b), [q](auto i) {
      return std::tuple{std::pair{2 * i, q(i)}, std::pair{2 * i + 1, -q(i)}};
    });
    return force(concat(p, pairs, map([](auto x) { return x * x; }, drop(3, p))));
  };
}

#ifdef HASTEN_WITH_LLVM
// A vector of results loads one vector for each neighbour: with at least as many lanes as a row has
// neighbours, this is less than one load per row and result.
TEST_F(GeneratedCode, NeighboursAreLoadedOnceForAVectorOfResults) {
  EXPECT_EQ(loads_of(kernel_of(blur())), 25U);
  EXPECT_EQ(loads_of(kernel_of(sums_of_sums())), 5U);
}

// Vectors that begin at a multiple of the lanes ask nothing of the lanes' indices: which lanes are
// even, and that each element is read for two lanes, is the same in all of them.
TEST_F(GeneratedCode, AlignedVectorsKnowWhichLanesAreEven) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address divides the blocks";
  const auto kernel = kernel_of([](Acc<Vector<float>> a) {
    return generate(2 * size(a), [=](Exp<std::int64_t> i) {
      const auto x = a[i / 2];
      return select(i % 2 == 0, x + 1.0f, x * 0.5f);
    });
  });
  const auto blocks = blocks_without_masks(llvm(kernel));
  const auto is_plain = [](const std::string& block) {
    return count(block, " load <") == 1 && count(block, " fmul <") == 1 &&
           count(block, " x i64>") == 0 && count(block, " icmp eq <") == 0;
  };
  EXPECT_EQ(std::ranges::count_if(blocks, is_plain), 1);
}

// Sums of columns are computed once and loaded five times.
TEST_F(GeneratedCode, SumsThatNeighboursShareAreComputedOnce) {
  if (support::watches_addresses()) GTEST_SKIP() << "what watches each address divides the blocks";
  const kernels::Kernel kernel = kernel_of(blur_by_sums());
  const std::vector<std::string> blocks = blocks_without_masks(llvm(kernel));
  const auto reads_inputs = [](const std::string& block) {
    return count(block, "!invariant.load") > 0;
  };
  // One block computes a vector of sums, the other a vector of results.
  EXPECT_EQ(std::ranges::count_if(blocks,
                                  [&](const std::string& block) {
                                    return reads_inputs(block) && count(block, " load <") == 5 &&
                                           count(block, "fadd <") <= 5;
                                  }),
            1);
  EXPECT_EQ(std::ranges::count_if(blocks,
                                  [&](const std::string& block) {
                                    return !reads_inputs(block) && count(block, " load <") == 5 &&
                                           count(block, "fadd <") == 4;
                                  }),
            1);
}

// Values that are invariant in a row are computed before its elements, however many they are, also
// in functions for short rows.
TEST_F(GeneratedCode, SumsOfRowsAreHeld) {
  const kernels::Kernel kernel = kernel_of(sums_of_rows(20));
  EXPECT_TRUE(kernel.recomputed.empty());
  const std::vector<std::string> blocks = blocks_without_masks(llvm(kernel));
  EXPECT_FALSE(blocks.empty());
  for (const std::string& block : blocks) EXPECT_EQ(count(block, "fadd float"), 0U) << block;
}

// A kernel that reads at `places` indices, each a constant beyond an argument.
kernels::Kernel reads_of_places(int places) {
  std::string text =
      "kernel map rank 1 {\n  inputs f32\n  outputs f32\n  scalars (x0: i64)\n"
      "  element (x1: i64) {\n    x2 = load_linear %0.0 x1\n";
  int last = 2;
  for (int k = 1, x = 3; k <= places; ++k, x += 5) {
    text += fmt::format("x{} = const {} : i64\nx{} = add x0 x{}\nx{} = add x1 x{}\n", x, k, x + 1,
                        x, x + 2, x + 1);
    text += fmt::format("x{} = load_linear %0.0 x{}\nx{} = max x{} x{}\n", x + 3, x + 2, x + 4,
                        last, x + 3);
    last = x + 4;
  }
  return kernels::parse_kernel(text + fmt::format("-> x{}\n  }}\n}}\n", last));
}

// As many indices are held as there are registers; the other reads recompute theirs.
TEST_F(GeneratedCode, PlacesAreComputedAgainWhereTooManyWouldBeHeld) {
  const auto sums_before_loops = [](const kernels::Kernel& kernel) {
    const std::string ir = llvm(kernel);
    return count(ir.substr(0, ir.find("\nloop:")), " = add ");
  };
  for (const int places : {16, 20}) {
    const kernels::Kernel held = reads_of_places(places);
    kernels::Kernel chosen = held;
    kernels::choose_recomputed(chosen);
    const std::size_t less = places == 16 ? 0 : 5;
    EXPECT_EQ(chosen.recomputed.size(), less);
    EXPECT_EQ(sums_before_loops(held), sums_before_loops(chosen) + less);
  }
}

// The borders of both sums are separate: the interior has no comparisons, selects or masks.
TEST_F(GeneratedCode, JoinedStencilsHaveAnInterior) {
  const kernels::Kernel kernel = kernel_of(joined_stencils());
  const std::string ir = llvm(kernel);
  EXPECT_GT(count(ir, "hasten_interior"), 0U);
  const std::vector<std::string> blocks = blocks_without_masks(ir);
  EXPECT_TRUE(std::ranges::any_of(blocks, [](const std::string& block) {
    return count(block, " load <") == 3 && count(block, " icmp ") <= 1 &&
           count(block, " select ") == 0;
  })) << ir;
}

// Each loop processes whole vectors without comparisons, selects or masks.
TEST_F(GeneratedCode, LoopsAskNothingOfElements) {
  const kernels::Kernel kernel = kernel_of(joined());
  ASSERT_EQ(kernel.loops.size(), 3U);
  const std::vector<std::string> blocks = blocks_without_masks(llvm(kernel));
  EXPECT_EQ(blocks.size(), 3U);
  for (const std::string& block : blocks) {
    EXPECT_FALSE(std::regex_search(block, std::regex(" icmp [a-z]+ <"))) << block;
    EXPECT_EQ(count(block, " select "), 0U) << block;
  }
}
#endif

TEST_F(GeneratedCode, DevicesLoadNeighboursOnceForAnItem) {
  const kernels::Kernel sums = kernel_of(sums_of_sums());
  const std::string flat = device_text(sums, Dialect::opencl, backends::c_like::main_module);
  EXPECT_EQ(count(flat, "= in0["), 5U) << flat;
  const kernels::Kernel kernel = kernel_of(blur());
  const std::string tiled = device_text(kernel, Dialect::cuda, backends::c_like::entry::tiled);
  EXPECT_EQ(count(between(tiled, "if (top >=", "else if"), "= in0["), 25U) << tiled;
}

TEST_F(GeneratedCode, LoopsOfDevicesAskOnceForAnItem) {
  const kernels::Kernel kernel = kernel_of(joined());
  for (const Dialect* dialect : {&Dialect::opencl, &Dialect::cuda}) {
    const std::string text = device_text(kernel, *dialect, backends::c_like::main_module);
    const std::string code = between(text, "KERNEL hasten_scatter", "\n}\n");
    // Two tests find the group's loop; where an item is one element, each loop tests whether it
    // exists.
    EXPECT_EQ(count(code, "if ("), dialect->items_in_lanes ? 5U : 2U) << code;
    EXPECT_EQ(count(code, "out0["), 4U) << code;
  }
}

}  // namespace
}  // namespace hasten::test
