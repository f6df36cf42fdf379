// The C interface of a program: its parameters and results, in order.
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

/// Groups and structs of numbers are flattened. The order is that of the program's parameters;
/// arrays and numbers each keep theirs.
struct LibraryInterface {
  std::vector<LibraryValue> parameters, results;
};

}  // namespace hasten::detail
