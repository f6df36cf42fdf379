// Reads and writes pictures with stb_image and stb_image_write.
#include "image.hpp"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

namespace demo {
namespace {

namespace hs = hasten;
using programs::Pixel;

void check_readable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw std::runtime_error("cannot read '" + path + "': there is no such file");
  if (std::filesystem::is_directory(status))
    throw std::runtime_error("cannot read '" + path + "': it is a folder");
}

void write(const std::string& path, const hs::Ix<2>& shape, int channels,
           const std::vector<uint8_t>& bytes) {
  const int height = static_cast<int>(shape[0]), width = static_cast<int>(shape[1]);
  errno = 0;
  if (stbi_write_png(path.c_str(), width, height, channels, bytes.data(), width * channels) == 0)
    throw std::runtime_error("cannot write '" + path + "'" +
                             (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace

hs::Matrix<Pixel> read_picture(const std::string& path) {
  check_readable(path);
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> bytes(
      stbi_load(path.c_str(), &width, &height, &channels, 3), stbi_image_free);
  if (bytes == nullptr)
    throw std::runtime_error("cannot read '" + path + "': " + stbi_failure_reason() +
                             " (PNG and JPEG are read, among others)");
  return hs::Matrix<Pixel>::from_function(hs::ix(height, width), [&](hs::Ix<2> ix) {
    const stbi_uc* p = bytes.get() + (ix[0] * width + ix[1]) * 3;
    return Pixel{p[0], p[1], p[2]};
  });
}

void write_png(const std::string& path, const hs::Matrix<Pixel>& picture) {
  const auto red = picture.component<0>();
  const auto green = picture.component<1>();
  const auto blue = picture.component<2>();
  std::vector<uint8_t> bytes;
  bytes.reserve(red.size() * 3);
  for (std::size_t i = 0; i < red.size(); ++i)
    bytes.insert(bytes.end(), {red[i], green[i], blue[i]});
  write(path, picture.shape(), 3, bytes);
}

void write_png(const std::string& path, const hs::Matrix<uint8_t>& grey) {
  const auto values = grey.span();
  write(path, grey.shape(), 1, {values.begin(), values.end()});
}

std::vector<uint8_t> compressed_rows(const hs::Matrix<Pixel>& picture) {
  const auto red = picture.component<0>();
  const auto green = picture.component<1>();
  const auto blue = picture.component<2>();
  const auto width = static_cast<std::size_t>(picture.shape()[1]);
  std::vector<uint8_t> rows;
  rows.reserve(red.size() * 3 + static_cast<std::size_t>(picture.shape()[0]));
  for (std::size_t i = 0; i < red.size(); ++i) {
    if (i % width == 0) rows.push_back(0);  // a row begins with its filter: none
    rows.insert(rows.end(), {red[i], green[i], blue[i]});
  }
  int size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      stbi_zlib_compress(rows.data(), static_cast<int>(rows.size()), &size, 8), std::free);
  if (bytes == nullptr) throw std::runtime_error("no memory to compress a picture");
  return {bytes.get(), bytes.get() + size};
}

}  // namespace demo
