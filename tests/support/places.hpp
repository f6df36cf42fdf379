// Errors with a place, with which their message begins.
#pragma once

#include <hasten/run/error.hpp>

#include <string>

namespace hasten::test {

/// Whether what() begins with the place of the error, "file.cpp:12: ", and names it once.
inline bool begins_with_its_place(const Error& error) {
  const std::string place =
      std::string(error.where().file_name()) + ":" + std::to_string(error.where().line()) + ": ";
  const std::string what = error.what();
  return error.where().line() != 0 && what.starts_with(place) &&
         what.find(place, place.size()) == std::string::npos;
}

}  // namespace hasten::test
