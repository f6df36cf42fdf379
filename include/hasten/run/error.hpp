// All exceptions that Hasten throws.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace hasten {

/// what() begins with the place in the user's program (`file:line: `). It states what is wrong,
/// with the shapes or types involved, and how to correct it. where() returns that place; if it is
/// unknown, its line is 0, and what() begins without a place.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, std::source_location where = {});
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  std::source_location where_;
};

/// An error while building: nested parallelism, escaped scalars, numbers that do not fit, groups
/// that differ.
class BuildError : public Error {
  using Error::Error;
};
/// Wrong shapes: reshape, empty axes, lengths and offsets, Checks::extents, a wrong host size.
class ShapeError : public Error {
  using Error::Error;
};
/// A read out of range: host access, and programs under Checks::bounds.
class IndexError : public Error {
  using Error::Error;
};
/// Division or remainder by zero, under Checks::arithmetic.
class ArithmeticError : public Error {
  using Error::Error;
};
/// An unknown or absent target, or an element type that the target does not support.
class TargetError : public Error {
  using Error::Error;
};
/// Too much memory; the message names the array and its size.
class MemoryError : public Error {
  using Error::Error;
};
/// The call was stopped by Options::stop or Pending::cancel().
class StoppedError : public Error {
  using Error::Error;
};
/// A bug in Hasten itself.
class InternalError : public Error {
  using Error::Error;
};

}  // namespace hasten
