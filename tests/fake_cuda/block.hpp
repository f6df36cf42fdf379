// Runs a grid of blocks on one thread of the host: each thread of a block is a fiber, and threads
// switch at barriers.
#pragma once

#include "tests/fake_cuda/context.hpp"

#include <cstdint>
#include <string>

namespace fake_cuda {

/// The order in which ready threads run.
struct Order {
  enum Kind : std::uint8_t { forward, reverse, random } kind = forward;
  std::uint64_t seed = 0;
};

/// Parses "forward", "reverse", "random" or "random:7"; false for anything else.
bool parse_order(const std::string& text, Order& order);

struct Grid {
  Index blocks, threads;
};

/// Runs a kernel over a grid. `arguments` has the address of each argument. Returns a description
/// of the fault (a barrier that some threads do not reach, lanes that do not meet), or an empty
/// text. Runs one grid of an image at a time.
std::string run_grid(Context& context, const KernelRecord& kernel, const Grid& grid,
                     void** arguments, const Order& order);

}  // namespace fake_cuda
