// A modelled machine: devices with rates, and links between them, from a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hasten::runtime {

/// The rates of one device.
struct ModelDevice {
  double bandwidth = 0;       // bytes per second, of memory
  double flops = 0;           // operations on floats per second
  double double_flops = 0;    // on doubles
  double launch_seconds = 0;  // per launch, in addition to its work
  double sort_keys = 0;       // 32-bit keys per second
  double gathers = 0;         // reads at indices that are data, per second; 0: no limit
  double updates = 0;         // updates at such indices, per second; 0: no limit
};

/// A link for messages. A message leaves when its device is sending nothing else.
struct ModelLink {
  double latency = 0;    // seconds
  double bandwidth = 0;  // bytes per second
};

/// Devices are numbered node by node.
struct ModelMachine {
  ModelDevice device;
  std::int64_t devices_per_node = 1;
  double node_memory = 0;     // bytes per second of all devices of a node together; 0: no limit
  ModelLink within, between;  // inside a node; between nodes
};

/// Parses lines "device bandwidth 2e12 flops 3e13 doubles 1.5e13 launch 5e-6 sort 5e9 gathers 5e10
/// updates 5e11", "node devices 8 memory 2e11", "within latency 2e-6 bandwidth 2e11", "between
/// latency 3e-6 bandwidth 2e10", in any order; # starts a comment. Throws Error that names the
/// line.
[[nodiscard]] ModelMachine parse_machine(std::string_view text);

}  // namespace hasten::runtime
