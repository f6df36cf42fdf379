// Names for arrays, shown in messages and reports.
#pragma once

#include <hasten/array/acc.hpp>
#include <hasten/detail/terms/array.hpp>

#include <string_view>

namespace hasten {

/// Returns the same array under a name, which errors, explain(), dumps and traces show beside the
/// name of its operation: "layer 1 (sum)". Maps, views and the like that are computed only for this
/// array get the name too. Results, fusion and kernels are unchanged. Equal arrays are computed
/// once, under the first name that one of them was given; naming a named array replaces its name.
/// An array made by an operator, which has no source location of its own, takes that of this call:
/// errors in a helper then name its line and its caller.
template <class T, std::size_t N>
Acc<Array<T, N>> named(std::string_view name, const Acc<Array<T, N>>& a,
                       detail::Where where = detail::Where::current()) {
  return detail::acc_of<T, N>(detail::named_array(name, detail::term_of(a), where));
}

}  // namespace hasten
