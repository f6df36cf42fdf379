// Combines the names of arrays with the names of operations.
#include "core/labels.hpp"

#include "core/foreign.hpp"

#include <string>

namespace hasten::core {

const char* labelled(std::string_view label, const char* operation) {
  if (label.empty()) return operation;
  return interned(std::string(label) + " (" + operation + ")");
}

}  // namespace hasten::core
