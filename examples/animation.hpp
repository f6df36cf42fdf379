// Animated PNG: browsers and viewers that support it play it; others show the first frame.
#pragma once

#include <cstdint>
#include <hasten/hasten.hpp>
#include <string>
#include <vector>

#include "programs/pixel.hpp"

namespace demo {

class Animation {
 public:
  explicit Animation(int frame_ms) : frame_ms_(frame_ms) {}
  // All frames must have the shape of the first; otherwise throws std::runtime_error.
  void add(const hasten::Matrix<programs::Pixel>& frame);
  // Throws std::runtime_error with a reason.
  void write(const std::string& path) const;

 private:
  int frame_ms_;
  hasten::Ix<2> shape_;
  std::vector<std::vector<std::uint8_t>> frames_;  // compressed
};

}  // namespace demo
