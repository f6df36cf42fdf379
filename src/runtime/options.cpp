// Implements hasten/run/options.hpp: targets by name.
#include <hasten/run/options.hpp>

namespace hasten {

Target cpu() { return Target("cpu"); }
Target interpreter() { return Target("interpreter"); }
Target opencl(int device) { return Target("opencl:" + std::to_string(device)); }
Target cuda(int device) { return Target("cuda:" + std::to_string(device)); }

Target multi(const std::vector<Target>& parts) {
  std::string name = "multi:";
  for (const Target& part : parts) name += (&part == parts.data() ? "" : ",") + part.name();
  return Target(std::move(name));
}

}  // namespace hasten
