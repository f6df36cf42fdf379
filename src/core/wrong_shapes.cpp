// Messages contain the shapes and a remedy.
#include "core/wrong_shapes.hpp"

#include <string_view>

namespace hasten::core {

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}

ShapeError other_size(std::span<const std::int64_t> from, std::optional<std::int64_t> given,
                      std::span<const std::int64_t> to, std::optional<std::int64_t> wanted,
                      const std::source_location& where) {
  const auto elements = [](const std::optional<std::int64_t>& n) {
    return n ? std::to_string(*n) : std::string("more than 2^63");
  };
  return ShapeError("reshape: an array of shape " + shape_text(from) + " has " + elements(given) +
                        " elements, and the new shape " + shape_text(to) + " asks for " +
                        elements(wanted) + "; give a shape with as many elements as the array",
                    where);
}

namespace {

// Whether this is the operation, or the last of a name such as "layer 1 (maximum_on)".
bool is_kind(std::string_view operation, std::string_view suffix) {
  if (operation.ends_with(')')) operation.remove_suffix(1);
  return operation.ends_with(suffix);
}

// Operations along an axis of choice fold arrays whose axes were moved, and those of all elements
// may fold flat ones: what is said of these is true of the user's array.
std::string what_is_empty(const std::string& operation, std::span<const std::int64_t> shape,
                          std::uint32_t folded) {
  if (is_kind(operation, "_all")) return "the array has no elements";
  if (is_kind(operation, "_on") && folded == 1 && shape.size() > 1)
    return "the axis that is folded has extent 0, the other axes of the array " +
           shape_text(shape.first(shape.size() - 1));
  return std::string(folded > 1 ? "a folded" : "the innermost") + " axis of an array of shape " +
         shape_text(shape) + " is empty";
}

}  // namespace

ShapeError empty_axis(const std::string& operation, std::span<const std::int64_t> shape,
                      std::uint32_t folded, const std::source_location& where) {
  return ShapeError(operation + ": " + what_is_empty(operation, shape, folded) +
                        ", and without a seed there is no result; fold with a seed, or test the "
                        "extent first (acond)",
                    where);
}

ShapeError unequal_shapes(const std::string& operation, std::span<const std::int64_t> left,
                          std::span<const std::int64_t> right, bool is_operator,
                          const std::source_location& where) {
  const std::string text = operation + ": arrays of shapes " + shape_text(left) + " and " +
                           shape_text(right) + " meet; ";
  if (is_operator)
    return ShapeError(text +
                          "operators and functions on arrays need equal shapes (take some of the "
                          "larger array, broadcast the smaller one, or use zip_with, which goes as "
                          "far as both do)",
                      where);
  return ShapeError(text +
                        "Checks::extents demands equal shapes (take, slice or reshape one of them, "
                        "or run without it to get their intersection)",
                    where);
}

}  // namespace hasten::core
