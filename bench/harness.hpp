// The benchmark harness: cases with contenders and limits, measured in turns, and their records.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forms.hpp"
#include "interleave.hpp"
#include "limits.hpp"

namespace bench {

using contenders::Rules;

struct Settings {
  int rounds = 15;
  int threads = 1;
  std::string target = "cpu";
};

// One line of results. Fields that a benchmark does not have stay empty and are written as null.
struct Record {
  std::string name, size;
  std::string target;
  int threads = 1;
  std::optional<double> ours_ms, best_ms, ratio, limit_share;
  std::string best_name;
  std::string limit_name;            // the limit that limit_share refers to
  std::optional<double> limit_rate;  // in limit_unit
  std::string limit_unit;
  std::optional<double> bar_ms;                        // an absolute bar, if there is one
  std::vector<std::pair<std::string, double>> others;  // every median in milliseconds
  std::vector<std::string> wrong;  // contenders whose result was not the expected one
  std::string error;
};

// One implementation of a case's work.
struct Contender {
  std::string name;
  Rules rules = Rules::strict;
  bool ours = false;
  std::function<void()> run;
  std::function<std::vector<float>()> output;  // the result of the last run
  std::string setting = {};                    // for ours: what it allows, empty for nothing
};

struct Case {
  std::string name, size;
  double bytes = 0, f32_operations = 0;  // the least that any implementation needs
  std::vector<float> expected;
  double tolerance = 1e-4;  // relative to the larger of an element and the mean magnitude
  double may_differ = 0;    // share of elements that may be further off (borders of chaos)
  std::vector<Contender> contenders;
  std::vector<contenders::Limit> limits;
};

// Checks every contender and measures all contenders and limits in turns. Returns one record for
// each of ours: the one with strict rules, the default of programs, is compared with the contenders
// that follow the same rules; each other one, named after its setting, is compared with all.
std::vector<Record> measure(const Case& work, const Settings& settings);

// The share of elements of `got` that differ from `expected` by more than `tolerance`.
double share_that_differs(const std::vector<float>& expected, const std::vector<float>& got,
                          double tolerance);

struct Benchmark {
  std::string name;
  std::function<std::vector<Record>(const Settings&)> run;
};

}  // namespace bench
