// Checks that the profiles of the example programs are true, on the CPU and on an OpenCL device if
// there is one; or on the targets that the arguments name, `cpu` or `opencl`. Exit status 1 if a
// profile is not. `./dev bench --profiles` runs it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "profiled.hpp"

namespace profiles {

Verdict verdict_of(const char* name, const hs::Profile& profile, double clock_ms) {
  constexpr double apart_max = 0.05, share_max = 1.1;
  double rows = 0, greatest = 0;
  std::string where;
  for (const hs::ProfileRow& row : profile.rows()) {
    rows += row.total_ms;
    const double share = std::max(row.bandwidth_share, row.arithmetic_share);
    if (share > greatest) greatest = share, where = row.name;
  }
  const double apart = rows / clock_ms - 1;
  char line[256];
  std::snprintf(line, sizeof line,
                "%-14s rows %9.2f ms, clock %9.2f ms (%5.1f %%), greatest share %.2f %.80s", name,
                rows, clock_ms, 100 * apart, greatest, where.c_str());
  return {std::abs(apart) <= apart_max && greatest <= share_max, line, profile.str()};
}

void print(const Verdict& verdict) {
  std::printf("%s%s\n", verdict.line.c_str(), verdict.good ? "" : "  WRONG");
  if (!verdict.good) std::printf("%s\n", verdict.why.c_str());
  std::fflush(stdout);
}

namespace {

bool has_opencl() {
  try {
    static_cast<void>(hs::run(hs::Exp<int>(1), {.target = hs::opencl(0)}));
    return true;
  } catch (const hs::TargetError&) {
    return false;
  }
}

bool are_true(const std::string& target) {
  const hs::Options options{.target = target == "opencl" ? hs::opencl(0) : hs::cpu()};
  std::printf("-- %s\n", target.c_str());
  const bool results[] = {everyday_are_true(options), others_are_true(options)};
  return results[0] && results[1];
}

}  // namespace
}  // namespace profiles

int main(int count, char** arguments) {
  std::vector<std::string> targets(arguments + 1, arguments + count);
  if (targets.empty()) {
    targets.emplace_back("cpu");
    if (profiles::has_opencl()) targets.emplace_back("opencl");
  }
  const auto wrong = std::ranges::count_if(
      targets, [](const std::string& target) { return !profiles::are_true(target); });
  return wrong == 0 ? 0 : 1;
}
