// Scatter and histogram, made from permute.
#include <hasten/detail/terms/permute.hpp>

#include "surface/derived.hpp"

namespace hasten::detail {
namespace {

Term always() { return constant(ScalarType::boolean, {1, 0}, LiteralMode::baked); }

std::vector<Term> as_i64(std::vector<Term> components) {
  for (Term& component : components) component = cast_term(component, ScalarType::i64);
  return components;
}

Term scatter_targets(const Term& targets, const Term& mask, const Call& call) {
  const auto target = [](const Term& index, const Term& keep) {
    return target_term(keep, as_i64(components_of(index)));
  };
  if (mask) return zipped(targets, mask, call, target);
  return mapped(targets, call, [&](const Term& index) { return target(index, always()); });
}

}  // namespace

Function new_element(Type type, const Call& call) { return left_of(type, call); }

Term target_term(const Term& keep, std::span<const Term> index) {
  std::vector<Term> members{keep};
  members.insert(members.end(), index.begin(), index.end());
  return tuple_of(members);
}

Term scatter_array(const Term& targets, const Term& mask, const Term& defaults, const Term& values,
                   const Call& call) {
  return permute(left_of(type_of(defaults), call), defaults,
                 {{scatter_targets(targets, mask, call), values}}, PermuteMode::combine,
                 call.operation, call.where);
}

Term count_bins(const Term& bins, const Term& bin_of_each, const Call& call) {
  const Term one = i64::literal(1);
  const Term ones = mapped(bin_of_each, call, [&](const Term&) { return one; });
  return sum_bins(bins, bin_of_each, ones, i64_operator(ScalarOp::add, call), i64::literal(0),
                  call);
}

Term sum_bins(const Term& bins, const Term& bin_of_each, const Term& weights, Function add,
              const Term& zero, const Call& call) {
  const Term zeros = fill_array({i64::not_negative(bins)}, zero, call.where);
  return permute(std::move(add), zeros, {{scatter_targets(bin_of_each, Term{}, call), weights}},
                 PermuteMode::combine, call.operation, call.where);
}

}  // namespace hasten::detail
