// The whole suite, as one call: the program of a target's tests is this call.
#pragma once

#include <hasten/options.hpp>

#include <vector>

namespace hasten::conformance {

/// Runs every test on every one of these targets; takes GoogleTest's options. Gives what main is
/// to return: 0 if all agree with the interpreter.
int run_suite(int argc, char** argv, std::vector<Options> targets);

}  // namespace hasten::conformance
