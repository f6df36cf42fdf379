// Scatters of several loops: each has groups of its own, so that an item tests once for its loop,
// and all items of a group get the same answer.
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

using Scope = ScalarCode::Scope;

std::string size_of(const kernels::Loop& loop, std::size_t first) {
  std::string size;
  for (std::size_t axis = 0; axis < loop.rank; ++axis)
    size += fmt::format("{}e{}", axis > 0 ? " * " : "", first + axis);
  return size;
}

void element(ScalarCode& code, const kernels::Loop& loop, std::size_t first) {
  code.define(loop.element.params, split_row(code, "at", loop.rank, first));
  code.run(loop.element);
  for (std::size_t write = 0; write < loop.writes; ++write)
    store_write(code, loop.element, kernels::written(loop, write));
}

// Groups [before, after) of the launch loop over its elements, or are as many as it needs.
void run_loop(ScalarCode& code, std::size_t number, const std::string& before) {
  const kernels::Loop& loop = code.kernel().loops[number];
  const std::size_t first = kernels::first_axis(code.kernel(), number);
  const bool is_last = number + 1 == code.kernel().loops.size();
  const std::string head = number > 0 ? "else " : "";
  const Scope own(code, is_last ? "else" : head + fmt::format("if (GROUP < g{})", number));
  code.line(fmt::format("const ix size = {};", size_of(loop, first)));
  const std::string begin = fmt::format("(GROUP - {}) * 256 + ITEM", before);
  if (code.expressions.dialect().items_in_lanes) {
    code.line(fmt::format("const ix at = {};", begin));
    const Scope inside(code, "if (at < size)");
    return element(code, loop, first);
  }
  const Scope each(code, fmt::format("ROLLED for (ix at = {}; at < size; at += (g{} - {}) * 256)",
                                     begin, number, before));
  element(code, loop, first);
}

}  // namespace

// Extra: for each loop the number of groups before its end.
void emit_loops(ScalarCode& code) {
  std::string extra;
  const std::size_t count = code.kernel().loops.size();
  for (std::size_t i = 0; i < count; ++i)
    extra += fmt::format("{}const ix g{}", i > 0 ? ", " : "", i);
  const Scope function(code, fmt::format("KERNEL {}{}", entry::scatter, parameters(code, extra)));
  begin_function(code);
  for (std::size_t i = 0; i < count; ++i)
    run_loop(code, i, i > 0 ? fmt::format("g{}", i - 1) : "0");
}

}  // namespace hasten::backends::c_like
