// Hints as type names, which compilers print in errors about functions that must not be called.
// Compilers that quote the source line also print the comment after it.
#pragma once

// NOLINTBEGIN(readability-identifier-naming): sentences
namespace hasten::hint {

struct programs_have_no_values_print_what_run_gives;
struct programs_have_no_values_use_what_run_gives;
struct bring_host_arrays_in_with_use;
struct functions_and_numbers_come_first_arrays_last;
struct make_an_array_of_it_by_copy_or_with_borrow;
struct elements_are_not_assigned_make_an_array_with_generate;
struct types_and_ranks_never_mix_cast_elements_or_reshape;
struct keep_the_array_in_a_variable_its_memory_goes_with_it;
struct groups_have_no_arithmetic_use_their_members;
struct make_a_variant_of_one_of_its_types_cast_or_variant_of;
struct match_takes_an_optional_or_a_variant_and_a_function_for_each_alternative;
struct pull_arrays_have_no_operators_zip_with_or_map;
struct a_push_is_written_not_read_force_gives_an_array;

}  // namespace hasten::hint
// NOLINTEND(readability-identifier-naming)
