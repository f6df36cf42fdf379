// What every kernel goes through after its regions are built: simplified, stripped, analysed,
// renumbered.
#pragma once

#include "kernels/kernel_builder.hpp"

#include <span>
#include <vector>

namespace hasten::kernels {

/// Simplifies all regions, drops what is not used (with the builder's `arguments` and `inputs` in
/// step), decides `collapsible` and the fold's strategy, and renumbers values densely in order of
/// definition, so that kernels that do the same are the same.
void finish(KernelBuilder& builder);

/// What finish does, in order.
struct KernelPass {
  const char* name;
  const char* what;
  void (*run)(KernelBuilder& builder);
};
std::span<const KernelPass> kernel_passes();

}  // namespace hasten::kernels
