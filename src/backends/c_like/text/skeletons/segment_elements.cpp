// Elements of segments: each item looks for the segment of its element. Neighbours read the same
// offsets, nearly always from a cache. In OpenCL an item is one element, as in maps.
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {

namespace {

using Scope = ScalarCode::Scope;

// Defines the ix `segment`: the last one that begins at `at` or before it.
void find_segment(ScalarCode& code) {
  const Region& range = *code.kernel().range;
  code.line("ix segment = 0, end = e0;");
  const Scope halves(code, "while (end - segment > 1)");
  code.line("const ix middle = segment + (end - segment) / 2;");
  code.define(range.params, Names{"middle"});
  code.run(range);
  code.line(fmt::format("if ({} <= at) segment = middle; else end = middle;",
                        ScalarCode::name(range.results[0])));
}

void store_element(ScalarCode& code) {
  const Region& element = code.kernel().element;
  find_segment(code);
  code.define(element.params, Names{"segment", "at"});
  code.run(element);
  for (std::size_t i = 0; i < element.results.size(); ++i)
    code.store(i, "at", ScalarCode::name(element.results[i]));
}

}  // namespace

void emit_segment_elements(ScalarCode& code, Functions& functions) {
  if (!functions.has(entry::segments)) return;
  const Scope function(code, fmt::format("KERNEL {}{}", entry::segments, parameters(code, "")));
  begin_function(code);
  if (code.expressions.dialect().items_in_lanes) {
    code.line("const ix at = GROUP * 256 + ITEM;");
    const Scope inside(code, "if (at < e1)");
    return store_element(code);
  }
  const Scope all(code, "ROLLED for (ix at = GROUP * 256 + ITEM; at < e1; at += GROUPS * 256)");
  store_element(code);
}

}  // namespace hasten::backends::c_like
