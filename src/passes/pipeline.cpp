// The passes in order. Adding one is adding a line.
#include "passes/pipeline.hpp"

#include "core/traverse.hpp"
#include "passes/bounds/prove_reads.hpp"
#include "passes/checks/check_operators.hpp"
#include "passes/checks/check_pushes.hpp"
#include "passes/dead_code.hpp"
#include "passes/fuse.hpp"
#include "passes/patterns/carry_gathers.hpp"
#include "passes/patterns/fold_kept.hpp"
#include "passes/patterns/loop_invariants.hpp"
#include "passes/patterns/nested_folds.hpp"
#include "passes/patterns/scan_axes.hpp"
#include "passes/patterns/segment_maps.hpp"
#include "passes/patterns/short_folds.hpp"
#include "passes/patterns/unflatten.hpp"
#include "passes/simplify/leaves.hpp"
#include "passes/simplify/sharing.hpp"
#include "passes/simplify/simplify.hpp"
#include "passes/stages.hpp"

#include "support/env.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hasten::passes {
namespace {

constexpr Pass pipeline[] = {
    {"hoist_from_loops", "compute arrays that no round of a loop changes before the first one",
     hoist_from_loops},
    {"simplify", "fold constants, apply equations, share subexpressions, empty loops of invariants",
     simplify},
    {"fold_kept", "fold chosen elements without an array of them", fold_kept},
    {"nested_folds", "fold two axes at once in place of one after the other", flatten_nested_folds},
    {"unflatten", "fold several axes in place of a flattened array", unflatten_folds},
    {.name = "segment_maps",
     .purpose = "compute maps of segments' elements segment by segment",
     .run = join_segment_maps,
     .drops_extents = true},
    {"dead_code", "drop what no result needs", remove_dead_code},
    {"dead_leaves", "drop components of arrays and loops that nothing reads", drop_dead_leaves,
     true},
    {"share_arrays", "make one of equal array operations", share_equal_arrays},
    {"prove_reads", "find the indices that are always in range: the others are clamped",
     prove_reads},
    {"carry_gathers", "let sorts carry what is read in their order", carry_gathers},
    {.name = "check_operators",
     .purpose = "let operators that may fail say so, and look at that before the result is read",
     .check = check_operators},
    {.name = "check_pushes",
     .purpose = "count how often loops write each index of a push array",
     .check = check_pushes},
    {.name = "fission",
     .purpose = "cut operations into a part for each device, and join parts where all is needed",
     .split = split_over_devices},
    {"scan_axes", "scan along the axis that readers ask for, in place of transposing",
     move_scan_axes},
    {"short_folds", "write out folds of a few elements each", write_out_short_folds},
    {"stages", "find folds that become stages of a consumer's kernel", find_stages},
    {"fuse", "decide which arrays reach memory", fuse},
};

constexpr const char* skipped = "HASTEN_SKIP_PASS";

void warn_of_unknown_passes() {
  std::vector<std::string_view> names;
  for (const Pass& pass : pipeline)
    if (pass.run) names.push_back(pass.name);  // checks are not left out
  support::warn_of_unknown_words(skipped, "pass", names);
}

// Replaces `fuse`: every array is in memory.
void make_all_manifest(core::Block& block) {
  for (core::Binding& binding : block.bindings) {
    binding.storage = core::Storage::manifest;
    binding.reason = "fusion is switched off";
    core::edit_blocks(binding.op, [](core::Block& inner) { make_all_manifest(inner); });
  }
}

}  // namespace

std::span<const Pass> passes() { return pipeline; }

core::Program optimise(core::Program program, const Observer& observer, Checks checks,
                       const FissionDevices& devices) {
  warn_of_unknown_passes();
  const bool is_unchecked = checks == Checks::none || checks == Checks::trusted;
  const bool is_split = devices.parts > 1 || (devices.works_apart.size() > 1 && is_unchecked);
  const bool is_checked = has(checks, Checks::bounds) || has(checks, Checks::arithmetic);
  for (const Pass& pass : pipeline) {
    if (is_checked ? pass.drops_failures : pass.check != nullptr) continue;
    if (pass.drops_extents && !is_unchecked) continue;
    if (pass.split && !is_split) continue;
    if (pass.split)
      program = pass.split(std::move(program), devices);
    else if (pass.check)
      program = pass.check(std::move(program), checks);
    else if (!support::env_has(skipped, std::string(pass.name)))
      program = pass.run(std::move(program));
    else if (pass.run == fuse)
      make_all_manifest(program.body);
    if (observer) observer(pass.name, program);
  }
  return program;
}

}  // namespace hasten::passes
