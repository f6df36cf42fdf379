// Elements of delayed arrays are computed once per index and region: elements_ caches them.
#include "kernels/kernel_builder.hpp"

#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace hasten::kernels {

using namespace core;

std::vector<Value> KernelBuilder::begin(std::span<const ScalarType> params) {
  open_.emplace_back();
  return define_params(params);
}

std::vector<Value> KernelBuilder::define_params(std::span<const ScalarType> types) {
  for (ScalarType type : types) {
    open_.back().params.push_back(new_value(type));
    depth_.back() = open_.size();
  }
  return open_.back().params;
}

Region KernelBuilder::end(std::vector<Value> results) {
  Region region = std::move(open_.back());
  open_.pop_back();
  region.results = std::move(results);
  region.body.insert(region.body.begin(), std::make_move_iterator(constants_.begin()),
                     std::make_move_iterator(constants_.end()));
  constants_.clear();
  constant_values_.clear();
  elements_.clear();
  element_undo_.clear();
  failed_ = none;
  return region;
}

Value KernelBuilder::new_value(ScalarType type) {
  kernel.value_types.push_back(type);
  depth_.resize(kernel.value_types.size());
  return static_cast<Value>(kernel.value_types.size() - 1);
}

void KernelBuilder::emit(std::vector<Value> results, decltype(Stmt::op) op) {
  for (Value v : results) depth_[v] = open_.size();
  if (const auto* prim = std::get_if<Prim>(&op)) note_widened(*prim, results[0]);
  open_.back().body.push_back({std::move(results), std::move(op)});
}

void KernelBuilder::note_widened(const Prim& prim, Value result) {
  if (prim.op != ScalarOp::cast || kernel.value_types[result] != ScalarType::i64) return;
  const ScalarType from = kernel.value_types[prim.args[0]];
  if (detail::is_integral(from) && detail::size_in_bytes(from) <= 4)
    widened_.emplace(result, prim.args[0]);
}

Value KernelBuilder::emit_prim(ScalarOp op, ScalarType type, std::vector<Value> args) {
  const Value result = new_value(type);
  emit({result}, Prim{op, std::move(args)});
  return result;
}

Value KernelBuilder::emit_constant(ScalarType type, Bits bits) {
  if (bits.hi != 0) {  // complex: rare, not worth a table
    const Value result = new_value(type);
    emit({result}, Constant{bits, none});
    return result;
  }
  auto [it, is_new] =
      constant_values_.try_emplace({bits.lo, static_cast<std::uint32_t>(type)}, none);
  if (is_new) {
    it->second = new_value(type);
    constants_.push_back({{it->second}, Constant{bits, none}});
  }
  return it->second;
}

Value KernelBuilder::capture(Value host) {
  if (auto it = env_.constants.find(host); it != env_.constants.end())
    return emit_constant(env_.program->value_types[host], it->second);
  return capture_argument(host);
}

Value KernelBuilder::capture_argument(Value host) {
  auto [it, is_new] = captured_.try_emplace(host, none);
  if (is_new) {
    it->second = new_value(env_.program->value_types[host]);
    kernel.scalars.push_back(it->second);
    arguments.push_back({host, none, 0});
  }
  return it->second;
}

Value KernelBuilder::extent(ArrayId array, std::uint32_t axis) {
  if (env_.is_delayed(array)) return capture(env_.extents[array][axis]);
  auto [it, is_new] = extents_.try_emplace({array, axis}, none);
  if (is_new) {
    it->second = new_value(ScalarType::i64);
    kernel.scalars.push_back(it->second);
    arguments.push_back({none, array, axis});
  }
  return it->second;
}

// -- reads --------------------------------------------------------------------------------------

Value KernelBuilder::input(ArrayId array, std::uint32_t leaf, Value linear) {
  const ScalarType type = env_.program->array_types[array].leaves[leaf];
  auto [it, is_new] = input_numbers_.try_emplace({array, leaf}, 0);
  if (is_new) {
    it->second = static_cast<std::uint32_t>(inputs.size());
    inputs.push_back({array, leaf});
    kernel.inputs.push_back(type);
  }
  const Value result = new_value(type);
  emit({result}, LoadLinear{it->second, 0, linear});
  return result;
}

std::vector<Value> KernelBuilder::load(ArrayId array, Value linear) {
  std::vector<Value> result;
  const auto leaves = env_.program->array_types[array].leaves.size();
  result.reserve(leaves);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) result.push_back(input(array, leaf, linear));
  return result;
}

Value KernelBuilder::linear_index(ArrayId array, const std::vector<Value>& index) {
  if (index.empty()) return emit_constant(ScalarType::i64, {});
  const bool in_place = index == space_index;
  if (in_place) arrays_in_place.insert(array);
  Value linear = index[0];
  for (std::uint32_t axis = 1; axis < index.size(); ++axis) {
    const Value row = emit_prim(ScalarOp::mul, ScalarType::i64, {linear, extent(array, axis)});
    linear = emit_prim(ScalarOp::add, ScalarType::i64, {row, index[axis]});
    if (in_place) addresses_in_place.insert({row, linear});
  }
  return linear;
}

std::vector<Value> KernelBuilder::index_of_linear(ArrayId array, Value linear) {
  std::vector<Value> index(env_.rank(array));
  for (std::uint32_t axis = env_.rank(array); axis-- > 1;) {
    const Value n = extent(array, axis);
    index[axis] = emit_prim(ScalarOp::rem, ScalarType::i64, {linear, n});
    linear = emit_prim(ScalarOp::quot, ScalarType::i64, {linear, n});
  }
  index[0] = linear;
  return index;
}

std::vector<Value> KernelBuilder::element_at(ArrayId array, const std::vector<Value>& index) {
  ElementKey key{array, index};
  auto it = elements_.find(key);
  if (it != elements_.end() && it->second.depth <= open_.size()) return it->second.leaves;
  std::vector<Value> result = env_.is_delayed(array) ? compute_at(*env_.producer[array], index)
                                                     : load(array, linear_index(array, index));
  note_inlined(array);
  set_element(array, index, result);
  return result;
}

void KernelBuilder::set_element(ArrayId array, const std::vector<Value>& index,
                                const std::vector<Value>& element) {
  std::size_t depth = 1;
  for (Value v : element) depth = std::max(depth, depth_[v]);
  ElementKey key{array, index};
  elements_[key] = {element, depth};
  if (element_undo_.size() <= depth) element_undo_.resize(depth + 1);
  element_undo_[depth].push_back(std::move(key));
}

std::vector<Value> KernelBuilder::made_at(const Binding& binding, const std::vector<Value>& index) {
  const ArrayId array = binding.results[0];
  if (auto it = elements_.find({array, index}); it != elements_.end()) return it->second.leaves;
  const std::vector<Value> element = compute_at(binding, index);
  set_element(array, index, element);
  return element;
}

// Forgets the elements of the innermost region, which ends. Those found again further out stay.
void KernelBuilder::forget_elements() {
  const std::size_t depth = open_.size();
  if (element_undo_.size() <= depth) return;
  for (const ElementKey& key : element_undo_[depth])
    if (auto it = elements_.find(key); it != elements_.end() && it->second.depth == depth)
      elements_.erase(it);
  element_undo_[depth].clear();
}

// Emitted in the outermost region that knows the index: a value that is uniform along a row in one
// stage is uniform in all stages of the row, whichever stage requests it first.
std::vector<Value> KernelBuilder::reduce_at(const Fold& fold, const std::vector<Value>& index) {
  if (checks_ != Checks::none) throw InternalError("kernels: a stage of a kernel that is checked");
  std::size_t depth = 1;
  for (Value v : index) depth = std::max(depth, depth_[v]);
  InnerRegions inner = set_aside(depth);
  const std::vector<ScalarType>& leaves = env_.program->array_types[fold.source].leaves;
  Reduce reduce;
  reduce.begin = emit_constant(ScalarType::i64, {});
  reduce.end = extent(fold.source, static_cast<std::uint32_t>(index.size()));
  for (Value seed : fold.seed) reduce.seed.push_back(capture(seed));
  const ScalarType step[] = {ScalarType::i64};
  reduce.element = nested(step, [&](const std::vector<Value>& k) {
    std::vector<Value> place = index;
    place.push_back(k[0]);
    return element_at(fold.source, place);
  });
  std::vector<ScalarType> pair = leaves;
  pair.insert(pair.end(), leaves.begin(), leaves.end());
  reduce.combine =
      nested(pair, [&](const std::vector<Value>& sides) { return inline_region(fold.fn, sides); });
  std::vector<Value> results;
  for (ScalarType type : leaves) results.push_back(new_value(type));
  emit(results, std::move(reduce));
  put_back(std::move(inner));
  return results;
}

KernelBuilder::InnerRegions KernelBuilder::set_aside(std::size_t depth) {
  InnerRegions inner;
  if (depth == open_.size()) return inner;
  const auto first = open_.begin() + static_cast<std::ptrdiff_t>(depth);
  inner.open.assign(std::make_move_iterator(first), std::make_move_iterator(open_.end()));
  open_.erase(first, open_.end());
  std::erase_if(elements_, [&](auto& element) {
    if (element.second.depth <= depth) return false;
    inner.elements.push_back(element);
    return true;
  });
  return inner;
}

void KernelBuilder::put_back(InnerRegions inner) {
  open_.insert(open_.end(), std::make_move_iterator(inner.open.begin()),
               std::make_move_iterator(inner.open.end()));
  for (auto& element : inner.elements) {
    if (!elements_.insert(element).second) continue;
    element_undo_[element.second.depth].push_back(element.first);
  }
}

std::vector<Value> KernelBuilder::neighbours_at(ArrayId vector, Value at) {
  const Value one = emit_constant(ScalarType::i64, {1, 0});
  const Value next = emit_prim(ScalarOp::add, ScalarType::i64, {at, one});
  return {element_at(vector, {at})[0], element_at(vector, {next})[0]};
}

namespace {

// Indices along the kept axes are in range.
AxisSet slice_inside(const Slice& slice) {
  AxisSet inside = slice.inside;
  for (std::size_t axis = 0; axis < slice.axes.size(); ++axis)
    if (slice.axes[axis] == none) inside |= all_axes(axis + 1) & ~all_axes(axis);
  return inside;
}

}  // namespace

std::vector<Value> KernelBuilder::compute_at(const Binding& binding,
                                             const std::vector<Value>& index) {
  using Element = std::vector<Value>;
  return match(
      binding.op, [&](const Generate& op) { return inline_region(op.fn, index); },
      [&](const Map& op) { return inline_region(op.fn, element_at(op.source, index)); },
      [&](const ZipWith& op) {
        Element args;
        for (ArrayId source : op.sources) {
          const Element element = element_at(source, index);
          args.insert(args.end(), element.begin(), element.end());
        }
        return inline_region(op.fn, args);
      },
      [&](const Backpermute& op) {
        return open_element_at({op.source, inline_region(op.fn, index), op.inside, op.some});
      },
      [&](const Replicate& op) {
        std::vector<Value> kept;
        for (std::size_t axis = 0; axis < op.axes.size(); ++axis)
          if (op.axes[axis] == none) kept.push_back(index[axis]);
        return element_at(op.source, kept);
      },
      [&](const Slice& op) {
        std::vector<Value> full;
        full.reserve(op.axes.size());
        std::size_t next = 0;
        for (Value axis : op.axes) full.push_back(axis == none ? index[next++] : capture(axis));
        // Under Checks::bounds the host has checked the index.
        if (has(checks_, Checks::bounds)) return element_at(op.source, full);
        return open_element_at({op.source, full, slice_inside(op), op.some});
      },
      [&](const Reshape& op) {
        return element_at_linear(op.source, linear_index(binding.results[0], index));
      },
      [&](const Demand& op) { return element_at(op.source, index); },
      [&](const Unit& op) {
        Element result;
        result.reserve(op.values.size());
        for (Value v : op.values) result.push_back(capture(v));
        return result;
      },
      [&](const Fold& op) { return reduce_at(op, index); },
      [](const OneOf<HostScalar, Use, Input, GenerateSegments, Rows, FoldSegments, Scan, Permute,
                     Concat, Compact, SortPositions, Compute, ArrayIf, ArrayWhile,
                     ForeignArrays> auto&) -> Element {
        throw InternalError("kernels: an operation that cannot be inlined is delayed");
      });
}

std::vector<Value> KernelBuilder::choice_at(const Compact& op, const std::vector<Value>& index) {
  std::vector<Value> choice = element_at(op.mask, index);
  const std::vector<Value> element = element_at(op.source, index);
  choice.insert(choice.end(), element.begin(), element.end());
  return choice;
}

std::vector<Value> KernelBuilder::update_at(const PermuteLoop& loop, ArrayId result,
                                            const std::vector<Value>& index) {
  const std::vector<Value> targets = element_at(loop.targets, index);
  const std::vector<Value> elements = element_at(loop.source, index);
  std::vector<Value> updates;
  for (std::size_t write = 0; write < loop.writes; ++write) {
    const auto of = [&](const std::vector<Value>& all) {
      return std::span(all).subspan(write * (all.size() / loop.writes), all.size() / loop.writes);
    };
    const std::vector<Value> update = write_at(loop, result, of(targets));
    const std::span<const Value> element = of(elements);
    updates.insert(updates.end(), update.begin(), update.end());
    updates.insert(updates.end(), element.begin(), element.end());
  }
  return updates;
}

std::vector<Value> KernelBuilder::write_at(const PermuteLoop& loop, ArrayId result,
                                           std::span<const Value> place) {
  Value keep = place[0];
  const std::vector<Value> target(place.begin() + 1, place.end());
  const auto both = [&](Value a, Value b) {
    return emit_prim(ScalarOp::and_, ScalarType::boolean, {a, b});
  };
  if (!loop.inside) {
    for (std::uint32_t axis = 0; axis < target.size(); ++axis) {
      const Value zero = emit_constant(ScalarType::i64, {});
      keep = both(keep, emit_prim(ScalarOp::ge, ScalarType::boolean, {target[axis], zero}));
      keep = both(
          keep, emit_prim(ScalarOp::lt, ScalarType::boolean, {target[axis], extent(result, axis)}));
    }
  }
  return {keep, linear_index(result, target)};
}

std::vector<Value> KernelBuilder::element_at_linear(ArrayId array, Value linear) {
  if (!env_.is_delayed(array)) return load(array, linear);
  if (env_.rank(array) == 0) return element_at(array, {});
  if (env_.rank(array) == 1) return element_at(array, {linear});
  std::vector<Value> result = compute_at_linear(*env_.producer[array], linear);
  note_inlined(array);
  return result;
}

void KernelBuilder::note_inlined(ArrayId array) {
  if (env_.is_delayed(array) && noted_.insert(array).second)
    inlined.push_back(env_.producer[array]);
}

bool KernelBuilder::have_one_space(const std::vector<ArrayId>& arrays) const {
  return std::ranges::all_of(arrays, [&](ArrayId a) {
    return a == arrays[0] ||
           (!env_.extents[a].empty() && env_.extents[a] == env_.extents[arrays[0]]);
  });
}

std::vector<Value> KernelBuilder::compute_at_linear(const Binding& binding, Value linear) {
  if (auto* x = std::get_if<Map>(&binding.op))
    return inline_region(x->fn, element_at_linear(x->source, linear));
  if (auto* x = std::get_if<Reshape>(&binding.op)) return element_at_linear(x->source, linear);
  if (auto* x = std::get_if<Demand>(&binding.op)) return element_at_linear(x->source, linear);
  if (auto* x = std::get_if<ZipWith>(&binding.op); x && have_one_space(x->sources)) {
    std::vector<Value> args;
    for (ArrayId source : x->sources) {
      const std::vector<Value> element = element_at_linear(source, linear);
      args.insert(args.end(), element.begin(), element.end());
    }
    return inline_region(x->fn, args);
  }
  return element_at(binding.results[0], index_of_linear(binding.results[0], linear));
}

// -- inlining of scalar code --------------------------------------------------------------------

Value KernelBuilder::mapped(const ValueMap& map, Value value) {
  auto it = map.find(value);
  return it != map.end() ? it->second : capture(value);
}

std::vector<Value> KernelBuilder::mapped(const ValueMap& map, const std::vector<Value>& values) {
  std::vector<Value> result;
  result.reserve(values.size());
  for (Value v : values) result.push_back(mapped(map, v));
  return result;
}

std::vector<Value> KernelBuilder::inline_region(const Region& fn, const std::vector<Value>& args) {
  ValueMap map;
  for (std::size_t i = 0; i < args.size(); ++i) map[fn.params[i]] = args[i];
  inline_body(fn, map);
  return mapped(map, fn.results);
}

void KernelBuilder::inline_body(const Region& region, ValueMap& map) {
  for (const Stmt& stmt : region.body) inline_stmt(stmt, map);
}

Region KernelBuilder::nested(std::span<const ScalarType> params,
                             FunctionRef<std::vector<Value>(const std::vector<Value>&)> f) {
  const Value failed_outside = std::exchange(failed_, none);
  open_.emplace_back();
  const std::vector<Value> values = define_params(params);
  std::vector<Value> results = f(values);
  forget_elements();
  Region inner = std::move(open_.back());
  open_.pop_back();
  inner.results = std::move(results);
  failed_ = failed_outside;
  return inner;
}

Region KernelBuilder::inline_nested(const Region& region, ValueMap& map, Value& failed) {
  std::vector<ScalarType> types;
  for (Value param : region.params) types.push_back(env_.program->value_types[param]);
  return nested(types, [&](const std::vector<Value>& params) {
    for (std::size_t i = 0; i < params.size(); ++i) map[region.params[i]] = params[i];
    inline_body(region, map);
    failed = failed_;
    return mapped(map, region.results);
  });
}

void KernelBuilder::inline_branch(const If& branch, std::vector<Value> results, ValueMap& map) {
  const Value condition = mapped(map, branch.condition);
  Value failed[2];
  Region then_ = inline_nested(branch.then_, map, failed[0]);
  Region else_ = inline_nested(branch.else_, map, failed[1]);
  const bool can_fail = failed[0] != none || failed[1] != none;
  if (can_fail) {
    const Value no = emit_constant(ScalarType::boolean, {});
    then_.results.push_back(failed[0] == none ? no : failed[0]);
    else_.results.push_back(failed[1] == none ? no : failed[1]);
    results.push_back(new_value(ScalarType::boolean));
  }
  emit(results, If{condition, std::move(then_), std::move(else_)});
  if (can_fail) note_failure(results.back());
}

void KernelBuilder::inline_loop(const While& loop, std::vector<Value> results, ValueMap& map) {
  if (checks_ != Checks::none && inline_checked_loop(loop, results, map)) return;
  std::vector<Value> init = mapped(map, loop.init);
  Value failed = none;
  Region condition = inline_nested(loop.condition, map, failed);
  Region body = inline_nested(loop.body, map, failed);
  emit(std::move(results), While{std::move(init), std::move(condition), std::move(body)});
}

void KernelBuilder::inline_stmt(const Stmt& stmt, ValueMap& map) {
  const auto& types = env_.program->value_types;
  const auto fresh = [&] {
    std::vector<Value> results;
    for (Value v : stmt.results) {
      results.push_back(new_value(types[v]));
      map[v] = results.back();
    }
    return results;
  };
  match(
      stmt.op,
      [&](const Constant& op) {
        map[stmt.results[0]] = emit_constant(types[stmt.results[0]], op.bits);
      },
      [&](const Prim& op) {
        std::vector<Value> args = mapped(map, op.args);
        check_divisor(op, args);
        emit(fresh(), Prim{op.op, std::move(args)});
      },
      [&](const If& op) { inline_branch(op, fresh(), map); },
      [&](const While& op) { inline_loop(op, fresh(), map); },
      [&](const Load& op) {
        map[stmt.results[0]] =
            open_element_at({op.array, mapped(map, op.index), op.inside, op.some})[op.leaf];
      },
      [&](const LoadLinear& op) {
        const Value linear = mapped(map, op.index);
        map[stmt.results[0]] = open_element_at_linear(op.array, linear, op.inside)[op.leaf];
      },
      [&](const Extent& op) { map[stmt.results[0]] = extent(op.array, op.axis); },
      [&](const ForeignCall& op) {
        if (!op.fallback.results.empty())
          throw InternalError("kernels: no foreign function was chosen");
        std::vector<Value> args = mapped(map, op.args);
        emit(fresh(), ForeignCall{op.functions, std::move(args), {}});
      },
      [&](const Extract& op) {
        const Value index = mapped(map, op.index);
        emit(fresh(), Extract{index, mapped(map, op.elements)});
      },
      [&](const Insert& op) {
        const Value index = mapped(map, op.index), element = mapped(map, op.element);
        emit(fresh(), Insert{index, element, mapped(map, op.elements)});
      },
      [](const Reduce&) { throw InternalError("kernels: a reduction outside kernels"); });
}

}  // namespace hasten::kernels
