// The limits of this machine: memory bandwidth and fused multiply-adds.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace contenders {

enum class Resource { bandwidth, f32, f64 };

// A loop that only uses one resource, on all threads of the current arena.
struct Limit {
  std::string name;
  Resource resource;
  double amount;  // bytes moved (as the program sees them), or floating-point operations, per run
  std::function<void()> run;
};

Limit limit_read();
Limit limit_copy();
Limit limit_copy_stream();  // with stores that bypass the cache
Limit limit_triad();        // out = a x + y
Limit limit_triad_stream();
Limit limit_fma_f32();
Limit limit_fma_f64();

std::vector<Limit> all_limits();

}  // namespace contenders
