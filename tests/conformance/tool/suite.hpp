// The whole suite, as one call: the program of a target's tests is this call.
#pragma once

#include <hasten/run/options.hpp>

#include <string>
#include <vector>

namespace hasten::conformance {

/// Runs every test on every one of these targets; takes GoogleTest's options, and
/// --elements-at-most=N for small arrays only. Gives what main is
/// to return: 0 if all agree with the interpreter.
int run_suite(int argc, char** argv, std::vector<Options> targets);

/// The same for a target that not every machine has: `why_absent` is empty where it is there. Where
/// it is not, one test is skipped and says why, or the run fails if the device was promised
/// (tests/support/promise.hpp).
int run_suite_if_there(int argc, char** argv, const Options& target, const std::string& device,
                       const std::string& why_absent);

}  // namespace hasten::conformance
