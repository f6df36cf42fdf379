// Whether the profiles of the example programs are true, on the CPU and on an OpenCL device if
// there is one; or on the targets that the arguments name, `cpu` or `opencl`. Exit status 1 where
// one is not. `./dev bench --profiles` runs it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "profiled.hpp"

namespace profiles {

bool is_true(const char* name, const hs::Profile& profile, double clock_ms) {
  constexpr double apart_max = 0.05, share_max = 1.1;
  double rows = 0, greatest = 0;
  std::string where;
  for (const hs::ProfileRow& row : profile.rows()) {
    rows += row.total_ms;
    const double share = std::max(row.bandwidth_share, row.arithmetic_share);
    if (share > greatest) greatest = share, where = row.name;
  }
  const bool good = std::abs(rows / clock_ms - 1) <= apart_max && greatest <= share_max;
  std::printf("%-14s rows %9.2f ms, clock %9.2f ms (%5.1f %%), greatest share %.2f %s%s\n", name,
              rows, clock_ms, 100 * (rows / clock_ms - 1), greatest, where.c_str(),
              good ? "" : "  WRONG");
  if (!good) std::printf("%s\n", profile.str().c_str());
  std::fflush(stdout);
  return good;
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
