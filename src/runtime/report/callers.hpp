// Which functions use the results of the user's helper functions: errors name the helper's line,
// and this adds where it was called from, as far as operations recorded it.
#pragma once

#include "core/program.hpp"

#include <source_location>
#include <string>
#include <vector>

namespace hasten::runtime {

class Callers {
 public:
  /// Linear in the size of the program.
  explicit Callers(const core::Program& program);

  /// For an operation at this location: "; its result is used in main() at main.cpp:12 (map)", and
  /// so on through the functions that each use the result of the one before, at most four. Empty
  /// where everything is in one function.
  [[nodiscard]] std::string of(const std::source_location& place) const;

 private:
  static constexpr std::size_t nobody = ~std::size_t{0};

  /// An operation whose result another function uses, or that uses such a result.
  struct Site {
    std::source_location place;
    const char* operation;
    std::size_t user = nobody;  // the next one, in another function
  };
  std::vector<Site> sites_;
};

}  // namespace hasten::runtime
