// Operations that choose elements, by core::Compact.
#include <hasten/detail/terms/choose.hpp>

#include "surface/derived.hpp"

namespace hasten::detail {
namespace {

Term positions_in(const Term& vector, const Call& call) {
  return generated({extent_of(vector, 0)}, call,
                   [](const std::vector<Term>& index) { return index[0]; });
}

/// The starts, then the end.
Term offsets_from(const Term& starts, const Term& end, const Call& call) {
  const Term count = extent_of(starts, 0);
  return generated({i64::add(count, i64::literal(1))}, call, [&](const std::vector<Term>& index) {
    return conditional(i64::compare(ScalarOp::lt, index[0], count), at(starts, index[0]), end);
  });
}

}  // namespace

Term kept_elements(const Term& mask, const Term& array, const Call& call) {
  return compact(mask, array, call.operation, call.where);
}

std::pair<Term, Term> parted_elements(const Term& mask, const Term& array, const Call& call) {
  return compact_parts(mask, array, call.operation, call.where);
}

Term cut_mask(const Term& mask, const Term& array, const Call& call) {
  return zipped(mask, array, call, [](const Term& keep, const Term&) { return keep; });
}

Term cut_to_mask(const Term& mask, const Term& array, const Call& call) {
  return zipped(mask, array, call, [](const Term&, const Term& x) { return x; });
}

Term run_offsets(const Term& heads, const Call& call) {
  const Term starts = kept_elements(heads, positions_in(heads, call), call);
  return offsets_from(starts, extent_of(heads, 0), call);
}

std::pair<Term, Term> runs_of(const Term& heads, const Term& array, const Call& call) {
  const Term placed = zipped(array, positions_in(heads, call), call,
                             [](const Term& x, const Term& at) { return tuple_of({x, at}); });
  const Term runs = kept_elements(heads, placed, call);
  const Term values = mapped(runs, call, [](const Term& run) { return project(run, 0); });
  const Term starts = mapped(runs, call, [](const Term& run) { return project(run, 1); });
  return {values, differences(offsets_from(starts, extent_of(heads, 0), call), call)};
}

Term differences(const Term& offsets, const Call& call) {
  return zipped(init_axis(offsets, 0, call), tail_axis(offsets, 0, call), call,
                [](const Term& begin, const Term& end) { return i64::sub(end, begin); });
}

Term at_run_starts(const Term& array, const Term& offsets, const Call& call) {
  return mapped(init_axis(offsets, 0, call), call,
                [&](const Term& begin) { return at(array, begin); });
}

}  // namespace hasten::detail
