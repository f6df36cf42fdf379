// Choosing elements: each one's place is the number of those chosen before it.
#include <hasten/detail/choose_terms.hpp>

#include "surface/derived.hpp"

namespace hasten::detail {
namespace {

/// How many are true up to each place, itself included. Without a seed, so that it is as long as
/// the mask and its rows begin where the target likes them to.
Term counts_up_to(const Term& mask, const Call& call) {
  return scan(i64_operator(ScalarOp::add, call), Term{}, cast_each(mask, ScalarType::i64, call),
              call.operation, call.where);
}
Term count_of_all(const Term& counts) {
  const Term zero = i64::literal(0);
  const Term some = i64::compare(ScalarOp::gt, extent_of(counts, 0), zero);
  return conditional(some, last_of(counts), zero);
}

Term zero_of(Type type) {
  if (type->is_leaf) return constant(type->leaf, {}, LiteralMode::baked);
  std::vector<Term> members;
  members.reserve(type->members.size());
  for (const Type member : type->members) members.push_back(zero_of(member));
  return detail::make_tuple(type, members);
}

Term positions_in(const Term& vector, const Call& call) {
  return generated({extent_of(vector, 0)}, call,
                   [](const std::vector<Term>& index) { return index[0]; });
}

/// The elements with a target, which are `count` places without a gap.
Term gathered(const Term& array, const Term& targets, const Term& count, const Call& call) {
  const Type type = type_of(array);
  const Term places = fill_array({count}, zero_of(type), call.where);
  return permute(left_of(type, call), places, targets, array, PermuteMode::covering, call.operation,
                 call.where);
}

}  // namespace

Term kept_elements(const Term& mask, const Term& array, const Call& call) {
  const Term counts = counts_up_to(mask, call);
  const Term targets = zipped(mask, counts, call, [](const Term& keep, const Term& count) {
    return tuple_of({keep, i64::sub(count, i64::literal(1))});
  });
  return gathered(array, targets, count_of_all(counts), call);
}

Term dropped_elements(const Term& mask, const Term& array, const Call& call) {
  const Term counts = counts_up_to(mask, call);
  const Term place = zipped(positions_in(mask, call), counts, call, i64::sub);
  const Term targets = zipped(mask, place, call, [](const Term& keep, const Term& to) {
    return tuple_of({prim_of(ScalarOp::not_, ScalarType::boolean, {keep}), to});
  });
  return gathered(array, targets, i64::sub(extent_of(mask, 0), count_of_all(counts)), call);
}

Term cut_mask(const Term& mask, const Term& array, const Call& call) {
  return zipped(mask, array, call, [](const Term& keep, const Term&) { return keep; });
}

Term cut_to_mask(const Term& mask, const Term& array, const Call& call) {
  return zipped(mask, array, call, [](const Term&, const Term& x) { return x; });
}

Term run_offsets(const Term& heads, const Call& call) {
  const Term extent = extent_of(heads, 0);
  const Term end = fill_array({i64::literal(1)}, extent, call.where);
  return concat(0, {kept_elements(heads, positions_in(heads, call), call), end}, call.operation,
                call.where);
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
