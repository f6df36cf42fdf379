// From kernels to machine code.
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

/// Before anything else of LLVM: code generators are registered once, and by one thread.
void initialize_llvm();

/// The kernel's schedule, the options, packed, and an object file of one form, as
/// kernels::with_schedule puts them together. Any thread; throws TargetError for element types the
/// target has not.
std::vector<std::byte> compile_object(const kernels::Kernel&, const CompileOptions&, const Machine&,
                                      Form = Form::usual);

/// The same of all forms, for a linker: what the kernel exports is called `prefix` and its own
/// name, and hidden.
struct LinkableObject {
  kernels::Schedule schedule;
  std::vector<std::byte> object;
};
LinkableObject compile_linkable(const kernels::Kernel&, const CompileOptions&, const Machine&,
                                const std::string& prefix);

/// Bytes on 64, with 64 more behind them, that a linker knows as `symbol`; hidden.
struct DataBlock {
  std::string symbol;
  std::span<const std::byte> bytes;
};
/// An object file of nothing but these.
std::vector<std::byte> compile_data(std::span<const DataBlock>, const Machine&);

/// Of all forms: the LLVM IR that is given to the code generator, and the assembly it gives.
std::string llvm_text(const kernels::Kernel&, const CompileOptions&, const Machine&);
std::string assembly_text(const kernels::Kernel&, const CompileOptions&, const Machine&);

}  // namespace hasten::backends::cpu
