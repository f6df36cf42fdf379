// The rule for sorts of which only the first positions are used, and for gathers at these
// positions:
//   sort_first k (join xs)  =>  sort_first k (join (first k of sort_first k x_0, ...))
#include "passes/fission/rewriter.hpp"

#include <utility>

namespace hasten::passes::fission {

using namespace core;

// Positions after the first ones are unspecified.
bool Rewriter::cut_sort_for_first(const Binding& binding, const SortPositions& sort) {
  FirstOfParts firsts{
      here(), cut_of(sort.source), Parts(parts()), std::vector<Value>(parts()), none, none};
  const Parts keys = parts_in(sort.source, firsts.cut);
  const Value first = mapped(sort.first);
  const ArrayType numbers{1, {ScalarType::i64}};
  BlockWriter host = writer();
  firsts.count = host.host(ScalarOp::max, first, host.number(0));
  Parts positions(parts());
  for (const std::size_t k : order_) {
    const CutAt& at = cuts_[firsts.cut];
    firsts.orders[k] = make(binding, numbers, SortPositions{keys[k], {}, false, first}, k);
    firsts.counts[k] = host.host(ScalarOp::min, firsts.count, at.lengths[k]);
    RegionWriter code(to_);
    const Value local = code.load(firsts.orders[k], {code.parameter(ScalarType::i64)})[0];
    const Value place = code.prim(ScalarOp::add, ScalarType::i64, {local, at.at[k]});
    positions[k] = make(binding, numbers, Generate{{firsts.counts[k]}, code.take({place})}, k);
  }
  const ArrayId found = first_elements(binding, firsts, keys);
  firsts.order = make(binding, numbers, SortPositions{found, {}, false, first}, none);
  define_first(binding, firsts, make(binding, numbers, Concat{0, positions, true}, none),
               cuts_[firsts.cut].at.back());
  firsts_.insert_or_assign(binding.results[0], std::move(firsts));
  return true;
}

// A vector at the first positions of such a sort, as carry_gathers writes it.
bool Rewriter::cut_gather_of_first(const Binding& binding, const Generate& gather) {
  const Region& fn = gather.fn;
  if (fn.params.size() != 1 || fn.body.size() != 1 + fn.results.size()) return false;
  const auto* const place = std::get_if<Load>(&fn.body[0].op);
  if (!place || place->index != fn.params) return false;
  const auto found = firsts_.find(place->array);
  if (found == firsts_.end() || !is_open(found->second.scope)) return false;
  ArrayId array = none;
  for (std::uint32_t leaf = 0; leaf < fn.results.size(); ++leaf) {
    const Stmt& stmt = fn.body[1 + leaf];
    const auto* const load = std::get_if<Load>(&stmt.op);
    if (!load || load->leaf != leaf || load->index != fn.body[0].results ||
        stmt.results[0] != fn.results[leaf] || (array != none && load->array != array))
      return false;
    array = load->array;
  }
  const FirstOfParts& firsts = found->second;
  define_first(binding, firsts, first_elements(binding, firsts, parts_in(array, firsts.cut)),
               mapped(gather.extent[0]));
  return true;
}

// The elements of parts at the positions that each part has found.
ArrayId Rewriter::first_elements(const Binding& binding, const FirstOfParts& firsts,
                                 const Parts& arrays) {
  const ArrayType type = to_.array_types[arrays[0]];
  Parts some(parts());
  for (const std::size_t k : order_) {
    RegionWriter code(to_);
    const Value index = code.parameter(ScalarType::i64);
    std::vector<Value> element = code.load(arrays[k], code.load(firsts.orders[k], {index}));
    some[k] = make(binding, type, Generate{{firsts.counts[k]}, code.take(std::move(element))}, k);
  }
  return make(binding, type, Concat{0, some, true}, none);
}

// There are as many positions as keys, and only the first ones are numbers of elements: the array
// is made where it is read, and stays whole, so that nobody stores it to take rows from.
void Rewriter::define_first(const Binding& binding, const FirstOfParts& firsts, ArrayId found,
                            Value extent) {
  const ArrayType type = to_.array_types[found];
  RegionWriter code(to_), meant(to_), others(to_);
  const Value index = code.parameter(ScalarType::i64);
  const Value is_meant = code.prim(ScalarOp::lt, ScalarType::boolean, {index, firsts.count});
  std::vector<Value> element = meant.load(found, meant.load(firsts.order, {index}));
  std::vector<Value> nothing = others.constants(type.leaves, std::vector<Bits>(type.leaves.size()));
  std::vector<Value> results =
      code.branch(is_meant, meant.take(std::move(element)), others.take(std::move(nothing)));
  static_cast<void>(make(binding, type, Generate{{extent}, code.take(std::move(results))}, none));
  scopes_.back().out->back().results = {binding.results[0]};
  define_whole(binding.results[0]);
  at_firsts_.insert(binding.results[0]);
}

}  // namespace hasten::passes::fission
