// The scalar functions written in other languages that this process knows, by target and name.
#pragma once

#include "core/program.hpp"

#include <span>
#include <string_view>

namespace hasten::core {

/// Registers the function under its target and name, and returns the registered one. Null if the
/// name already belongs to another function (types, address or text differ). Thread-safe.
const detail::ForeignFunction* register_foreign(const detail::ForeignFunction& function);

/// The function that a text refers to by a name: the registered one if its types agree; else one
/// that has only a name and cannot be called. Thread-safe.
const detail::ForeignFunction* foreign_named(detail::ForeignTarget target, std::string_view name,
                                             const std::vector<detail::ScalarType>& params,
                                             detail::ScalarType result);

/// Whether the function can be called, or compiled.
bool is_known(const detail::ForeignFunction& function);

/// Throws TargetError: a text names a function that this process does not know.
[[noreturn]] void fail_only_named(std::string_view name);

/// The functions of arrays of a program, by ForeignImplementation::index.
using ForeignArrayFunctions = std::span<const std::shared_ptr<const detail::ForeignArrayFunction>>;

/// Calls the function `index`, named `name`, on these arrays. Its exceptions pass through;
/// InternalError unless the results have these types.
std::vector<std::shared_ptr<const detail::HostArray>> call_foreign(
    ForeignArrayFunctions functions, std::uint32_t index, std::string_view name,
    const std::vector<std::shared_ptr<const detail::HostArray>>& args,
    std::span<const ArrayType> types);

/// Throws InternalError unless the function's results have these types.
void check_foreign_results(const detail::ForeignArrayFunction& function,
                           const std::vector<std::shared_ptr<const detail::HostArray>>& results,
                           std::span<const ArrayType> types);

/// At least one character; letters, digits, and _ . : - only.
bool is_foreign_name(std::string_view name);

/// A copy of the text that lives as long as the process, for names and messages. Thread-safe.
const char* interned(std::string_view text);

}  // namespace hasten::core
