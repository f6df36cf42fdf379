// Implements hasten/run/report.hpp: counters, and printing.
#include <hasten/run/report.hpp>

#include "support/counters.hpp"

#include <ostream>

namespace hasten {

Statistics operator-(Statistics a, const Statistics& b) {
  a.traces -= b.traces;
  a.kernels_compiled -= b.kernels_compiled;
  a.kernels_from_cache -= b.kernels_from_cache;
  a.launches -= b.launches;
  a.bytes_to_devices -= b.bytes_to_devices;
  a.bytes_from_devices -= b.bytes_from_devices;
  a.bytes_allocated -= b.bytes_allocated;
  a.bytes_peak -= b.bytes_peak;
  a.evictions -= b.evictions;
  a.blocks_reused -= b.blocks_reused;
  return a;
}

Statistics statistics() {
  const support::Counters& c = support::counters();
  return {c.traces,           c.kernels_compiled,   c.kernels_from_cache, c.launches,
          c.bytes_to_devices, c.bytes_from_devices, c.bytes_allocated,    c.bytes_peak,
          c.evictions,        c.blocks_reused};
}

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << explanation.str();
}

std::ostream& operator<<(std::ostream& out, const Profile& profile) { return out << profile.str(); }

std::ostream& operator<<(std::ostream& out, const Picture& picture) { return out << picture.str(); }

}  // namespace hasten
