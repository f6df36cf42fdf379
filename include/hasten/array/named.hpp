// Names for arrays, for people who read messages and reports.
#pragma once

#include <hasten/array/acc.hpp>
#include <hasten/detail/terms/array.hpp>

#include <string_view>

namespace hasten {

/// The array itself, of the same shape and elements, under a name that stands beside the name of
/// its operation in errors, explain(), dumps and traces: "layer 1 (sum)". So do the maps, views and
/// the like that are computed for it alone. Results, fusion and kernels are the same as without a
/// name. Equal arrays are computed once, under the first name that one of them was given; a name
/// for an array that has one is the new one. What an operator made, which has no place of its own,
/// has that of this call: errors in a helper then name the line in it, and who called it.
template <class T, std::size_t N>
Acc<Array<T, N>> named(std::string_view name, const Acc<Array<T, N>>& a,
                       detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, N>(detail::named_array(name, detail::term_of(a), where));
}

}  // namespace hasten
