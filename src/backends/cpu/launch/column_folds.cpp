// How columns are cut, and where the results of the parts are placed.
#include "backends/cpu/launch/column_folds.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

ColumnFolds::ColumnFolds(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                         std::int64_t lanes, std::size_t leaves)
    : rows_(rows),
      columns_(columns),
      depth_(depth),
      leaves_(static_cast<std::int64_t>(leaves)),
      parts_(parts_of(rows * columns, depth)),
      pitch_((columns + lanes - 1) / lanes * lanes),
      words_(static_cast<std::size_t>(parts_ * leaves_ * rows * pitch_)) {}

std::int64_t ColumnFolds::parts_of(std::int64_t columns, std::int64_t depth) {
  if (columns > cut_columns_max) return 1;
  return std::clamp<std::int64_t>(depth / column_part_steps, 1, column_parts_max);
}

ColumnPart ColumnFolds::part(std::int64_t i) {
  const std::int64_t size = rows_ * pitch_;
  return {depth_ * i / parts_, depth_ * (i + 1) / parts_, words_.data() + i * leaves_ * size,
          pitch_, size};
}

void ColumnFolds::finish(const KernelFunctions& functions, const std::uint64_t* frame) const {
  const std::int64_t size = rows_ * pitch_, words = parts_ * leaves_;  // of a leaf; of a column
  std::vector<std::uint64_t> column(static_cast<std::size_t>(words));
  for (std::int64_t result = 0; result < rows_ * columns_; ++result) {
    const std::int64_t at = result / columns_ * pitch_ + result % columns_;
    for (std::int64_t i = 0; i < words; ++i)
      column[static_cast<std::size_t>(i)] = words_[static_cast<std::size_t>(i * size + at)];
    functions.finish(frame, result, parts_, column.data());
  }
}

}  // namespace hasten::backends::cpu
