// Animated PNG files, as specified by PNG (third edition): IHDR, acTL, then an fcTL and the data of
// each frame. The first frame's data is in IDAT chunks, that of the others in numbered fdAT chunks.
#include "animation.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "image.hpp"

namespace demo {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(number >> shift));
}
void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

// The checksum of ISO 3309, one bit at a time.
std::uint32_t checksum(const Bytes& bytes) {
  std::uint32_t sum = 0xffffffffU;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

void append_chunk(Bytes& out, const char* name, const Bytes& content) {
  append(out, static_cast<std::uint32_t>(content.size()));
  Bytes checked(name, name + 4);
  append(checked, content);
  append(out, checked);
  append(out, checksum(checked));
}

Bytes header(std::uint32_t width, std::uint32_t height) {
  Bytes content;
  append(content, width);
  append(content, height);
  append(content, Bytes{8, 2, 0, 0, 0});  // 8 bits of red, green and blue; no interlacing
  return content;
}

Bytes frame_control(std::uint32_t number, std::uint32_t width, std::uint32_t height, int frame_ms) {
  Bytes content;
  for (const std::uint32_t field : {number, width, height, 0U, 0U}) append(content, field);
  append(content, static_cast<std::uint32_t>(frame_ms) << 16 | 1000U);  // as a fraction of a second
  append(content, Bytes{0, 0});  // each frame replaces the one before completely
  return content;
}

}  // namespace

void Animation::add(const hasten::Matrix<programs::Pixel>& frame) {
  if (frames_.empty()) shape_ = frame.shape();
  if (frame.shape() != shape_) throw std::runtime_error("an animation's frames have one size");
  frames_.push_back(compressed_rows(frame));
}

void Animation::write(const std::string& path) const {
  const auto height = static_cast<std::uint32_t>(shape_[0]);
  const auto width = static_cast<std::uint32_t>(shape_[1]);
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(file, "IHDR", header(width, height));
  Bytes control;
  append(control, static_cast<std::uint32_t>(frames_.size()));
  append(control, 0U);  // repeat forever
  append_chunk(file, "acTL", control);
  std::uint32_t number = 0;
  for (const Bytes& frame : frames_) {
    const bool is_first = number == 0;
    append_chunk(file, "fcTL", frame_control(number++, width, height, frame_ms_));
    Bytes content;
    if (!is_first) append(content, number++);
    append(content, frame);
    append_chunk(file, is_first ? "IDAT" : "fdAT", content);
  }
  append_chunk(file, "IEND", {});
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  out.close();
  if (!out)
    throw std::runtime_error("cannot write '" + path + "'" +
                             (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace demo
