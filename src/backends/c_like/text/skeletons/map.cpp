// Maps: a group is a rectangle of rows and columns, whose shape the launch chooses by the extents.
//
// CUDA: groups loop over rectangles, and items compute several elements before they store any, so
// that many loads are in flight at once.
//
// OpenCL: an item is one element, without a loop around it. On a processor the items of a group are
// themselves a loop, which its compiler vectorises if it is innermost and accesses neighbours; a
// loop inside an item would stride through memory by the size of all groups.
#include "backends/c_like/text/skeletons/skeletons.hpp"
#include "kernels/stages.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class MapText {
 public:
  explicit MapText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        outer_(kernel_.rank - 1),
        inner_(fmt::format("e{}", outer_)) {}

  // Extra: rows, and `shift`: 2^shift items of a group run along the inner axis, the rest over
  // rows.
  void rectangles() {
    const Scope function(code_, head(entry::map, "const ix rows, const i32 shift"));
    begin_function(code_);
    code_.line("const ix high = 256 >> shift, step = GROUPS << shift;");
    const Scope rows(code_,
                     "ROLLED for (ix row = GROUP_Y * high + (ITEM >> shift); row < rows; row += "
                     "GROUPS_Y * high)");
    const Names index = split_row(code_, "row", outer_);
    code_.line("ix col = (GROUP << shift) + (ITEM & (((ix)1 << shift) - 1));");
    if (is_light(kernel_)) {
      const Scope several(
          code_, fmt::format("ROLLED for (; col + 3 * step < {}; col += 4 * step)", inner_));
      four(index, "col + j * step", fmt::format("row * {} + ", inner_));
    }
    const Scope one(code_, fmt::format("ROLLED for (; col < {}; col += step)", inner_));
    single(index, "col", fmt::format("row * {} + col", inner_));
  }

  // Extra: elements before `whole` are computed four neighbours at a time, if there are any; then
  // all arrays begin at multiples of 16 bytes. Of outer axes there is only index 0.
  void flat() {
    const Scope function(code_, head(entry::flat, "const ix whole"));
    begin_function(code_);
    const Names index(outer_, "0");
    for (const Pointer& pointer : pointers())
      code_.line(fmt::format("{0} const any_{1} = {1};", pointer.type, pointer.name));
    {
      const Scope several(
          code_, "ROLLED for (ix at = (GROUP * 256 + ITEM) * 4; at < whole; at += GROUPS * 1024)");
      for (const Pointer& pointer : pointers())
        code_.line(fmt::format("{0}{1} {2} = ({0})__builtin_assume_aligned(any_{2}, 16);",
                               pointer.type, pointer.restrict_, pointer.name));
      four(index, "at + j", "");
    }
    const Scope one(code_,
                    fmt::format("ROLLED for (ix at = whole + GROUP * 256 + ITEM; at < {}; at += "
                                "GROUPS * 256)",
                                inner_));
    single(index, "at", "at");
  }

  // A group is 256 neighbours of a row, or what is left of it.
  void runs() {
    const Scope function(code_, head(entry::flat, ""));
    begin_function(code_);
    if (kernel_.rank == 1) {
      code_.line("const ix row = 0, col = GROUP * 256 + ITEM;");
    } else {
      code_.line(fmt::format("const ix each = ({} + 255) / 256;", inner_));
      code_.line("const ix row = GROUP / each, col = (GROUP - row * each) * 256 + ITEM;");
    }
    const Names index = split_row(code_, "row", outer_);
    const Scope inside(code_, fmt::format("if (col < {})", inner_));
    single(index, "col", outer_ == 0 ? "col" : fmt::format("row * {} + col", inner_));
  }

  // Extra: rows, and `shift`: 2^shift items of a group are a row, of no more elements.
  void short_rows() {
    const Scope function(code_, head(entry::map, "const ix rows, const i32 shift"));
    begin_function(code_);
    code_.line("const ix row = GROUP * (256 >> shift) + (ITEM >> shift);");
    code_.line("const ix col = ITEM & (((ix)1 << shift) - 1);");
    const Scope inside(code_, fmt::format("if (row < rows && col < {})", inner_));
    const Names index = split_row(code_, "row", outer_);
    single(index, "col", fmt::format("row * {} + col", inner_));
  }

 private:
  using Scope = ScalarCode::Scope;

  [[nodiscard]] std::string head(const char* name, const char* extra) const {
    return fmt::format("KERNEL {}{}", name, parameters(code_, extra));
  }

  struct Pointer {
    std::string name, type;
    const char* restrict_;
  };
  [[nodiscard]] std::vector<Pointer> pointers() const {
    std::vector<Pointer> result;
    const auto type = [](ScalarType t) { return std::string(memory_type(detail::part_of(t))); };
    for (std::size_t i = 0; i < kernel_.inputs.size(); ++i)
      result.push_back(
          {fmt::format("in{}", i), "const " + type(kernel_.inputs[i]) + "*", " RESTRICT"});
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i)
      result.push_back({fmt::format("out{}", i), type(kernel_.outputs[i]) + "*", ""});
    return result;
  }

  void element(Names index, const std::string& inner) {
    index.push_back(inner);
    code_.define(kernel_.element.params, index);
    code_.run(kernel_.element);
  }

  void single(const Names& index, const std::string& inner, const std::string& place) {
    element(index, inner);
    for (std::size_t i = 0; i < kernel_.element.results.size(); ++i)
      code_.store(i, place, ScalarCode::name(kernel_.element.results[i]));
  }

  void four(const Names& index, const std::string& inner, const std::string& row) {
    const std::vector<Value>& results = kernel_.element.results;
    for (std::size_t i = 0; i < results.size(); ++i)
      code_.line(fmt::format("{} x{}[4];", register_type(code_.held_type(results[i])), i));
    {
      const Scope each(code_, "WHOLLY for (i32 j = 0; j < 4; ++j)");
      element(index, inner);
      for (std::size_t i = 0; i < results.size(); ++i)
        code_.line(fmt::format("x{}[j] = {};", i, ScalarCode::name(results[i])));
    }
    const Scope each(code_, "WHOLLY for (i32 j = 0; j < 4; ++j)");
    for (std::size_t i = 0; i < results.size(); ++i)
      code_.store(i, row + inner, fmt::format("x{}[j]", i));
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  std::size_t outer_;
  std::string inner_;
};

}  // namespace

bool has_flat_map(const Kernel& kernel) {
  return (kernel.rank == 1 || kernel.collapsible) && is_light(kernel);
}

void emit_map(ScalarCode& code, Functions& functions) {
  if (kernels::has_row_reductions(code.kernel())) {
    if (functions.has(entry::row_map)) emit_row_map(code);
    return;
  }
  MapText text(code);
  const bool is_flat = code.kernel().rank == 1;
  if (code.expressions.dialect().items_in_lanes) {
    if (functions.has(entry::flat)) text.runs();
    if (!is_flat && functions.has(entry::map)) text.short_rows();
    return;
  }
  const bool has_flat = has_flat_map(code.kernel());
  if (has_flat && functions.has(entry::flat)) text.flat();
  if ((!has_flat || !is_flat) && functions.has(entry::map)) text.rectangles();
}

}  // namespace hasten::backends::c_like
