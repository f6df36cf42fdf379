// Uses the C library to read.
#include "support/lines.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace hasten::support {
namespace {

// Calls f(line) until f has enough.
template <class F>
void for_each_line(const std::string& path, F f) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             std::fclose);
  if (!file) return;
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t size; (size = ::getline(&line, &room, file.get())) >= 0;) {
    if (size > 0 && line[size - 1] == '\n') --size;
    if (f(std::string(line, static_cast<std::size_t>(size)))) break;
  }
  std::free(line);
}

}  // namespace

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](std::string line) {
    lines.push_back(std::move(line));
    return false;
  });
  return lines;
}

std::string first_line(const std::string& path) {
  std::string first;
  for_each_line(path, [&](std::string line) {
    first = std::move(line);
    return true;
  });
  return first;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace hasten::support
