// Terms that call foreign functions; <hasten/array/foreign.hpp> has the typed interface.
#pragma once

#include <hasten/detail/foreign_function.hpp>
#include <hasten/detail/term.hpp>

#include <string>

namespace hasten::detail {

/// The only function of this target and name in the process. Throws BuildError if the name has
/// characters other than letters, digits and _ . : - , or already identifies another function.
/// Callable from any thread.
const ForeignFunction* foreign_function(const ForeignFunction& function, const Where& where);

/// Throws BuildError at `where` for the invalid names above.
void check_foreign_name(const std::string& name, const Where& where);

/// Returns a leaf. `fallback` has one parameter per argument, a leaf each.
Term foreign_call(std::vector<const ForeignFunction*> functions, Function fallback,
                  std::vector<Term> args, const Where& where);

/// Returns as many arrays as the fallback has results. `fallback` has one array parameter per
/// argument.
std::vector<Term> foreign_arrays(std::vector<std::shared_ptr<const ForeignArrayFunction>> functions,
                                 Function fallback, std::vector<Term> args, const Where& where);

}  // namespace hasten::detail
