// The arrays of structs that are read in place, and the resulting programs.
#include "passes/patterns/whole_elements.hpp"

#include "core/print.hpp"
#include "core/text/parse.hpp"
#include "core/verify.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hasten::passes {
namespace {

// The number of arrays that qualify when this code reads the argument %0 of (f32, i32).
std::size_t read_once(const std::string& code) {
  return arrays_read_once(
             core::parse_program("program () {\n  %0 : [(f32, i32); 1] = input 0\n" + code + "}"))
      .size();
}
const std::string map =
    "  %1 : [f32; 1] = map %0 (x0: f32, x1: i32) { x2 = cast x1 : f32; x3 = add x0 x2; -> x3 }\n";

TEST(WholeElements, ThatOneOperationReadsInOrder) {
  EXPECT_EQ(read_once(map + "  -> %1\n"), 1U);
  EXPECT_EQ(read_once("  x9 = extent %0 0\n" + map + R"(
  %2 : [f32; 0] = fold1 %1 (x4: f32, x5: f32) { x6 = add x4 x5; -> x6 }
  -> %2
)"),
            1U);
  EXPECT_EQ(read_once(R"(
  %1 : [(f32, i32); 1] = scan1 %0 (x0: f32, x1: i32, x2: f32, x3: i32) { -> x2, x3 }
  -> %1
)"),
            1U);
}

TEST(WholeElements, AreLookedAtInSomeComponents) {
  const auto components = [](const std::string& code) {
    return arrays_read_once(core::parse_program("program () {\n  %0 : [f32; 1] = input 0\n"
                                                "  %1 : [(f32, i32, f32); 1] = input 1\n" +
                                                code + "  -> %2\n}"))
        .at(0)
        .components;
  };
  EXPECT_EQ(components("  %2 : [f32; 1] = map %1 (x0: f32, x1: i32, x2: f32) { -> x2 }\n"), 1U);
  EXPECT_EQ(components("  %2 : [f32; 1] = zip_with %0 %1 (x9: f32, x0: f32, x1: i32, x2: f32) "
                       "{ x3 = add x9 x0; x4 = add x3 x2; -> x4 }\n"),
            2U);
  EXPECT_EQ(components("  %2 : [(f32, i32, f32); 1] = compute %1\n"), 3U);
}

TEST(WholeElements, NotThoseThatAreReadAgain) {
  EXPECT_EQ(read_once(map + "  %2 : [(f32, i32); 1] = compute %0\n  -> %1 %2\n"), 0U);
  EXPECT_EQ(read_once(map + "  -> %1 %0\n"), 0U);
  // By what is made of it.
  EXPECT_EQ(
      read_once(map + "  x9 = extent %1 0\n  %2 : [f32; 2] = replicate [x9, _] %1\n  -> %2\n"), 0U);
  EXPECT_EQ(read_once(map + "  -> %1 %1\n"), 0U);
}

TEST(WholeElements, NotThoseThatAreReadByAnIndex) {
  EXPECT_EQ(read_once(R"(
  x0 = extent %0 0
  %1 : [f32; 1] = generate [x0] (x1: i64) { x2 = load %0.0 [x1]; -> x2 }
  -> %1
)"),
            0U);
  EXPECT_EQ(read_once("  -> %0\n"), 0U);
}

TEST(WholeElements, AreSeenAsNumbersOfEachType) {
  core::Program program = core::parse_program(
      "program () {\n  %0 : [(f32, i32, f32); 1] = input 0\n"
      "  %1 : [f32; 1] = map %0 (x0: f32, x1: i32, x2: f32) { x3 = add x0 x2; -> x3 }\n  -> %1\n}");
  const WholeElements elements{{false, 0}, 16, {0, 8, 12}};
  program = read_whole(std::move(program), std::span(&elements, 1));
  core::verify(program, "read_whole");
  EXPECT_EQ(program.inputs.size(), 3U);
  EXPECT_EQ(program.inputs[2], (core::ArrayType{2, {core::ScalarType::i32}}));
  const std::string text = core::print(program);
  EXPECT_NE(text.find("[f32; 2] = input 1"), std::string::npos) << text;
  EXPECT_NE(text.find("[i32; 2] = input 2"), std::string::npos) << text;
  EXPECT_EQ(text.find("input 0"), std::string::npos) << text;
}

TEST(WholeElements, OfComponentsBetweenMultiplesOfTheirSize) {
  using core::ScalarType;
  const std::vector<ScalarType> leaves{ScalarType::f32, ScalarType::c64};
  EXPECT_TRUE(can_be_seen({{false, 0}, 16, {0, 8}}, leaves));
  EXPECT_FALSE(can_be_seen({{false, 0}, 12, {0, 4}}, leaves));
  EXPECT_EQ(views_of({ScalarType::f32, ScalarType::i32, ScalarType::f32}).size(), 2U);
}

}  // namespace
}  // namespace hasten::passes
