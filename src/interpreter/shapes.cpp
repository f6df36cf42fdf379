// Shapes for the interpreter: counting, walking, naming.
#include "interpreter/shapes.hpp"

namespace hasten::interp {

std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  for (const std::int64_t extent : shape)
    if (extent == 0) return 0;
  std::int64_t n = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(n, extent, &n)) return std::nullopt;
  return n;
}

std::int64_t linear(std::span<const std::int64_t> shape, std::span<const std::int64_t> index) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    position = position * shape[axis] + index[axis];
  return position;
}

Shape index_of(std::span<const std::int64_t> shape, std::int64_t position) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; position /= shape[axis])
    index[axis] = position % shape[axis];
  return index;
}

bool contains(std::span<const std::int64_t> shape, std::span<const std::int64_t> index) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (index[axis] < 0 || index[axis] >= shape[axis]) return false;
  return true;
}

void next_index(std::span<const std::int64_t> shape, std::span<std::int64_t> index) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (++index[axis] < shape[axis]) return;
    index[axis] = 0;
  }
}

}  // namespace hasten::interp
