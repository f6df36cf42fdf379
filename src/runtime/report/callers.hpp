// Who uses what a helper function of the user's makes: errors name the helper's line, and this says
// from where it was called, as far as operations recorded it.
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

  /// Of an operation at this place: "; its result is used in main() at main.cpp:12 (map)", and so
  /// on through the functions that each use the result of the one before, four at most. Empty where
  /// all is done in one function.
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
