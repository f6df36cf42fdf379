// Compiles kernels to machine code.
#pragma once

#include "backends/backend.hpp"
#include "backends/cpu/forms.hpp"
#include "backends/cpu/machine/machine.hpp"
#include "kernels/schedule.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hasten::backends::cpu {

/// Called before any other use of LLVM: registers code generators once, on one thread.
void initialize_llvm();

/// The kernel's schedule, the packed options, and an object file of one form, in the layout of
/// kernels::with_schedule. Thread-safe; throws TargetError for element types that the target lacks.
std::vector<std::byte> compile_object(const kernels::Kernel&, const CompileOptions&, const Machine&,
                                      Form = Form::usual);

/// The same for all forms, for a linker: the symbols of the kernel are `prefix` and their own
/// names, and hidden.
struct LinkableObject {
  kernels::Schedule schedule;
  std::vector<std::byte> object;
};
LinkableObject compile_linkable(const kernels::Kernel&, const CompileOptions&, const Machine&,
                                const std::string& prefix);

/// Bytes aligned to 64, with 64 more behind them, under the symbol `symbol`; hidden.
struct DataBlock {
  std::string symbol;
  std::span<const std::byte> bytes;
};
/// An object file that contains only these.
std::vector<std::byte> compile_data(std::span<const DataBlock>, const Machine&);

/// For all forms: the LLVM IR that the code generator receives, and the assembly it emits.
std::string llvm_text(const kernels::Kernel&, const CompileOptions&, const Machine&);
std::string assembly_text(const kernels::Kernel&, const CompileOptions&, const Machine&);

}  // namespace hasten::backends::cpu
