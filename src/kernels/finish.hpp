// The last steps of building every kernel: its regions are simplified, stripped, analysed and
// renumbered.
#pragma once

#include "kernels/kernel_builder.hpp"

#include <span>
#include <vector>

namespace hasten::kernels {

/// Simplifies all regions, drops what is unused (keeping the builder's `arguments` and `inputs` in
/// step), decides `collapsible` and the fold's strategy, and renumbers values densely in order of
/// definition, so that kernels that do the same are equal.
void finish(KernelBuilder& builder);
/// The same for a finished kernel whose element has changed: keeps all inputs and arguments.
void finish_again(KernelBuilder& builder);

/// The steps of finish, in order.
struct KernelPass {
  const char* name;
  const char* what;
  void (*run)(KernelBuilder& builder);
};
std::span<const KernelPass> kernel_passes();

}  // namespace hasten::kernels
