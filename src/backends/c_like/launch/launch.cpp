// Extents alone decide how a launch is cut, so that results never depend on the device.
#include "backends/c_like/launch/launch.hpp"

#include "backends/c_like/text/skeletons/skeletons.hpp"
#include "kernels/compaction.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {
namespace {

// Enough groups to keep any device busy; also the most parts of a fold that one group can join.
constexpr std::int64_t many_groups = 2048;
// Long parts of a fold: elements per item, if there are enough of them for that many parts.
constexpr std::int64_t long_item_run = 32, some_groups = 256;
// Enough rows to keep any device busy with one row per item.
constexpr std::int64_t many_rows = std::int64_t{1} << 14;
// The tiles from which a contraction is faster than with one result per item.
constexpr std::int64_t many_tiles = 16;
// Updates that a group should make to be worth its own copies of the outputs.
constexpr std::int64_t many_updates = 4096;
// Enough elements to keep any device busy with four per item.
constexpr std::int64_t many_elements = std::int64_t{1} << 18;
// Elements that an item folds before more items share a row.
constexpr std::int64_t item_run = 8;

std::int64_t parts_of(std::int64_t n, std::int64_t length) {
  return n / length + (n % length == 0 ? 0 : 1);  // no sum overflows
}

class Launcher {
 public:
  Launcher(Driver& driver, CommonPrograms& common, const LoadedKernel& code,
           const LaunchArguments& arguments, std::int64_t limit, LateInputs* late)
      : driver_(driver),
        common_(common),
        kernel_(code.kernel()),
        width_(width_of(code, arguments, limit)),
        code_(code),
        scratch_(*arguments.scratch),
        kept_(arguments.kept),
        late_(late),
        schedule_(code.schedule()),
        extents_(arguments.extents),
        scalars_(arguments.scalars),
        targets_(arguments.output_size) {
    if (kernel_.loops.empty()) find_size();
    for (const std::byte* input : arguments.inputs)
      given_.emplace_back(
          Input{const_cast<Address>(input)});  // handles: nothing writes through them
    if (std::ranges::find(arguments.inputs, nullptr) != arguments.inputs.end())
      stand_in(arguments.outputs[0]);
    for (std::byte* output : arguments.outputs) given_.emplace_back(output);
    for (std::size_t i = 0; i < kernel_.scalars.size(); ++i) {
      const core::ScalarType type = kernel_.value_types[kernel_.scalars[i]];
      given_.emplace_back(Number{arguments.scalars[i], detail::size_in_bytes(type)});
    }
    for (const std::int64_t extent : arguments.extents) given_.emplace_back(index(extent));
    if (code.quiet()) given_.emplace_back(Shared{arguments.stop ? arguments.stop : code.quiet()});
  }

  void run() {
    switch (kernel_.skeleton) {
      case kernels::Skeleton::map: return map();
      case kernels::Skeleton::segments: return segment_elements();
      case kernels::Skeleton::fold: return fold();
      case kernels::Skeleton::scan: return scan();
      case kernels::Skeleton::scatter: return scatter();
      case kernels::Skeleton::compact: return compact();
    }
  }

 private:
  void find_size() {
    const std::size_t outer = extents_.size() - kernel_.folded;
    for (const std::int64_t extent : extents_.first(outer)) rows_ *= extent;
    for (const std::int64_t extent : extents_.subspan(outer)) size_ *= extent;
  }

  [[nodiscard]] Number index(std::int64_t x) const {
    return {static_cast<std::uint64_t>(x), width_ == IndexWidth::narrow ? 4U : 8U};
  }

  // All texts that a launch may use have the same width.
  static IndexWidth width_of(const LoadedKernel& code, const LaunchArguments& arguments,
                             std::int64_t limit) {
    const auto fits = [&](const kernels::Kernel& kernel, const kernels::NarrowDemands& demands) {
      return may_be_narrow(kernel, demands, arguments.extents, arguments.scalars,
                           arguments.largest_array, limit);
    };
    const TiledMap* const tiled = code.tiled();
    const bool narrow =
        fits(code.kernel(), code.narrow()) && (!tiled || fits(tiled->kernel, tiled->narrow));
    return narrow ? IndexWidth::narrow : IndexWidth::wide;
  }

  [[nodiscard]] Program& program(std::string_view function) const {
    return code_.program(width_, function);
  }

  // Prepares a launch that runs all of these functions.
  void prepare(std::initializer_list<std::string_view> functions) const {
    code_.prepare(width_, {functions.begin(), functions.size()});
  }

  void launch(const char* function, Grid grid, std::span<const Argument> extra) {
    std::vector<Argument> all = given_;
    all.insert(all.end(), extra.begin(), extra.end());
    driver_.launch(program(function), function, grid, all);
  }

  // Functions that do not read late inputs get this memory in their place.
  void stand_in(Address memory) {
    for (Argument& input : given_)
      if (!std::get<Input>(input).address) {
        late_places_.push_back(static_cast<std::size_t>(&input - given_.data()));
        input = Input{memory};
      }
  }
  void take_late_inputs() {
    for (const std::size_t place : std::exchange(late_places_, {}))
      given_[place] = Input{const_cast<Address>(late_->take(place))};
  }

  // The number of groups: as many as wanted, or enough to keep the device busy in a loop.
  [[nodiscard]] std::int64_t groups(const char* function, std::int64_t wanted) const {
    return std::clamp<std::int64_t>(wanted, 1, driver_.busy_groups(program(function), function));
  }

  // The grids of functions that begin with TASK and with EACH.
  [[nodiscard]] Grid tasks(const char* function, std::int64_t count) const {
    return {groups_for_tasks(driver_, program(function), function, count)};
  }
  [[nodiscard]] Grid each(const char* function, std::int64_t count) const {
    return {groups_for_each(driver_, program(function), function, count)};
  }

  // 2^shift items of a group share a row, or a part of it.
  [[nodiscard]] std::int32_t row_shift() const { return shift_for(size_); }
  static std::int32_t shift_for(std::int64_t size) {
    std::int32_t shift = 8;
    while (shift > 0 && (std::int64_t{1} << (shift - 1)) >= size) --shift;
    return shift;
  }

  // The folded axis may be longer than the row.
  void row_map() {
    std::int64_t longest = size_;
    for (const core::Stmt& stmt : kernel_.element.body) {
      const auto* reduce = std::get_if<core::Reduce>(&stmt.op);
      if (!reduce) continue;
      const auto end = std::ranges::find(kernel_.scalars, reduce->end);
      if (end == kernel_.scalars.end()) continue;
      const std::uint64_t bits = scalars_[static_cast<std::size_t>(end - kernel_.scalars.begin())];
      longest = std::max(longest, static_cast<std::int64_t>(bits));
    }
    const std::int32_t shift = shift_for(longest);
    const Argument extra[] = {index(rows_), number(shift)};
    launch(entry::row_map, tasks(entry::row_map, parts_of(rows_, group_size >> shift)), extra);
  }

  void map() {
    if (code_.folds_rows()) return row_map();
    if (code_.tiled() && tiles()) return;
    if (driver_.dialect().items_in_lanes) return element_per_item();
    if (rows_ == 1 && has_flat_map(kernel_)) return flat_map();
    const std::int32_t shift = row_shift();
    // Several elements per item, if that leaves enough work for all items.
    const std::int64_t run = rows_ * size_ >= many_elements ? 4 : 1;
    const std::int64_t wide = groups(entry::map, parts_of(size_, run << shift));
    const std::int64_t high = parts_of(rows_, group_size >> shift);
    const std::int64_t rows = std::clamp<std::int64_t>(
        high, 1, parts_of(driver_.busy_groups(program(entry::map), entry::map), wide));
    const Argument extra[] = {index(rows_), number(shift)};
    launch(entry::map, {wide, rows}, extra);
  }

  void element_per_item() {
    if (rows_ * size_ == 0) return;
    const std::int32_t shift = row_shift();
    if (kernel_.rank == 1 || shift == 8)
      return launch(entry::flat, {rows_ * parts_of(size_, group_size)}, {});
    const Argument extra[] = {index(rows_), number(shift)};
    launch(entry::map, {parts_of(rows_, group_size >> shift)}, extra);
  }

  void segment_elements() {
    if (size_ == 0) return;
    const std::int64_t all = parts_of(size_, group_size);
    launch(entry::segments, {driver_.dialect().items_in_lanes ? all : groups(entry::segments, all)},
           {});
  }

  // Runs in tiles, if there are enough tiles for a device and most of them lie in the interior.
  bool tiles() {
    const TiledMap& map = *code_.tiled();
    if (rows_ * size_ < many_elements) return false;
    const std::int64_t high = extents_[extents_.size() - 2], before = rows_ / high;
    const std::int64_t down = parts_of(high, map.rows()), across = parts_of(size_, tile_columns);
    if (2 * down * map.rows() > 3 * high || 2 * across * tile_columns > 3 * size_) return false;
    const std::vector<std::int64_t> box = interior_of(map.kernel, extents_, scalars_);
    std::int64_t inside = 1;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis)
      inside *= std::max<std::int64_t>(box[2 * axis + 1] - box[2 * axis], 0);
    if (2 * inside < rows_ * size_) return false;
    std::vector<Argument> extra = {index(before)};
    for (const std::int64_t x : box) extra.emplace_back(index(x));
    launch(entry::tiled, tasks(entry::tiled, before * down * across), extra);
    return true;
  }

  void flat_map() {
    const auto is_aligned = [](const Argument& argument) {
      const auto fits = [](Address x) { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; };
      if (const auto* const input = std::get_if<Input>(&argument)) return fits(input->address);
      const auto* const output = std::get_if<Address>(&argument);
      return !output || fits(*output);
    };
    const bool vectors = size_ >= 16 * group_size && std::ranges::all_of(given_, is_aligned);
    const std::int64_t whole = vectors ? size_ - size_ % 4 : 0;
    const std::int64_t items = vectors ? parts_of(size_, 4) : size_;
    const Argument extra[] = {index(whole)};
    launch(entry::flat, {groups(entry::flat, parts_of(items, group_size))}, extra);
  }

  [[nodiscard]] bool row_per_item() const {
    const bool across = kernel_.lanes == kernels::FoldLanes::outer && rows_ >= many_rows;
    return scans_by_item(kernel_) && (size_ <= short_row || across || !joins_items(kernel_));
  }

  void run_rows() {
    const Argument extra[] = {index(rows_)};
    launch(entry::rows, each(entry::rows, rows_), extra);
  }

  [[nodiscard]] Address take(std::int64_t bytes) {
    return scratch_.take(static_cast<std::size_t>(bytes));
  }

  // One array of `count` values for each leaf of the operator.
  void add_leaves(std::vector<Argument>& extra, std::int64_t count) {
    for (const kernels::Value v : kernel_.combine.results)
      extra.emplace_back(
          take(count * static_cast<std::int64_t>(detail::size_in_bytes(kernel_.value_types[v]))));
  }

  void fold() {
    if (rows_ == 0) return;
    if (schedule_.group.high > 0 && contraction()) return;
    const FoldShape shape =
        fold_shape(schedule_.items, joins_items(kernel_), rows_, row_length(), driver_.dialect());
    std::vector<Argument> values;
    if (shape.parts > 1)
      add_leaves(values, rows_ * shape.parts);
    else  // never written
      values.resize(kernel_.combine.results.size(), given_[kernel_.inputs.size()]);
    fold(shape, size_, values, false);
    if (shape.parts > 1) fold(join_shape(shape, rows_), shape.parts, values, true);
  }

  // For segments, the mean length.
  [[nodiscard]] std::int64_t row_length() const {
    return kernel_.range ? parts_of(size_, extents_[extents_.size() - 2]) : size_;
  }

  // Contracts in tiles, if there are enough tiles for a device and enough elements for a tile.
  bool contraction() {
    const std::span<const std::int64_t> last = extents_.last(3);
    const std::int64_t before = rows_ / (last[0] * last[1]);
    const std::int64_t tiles = before * parts_of(last[0], schedule_.group.rows()) *
                               parts_of(last[1], schedule_.group.columns());
    const bool wastes =
        2 * last[0] < schedule_.group.rows() || 2 * last[1] < schedule_.group.columns();
    if (tiles < many_tiles || wastes || size_ < item_run) return false;
    const Argument extra[] = {index(before)};
    launch(entry::contraction, tasks(entry::contraction, tiles), extra);
    return true;
  }

  // Whether there may be segments that few items have left to whole groups.
  [[nodiscard]] bool leaves_long_segments(const FoldShape& shape) const {
    return kernel_.range && joins_items(kernel_) && shape.shift < 8 &&
           size_ > (long_segment << shape.shift);
  }

  void fold(const FoldShape& shape, std::int64_t size, const std::vector<Argument>& values,
            bool joins) {
    std::vector<Argument> extra = {index(rows_),
                                   index(size),
                                   index(shape.parts),
                                   index(shape.length),
                                   number(shape.shift),
                                   number(std::int32_t{shape.across}),
                                   number(std::int32_t{joins})};
    extra.insert(extra.end(), values.begin(), values.end());
    if (!joins && leaves_long_segments(shape)) {
      prepare({entry::long_segments, entry::fold});
      launch(entry::long_segments, tasks(entry::long_segments, parts_of(rows_, group_size)), extra);
    }
    if (driver_.dialect().items_in_lanes && shape.shift == 0 && shape.parts == 1 && !joins)
      return launch(entry::row_folds, each(entry::row_folds, rows_), extra);
    const bool apart = driver_.dialect().items_in_lanes && joins;
    const char* const function = apart ? entry::joins : entry::fold;
    const std::int64_t blocks = parts_of(rows_, group_size >> shape.shift);
    launch(function, tasks(function, blocks * shape.parts), extra);
  }

  void scan() {
    if (rows_ == 0) return;
    const std::int64_t tile = group_size * scan_items(kernel_, driver_.dialect());
    const std::int64_t tiles = std::max<std::int64_t>(parts_of(size_, tile), 1);
    const bool by_item = row_per_item();
    if (by_item || tiles == 1 || driver_.dialect().forward_progress) take_late_inputs();
    if (by_item) return run_rows();
    if (driver_.dialect().forward_progress) return chained_scan(tiles);
    std::vector<Argument> extra = {index(rows_), index(tiles)};
    add_leaves(extra, tiles > 1 ? rows_ * tiles : 1);
    if (tiles > 1) {
      launch(entry::parts, tasks(entry::parts, rows_ * tiles), extra);
      launch(entry::carries, tasks(entry::carries, rows_), extra);
      take_late_inputs();
    }
    launch(entry::tiles, tasks(entry::tiles, rows_ * tiles), extra);
  }

  void chained_scan(std::int64_t tiles) {
    const std::int64_t blocks = parts_of(tiles, chained_width);
    const std::int64_t values = rows_ * (tiles + blocks + parts_of(blocks, chained_width));
    const std::int64_t words = values + 2;  // two for the ticket
    const Address flags = take(words * 4);
    fill(flags, words, {0, 4}, {0, 4});
    std::vector<Argument> extra = {index(rows_), index(tiles), flags};
    add_leaves(extra, values);
    launch(entry::chained, {groups(entry::chained, rows_ * tiles)}, extra);
  }

  void fill(Address to, std::int64_t words, Number even, Number odd) {
    Program& program = common_.fill.get();
    const char* const function = fill_function(even.bytes);
    const Argument all[] = {to, Number{static_cast<std::uint64_t>(words), 8}, even, odd};
    driver_.launch(program, function, {groups_for_each(driver_, program, function, words)}, all);
  }

  // Fills the outputs with the seeds. A complex output has two seeds.
  void fill_outputs() {
    for (std::size_t i = 0; i < kernel_.seed.size(); ++i) {
      const auto number_of = [&](std::size_t leaf) {
        const auto at = std::ranges::find(kernel_.scalars, kernel_.seed[leaf]);
        const std::size_t bytes = detail::size_in_bytes(kernel_.value_types[kernel_.seed[leaf]]);
        return Number{scalars_[static_cast<std::size_t>(at - kernel_.scalars.begin())], bytes};
      };
      const Address to = std::get<Address>(given_[kernel_.inputs.size() + i]);
      const bool is_complex = detail::is_complex(kernel_.outputs[i]);
      const Number even = number_of(i), odd = is_complex ? number_of(++i) : even;
      fill(to, (is_complex ? 2 : 1) * targets_, even, odd);
    }
  }

  // Each loop has groups of its own: as many as its elements need, or its share of those that keep
  // the device busy.
  void loops() {
    std::vector<std::int64_t> wanted;
    std::int64_t all = 0;
    std::span<const std::int64_t> extents = extents_;
    for (const kernels::Loop& loop : kernel_.loops) {
      std::int64_t size = 1;
      for (const std::int64_t extent : extents.first(loop.rank)) size *= extent;
      extents = extents.subspan(loop.rank);
      all += wanted.emplace_back(parts_of(size, group_size));
    }
    if (all == 0) return;
    const std::int64_t most =
        groups_for_tasks(driver_, program(entry::scatter), entry::scatter, all);
    std::vector<Argument> extra;
    std::int64_t end = 0;
    for (const std::int64_t groups : wanted) {
      const double share =
          static_cast<double>(groups) * static_cast<double>(most) / static_cast<double>(all);
      if (groups > 0)
        end += all <= most ? groups : std::max<std::int64_t>(1, static_cast<std::int64_t>(share));
      extra.emplace_back(index(end));
    }
    launch(entry::scatter, {end}, extra);
  }

  void scatter() {
    fill_outputs();
    if (!kernel_.loops.empty()) return loops();
    const std::int64_t size = rows_ * size_;
    if (size == 0) return;
    const std::int64_t places = private_targets(kernel_);
    if (targets_ <= places && size >= many_updates && size >= 4 * targets_)
      return scatter_into_copies(size, places);
    const bool in_order = updates_of(kernel_) == Updates::in_order;
    const bool has_long_runs = size > long_run && joins_items(kernel_);
    if (in_order && has_long_runs)
      prepare({entry::scatter, entry::finish, entry::long_runs});
    else if (in_order)
      prepare({entry::scatter, entry::finish});
    const Grid grid = each(entry::scatter, size);
    std::vector<Argument> extra = {index(size)};
    if (!in_order) return launch(entry::scatter, grid, extra);
    const Address keys = take(size * 8);
    extra.emplace_back(index(targets_));
    extra.emplace_back(keys);
    const Address many = take(4);
    extra.emplace_back(many);
    add_leaves(extra, size);
    launch(entry::scatter, grid, extra);
    const Address order = take(size * 8);
    // Dropped elements have the target after the last.
    common_.sorter.sort_short(driver_, size, std::bit_width(static_cast<std::uint64_t>(targets_)),
                              keys, order, scratch_);
    const std::int64_t runs = size / long_run + 1;
    extra.insert(extra.begin() + 3, order);
    extra.insert(extra.begin() + 5, take(runs * 8));
    launch(entry::finish, grid, extra);
    if (has_long_runs) launch(entry::long_runs, {groups(entry::long_runs, runs)}, extra);
  }

  // The host allocates the outputs once it knows their size.
  void compact() {
    const std::int64_t tiles = parts_of(size_, scan_tile);
    const Address flags = take(size_), counts = take(tiles * 8), total = take(8);
    std::vector<Argument> extra = {index(tiles), flags, counts, total};
    if (kernels::halves_share_work(kernel_))
      for (const kernels::Value v : std::span(kernel_.element.results).subspan(1))
        extra.emplace_back(
            take(size_ * static_cast<std::int64_t>(detail::size_in_bytes(kernel_.value_types[v]))));
    const auto outputs = given_.begin() + static_cast<std::ptrdiff_t>(kernel_.inputs.size());
    given_.insert(outputs, kernel_.outputs.size(), counts);  // nothing writes there yet
    prepare({entry::counts, entry::offsets, entry::kept});
    launch(entry::counts, tasks(entry::counts, tiles), extra);
    launch(entry::offsets, {}, extra);
    std::int64_t kept = 0;
    driver_.read(reinterpret_cast<std::byte*>(&kept), total, sizeof kept);
    const std::int64_t others = kernel_.parts ? size_ - kept : 0;
    const std::span<std::byte* const> memory = kept_->take(kept, others);
    std::ranges::copy(memory, given_.begin() + static_cast<std::ptrdiff_t>(kernel_.inputs.size()));
    if (kept + others > 0) launch(entry::kept, tasks(entry::kept, tiles), extra);
    kept_->close(kept, others);
  }

  // Each group has enough work to make its copies pay.
  void scatter_into_copies(std::int64_t size, std::int64_t places) {
    std::int32_t shift = 0;
    while (shift < 5 && targets_ << (shift + 1) <= places) ++shift;
    const std::int64_t work = std::max(many_updates, 4 * (targets_ << shift));
    const Argument extra[] = {index(size), number(static_cast<std::int32_t>(targets_)),
                              number(shift)};
    launch(entry::private_copies, {groups(entry::private_copies, parts_of(size, work))}, extra);
  }

  Driver& driver_;
  CommonPrograms& common_;
  const kernels::Kernel& kernel_;
  IndexWidth width_;
  const LoadedKernel& code_;
  ScratchMemory& scratch_;
  KeptMemory* kept_;
  LateInputs* late_;
  const kernels::Schedule& schedule_;
  std::span<const std::int64_t> extents_;
  std::span<const std::uint64_t> scalars_;
  std::int64_t rows_ = 1, size_ = 1, targets_;
  std::vector<Argument> given_;
  std::vector<std::size_t> late_places_;  // in given_, of late inputs
};

}  // namespace

FoldShape fold_shape(kernels::ItemAxis items, bool is_shared, std::int64_t rows, std::int64_t size,
                     const Dialect& dialect) {
  FoldShape shape;
  if (!is_shared) return {0, false, 1, size};
  // The power of two at or above n, up to 2^most.
  const auto log2_up = [](std::int64_t n, int most) {
    const auto before = static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1) - 1);
    return std::min(static_cast<int>(std::bit_width(before)), most);
  };
  shape.shift = log2_up(parts_of(size, item_run), 8);
  shape.across = items == kernels::ItemAxis::outer;
  if (rows >= many_rows && items != kernels::ItemAxis::folded)
    shape.shift = 0;
  else if (shape.across)  // at least 32 neighbours, if there are that many
    shape.shift = std::min(shape.shift, 8 - log2_up(rows, 5));
  else if (rows >= many_rows && dialect.shuffles)  // a warp joins its values without barriers
    shape.shift = std::min(shape.shift, 5);
  const std::int64_t width = std::int64_t{1} << shape.shift;
  const std::int64_t blocks = parts_of(rows, group_size / width);
  const std::int64_t wanted = std::max<std::int64_t>(many_groups / blocks, 1);
  const bool is_long = size > 4 * width * item_run;  // else not worth another launch
  std::int64_t most = size / (width * item_run);
  // Where steps that join a group's items cost as much as elements, longer parts replace groups.
  if (dialect.items_in_lanes)
    most = std::min(most, std::max(size / (width * long_item_run), some_groups));
  const std::int64_t parts = is_long ? std::min(most, wanted) : 1;
  shape.length = std::max<std::int64_t>(parts_of(size, parts), 1);
  shape.parts = std::max<std::int64_t>(parts_of(size, shape.length), 1);
  return shape;
}

FoldShape join_shape(const FoldShape& shape, std::int64_t rows) {
  const kernels::ItemAxis items =
      shape.across ? kernels::ItemAxis::outer : kernels::ItemAxis::folded;
  FoldShape joins = fold_shape(items, true, rows, shape.parts);
  joins.parts = 1;
  joins.length = shape.parts;
  return joins;
}

std::int64_t groups_for_tasks(const Driver& driver, Program& program, const char* function,
                              std::int64_t tasks) {
  const std::int64_t all = std::max<std::int64_t>(tasks, 1);
  if (driver.dialect().items_in_lanes) return all;
  return std::min(all, driver.busy_groups(program, function));
}

std::int64_t groups_for_each(const Driver& driver, Program& program, const char* function,
                             std::int64_t count) {
  return groups_for_tasks(driver, program, function, parts_of(count, group_size));
}

void launch(Driver& driver, CommonPrograms& common, const LoadedKernel& code,
            const LaunchArguments& arguments, std::int64_t limit, LateInputs* late) {
  Launcher(driver, common, code, arguments, limit, late).run();
}

}  // namespace hasten::backends::c_like
