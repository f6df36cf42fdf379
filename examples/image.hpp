// Pictures in and out of files.
#pragma once

#include <cstdint>
#include <hasten/hasten.hpp>
#include <string>
#include <vector>

#include "programs/pixel.hpp"

namespace demo {

// Reads PNG, JPEG and what else the library knows; throws std::runtime_error with a reason.
hasten::Matrix<programs::Pixel> read_picture(const std::string& path);

// Write PNG; throw std::runtime_error with a reason.
void write_png(const std::string& path, const hasten::Matrix<programs::Pixel>& picture);
void write_png(const std::string& path, const hasten::Matrix<uint8_t>& grey);

// The rows as a PNG's data has them, compressed.
std::vector<std::uint8_t> compressed_rows(const hasten::Matrix<programs::Pixel>& picture);

}  // namespace demo
