// The order comes first: the code it adds computes only indices.
#include "passes/same_everywhere.hpp"

#include "passes/fix_order.hpp"
#include "passes/own_math/own_math.hpp"

#include <utility>

namespace hasten::passes {

core::Program same_everywhere(core::Program program) {
  return with_own_math(fix_order(std::move(program)));
}

}  // namespace hasten::passes
