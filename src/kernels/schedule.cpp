// Each field is named once; printing and parsing go through the same list.
#include "kernels/schedule.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <type_traits>

namespace hasten::kernels {
namespace {

template <class S, class F>
void for_each_field(S& schedule, const F& field) {
  field("lanes", schedule.lanes);
  field("lanes_across", schedule.lanes_across);
  field("across_below", schedule.across_below);
  field("lanes_along", schedule.lanes_along);
  field("lanes_outside", schedule.lanes_outside);
  field("outside_depth", schedule.outside_depth);
  field("lanes_down", schedule.lanes_down);
  field("few_columns", schedule.few_columns);
  field("apart_scalars", schedule.apart_scalars);
  field("lanes_of_rows", schedule.lanes_of_rows);
  field("row_scalars", schedule.row_scalars);
  field("short_row", schedule.short_row);
  field("lanes_joined", schedule.lanes_joined);
  field("joined_below", schedule.joined_below);
  field("rows_together", schedule.rows_together);
  field("strip_columns", schedule.strip_columns);
  field("in_order", schedule.in_order);
  field("packed_rows", schedule.packed.rows);
  field("packed_lanes", schedule.packed.lanes);
  field("packed_down_bytes", schedule.packed.down_bytes);
  field("packed_across_bytes", schedule.packed.across_bytes);
  field("packed_sum_bytes", schedule.packed.sum_bytes);
  field("packed_row_axis", schedule.packed.row_axis);
  field("packed_same_rows", schedule.packed.same_rows);
  field("packed_many_rows", schedule.packed.many_rows);
  field("packed_has_light_sides", schedule.packed.has_light_sides);
  field("tile_rows", schedule.tile_rows);
  field("lane_step", schedule.lane_step);
  field("turned_rows", schedule.turned_rows);
  field("window_rows", schedule.window_rows);
  field("window_columns", schedule.window_columns);
  field("still_row", schedule.still_row);
  field("kept_elements", schedule.kept_elements);
  field("part_lanes", schedule.part_lanes);
  field("neighbour_lanes", schedule.neighbour_lanes);
  field("few_lanes", schedule.few_lanes);
  field("few_targets", schedule.few_targets);
  field("nanoseconds", schedule.nanoseconds);
  field("loop_lanes", schedule.loop_lanes);
  field("loop_nanoseconds", schedule.loop_nanoseconds);
  field("items", schedule.items);
  field("group_high", schedule.group.high);
  field("group_wide", schedule.group.wide);
  field("group_steps", schedule.group.steps);
  field("interior_rows", schedule.interior_rows);
}

// How a field is printed: a number, with all digits that distinguish it from others.
double number(double x) { return x; }
std::int64_t number(std::int64_t x) { return x; }
unsigned number(unsigned x) { return x; }
int number(bool x) { return x ? 1 : 0; }
int number(ItemAxis x) { return static_cast<int>(x); }
template <class T>
std::string number(const std::vector<T>& list) {
  return fmt::format("{}", fmt::join(list, " "));
}

[[noreturn]] void wrong(std::string_view text) {
  throw InternalError(fmt::format("no schedule of a kernel: {}", text));
}

template <class T>
T read(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) wrong(text);
  return value;
}

void assign(double& field, std::string_view text) { field = read<double>(text); }
void assign(std::int64_t& field, std::string_view text) { field = read<std::int64_t>(text); }
void assign(unsigned& field, std::string_view text) { field = read<unsigned>(text); }
void assign(bool& field, std::string_view text) { field = read<int>(text) != 0; }
template <class T>
void assign(std::vector<T>& field, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    field.push_back(read<T>(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}
void assign(ItemAxis& field, std::string_view text) {
  const int value = read<int>(text);
  if (value < 0 || value > static_cast<int>(ItemAxis::by_extents)) wrong(text);
  field = static_cast<ItemAxis>(value);
}

void parse_field(Schedule& schedule, std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) wrong(text);
  const std::string_view name = text.substr(0, space), value = text.substr(space + 1);
  bool is_known = false;
  for_each_field(schedule, [&](std::string_view of, auto& field) {
    if (of != name) return;
    is_known = true;
    assign(field, value);
  });
  if (!is_known) wrong(text);
}

}  // namespace

std::string print(const Schedule& schedule) {
  const Schedule usual;
  std::vector<std::string> defaults;
  for_each_field(usual, [&](const char*, const auto& field) {
    defaults.push_back(fmt::format("{}", number(field)));
  });
  std::string text;
  auto usually = defaults.begin();
  for_each_field(schedule, [&](const char* name, const auto& field) {
    const std::string value = fmt::format("{}", number(field));
    if (value != *usually++) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  });
  return text;
}

Schedule parse_schedule(std::string_view text) {
  constexpr std::string_view separator = ", ";
  Schedule schedule;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parse_field(schedule, text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return schedule;
}

std::vector<std::byte> with_schedule(const Schedule& schedule, std::span<const std::byte> code) {
  const std::string line = print(schedule) + '\n';
  const auto first = std::as_bytes(std::span(line));
  std::vector<std::byte> bytes(first.begin(), first.end());
  bytes.insert(bytes.end(), code.begin(), code.end());
  return bytes;
}

ScheduledCode split_schedule(std::span<const std::byte> bytes) {
  const auto end = std::ranges::find(bytes, static_cast<std::byte>('\n'));
  if (end == bytes.end()) throw InternalError("code of a kernel begins with no schedule");
  const auto length = static_cast<std::size_t>(end - bytes.begin());
  const std::string_view line(reinterpret_cast<const char*>(bytes.data()), length);
  return {parse_schedule(line), bytes.subspan(length + 1)};
}

}  // namespace hasten::kernels
