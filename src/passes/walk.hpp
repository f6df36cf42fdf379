// Visits every block and region of a program, outer ones first.
#pragma once

#include "core/traverse.hpp"

namespace hasten::passes {

/// Calls `f` on the block and all blocks inside it.
inline void for_each_block(core::Block& block, core::FunctionRef<void(core::Block&)> f) {
  f(block);
  for (core::Binding& binding : block.bindings)
    core::edit_blocks(binding.op, [&](core::Block& inner) { for_each_block(inner, f); });
}

/// Calls `f` on the region and all regions inside it.
inline void for_each_region(core::Region& region, core::FunctionRef<void(core::Region&)> f) {
  f(region);
  for (core::Stmt& stmt : region.body)
    core::edit_regions(stmt, [&](core::Region& inner) { for_each_region(inner, f); });
}

/// Calls `f` on every region of the block: functions of array operations, and regions inside scalar
/// statements at array level.
inline void for_each_region(core::Block& block, core::FunctionRef<void(core::Region&)> f) {
  for_each_block(block, [&](core::Block& b) {
    for (core::Binding& binding : b.bindings) {
      if (core::Region* fn = core::region_of(binding.op)) for_each_region(*fn, f);
      if (auto* scalar = std::get_if<core::HostScalar>(&binding.op))
        core::edit_regions(scalar->stmt, [&](core::Region& r) { for_each_region(r, f); });
    }
  });
}

}  // namespace hasten::passes
