// The scalar functions of other languages that this process knows, by target and name.
#pragma once

#include "core/program.hpp"

#include <span>
#include <string_view>

namespace hasten::core {

/// The function of this target and name, from now on this one. Null if the name stands for another
/// (other types, another address, another text). Any thread.
const detail::ForeignFunction* register_foreign(const detail::ForeignFunction& function);

/// What a text means by a name: the function known by it, if its types are these; else one that is
/// only named, and cannot be called. Any thread.
const detail::ForeignFunction* foreign_named(detail::ForeignTarget target, std::string_view name,
                                             const std::vector<detail::ScalarType>& params,
                                             detail::ScalarType result);

/// Whether there is something to call, or to compile.
bool is_known(const detail::ForeignFunction& function);

/// Throws TargetError: a text names a function that this process does not know.
[[noreturn]] void fail_only_named(std::string_view name);

/// The functions of arrays of a program, by ForeignImplementation::index.
using ForeignArrayFunctions = std::span<const std::shared_ptr<const detail::ForeignArrayFunction>>;

/// What the function `index`, called `name`, makes of these arrays. What it throws passes through;
/// InternalError unless the results have these types.
std::vector<std::shared_ptr<const detail::HostArray>> call_foreign(
    ForeignArrayFunctions functions, std::uint32_t index, std::string_view name,
    const std::vector<std::shared_ptr<const detail::HostArray>>& args,
    std::span<const ArrayType> types);

/// Throws InternalError unless the function's results have these types.
void check_foreign_results(const detail::ForeignArrayFunction& function,
                           const std::vector<std::shared_ptr<const detail::HostArray>>& results,
                           std::span<const ArrayType> types);

/// Letters, digits, and _ . : - ; at least one.
bool is_foreign_name(std::string_view name);

/// The text as a string that is kept for good, for names and messages in programs. Any thread.
const char* interned(std::string_view text);

}  // namespace hasten::core
