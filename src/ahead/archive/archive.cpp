// Texts end with a zero, so that they can be used in place.
#include "ahead/archive/archive.hpp"

#include <hasten/run/error.hpp>

#include <bit>

namespace hasten::ahead {
namespace {

constexpr std::size_t block_alignment = 64;

}  // namespace

void Writer::put(std::string_view text) {
  put(static_cast<std::uint64_t>(text.size()));
  const auto bytes = std::as_bytes(std::span(text));
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  bytes_.push_back(std::byte{0});
}

void Writer::put(const std::source_location& where) {
  put(where.file_name());
  put(where.function_name());
  put(where.line());
  put(where.column());
}

void Writer::put(const std::vector<bool>& list) {
  put(static_cast<std::uint64_t>(list.size()));
  for (const bool each : list) put(each);
}

void Writer::put_block(std::span<const std::byte> block) {
  put(static_cast<std::uint64_t>(block.size()));
  bytes_.resize((bytes_.size() + block_alignment - 1) / block_alignment * block_alignment);
  bytes_.insert(bytes_.end(), block.begin(), block.end());
  bytes_.resize(bytes_.size() + block_alignment);
}

std::source_location Places::place(const char* file, const char* function, std::uint32_t line,
                                   std::uint32_t column) {
  if (line == 0) return {};
  static_assert(sizeof(std::source_location) == sizeof(const Place*));
  const Place* const place = &places_.emplace_back(Place{file, function, line, column});
  return std::bit_cast<std::source_location>(place);
}

void Reader::get(std::source_location& where) {
  const char *file = nullptr, *function = nullptr;
  std::uint32_t line_number = 0, column = 0;
  get(file);
  get(function);
  get(line_number);
  get(column);
  where = places_.place(file, function, line_number, column);
}

void Reader::get(std::vector<bool>& list) {
  list.assign(read_size(), false);
  for (auto&& each : list) {
    bool is = false;
    get(is);
    each = is;
  }
}

std::span<const std::byte> Reader::get_block() {
  std::uint64_t size = 0;
  get(size);
  static_cast<void>(take((block_alignment - at_ % block_alignment) % block_alignment));
  const std::byte* const first = take(size);
  static_cast<void>(take(block_alignment));
  return {first, size};
}

const std::byte* Reader::take(std::uint64_t bytes) {
  if (bytes > bytes_.size() - at_) fail();
  const std::byte* const first = bytes_.data() + at_;
  at_ += bytes;
  return first;
}

std::uint64_t Reader::read_size() {
  std::uint64_t size = 0;
  get(size);
  if (size > bytes_.size() - at_) fail();
  return size;
}

const char* Reader::read_text() {
  std::uint64_t size = 0;
  get(size);
  if (size >= bytes_.size() - at_) fail();
  return reinterpret_cast<const char*>(take(size + 1));
}

void Reader::fail() {
  throw InternalError("a library compiled ahead of time holds no program that can be read");
}

}  // namespace hasten::ahead
