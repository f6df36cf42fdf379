// What callers from C see of a program: its parameters and results, one after the other.
#pragma once

#include <hasten/detail/scalar_type.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace hasten::detail {

enum class LibraryKind : std::uint8_t {
  array,   // of `rank`, with a component for each leaf
  number,  // one leaf
};

struct LibraryValue {
  LibraryKind kind = LibraryKind::array;
  std::string name;  // an identifier
  std::uint32_t rank = 0;
  std::vector<ScalarType> leaves;
};

/// Groups and structs of numbers are taken apart. In the order of the program's parameters; its
/// arrays and numbers each keep their order.
struct LibraryInterface {
  std::vector<LibraryValue> parameters, results;
};

}  // namespace hasten::detail
