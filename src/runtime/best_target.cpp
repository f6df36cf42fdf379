// Nothing is measured, and no driver is opened that a better target makes unnecessary.
#include "runtime/best_target.hpp"

#include "backends/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace hasten::runtime {
namespace {

using backends::Gpu;

std::string fastest(const char* kind, std::span<const Gpu> gpus) {
  const auto speed = [](const Gpu& gpu) { return gpu.facts.peak_bytes_per_s.value_or(0); };
  const auto best = std::ranges::max_element(gpus, {}, speed);  // the first of equals
  return std::string(kind) + ":" + std::to_string(best->index);
}

std::string find_best() {
  const std::vector<Gpu> cuda = backends::cuda_gpus();
  if (!cuda.empty()) return best_of({.cuda_gpus = cuda});
  Offer offer;
  offer.has_cpu = HASTEN_WITH_LLVM;
#if HASTEN_WITH_OPENCL
  const std::vector<Gpu> opencl = backends::opencl_gpus();
  offer.opencl_gpus = opencl;
  std::string why;
  if (opencl.empty() && !offer.has_cpu)
    offer.has_opencl_device = !backends::opencl_devices(why).empty();
#endif
  std::string best = best_of(offer);
  if (best == "interpreter")
    std::fputs(
        "hasten: there is neither a GPU nor an OpenCL device, and this build has no cpu target: "
        "programs are interpreted, which takes thousands of times as long "
        "(HASTEN_TARGET=interpreter, or the target's name in the program, asks for that)\n",
        stderr);
  return best;
}

}  // namespace

std::string best_of(const Offer& offer) {
  if (!offer.cuda_gpus.empty()) return fastest("cuda", offer.cuda_gpus);
  if (!offer.opencl_gpus.empty()) return fastest("opencl", offer.opencl_gpus);
  if (offer.has_cpu) return "cpu";
  return offer.has_opencl_device ? "opencl:0" : "interpreter";
}

std::vector<std::string> devices_of_multi() {
  std::vector<std::string> names;
  if (HASTEN_WITH_LLVM) names.emplace_back("cpu");
  for (const Gpu& gpu : backends::cuda_gpus()) names.push_back(fmt::format("cuda:{}", gpu.index));
#if HASTEN_WITH_OPENCL
  if (names.size() <= 1)
    for (const Gpu& gpu : backends::opencl_gpus())
      names.push_back(fmt::format("opencl:{}", gpu.index));
#endif
  return names;
}

const std::string& best_target() {
  static const std::string& best = *new std::string(find_best());
  return best;
}

}  // namespace hasten::runtime
