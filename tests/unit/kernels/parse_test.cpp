// The text form of kernels reads back; any other text is an error with its place.
#include "kernels/text/parse.hpp"

#include "core/scalar_ops.hpp"
#include "tests/unit/kernels/kernel_texts.hpp"

#include <hasten/run/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace hasten::test {
namespace {

using testing::HasSubstr;

// One kernel of each skeleton, with every statement, every type, and unusual numbers.
const char* const map_text = R"(kernel map rank 2 collapsible {
  inputs f32 c64 bool
  outputs f32 c128 c128
  scalars (x0: i64, x1: f16)
  element (x2: i64, x3: i64) {
    x4 = mul x2 x0
    x5 = add x4 x3
    x6 = load_linear %0.0 x5
    x7 = load_linear %1.1 x5
    x8 = load_linear %2.0 x5
    x9 = const -inf : f32
    x10 = const nan:0x7fc00001 : f32
    x11 = const -0 : f64
    x12 = cast x1 : f32
    x13, x14 = if x8 {
      x15 = foreign [cpu "parse::twice"] x6 x12 : f32
      -> x15, x9
    } else { -> x7, x10 }
    x16 = while x13 (x17: f32) { x18 = lt x17 x14; -> x18 } do (x19: f32) {
      x20 = if x8 { x21 = add x19 x9; -> x21 } else { -> x19 }
      -> x20
    }
    x22 = cast x16 : f64
    -> x16, x22, x11
  }
}
)";

const char* const fold_text = R"(kernel fold rank 2 {
  inputs i32 u8
  outputs i32 u8
  scalars (x0: i64, x1: i32, x2: u8)
  element (x3: i64, x4: i64) {
    x5 = mul x3 x0
    x6 = add x5 x4
    x7 = load_linear %0.0 x6
    x8 = load_linear %1.0 x6
    -> x7, x8
  }
  combine (x9: i32, x10: u8, x11: i32, x12: u8) { x13 = add x9 x11; x14 = max x10 x12; -> x13, x14 }
  seed x1 x2
  lanes outer commutative add max
  epilogue (x15: i64, x16: i32, x17: u8) { x18 = neg x16; -> x18, x17 }
}
)";

const char* const stored_text = R"(kernel fold rank 2 stored 2 {
  inputs f32
  outputs f32 c64 c64
  scalars (x0: i64)
  element (x1: i64, x2: i64) {
    x3 = mul x1 x0
    x4 = add x3 x2
    x5 = load_linear %0.0 x4
    x6 = neg x5
    -> x6, x5, x6
  }
  combine (x7: f32, x8: f32) { x9 = add x7 x8; -> x9 }
  seed
  lanes reduction commutative add
  epilogue (x10: i64, x11: f32) { -> x11 }
}
)";

const char* const scan_text = R"(kernel scan rank 1 {
  inputs bf16
  outputs bf16
  scalars ()
  element (x0: i64) { x1 = load_linear %0.0 x0; -> x1 }
  combine (x2: bf16, x3: bf16) { x4 = sub x3 x2; -> x4 }
  seed
  lanes reduction
  epilogue (x5: i64, x6: bf16) { x7 = neg x6; -> x7 }
}
)";

const char* const outer_scan_text = R"(kernel scan rank 2 inner_axes 1 {
  inputs f32
  outputs f32
  scalars (x0: i64)
  element (x1: i64, x2: i64) { x3 = mul x2 x0; x4 = add x1 x3; x5 = load_linear %0.0 x4; -> x5 }
  combine (x6: f32, x7: f32) { x8 = max x6 x7; -> x8 }
  seed
  lanes outer commutative max
  epilogue (x9: i64, x10: i64, x11: f32) { -> x11 }
}
)";

const char* const filled_text = R"(kernel scatter rank 1 {
  inputs
  outputs i8 c64 c64
  scalars (x0: i8, x1: f32, x2: f32)
  element (x3: i64) {
    x4 = const true : bool
    x5 = cast x3 : i8
    x6 = cast x3 : f32
    -> x4, x3, x5, x6, x6
  }
  combine (x7: i8, x8: f32, x9: f32, x10: i8, x11: f32, x12: f32) { -> x7, x8, x9 }
  seed x0 x1 x2
}
)";

const char* const scatter_text = R"(kernel scatter rank 1 unique {
  inputs
  outputs i8
  scalars ()
  element (x0: i64) {
    x1 = const true : bool
    x2 = cast x0 : i8
    -> x1, x0, x2
  }
  combine (x3: i8, x4: i8) { -> x3 }
}
)";

const char* const loops_text = R"(kernel scatter rank 3 unique {
  inputs f32
  outputs f32
  scalars (x0: i64)
  loop rank 1 writes 2 (x1: i64) {
    x2 = const true : bool
    x3 = add x1 x0
    x4 = load_linear %0.0 x1
    x5 = neg x4
    -> x2, x1, x4, x2, x3, x5
  }
  loop rank 2 (x6: i64, x7: i64) {
    x8 = const true : bool
    x9 = mul x6 x0
    x10 = add x9 x7
    x11 = load_linear %0.0 x7
    -> x8, x10, x11
  }
  combine (x12: f32, x13: f32) { -> x12 }
}
)";

const char* const interior_text = R"(kernel map rank 1 {
  inputs f32
  outputs f32
  scalars (x0: i64)
  element (x1: i64) {
    x2 = const 1 : i64
    x3 = const 0 : i64
    x4 = sub x1 x2
    x5 = max x4 x3
    x6 = load_linear %0.0 x5
    -> x6
  }
  interior bounds { x7 = const 1 : i64; -> x7, x0 }
  interior element (x8: i64) {
    x9 = const 1 : i64
    x10 = sub x8 x9
    x11 = load_linear %0.0 x10
    -> x11
  }
}
)";

const char* const texts[] = {map_text,     fold_text,      segments_kernel, scan_text,
                             scatter_text, filled_text,    stored_text,     interior_text,
                             loops_text,   outer_scan_text};

TEST(KernelParse, PrintsWhatItReads) {
  for (const char* text : texts) {
    const kernels::Kernel kernel = kernels::parse_kernel(text);
    EXPECT_NO_THROW(kernels::verify(kernel));
    const std::string printed = kernels::print(kernel);
    const kernels::Kernel again = kernels::parse_kernel(printed);
    EXPECT_EQ(kernels::print(again), printed);
    EXPECT_EQ(kernels::key_of(again), kernels::key_of(kernel));
    EXPECT_EQ(again.value_types, kernel.value_types);
  }
  EXPECT_EQ(kernels::print(kernels::parse_kernel(scan_text)), scan_text);
  EXPECT_EQ(kernels::print(kernels::parse_kernel(fold_text)), fold_text);
  ASSERT_TRUE(kernels::parse_kernel(segments_kernel).range.has_value());
  ASSERT_TRUE(kernels::parse_kernel(interior_text).interior.has_value());
  EXPECT_EQ(kernels::parse_kernel(interior_text).interior->bounds.results.size(), 2U);
}

TEST(KernelParse, RegionsAreAllThereAre) {
  const auto expect = [](const char* text, auto regions) {
    const kernels::Kernel kernel = kernels::parse_kernel(text);
    EXPECT_EQ(kernels::regions_of(kernel), regions(kernel)) << text;
  };
  using Regions = std::vector<const core::Region*>;
  using kernels::Kernel;
  expect(map_text, [](const Kernel& k) { return Regions{&k.element}; });
  expect(interior_text, [](const Kernel& k) {
    return Regions{&k.element, &k.interior->bounds, &k.interior->element};
  });
  expect(scan_text, [](const Kernel& k) { return Regions{&k.element, &k.combine, &k.epilogue}; });
  expect(scatter_text, [](const Kernel& k) { return Regions{&k.element, &k.combine}; });
  expect(loops_text, [](const Kernel& k) {
    return Regions{&k.loops[0].element, &k.loops[1].element, &k.combine};
  });
  expect(fold_text, [](const Kernel& k) { return Regions{&k.element, &k.combine, &k.epilogue}; });
  expect(segments_kernel,
         [](const Kernel& k) { return Regions{&*k.range, &k.element, &k.combine, &k.epilogue}; });
}

bool is_sound(const kernels::Kernel& kernel) {
  try {
    kernels::verify(kernel);
    return true;
  } catch (const InternalError&) {
    return false;
  }
}

TEST(KernelParse, ReadsWhatIsThere) {
  const kernels::Kernel map = kernels::parse_kernel(map_text);
  EXPECT_TRUE(map.collapsible);
  EXPECT_EQ(map.outputs[1], core::ScalarType::c128);
  EXPECT_EQ(map.value_types[7], core::ScalarType::f32);  // one part of a complex input
  EXPECT_EQ(map.scalars.size(), 2U);
  const kernels::Kernel fold = kernels::parse_kernel(fold_text);
  EXPECT_EQ(fold.seed, (std::vector<core::Value>{1, 2}));
  EXPECT_EQ(fold.lanes, kernels::FoldLanes::outer);
  EXPECT_EQ(fold.lane_operator.leaves, (std::vector{core::ScalarOp::add, core::ScalarOp::max}));
  EXPECT_TRUE(kernels::parse_kernel(scatter_text).unique);
  const kernels::Kernel loops = kernels::parse_kernel(loops_text);
  ASSERT_EQ(loops.loops.size(), 2U);
  EXPECT_EQ(loops.loops[0].writes, 2U);
  EXPECT_EQ(kernels::first_axis(loops, 1), 1U);
  const kernels::Kernel second = kernels::kernel_of_loop(loops, 1);
  EXPECT_TRUE(is_sound(second));
  EXPECT_EQ(second.rank, 2U);
  EXPECT_EQ(kernels::title(loops), "scatter of 2 loops");
  const auto all = kernels::parse_kernels(std::string("// two\n") + scan_text + "\n// and\n" +
                                          scatter_text + "\n");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].skeleton, kernels::Skeleton::scatter);
}

std::string error_of(const std::string& text) {
  try {
    (void)kernels::parse_kernel(text);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(KernelParse, WrongTextsAreErrorsWithTheirPlace) {
  EXPECT_THAT(error_of(""), HasSubstr("line 1, column 1: found the end of the text"));
  EXPECT_THAT(error_of(with(scan_text, "scan", "sort")),
              HasSubstr("line 1, column 8: found 'sort'"));
  EXPECT_THAT(error_of(with(scan_text, "rank 1", "rank one")), HasSubstr("line 1, column 18"));
  EXPECT_THAT(error_of(with(scan_text, "bf16", "bf15")), HasSubstr("line 2, column 10"));
  EXPECT_THAT(error_of(with(scan_text, "load_linear", "load_linar")),
              HasSubstr("line 5, column 28: found 'load_linar'"));
  EXPECT_THAT(error_of(with(scan_text, "%0.0", "%1.0")), HasSubstr("a component of an array"));
  EXPECT_THAT(error_of(with(fold_text, "x1 x2\n", "x1 2\n")), HasSubstr("line 13, column 11"));
  EXPECT_THAT(error_of(with(fold_text, "commutative add", "commutative plus")),
              HasSubstr("found 'plus' where an operation"));
  EXPECT_THAT(error_of(with(fold_text, "lanes outer", "lanes inner")), HasSubstr("'reduction'"));
  EXPECT_THAT(error_of(std::string(scan_text) + scan_text), HasSubstr("the end of the text"));
}

TEST(KernelParse, TheVerifierFindsWhatIsNoKernel) {
  const auto broken = [](const char* text, const char* from, const char* to) {
    return !is_sound(kernels::parse_kernel(with(text, from, to)));
  };
  EXPECT_TRUE(broken(scan_text, "rank 1", "rank 2"));
  EXPECT_TRUE(broken(outer_scan_text, "inner_axes 1", "inner_axes 2"));
  EXPECT_TRUE(broken(outer_scan_text, "lanes outer", "lanes reduction"));
  EXPECT_TRUE(broken(fold_text, "-> x13, x14", "-> x13, x13"));
  EXPECT_TRUE(broken(fold_text, "commutative add max", "commutative add min"));
  EXPECT_TRUE(broken(fold_text, "commutative add max", "add max"));
  EXPECT_TRUE(broken(fold_text, "seed x1 x2", "seed x1"));
  EXPECT_TRUE(broken(scatter_text, "-> x1, x0, x2", "-> x0, x1, x2"));
  EXPECT_TRUE(broken(loops_text, " unique", ""));
  EXPECT_TRUE(broken(loops_text, "scatter rank 3", "scatter rank 2"));
  EXPECT_TRUE(broken(loops_text, "loop rank 2 (", "loop rank 1 ("));
  EXPECT_TRUE(broken(loops_text, " writes 2", ""));
  EXPECT_TRUE(broken(loops_text, "-> x8, x10, x11", "-> x8, x10, x4"));
  EXPECT_TRUE(broken(map_text, "cpu \"parse::twice\"", ""));
  EXPECT_TRUE(broken(scan_text, "-> x4", "-> x1"));
  EXPECT_TRUE(broken(interior_text, "-> x7, x0", "-> x7"));
  EXPECT_TRUE(broken(interior_text, "-> x11", "-> x10"));
}

// A truncated or changed text is an error, or a kernel that prints and reads back.
TEST(KernelParse, NoTextIsACrash) {
  const auto try_text = [](const std::string& text) {
    try {
      const kernels::Kernel kernel = kernels::parse_kernel(text);
      if (!is_sound(kernel)) return;
      const std::string printed = kernels::print(kernel);
      EXPECT_EQ(kernels::print(kernels::parse_kernel(printed)), printed) << text;
    } catch (const BuildError&) {}
  };
  std::mt19937 random(1);
  for (const std::string text : texts) {
    for (std::size_t size = 0; size < text.size(); ++size) try_text(text.substr(0, size));
    const std::string parts = "x0123456789 {}()[]%:.,;->#\n\"abcdefghijklmnopqrstuvwxyz_";
    for (int round = 0; round < 4000; ++round) {
      std::string changed = text;
      for (unsigned i = 0; i < 1 + random() % 3; ++i) {
        const std::size_t at = random() % changed.size();
        const char other = parts[random() % parts.size()];
        if (random() % 3 == 0)
          changed.erase(at, 1 + random() % 4);
        else if (random() % 2 == 0)
          changed.insert(at, 1, other);
        else
          changed[at] = other;
      }
      try_text(changed);
    }
  }
}

}  // namespace
}  // namespace hasten::test
