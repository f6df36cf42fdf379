// The whole suite as one call, which is the whole program of a target's tests.
#pragma once

#include <hasten/run/options.hpp>

#include <string>
#include <vector>

namespace hasten::conformance {

/// Runs every test on every one of these targets. Accepts GoogleTest's options, and
/// --elements-at-most=N to exclude larger arrays. Returns the exit status of main: 0 if all agree
/// with the interpreter.
int run_suite(int argc, char** argv, std::vector<Options> targets);

/// The same for a target that not every machine has: `why_absent` is empty if it is present.
/// Otherwise one test is skipped with the reason, or the run fails if the device was promised
/// (tests/support/promise.hpp).
int run_suite_if_there(int argc, char** argv, const Options& target, const std::string& device,
                       const std::string& why_absent);

}  // namespace hasten::conformance
