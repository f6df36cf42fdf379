// The beginning of every error message: the location in the user's program.
#include <hasten/run/error.hpp>

namespace hasten {
namespace {

std::string placed(const std::string& what, const std::source_location& where) {
  if (where.line() == 0) return what;
  return std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " + what;
}

}  // namespace

Error::Error(const std::string& what, std::source_location where)
    : std::runtime_error(placed(what, where)),
      where_(where) {}

}  // namespace hasten
