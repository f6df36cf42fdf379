// The properties of a kernel that launches need.
#include "backends/cpu/launch/launch.hpp"
#include "kernels/stages.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hasten::backends::cpu {
namespace {

// The last cache holds other data too: an input larger than half of it does not stay there.
std::uint64_t far_inputs(const LoadedKernel& kernel, const LaunchArguments& arguments,
                         const Caches& caches) {
  constexpr std::size_t bits = 64;
  std::uint64_t far = 0;
  for (std::size_t i = 0; i < std::min(arguments.input_sizes.size(), bits); ++i) {
    const auto bytes = arguments.input_sizes[i] * static_cast<std::int64_t>(kernel.input_bytes[i]);
    const bool is_far = !caches.surely_hold(bytes) && bytes > caches.last() / 2;
    far |= std::uint64_t{is_far} << i;
  }
  return far;
}

}  // namespace

LoadedKernel::LoadedKernel(const kernels::Kernel& kernel, const kernels::Schedule& how,
                           const KernelFunctions& exported, std::shared_ptr<const void> object,
                           MakeForm make)
    : skeleton(kernel.skeleton),
      lanes(kernel.lanes),
      unique(kernel.unique),
      segmented(kernel.range.has_value()),
      writes(kernel.writes),
      whole_rows(kernels::has_row_reductions(kernel)),
      folds_inside(kernels::has_reductions(kernel.element)),
      parts(kernel.parts),
      in_order(kernel.in_order),
      has_column_parts(cpu::has_column_parts(kernel)),
      seeded(!kernel.seed.empty()),
      has_columns(kernel.inner_axes > 0),
      needs_order(kernel.skeleton == kernels::Skeleton::scan && !combines_neighbours(kernel)),
      rank(kernel.rank),
      leaves(kernel.combine.results.size()),
      folded(kernel.folded),
      unordered(unordered_updates(kernel)),
      may_have_copies(how.lanes == 1 && cpu::may_have_copies(kernel)),
      grouped_by_extents(!kernel.any_order && grouping_shows(unordered)),
      fills(seed_places(kernel)),
      layout(kernel),
      schedule(how),
      functions(exported),
      run(exported.run, std::move(make)),
      keeps(std::move(object)) {
  for (const kernels::Loop& loop : kernel.loops) loop_ranks.push_back(loop.rank);
  for (core::ScalarType t : kernel.inputs) input_bytes.push_back(detail::size_in_bytes(t));
  for (core::ScalarType t : kernel.outputs) output_bytes.push_back(detail::size_in_bytes(t));
  bool second = false;
  for (core::ScalarType t : kernel.outputs) {
    imaginary.push_back(second);
    second = !second && detail::is_complex(t);
  }
}

// Whether all the scalars are the number.
bool LoadedKernel::are_all(std::span<const unsigned> scalars, const std::uint64_t* frame,
                           std::int64_t number) const {
  return std::ranges::all_of(scalars, [&](unsigned scalar) {
    return frame[layout.scalars + scalar] == static_cast<std::uint64_t>(number);
  });
}

std::optional<Form> LoadedKernel::form_of_rows(std::int64_t elements,
                                               const std::uint64_t* frame) const {
  const bool is_row = is_known(elements) || (elements == 1 && skeleton == kernels::Skeleton::map);
  if (schedule.lanes_of_rows == 0 || !is_row || !are_all(schedule.row_scalars, frame, elements))
    return {};
  return elements == 1 ? Form::rows_of_1 : knowing(Form::rows_of_2, elements);
}

// Rows of two to four elements, of arrays with rows of one to four.
std::optional<Form> LoadedKernel::form_of_mixed_rows(std::int64_t elements,
                                                     const std::uint64_t* frame) const {
  const bool are_near = std::ranges::all_of(schedule.row_scalars, [&](unsigned scalar) {
    return frame[layout.scalars + scalar] - 1 < known_max;
  });
  if (schedule.row_scalars.empty() || !is_known(elements) || !are_near) return {};
  return knowing(Form::mixed_rows_of_2, elements);
}

// The usual function has a mask for them, which costs as much as a whole vector.
RunFunction LoadedKernel::run_of_rest(std::int64_t columns) const {
  constexpr std::int64_t vectors_max = 8;
  const std::int64_t usual = schedule.lanes;
  const bool has_rest = schedule.lanes_along > 0 && columns % usual != 0;
  return has_rest && columns < vectors_max * usual ? run.of(Form::short_rows) : nullptr;
}

Form LoadedKernel::form_of_few_results(std::int64_t columns, std::int64_t depth,
                                       const std::uint64_t* frame) const {
  const std::vector<unsigned>& scalars = schedule.apart_scalars;
  const bool is_known_form =
      columns == depth && is_known(depth) && !scalars.empty() && are_all(scalars, frame, depth);
  return is_known_form ? knowing(Form::mixed_rows_of_2, depth) : Form::few_results;
}

// Of few rows, it would not be worth its compilation.
RunFunction LoadedKernel::run_of_updates(std::span<const std::int64_t> extents,
                                         const std::uint64_t* frame, RunFunction usual) const {
  constexpr std::int64_t rows_min = 1024;
  if (extents.size() < 2 || extents[extents.size() - 2] < rows_min) return usual;
  const std::optional<Form> form = form_of_rows(extents.back(), frame);
  return form ? run.of(*form) : usual;
}

std::optional<Form> LoadedKernel::form_of_steps(const std::uint64_t* frame) const {
  const std::vector<unsigned>& scalars = schedule.apart_scalars;
  if (scalars.empty()) return {};
  const auto step = static_cast<std::int64_t>(frame[layout.scalars + scalars[0]]);
  return is_known(step) && are_all(scalars, frame, step)
             ? std::optional(knowing(Form::apart_2, step))
             : std::nullopt;
}

Form LoadedKernel::form_of_map(std::span<const std::int64_t> extents, const std::uint64_t* frame,
                               bool streams) const {
  const std::int64_t columns = extents.back(), across = schedule.lanes_across;
  if (schedule.lanes_of_rows > 0 && extents[extents.size() - 2] >= schedule.lanes_of_rows) {
    if (const auto form = form_of_rows(columns, frame)) return *form;
    if (const auto form = form_of_mixed_rows(columns, frame)) return *form;
  }
  if (schedule.lanes_outside > 0 && has_small_blocks(extents)) return Form::across_blocks;
  if (columns < schedule.across_below && extents[extents.size() - 2] >= across)
    return Form::across_rows;
  // Rows that fill the usual vectors may stream, and may know how far apart they read.
  const bool is_short = schedule.lanes_along > 0 && columns < schedule.short_row;
  if (is_short && columns < static_cast<std::int64_t>(schedule.lanes)) return Form::short_rows;
  if (const auto form = form_of_steps(frame)) return *form;
  return is_short && !streams ? Form::short_rows : Form::usual;
}

// Rows that do not fill a register, too few of them for lanes across.
bool LoadedKernel::has_small_blocks(std::span<const std::int64_t> extents) const {
  const std::size_t last = extents.size() - 1;
  const auto blocks = static_cast<std::int64_t>(schedule.lanes_outside);  // of a vector
  return extents[last] < blocks / 2 && extents[last - 1] < blocks && extents[last - 2] >= blocks &&
         extents[last] * extents[last - 1] <= schedule.outside_depth;
}

// A matrix of results, each folded from a row and a column.
bool LoadedKernel::has_blocks_of_results(std::span<const std::int64_t> extents) const {
  if (extents.size() < 4 || schedule.lanes_outside == 0) return false;
  const auto last = extents.last(4);
  const std::int64_t rows = last[1], columns = last[2], depth = last[3];
  return last[0] >= outside_min && columns < block_columns_max &&
         rows * columns <= block_results_max && rows * depth <= block_results_max &&
         columns * depth <= block_results_max;
}

bool LoadedKernel::has_short_rows(std::span<const std::int64_t> extents) const {
  return extents.back() < schedule.short_row && extents[extents.size() - 2] >= short_rows_min;
}

bool LoadedKernel::has_joined_rows(std::span<const std::int64_t> extents) const {
  return extents.back() < schedule.joined_below &&
         extents[extents.size() - 2] >= static_cast<std::int64_t>(schedule.lanes_joined);
}

// Rows of whole vectors have no rest.
bool LoadedKernel::has_rows_of_registers(std::span<const std::int64_t> extents) const {
  return extents.back() < schedule.joined_below && extents.back() % schedule.lanes != 0;
}

bool LoadedKernel::has_short_axis(std::span<const std::int64_t> extents) const {
  if (folded == 1 || folded == extents.size()) return false;
  const std::int64_t columns = extents[extents.size() - folded - 1];
  return extents.back() < schedule.short_row && columns >= short_rows_min;
}

// The outputs of a compaction do not exist yet.
void LoadedKernel::fill_frame(std::uint64_t* frame, const LaunchArguments& arguments,
                              const support::StopWord& stop, const Caches& caches) const {
  const auto fill = [&](std::size_t first, const auto& values, const auto& word_of) {
    for (std::size_t i = 0; i < values.size(); ++i) frame[first + i] = word_of(values[i]);
  };
  const auto address = [](const std::byte* x) { return reinterpret_cast<std::uintptr_t>(x); };
  fill(layout.inputs, arguments.inputs, address);
  fill(layout.outputs, arguments.outputs, address);
  fill(layout.scalars, arguments.scalars, [](std::uint64_t x) { return x; });
  fill(layout.extents, arguments.extents,
       [](std::int64_t x) { return static_cast<std::uint64_t>(x); });
  frame[layout.stop] = reinterpret_cast<std::uintptr_t>(&stop);
  frame[layout.far] = far_inputs(*this, arguments, caches);
}

}  // namespace hasten::backends::cpu
