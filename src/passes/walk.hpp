// Visits every block and region of a program.
#pragma once

#include "core/program.hpp"

namespace hasten::passes {

/// The regions directly inside a statement (branches, loop conditions and bodies).
template <class F>
void for_each_subregion(core::Stmt& stmt, F&& f) {
  if (auto* branch = std::get_if<core::If>(&stmt.op)) {
    f(branch->then_);
    f(branch->else_);
  } else if (auto* loop = std::get_if<core::While>(&stmt.op)) {
    f(loop->condition);
    f(loop->body);
  }
}

/// The function of an array operation, or null.
inline core::Region* function_of(core::ArrayOp& op) {
  if (auto* x = std::get_if<core::Generate>(&op)) return &x->fn;
  if (auto* x = std::get_if<core::Map>(&op)) return &x->fn;
  if (auto* x = std::get_if<core::ZipWith>(&op)) return &x->fn;
  if (auto* x = std::get_if<core::Backpermute>(&op)) return &x->fn;
  if (auto* x = std::get_if<core::Fold>(&op)) return &x->fn;
  return nullptr;
}

/// The blocks of an array operation.
template <class F>
void for_each_subblock(core::ArrayOp& op, F&& f) {
  if (auto* branch = std::get_if<core::ArrayIf>(&op)) {
    f(branch->then_);
    f(branch->else_);
  } else if (auto* loop = std::get_if<core::ArrayWhile>(&op)) {
    f(loop->condition);
    f(loop->body);
  }
}

/// `f` on the block and all blocks inside it, outer ones first.
template <class F>
void for_each_block(core::Block& block, F&& f) {
  f(block);
  for (core::Binding& binding : block.bindings)
    for_each_subblock(binding.op, [&](core::Block& inner) { for_each_block(inner, f); });
}

/// `f` on the region and all regions inside it, outer ones first.
template <class F>
void for_each_region(core::Region& region, F&& f) {
  f(region);
  for (core::Stmt& stmt : region.body)
    for_each_subregion(stmt, [&](core::Region& inner) { for_each_region(inner, f); });
}

/// `f` on every region of the block: functions of array operations, and what is inside scalar
/// statements at array level.
template <class F>
void for_each_region(core::Block& block, F&& f) {
  for_each_block(block, [&](core::Block& b) {
    for (core::Binding& binding : b.bindings) {
      if (core::Region* fn = function_of(binding.op)) for_each_region(*fn, f);
      if (auto* scalar = std::get_if<core::HostScalar>(&binding.op))
        for_each_subregion(scalar->stmt, [&](core::Region& r) { for_each_region(r, f); });
    }
  });
}

}  // namespace hasten::passes
