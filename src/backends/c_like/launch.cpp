// Extents alone decide how a launch is cut, so that results never depend on the device.
#include "backends/c_like/launch.hpp"

#include "backends/c_like/skeletons.hpp"
#include "backends/c_like/sort.hpp"

#include <hasten/error.hpp>

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

// A fold's parts are finished by one group: not more than it can read in a few rounds.
constexpr std::int64_t parts_max = 2048;
// Rows enough to keep any device busy with an item each.
constexpr std::int64_t many_rows = std::int64_t{1} << 14;

Number number(std::int64_t x) { return {static_cast<std::uint64_t>(x), 8}; }
Number number(std::int32_t x) { return {static_cast<std::uint32_t>(x), 4}; }

std::int64_t parts_of(std::int64_t n, std::int64_t length) { return (n + length - 1) / length; }

class Launcher {
 public:
  Launcher(Driver& driver, Sorter& sorter, const LoadedKernel& code,
           const LaunchArguments& arguments)
      : driver_(driver),
        sorter_(sorter),
        code_(code),
        kernel_(code.kernel()),
        scratch_(driver),
        size_(arguments.extents.back()) {
    for (const std::int64_t extent : arguments.extents.first(arguments.extents.size() - 1))
      rows_ *= extent;
    for (const std::byte* input : arguments.inputs)
      given_.emplace_back(const_cast<Address>(input));  // handles: nothing writes through them
    for (std::byte* output : arguments.outputs) given_.emplace_back(output);
    for (std::size_t i = 0; i < kernel_.scalars.size(); ++i) {
      const core::ScalarType type = kernel_.value_types[kernel_.scalars[i]];
      given_.emplace_back(Number{arguments.scalars[i], detail::size_in_bytes(type)});
    }
    for (const std::int64_t extent : arguments.extents) given_.emplace_back(number(extent));
  }

  void run() {
    switch (kernel_.skeleton) {
      case kernels::Skeleton::map: return map();
      case kernels::Skeleton::fold: return fold();
      case kernels::Skeleton::scan: return scan();
      case kernels::Skeleton::scatter: return scatter();
    }
  }

 private:
  void launch(const char* function, Grid grid, std::span<const Argument> extra) {
    std::vector<Argument> all = given_;
    all.insert(all.end(), extra.begin(), extra.end());
    driver_.launch(code_.program(), function, grid, all);
  }

  // Groups for so many: all at once, or enough to keep the device busy, going round.
  [[nodiscard]] std::int64_t groups(const char* function, std::int64_t wanted) const {
    return std::clamp<std::int64_t>(wanted, 1, driver_.busy_groups(code_.program(), function));
  }

  void map() {
    std::int32_t shift = 8;
    while (shift > 0 && (std::int64_t{1} << (shift - 1)) >= size_) --shift;
    const std::int64_t wide = groups(entry::map, parts_of(size_, std::int64_t{1} << shift));
    const std::int64_t high = parts_of(rows_, group_size >> shift);
    const std::int64_t rows = std::clamp<std::int64_t>(
        high, 1, parts_of(driver_.busy_groups(code_.program(), entry::map), wide));
    const Argument extra[] = {number(rows_), number(shift)};
    launch(entry::map, {wide, rows}, extra);
  }

  [[nodiscard]] bool row_per_item() const {
    const bool across = kernel_.lanes == kernels::FoldLanes::outer && rows_ >= many_rows;
    return size_ <= short_row || across || !fits_local_memory(kernel_);
  }

  void run_rows() {
    const Argument extra[] = {number(rows_)};
    launch(entry::rows, {groups(entry::rows, parts_of(rows_, group_size))}, extra);
  }

  // One array of so many leaves for each leaf of the operator.
  void add_leaves(std::vector<Argument>& extra, std::int64_t count) {
    for (const kernels::Value v : kernel_.combine.results)
      extra.emplace_back(scratch_.take(
          count * static_cast<std::int64_t>(detail::size_in_bytes(kernel_.value_types[v]))));
  }

  void fold() {
    if (rows_ == 0) return;
    if (row_per_item()) return run_rows();
    const std::int64_t length = std::max(fold_part, parts_of(size_, parts_max));
    const std::int64_t parts = parts_of(size_, length);
    std::vector<Argument> extra = {number(rows_), number(parts), number(length)};
    add_leaves(extra, parts > 1 ? rows_ * parts : 1);
    launch(entry::parts, {groups(entry::parts, rows_ * parts)}, extra);
    if (parts == 1) return;
    extra.erase(extra.begin() + 2);
    launch(entry::finish, {groups(entry::finish, rows_)}, extra);
  }

  void scan() {
    if (rows_ == 0) return;
    if (row_per_item()) return run_rows();
    const std::int64_t tiles = parts_of(size_, scan_tile);
    if (driver_.dialect() == Dialect::cuda) return chained_scan(tiles);
    std::vector<Argument> extra = {number(rows_), number(tiles)};
    add_leaves(extra, tiles > 1 ? rows_ * tiles : 1);
    if (tiles > 1) {
      launch(entry::parts, {groups(entry::parts, rows_ * tiles)}, extra);
      launch(entry::carries, {groups(entry::carries, rows_)}, extra);
    }
    launch(entry::tiles, {groups(entry::tiles, rows_ * tiles)}, extra);
  }

  void chained_scan(std::int64_t tiles) {
    const std::int64_t blocks = parts_of(tiles, chained_width);
    const std::int64_t values = rows_ * (tiles + blocks + parts_of(blocks, chained_width));
    const std::int64_t words = values + 2;  // the ticket's
    const Address flags = scratch_.take(words * 4);
    const Argument all[] = {flags, number(words)};
    launch(entry::clear, {groups(entry::clear, parts_of(words, group_size))}, all);
    std::vector<Argument> extra = {number(rows_), number(tiles), flags};
    add_leaves(extra, values);
    launch(entry::chained, {groups(entry::chained, rows_ * tiles)}, extra);
  }

  void scatter() {
    const std::int64_t size = rows_ * size_;
    if (size == 0) return;
    const Grid grid{groups(entry::scatter, parts_of(size, group_size))};
    std::vector<Argument> extra = {number(size)};
    if (updates_of(kernel_) != Updates::in_order) return launch(entry::scatter, grid, extra);
    const Address keys = scratch_.take(size * 8);
    extra.emplace_back(keys);
    add_leaves(extra, size);
    launch(entry::scatter, grid, extra);
    const Address order = scratch_.take(size * 8);
    const core::ScalarType type[] = {core::ScalarType::u64};
    const std::byte* const components[] = {keys};
    sorter_.sort({1, size}, type, components, order);
    extra.insert(extra.begin() + 2, order);
    launch(entry::finish, grid, extra);
  }

  Driver& driver_;
  Sorter& sorter_;
  const LoadedKernel& code_;
  const kernels::Kernel& kernel_;
  Scratch scratch_;
  std::int64_t rows_ = 1, size_;
  std::vector<Argument> given_;
};

}  // namespace

Address Scratch::take(std::int64_t bytes) {
  const Address address =
      driver_.allocate(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  if (!address)
    throw MemoryError(driver_.name() + ": there is no memory left for " + std::to_string(bytes) +
                      " bytes that a kernel needs while it runs; use smaller extents, or work in "
                      "parts");
  addresses_.push_back(address);
  return address;
}

void launch(Driver& driver, Sorter& sorter, const LoadedKernel& code,
            const LaunchArguments& arguments) {
  Launcher(driver, sorter, code, arguments).run();
}

}  // namespace hasten::backends::c_like
