// Reading and writing picture files.
#pragma once

#include <cstdint>
#include <hasten/hasten.hpp>
#include <string>
#include <vector>

#include "programs/pixel.hpp"

namespace demo {

// Reads PNG, JPEG and the other formats of stb_image; throws std::runtime_error with a reason.
hasten::Matrix<programs::Pixel> read_picture(const std::string& path);

// Write PNG; throw std::runtime_error with a reason.
void write_png(const std::string& path, const hasten::Matrix<programs::Pixel>& picture);
void write_png(const std::string& path, const hasten::Matrix<uint8_t>& grey);

// The compressed rows, as the data chunk of a PNG has them.
std::vector<std::uint8_t> compressed_rows(const hasten::Matrix<programs::Pixel>& picture);

}  // namespace demo
