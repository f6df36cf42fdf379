// Evaluates both sides of an equation on every type it claims.
#pragma once

#include "passes/simplify/equation.hpp"

#include <string>

namespace hasten::test {

/// Empty, or the first case in which the sides differ, or the claim that is never met.
std::string fault_of(const passes::Equation& equation);

}  // namespace hasten::test
