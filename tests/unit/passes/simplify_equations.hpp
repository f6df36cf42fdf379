// Evaluates both sides of an equation for every type that it claims.
#pragma once

#include "passes/simplify/equation.hpp"

#include <string>

namespace hasten::test {

/// Empty, or the first case in which the sides differ, or a claim that never applies.
std::string fault_of(const passes::Equation& equation);

}  // namespace hasten::test
