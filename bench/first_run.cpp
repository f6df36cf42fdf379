// Prints the milliseconds from main() to the result of a first dot product, in a fresh process.
#include <chrono>
#include <cstdio>
#include <vector>

#include "../examples/programs/dotp.hpp"

int main() {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<float> ones(1000, 1.0f);
  const hasten::Vector<float> xs(1000, ones), ys(1000, ones);
  const float result = hasten::run(programs::dotp(hasten::use(xs), hasten::use(ys))).item();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%.3f\n", took.count());
  return result == 1000.0f ? 0 : 1;
}
