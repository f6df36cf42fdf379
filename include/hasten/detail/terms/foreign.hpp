// Building terms that call foreign functions; typed in <hasten/array/foreign.hpp>.
#pragma once

#include <hasten/detail/foreign_function.hpp>
#include <hasten/detail/term.hpp>

#include <string>

namespace hasten::detail {

/// The one function of this target and name in the process. BuildError if the name is not made of
/// letters, digits and _ . : - , or stands for another function already. Any thread.
const ForeignFunction* foreign_function(const ForeignFunction& function, const Where& where);

/// BuildError as above, at `where`.
void check_foreign_name(const std::string& name, const Where& where);

/// A leaf. `fallback` has one parameter per argument, a leaf each.
Term foreign_call(std::vector<const ForeignFunction*> functions, Function fallback,
                  std::vector<Term> args, const Where& where);

/// As many arrays as the fallback has results. `fallback` has one array parameter per argument.
std::vector<Term> foreign_arrays(std::vector<std::shared_ptr<const ForeignArrayFunction>> functions,
                                 Function fallback, std::vector<Term> args, const Where& where);

}  // namespace hasten::detail
