// The time of a launch beside the measured machine: shares of limits, and the limiting factor.
#pragma once

#include "backends/facts.hpp"
#include "runtime/profile/work.hpp"

#include <string>

namespace hasten::runtime {

/// The verdict of a row on a launch that did `work` in `seconds`.
struct Verdict {
  double bandwidth_share = 0, arithmetic_share = 0;  // 0: the limit is not known
  std::string bound;
};

struct Setting {
  bool in_parallel = true;  // more than one thread took part
  bool is_device = false;   // with memory of its own
};

/// For a launch of the CPU target or a device; `seconds` > 0.
[[nodiscard]] Verdict judge(const Work& work, double seconds, const Setting& setting,
                            const backends::Facts& facts);

}  // namespace hasten::runtime
