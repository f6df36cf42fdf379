// The jobs of the main demonstration.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "job.hpp"

namespace demo {

struct Plan {
  int rounds = 7;
  int threads = 1;
  std::string picture = "mandelbrot.png";  // file for Mandelbrot's picture
};

struct NamedJob {
  std::string name, what, source;
  std::function<Row(const Plan&)> run;
};

std::vector<NamedJob> main_jobs();

}  // namespace demo
