// Vertical fusion, then horizontal: inlining decides which bindings are left to be grouped.
#include "passes/fuse.hpp"

#include "passes/fusion/groups.hpp"
#include "passes/fusion/inlining.hpp"
#include "passes/shapes.hpp"
#include "support/env.hpp"

namespace hasten::passes {

core::Program fuse(core::Program program) {
  // A seed makes the same decisions in every pass over one program, and others in another one.
  const auto seed =
      static_cast<std::uint64_t>(support::env_number("HASTEN_FUSION_SEED").value_or(0));
  const Shapes shapes(program);
  const std::vector<fusion::ArrayUse> uses = fusion::decide_storage(program, shapes, seed);
  fusion::form_groups(program, shapes, uses, seed);
  return program;
}

}  // namespace hasten::passes
