// The programs whose exported entries are timed beside the same programs in process.
#pragma once

#include "bench_programs.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace library_bench {

/// One program and its arguments.
struct Case {
  /// Calls the entry.
  std::function<void(const bench_programs::context&)> library;
  /// Compiles the program and returns a function that calls it with the same memory, borrowed anew.
  std::function<std::function<void()>()> in_process;
};

struct NamedCase {
  std::string name;
  std::function<Case()> make;  // makes the arguments, too
};

/// Cases of about a thousand elements, where a call costs more than its work.
std::vector<NamedCase> small_cases();
/// Cases of millions of operations.
std::vector<NamedCase> large_cases();

/// Prints how long making a context and the first call take in fresh processes, which are started
/// from `program`.
void first_calls(const std::string& program);
/// The body of such a process: prints both times of the small case of that name.
int first_call(const std::string& name);

}  // namespace library_bench
