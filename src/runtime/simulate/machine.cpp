// Words and numbers, one line per part of the machine.
#include "runtime/simulate/machine.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>

namespace hasten::runtime {
namespace {

using Fields = std::map<std::string, double*>;

void read_line(std::istringstream& words, const Fields& fields, int number) {
  for (std::string name; words >> name;) {
    const auto field = fields.find(name);
    double value = 0;
    std::string known;
    for (const auto& [each, place] : fields) known += " " + each;
    if (field == fields.end())
      throw Error(fmt::format("machine, line {}: there is no \"{}\" here; there are{}", number,
                              name, known));
    if (!(words >> value) || !std::isfinite(value) || value < 0)
      throw Error(
          fmt::format("machine, line {}: {} needs a number that is not negative", number, name));
    *field->second = value;
  }
}

void check(const ModelMachine& machine) {
  const auto positive = [](double value, const char* what) {
    if (value <= 0) throw Error(fmt::format("machine: {} must be above 0", what));
  };
  positive(machine.device.bandwidth, "the device's bandwidth");
  positive(machine.device.flops, "the device's flops");
  positive(machine.device.double_flops, "the device's doubles");
  positive(machine.device.sort_keys, "the device's sort");
  positive(machine.within.bandwidth, "the bandwidth within a node");
  positive(machine.between.bandwidth, "the bandwidth between nodes");
}

}  // namespace

ModelMachine parse_machine(std::string_view text) {
  ModelMachine machine;
  double per_node = 1;
  const std::map<std::string, Fields> kinds{
      {"device",
       {{"bandwidth", &machine.device.bandwidth},
        {"flops", &machine.device.flops},
        {"doubles", &machine.device.double_flops},
        {"launch", &machine.device.launch_seconds},
        {"sort", &machine.device.sort_keys},
        {"gathers", &machine.device.gathers},
        {"updates", &machine.device.updates}}},
      {"node", {{"devices", &per_node}, {"memory", &machine.node_memory}}},
      {"within", {{"latency", &machine.within.latency}, {"bandwidth", &machine.within.bandwidth}}},
      {"between",
       {{"latency", &machine.between.latency}, {"bandwidth", &machine.between.bandwidth}}}};
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind;
    if (!(words >> kind)) continue;
    const auto fields = kinds.find(kind);
    if (fields == kinds.end())
      throw Error(fmt::format("machine, line {}: \"{}\" is none of device, node, within, between",
                              number, kind));
    read_line(words, fields->second, number);
  }
  if (per_node < 1 || per_node != std::floor(per_node))
    throw Error("machine: a node has a whole number of devices, at least 1");
  machine.devices_per_node = static_cast<std::int64_t>(per_node);
  check(machine);
  return machine;
}

}  // namespace hasten::runtime
