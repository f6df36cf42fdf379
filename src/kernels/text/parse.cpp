// Recursive descent over the lines of a kernel; its regions are core's.
#include "kernels/text/parse.hpp"

#include "core/scalar_ops.hpp"
#include "core/text/parse.hpp"

#include <string>

namespace hasten::kernels {
namespace {

using namespace core;

class Parser {
 public:
  explicit Parser(Lexer& lexer) : lexer_(lexer) {}

  Kernel run() {
    head();
    types("inputs", kernel_.inputs);
    for (ScalarType type : kernel_.inputs) {  // the type of a load: the input, or one of its parts
      const ScalarType part = detail::part_of(type);
      const std::size_t leaves = detail::is_complex(type) ? 2 : 1;
      program_.array_types.push_back({1, std::vector<ScalarType>(leaves, part)});
    }
    types("outputs", kernel_.outputs);
    line("scalars");
    expect(lexer_, "(");
    kernel_.scalars = parse_typed_values(lexer_, program_);
    skip_separators(lexer_);
    if (accept(lexer_, "range")) kernel_.range = parse_region(lexer_, program_);
    skip_separators(lexer_);
    while (accept(lexer_, "loop")) loop();
    if (kernel_.loops.empty()) kernel_.element = region("element");
    skip_separators(lexer_);
    if (accept(lexer_, "interior")) kernel_.interior = interior();
    skip_separators(lexer_);
    if (accept(lexer_, "recomputed")) values(kernel_.recomputed);
    if (combines(kernel_)) kernel_.combine = region("combine");
    if (accumulates(kernel_)) {
      strategy();
      kernel_.epilogue = region("epilogue");
    }
    skip_separators(lexer_);
    if (kernel_.skeleton == Skeleton::scatter && accept(lexer_, "seed")) values(kernel_.seed);
    skip_separators(lexer_);
    expect(lexer_, "}");
    skip_separators(lexer_);
    kernel_.value_types = std::move(program_.value_types);
    return std::move(kernel_);
  }

 private:
  // "kernel map rank 2 collapsible {"
  void head() {
    skip_separators(lexer_);
    expect(lexer_, "kernel");
    kernel_.skeleton = skeleton();
    expect(lexer_, "rank");
    kernel_.rank = parse_number(lexer_);
    kernel_.collapsible = accept(lexer_, "collapsible");
    kernel_.unique = accept(lexer_, "unique");
    if (accept(lexer_, "writes")) kernel_.writes = parse_number(lexer_);
    kernel_.in_order = accept(lexer_, "in_order");
    kernel_.any_order = accept(lexer_, "any_order");
    kernel_.parts = accept(lexer_, "parts");
    if (accept(lexer_, "inner_axes")) kernel_.inner_axes = parse_number(lexer_);
    if (accept(lexer_, "folded")) kernel_.folded = parse_number(lexer_);
    if (accept(lexer_, "stored")) kernel_.stored = parse_number(lexer_);
    expect(lexer_, "{");
  }

  Skeleton skeleton() {
    for (Skeleton s : {Skeleton::map, Skeleton::segments, Skeleton::fold, Skeleton::scan,
                       Skeleton::scatter, Skeleton::compact})
      if (accept(lexer_, name_of(s))) return s;
    fail_parse(lexer_.peek(), "a skeleton");
  }

  void line(const char* title) {
    skip_separators(lexer_);
    expect(lexer_, title);
  }

  [[nodiscard]] bool line_goes_on() const {
    const Token::Kind kind = lexer_.peek().kind;
    return kind != Token::Kind::separator && kind != Token::Kind::end;
  }

  // "inputs f32 i64"
  void types(const char* title, std::vector<ScalarType>& list) {
    line(title);
    while (line_goes_on()) list.push_back(parse_type(lexer_));
  }

  Region region(const char* title) {
    line(title);
    return parse_region(lexer_, program_);
  }

  // "rank 2 writes 2 (...) { ... }"
  void loop() {
    Loop& loop = kernel_.loops.emplace_back();
    expect(lexer_, "rank");
    loop.rank = parse_number(lexer_);
    if (accept(lexer_, "writes")) loop.writes = parse_number(lexer_);
    loop.element = parse_region(lexer_, program_);
    skip_separators(lexer_);
    if (accept(lexer_, "interior")) loop.interior = interior();
    skip_separators(lexer_);
  }

  // "bounds { ... }", then "interior element (...) { ... }"
  Interior interior() {
    Interior result;
    expect(lexer_, "bounds");
    result.bounds = parse_region(lexer_, program_);
    line("interior");
    result.element = region("element");
    return result;
  }

  // "seed x0 x1"
  void values(std::vector<Value>& list) {
    while (line_goes_on()) list.push_back(parse_value(lexer_));
  }

  // A seed, then "lanes reduction commutative add min" or "lanes reduction of_segments or add"
  void strategy() {
    line("seed");
    values(kernel_.seed);
    line("lanes");
    if (accept(lexer_, "outer"))
      kernel_.lanes = FoldLanes::outer;
    else
      expect(lexer_, "reduction");
    kernel_.lane_operator.commutative = accept(lexer_, "commutative");
    kernel_.lane_operator.of_segments = accept(lexer_, "of_segments");
    while (line_goes_on()) {
      const Token name = lexer_.take();
      const auto op = scalar_op_named(name.text);
      if (!op) fail_parse(name, "an operation");
      kernel_.lane_operator.leaves.push_back(*op);
    }
  }

  Lexer& lexer_;
  Program program_;  // types of values, and of the inputs as arrays
  Kernel kernel_;
};

}  // namespace

std::vector<Kernel> parse_kernels(std::string_view text) {
  Lexer lexer(text);
  std::vector<Kernel> kernels;
  do kernels.push_back(Parser(lexer).run());
  while (lexer.peek().kind != Token::Kind::end);
  return kernels;
}

Kernel parse_kernel(std::string_view text) {
  Lexer lexer(text);
  Kernel kernel = Parser(lexer).run();
  if (lexer.peek().kind != Token::Kind::end) fail_parse(lexer.peek(), "the end of the text");
  return kernel;
}

}  // namespace hasten::kernels
