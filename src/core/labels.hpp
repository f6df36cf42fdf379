// The names that users give to arrays, combined with the names of operations: "layer 1 (sum)".
#pragma once

#include <string_view>

namespace hasten::core {

/// "label (operation)", interned for good; only the operation if the label is empty.
const char* labelled(std::string_view label, const char* operation);

/// Whether the name of an operation has a label: no operation of the library ends with ")".
inline bool has_label(std::string_view operation) { return operation.ends_with(')'); }

/// The label of operations that move an operation's rows to other devices: "cut again (filter)".
inline constexpr std::string_view cut_again_name = "cut again";

}  // namespace hasten::core
