// A pixel as picture files store it.
#pragma once

#include <cstdint>
#include <hasten/hasten.hpp>

namespace programs {

struct Pixel {
  uint8_t red, green, blue;
};
HASTEN_STRUCT(Pixel, red, green, blue);

}  // namespace programs
