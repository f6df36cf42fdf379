// A kernel's text: the prelude, then its functions.
#include "backends/c_like/source.hpp"

#include "backends/c_like/skeletons.hpp"
#include "backends/c_like/tiled_map.hpp"

namespace hasten::backends::c_like {

std::string source_of(const kernels::Kernel& kernel, Dialect dialect, IndexWidth width, Part part) {
  if (part == Part::tiled) return tiled_source(kernel, dialect, width);
  ScalarCode code(kernel, dialect, index_widths(kernel, width));
  if (part == Part::contraction) {
    emit_contraction(code);
    return code.speller.prelude(width) + code.text;
  }
  switch (kernel.skeleton) {
    case kernels::Skeleton::map: emit_map(code); break;
    case kernels::Skeleton::fold: emit_fold(code); break;
    case kernels::Skeleton::scan: emit_scan(code); break;
    case kernels::Skeleton::scatter: emit_scatter(code); break;
  }
  return code.speller.prelude(width) + code.text;
}

}  // namespace hasten::backends::c_like
