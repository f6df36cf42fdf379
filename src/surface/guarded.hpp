// Numbers that are available only if a condition holds.
#pragma once

#include <hasten/detail/terms/pull_push.hpp>

#include "surface/derived.hpp"

#include <utility>
#include <vector>

namespace hasten::detail {

/// The array, if the condition holds.
inline Term guarded(const Guard& guard, const Term& array) {
  return demand(guard.condition, guard.message, guard.shown, array, guard.call.operation,
                guard.call.where);
}

/// The same numbers, read from arrays of one element each that demand the condition.
inline std::vector<Term> guarded(const Guard& guard, std::vector<Term> numbers) {
  for (Term& number : numbers)
    number = index_array(guarded(guard, unit(number, guard.call.where)), {}, Reads::inside);
  return numbers;
}

}  // namespace hasten::detail
