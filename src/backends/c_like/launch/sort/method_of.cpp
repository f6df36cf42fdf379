// Chosen by what the dialect says about its devices. Only code that compiles kernels calls this:
// libraries compiled ahead of time are linked without it.
#include "backends/c_like/launch/sort/work.hpp"

namespace hasten::backends::c_like {

const SortMethod& sort_method_of(const Dialect& dialect) {
  return dialect.shuffles && dialect.forward_progress ? chained_sort : tiled_sort;
}

std::vector<SortProgram> sort_programs(const Dialect& dialect) {
  return sort_method_of(dialect).programs();
}

}  // namespace hasten::backends::c_like
