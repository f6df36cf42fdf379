// Forms of a kernel's code: the usual one, and others for launches whose extents call for them.
// Each is compiled separately, on first use.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/schedule.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace hasten::backends::cpu {

enum class Form : std::uint8_t {
  usual,
  short_rows,     // map: along rows, by single registers; fold, scan along lanes: by lanes across
  across_rows,    // map: by lanes across rows
  across_blocks,  // map: by lanes across the axis before the last two
  few_results,    // fold: as a map of its results (emit/folds/few_results.cpp)
  few_columns,    // fold, with run_parts: lanes run down the columns
};
inline constexpr std::size_t form_count = 6;
constexpr std::size_t number_of(Form form) { return static_cast<std::size_t>(form); }

/// The symbol that a module exports as the form's RunFunction.
constexpr const char* run_symbol(Form form) {
  switch (form) {
    case Form::usual: return "hasten_run";
    case Form::short_rows: return "hasten_run_short_rows";
    case Form::across_rows: return "hasten_run_across_rows";
    case Form::across_blocks: return "hasten_run_across_blocks";
    case Form::few_results: return "hasten_run_few_results";
    case Form::few_columns: return "hasten_run_few_columns";
  }
  return "";
}

using Forms = std::bitset<form_count>;
inline Forms only(Form form) { return Forms().set(number_of(form)); }
inline bool has(const Forms& forms, Form form) { return forms[number_of(form)]; }

/// The forms that launches of a kernel may use.
inline Forms forms_of(const kernels::Kernel& kernel, const kernels::Schedule& schedule) {
  Forms forms = only(Form::usual);
  const auto add = [&](Form form, bool is_there) { forms[number_of(form)] = is_there; };
  switch (kernel.skeleton) {
    case kernels::Skeleton::map:
      add(Form::short_rows, schedule.lanes_along > 0);
      add(Form::across_rows, schedule.lanes_across > 0);
      add(Form::across_blocks, schedule.lanes_outside > 0);
      break;
    case kernels::Skeleton::fold:
      add(Form::few_results, schedule.lanes_outside > 0);
      add(Form::few_columns, schedule.lanes_down > 0);
      [[fallthrough]];
    case kernels::Skeleton::scan: add(Form::short_rows, schedule.lanes_across > 0); break;
    case kernels::Skeleton::scatter:
    case kernels::Skeleton::compact: break;
  }
  return forms;
}

}  // namespace hasten::backends::cpu
