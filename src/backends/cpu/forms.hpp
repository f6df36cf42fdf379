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
  short_rows,     // map: along rows, by single registers; fold, scan along lanes: by lanes across,
                  // also where the last of several folded axes is short;
                  // fold with lanes across: columns that fill no whole vector
  across_rows,    // map: by lanes across rows
  across_blocks,  // by lanes across the axis before the last two; fold: the results' last two
  joined_rows,  // fold along lanes: rows of few registers, joined in groups; scan along lanes: rows
                // of few vectors, by single registers
  few_results,  // fold: as a map of its results (emit/folds/few_results.cpp)
  few_columns,  // fold, with run_parts: lanes run down the columns
  direct_tiles,  // contraction: few rows or columns, without panels; `scratch` is a ContractionPart
  few_targets,   // scatter whose updates may meet: the results of few targets are in registers
  apart_2,       // map: as usual, with reads two elements apart; these forms know a number,
  apart_3,       // see known_numbers.hpp
  apart_4,
  rows_of_1,  // map: by lanes across rows of one element
  rows_of_2,  // map, fold along lanes: by lanes across rows of two elements; fold, with run_parts:
  rows_of_3,  // by lanes down two columns; scatter whose updates may meet: these rows written out
  rows_of_4,
  mixed_rows_of_2,  // map: as rows of as many, with reads of rows of one to four elements;
                    // fold: results of two rows by two columns
  mixed_rows_of_3,
  mixed_rows_of_4,
};
inline constexpr std::size_t form_count = 19;
constexpr std::size_t number_of(Form form) { return static_cast<std::size_t>(form); }

/// The numbers that forms know, and the forms that know one, given the first of their kind.
inline constexpr std::int64_t known_min = 2, known_max = 4;
constexpr bool is_known(std::int64_t number) { return number >= known_min && number <= known_max; }
constexpr Form knowing(Form first, std::int64_t number) {
  return static_cast<Form>(static_cast<std::int64_t>(first) + number - known_min);
}
constexpr bool is_apart(Form form) { return form >= Form::apart_2 && form <= Form::apart_4; }
constexpr bool is_of_rows(Form form) { return form >= Form::rows_of_1; }
constexpr bool is_mixed(Form form) { return form >= Form::mixed_rows_of_2; }
/// The number that a form knows; 0 if it knows none.
constexpr std::int64_t known_of(Form form) {
  if (!is_apart(form) && !is_of_rows(form)) return 0;
  if (form == Form::rows_of_1) return 1;
  const Form first = is_apart(form)   ? Form::apart_2
                     : is_mixed(form) ? Form::mixed_rows_of_2
                                      : Form::rows_of_2;
  return known_min + static_cast<std::int64_t>(form) - static_cast<std::int64_t>(first);
}

/// The symbol that a module exports as the form's RunFunction.
constexpr const char* run_symbol(Form form) {
  switch (form) {
    case Form::usual: return "hasten_run";
    case Form::short_rows: return "hasten_run_short_rows";
    case Form::across_rows: return "hasten_run_across_rows";
    case Form::across_blocks: return "hasten_run_across_blocks";
    case Form::joined_rows: return "hasten_run_joined_rows";
    case Form::few_results: return "hasten_run_few_results";
    case Form::few_columns: return "hasten_run_few_columns";
    case Form::direct_tiles: return "hasten_run_direct_tiles";
    case Form::few_targets: return "hasten_run_few_targets";
    case Form::apart_2: return "hasten_run_apart_2";
    case Form::apart_3: return "hasten_run_apart_3";
    case Form::apart_4: return "hasten_run_apart_4";
    case Form::rows_of_1: return "hasten_run_rows_of_1";
    case Form::rows_of_2: return "hasten_run_rows_of_2";
    case Form::rows_of_3: return "hasten_run_rows_of_3";
    case Form::rows_of_4: return "hasten_run_rows_of_4";
    case Form::mixed_rows_of_2: return "hasten_run_mixed_rows_of_2";
    case Form::mixed_rows_of_3: return "hasten_run_mixed_rows_of_3";
    case Form::mixed_rows_of_4: return "hasten_run_mixed_rows_of_4";
  }
  return "";
}

using Forms = std::bitset<form_count>;
inline Forms only(Form form) { return Forms().set(number_of(form)); }
inline bool has(const Forms& forms, Form form) { return forms[number_of(form)]; }

/// Whether results may be the elements of small blocks.
inline bool has_blocks_of_results(const kernels::Kernel& fold, const kernels::Schedule& schedule) {
  return schedule.lanes_outside > 0 && fold.rank > 3;
}

/// Whether rows of a map may be read from rows of another number of elements, or results of a fold
/// may be as many as the elements that each is folded from.
inline bool may_be_mixed(const kernels::Kernel& kernel, const kernels::Schedule& schedule) {
  if (kernel.skeleton == kernels::Skeleton::fold)
    return schedule.lanes_outside > 0 && !schedule.apart_scalars.empty();
  return kernel.skeleton == kernels::Skeleton::map && schedule.lanes_of_rows > 0 &&
         !schedule.row_scalars.empty();
}

/// The forms that launches of a kernel may use.
inline Forms forms_of(const kernels::Kernel& kernel, const kernels::Schedule& schedule) {
  Forms forms = only(Form::usual);
  const auto add = [&](Form form, bool is_there) { forms[number_of(form)] = is_there; };
  for (std::int64_t number = known_min; number <= known_max; ++number) {
    add(knowing(Form::apart_2, number),
        kernel.skeleton == kernels::Skeleton::map && !schedule.apart_scalars.empty());
    add(knowing(Form::rows_of_2, number), schedule.lanes_of_rows > 0);
    add(knowing(Form::mixed_rows_of_2, number), may_be_mixed(kernel, schedule));
  }
  switch (kernel.skeleton) {
    case kernels::Skeleton::map:
      add(Form::rows_of_1, schedule.lanes_of_rows > 0);
      add(Form::short_rows, schedule.lanes_along > 0);
      add(Form::across_rows, schedule.lanes_across > 0);
      add(Form::across_blocks, schedule.lanes_outside > 0);
      break;
    case kernels::Skeleton::segments: break;
    case kernels::Skeleton::fold:
      add(Form::joined_rows, schedule.lanes_joined > 0);
      add(Form::few_results, schedule.lanes_outside > 0);
      add(Form::across_blocks, has_blocks_of_results(kernel, schedule));
      add(Form::few_columns, schedule.lanes_down > 0);
      add(Form::direct_tiles, schedule.packed.has_light_sides);
      add(Form::short_rows,
          !kernel.range && (schedule.lanes_across > 0 || schedule.lanes_along > 0));
      break;
    case kernels::Skeleton::scan:
      add(Form::short_rows, schedule.lanes_across > 0);
      add(Form::joined_rows, schedule.lanes_joined > 0);
      break;
    case kernels::Skeleton::scatter: add(Form::few_targets, schedule.few_lanes > 0); break;
    case kernels::Skeleton::compact: break;
  }
  return forms;
}

}  // namespace hasten::backends::cpu
