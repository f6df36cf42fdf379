// Visits blocks in order; makes forms of arrays and cuts of axes when they are first needed.
#include "passes/fission/rewriter.hpp"
#include "passes/fission/depth_first.hpp"
#include "passes/fission/order.hpp"
#include "passes/patterns/carry_gathers.hpp"

#include "passes/walk.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace hasten::passes {

using namespace core;

namespace fission {
namespace {

// The first parts of all devices, then the second parts, and so on. Within each, devices that run
// asynchronously come first.
std::vector<std::size_t> order_of(const FissionDevices& devices) {
  std::vector<std::size_t> order;
  for (std::size_t part = 0; part < devices.parts; ++part)
    for (const bool apart : {true, false})
      for (std::size_t k = 0; k < devices.works_apart.size(); ++k)
        if (devices.works_apart[k] == apart) order.push_back(k * devices.parts + part);
  return order;
}

}  // namespace

Rewriter::Rewriter(Program program, const FissionDevices& devices)
    : from_(std::move(program)),
      to_(from_),
      shapes_(from_),
      in_time_(devices.parts),
      order_(order_of(devices)),
      is_exact_(devices.is_exact),
      slices_borders_(devices.is_exact && !devices.works_apart[0]),
      seed_(devices.seed),
      forms_(from_.array_types.size()),
      producers_(from_.array_types.size()) {
  to_.body.bindings.clear();
  if (in_time()) rows_near_ = rows_near(from_.body);
  for (std::size_t k = 1; k < this->devices(); ++k)
    shares_.push_back(to_.new_value(ScalarType::i64));
  to_.scalar_inputs.insert(to_.scalar_inputs.end(), shares_.begin(), shares_.end());
}

Program Rewriter::take() {
  scopes_.push_back({next_scope_++, &to_.body.bindings});
  open_.push_back(true);
  for (const Binding& binding : from_.body.bindings) {
    rewrite(binding);
    note_counted(binding);
  }
  for (const ArrayId result : from_.body.results) whole(result);
  for (Value& value : to_.scalar_results) value = mapped(value);
  scopes_.pop_back();
  return std::move(to_);
}

void Rewriter::rewrite(const Binding& binding) {
  like_ = &binding;
  for (const ArrayId a : binding.results) producers_[a] = &binding;
  if (!binding.results.empty()) at_ = binding.results[0];
  if (const auto* scalar = std::get_if<HostScalar>(&binding.op)) {
    const auto* extent_of = std::get_if<Extent>(&scalar->stmt.op);
    if (extent_of && !forms_[extent_of->array].is_whole) {
      values_[scalar->stmt.results[0]] = extent(extent_of->array, extent_of->axis);
      return;
    }
    // A loop may be walked again, with other parts.
    for (const Value result : scalar->stmt.results) values_.erase(result);
  } else if (const auto* loop = std::get_if<ArrayWhile>(&binding.op)) {
    return rewrite_loop(binding, *loop);
  } else if (const auto* branch = std::get_if<ArrayIf>(&binding.op)) {
    return rewrite_branches(binding, *branch);
  } else if (wants() && cut(binding)) {
    return;
  }
  keep_whole(binding);
}

bool Rewriter::wants() {
  if (seed_ == 0) return true;
  seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
  return (seed_ >> 33) % 4 != 0;
}

// -- scopes ---------------------------------------------------------------------------------------

bool Rewriter::is_open(std::size_t scope) const { return open_[scope]; }

std::vector<Binding>& Rewriter::out_of(std::size_t scope) {
  for (const Scope& open : scopes_)
    if (open.id == scope) return *open.out;
  throw InternalError("fission: a block that has ended");
}

// -- wholes ---------------------------------------------------------------------------------------

void Rewriter::keep_whole(const Binding& binding) {
  Binding kept = binding;
  use_wholes(kept.op);
  scopes_.back().out->push_back(std::move(kept));
  for (const ArrayId a : binding.results) define_whole(a);
}

void Rewriter::use_wholes(ArrayOp& op) {
  if (auto* scalar = std::get_if<HostScalar>(&op)) return use_wholes(scalar->stmt);
  edit_operands(op, [&](Value& v) { v = mapped(v); }, [&](ArrayId& a) { a = whole(a); });
  if (Region* fn = region_of(op)) use_wholes(*fn);
}

void Rewriter::use_wholes(Stmt& stmt) {
  edit_operands(stmt, [&](Value& v) { v = mapped(v); }, [&](ArrayId& a) { a = whole(a); });
  edit_regions(stmt, [&](Region& region) { use_wholes(region); });
}

// Extents of cut arrays are numbers of the host.
void Rewriter::use_wholes(Region& fn) {
  for_each_region(fn, [&](Region& region) {
    std::erase_if(region.body, [&](Stmt& stmt) {
      const auto* of = std::get_if<Extent>(&stmt.op);
      if (!of) return false;
      values_.erase(stmt.results[0]);
      if (of->array >= forms_.size() || forms_[of->array].is_whole) return false;
      values_[stmt.results[0]] = extent(of->array, of->axis);
      return true;
    });
    for (Stmt& stmt : region.body)
      edit_operands(
          stmt, [](Value&) {},
          [&](ArrayId& a) {
            if (a < forms_.size()) a = whole(a);
          });
  });
  rename_uses(fn, values_);
}

void Rewriter::define_whole(ArrayId array) {
  forms_[array] = {};
  forms_[array].is_whole = true;
  forms_[array].scope = here();
}

// The join goes where all parts are defined, so that a loop does not join what does not change.
ArrayId Rewriter::whole(ArrayId array) {
  Form& form = forms_[array];
  if (form.is_whole) return array;
  const Form::Cutting* const parts = cutting(array);
  if (!parts) throw InternalError("fission: an array that is nowhere");
  joined_.insert(array);
  Binding join;
  join.results = {array};
  join.op = Concat{0, parts->parts, true, in_time() ? cuts_[parts->cut].at : std::vector<Value>()};
  if (like_) join.where = like_->where;
  join.operation = producers_[array] ? producers_[array]->operation : "join";
  form.is_whole = true;
  form.scope = parts->scope;
  out_of(parts->scope).push_back(std::move(join));
  return array;
}

// -- parts ----------------------------------------------------------------------------------------

const Rewriter::Form::Cutting* Rewriter::cutting(ArrayId array) const {
  for (const Form::Cutting& each : forms_[array].cuttings)
    if (each.is_all && is_open(each.scope) && is_open(cuts_[each.cut].scope)) return &each;
  return nullptr;
}

const Rewriter::Form::Cutting* Rewriter::cutting(ArrayId array, Cut cut) const {
  for (const Form::Cutting& each : forms_[array].cuttings)
    if (each.cut == cut && is_open(each.scope)) return &each;
  return nullptr;
}

void Rewriter::define_parts(ArrayId array, Cut cut, Parts parts) {
  forms_[array] = {};
  forms_[array].cuttings.push_back({cut, std::move(parts), here(), true});
}

Rewriter::Parts Rewriter::parts_in(ArrayId array, Cut cut) {
  if (const Form::Cutting* known = cutting(array, cut)) return known->parts;
  const bool is_all = named_cut(known(symbol(array))) == cut;
  constexpr int depth_max = 32;
  const Binding* const producer = producers_[array];
  if (!forms_[array].is_whole && producer && depth_ < depth_max && can_make_again(producer->op)) {
    ++depth_;
    const Binding* const like = std::exchange(like_, producer);
    Parts parts = make_parts(*producer, cut);
    like_ = like;
    --depth_;
    forms_[array].cuttings.push_back({cut, parts, here(), is_all});
    return parts;
  }
  whole(array);
  const std::size_t scope = std::max(forms_[array].scope, cuts_[cut].scope);
  Parts parts;
  for (std::size_t k = 0; k < this->parts(); ++k) {
    Binding rows;
    rows.results = {to_.new_array(to_.array_types[array])};
    rows.op = Rows{array, cuts_[cut].at[k], cuts_[cut].at[k + 1]};
    rows.where = like_->where;
    rows.operation = producers_[array] ? producers_[array]->operation : "rows";
    parts.push_back(rows.results[0]);
    out_of(scope).push_back(std::move(rows));
  }
  forms_[array].cuttings.push_back({cut, parts, scope, is_all, true});
  return parts;
}

// Whether it was never in parts that devices made.
bool Rewriter::is_in_host_memory(ArrayId array) const {
  const auto are_rows = [](const Form::Cutting& each) { return each.are_rows; };
  return forms_[array].is_whole && std::ranges::all_of(forms_[array].cuttings, are_rows);
}

// -- cuts -----------------------------------------------------------------------------------------

Symbol Rewriter::symbol(ArrayId array, std::size_t axis) const { return shapes_.of(array)[axis]; }

std::optional<Rewriter::Cut> Rewriter::named_cut(Symbol symbol) const {
  const auto found = cut_of_symbol_.find(symbol);
  if (found == cut_of_symbol_.end() || !is_open(cuts_[found->second].scope)) return std::nullopt;
  return found->second;
}

Rewriter::Cut Rewriter::cut_of(ArrayId array) {
  const Symbol of = known(symbol(array));
  if (const auto cut = named_cut(of)) return *cut;
  if (const Form::Cutting* parts = cutting(array)) {
    name_cut(of, parts->cut);
    return parts->cut;
  }
  return cut_for(of, extent(array, 0));
}

Rewriter::Cut Rewriter::cut_for(Symbol symbol, Value extent) {
  if (const auto cut = named_cut(symbol)) return *cut;
  const Cut cut = add_cut(points_of(extent));
  cuts_[cut].is_even = true;
  name_cut(symbol, cut);
  return cut;
}

Rewriter::Cut Rewriter::add_cut(std::vector<Value> at) {
  CutAt cut{std::move(at), {}, here()};
  BlockWriter code = writer();
  for (std::size_t k = 0; k + 1 < cut.at.size(); ++k)
    cut.lengths.push_back(code.host(ScalarOp::sub, cut.at[k + 1], cut.at[k]));
  cuts_.push_back(std::move(cut));
  return static_cast<Cut>(cuts_.size() - 1);
}

// The cut of rows each of which takes as many rows as `by` says for each row of `cut`. Rows as long
// as rows cut before reuse that cut: arrays of one space have one cut.
Rewriter::Cut Rewriter::scaled(Cut cut, std::span<const Value> by,
                               std::span<const Symbol> known_as) {
  std::pair key{cut, std::vector<Symbol>()};
  for (const Symbol symbol : known_as) key.second.push_back(known(symbol));
  const auto before = scaled_.find(key);
  if (before != scaled_.end() && is_open(cuts_[before->second].scope)) return before->second;
  std::vector<Value> at = cuts_[cut].at;
  BlockWriter code = writer();
  for (Value& point : at)
    for (const Value factor : by) point = code.host(ScalarOp::mul, point, factor);
  const Cut made = add_cut(std::move(at));
  cuts_[made].is_even = cuts_[cut].is_even;
  scaled_[std::move(key)] = made;
  return made;
}

std::vector<Value> Rewriter::points_of(Value extent) {
  BlockWriter code = writer();
  std::vector<Value> at{code.number(0)};
  for (const Value share : shares_) at.push_back(share_of(extent, share));
  at.push_back(extent);
  return in_time() ? points_in_time(at) : at;
}

// extent * share / whole_share, without wrapping sums or products; a multiple of 64 where that is
// little compared with the axis, so that parts begin where vectors do. The whole share is the whole
// extent.
Value Rewriter::share_of(Value extent, Value share) {
  BlockWriter code = writer();
  const Value one = code.number(1), all = code.number(is_exact_ ? exact_share : whole_share);
  const Value high = code.host(ScalarOp::mul, code.host(ScalarOp::quot, extent, all), share);
  const Value low = code.host(ScalarOp::mul, code.host(ScalarOp::rem, extent, all), share);
  const Value point = code.host(ScalarOp::add, high, code.host(ScalarOp::quot, low, all));
  if (is_exact_) return point;
  const Value little = code.host(ScalarOp::quot, extent, code.number(16));
  const Value unit =
      code.host(ScalarOp::max, one, code.host(ScalarOp::min, code.number(64), little));
  const Value rest = code.host(ScalarOp::sub, extent, point);
  const Value over = code.host(ScalarOp::rem, point, unit);
  const Value less = code.host(ScalarOp::mul, over, code.host(ScalarOp::min, rest, one));
  return code.host(ScalarOp::sub, point, less);
}

Value Rewriter::extent(ArrayId array, std::size_t axis) {
  const auto number = static_cast<std::uint32_t>(axis);
  // A replicated array has the extent of its source: its own elements may not be needed.
  const Binding* const producer = forms_[array].is_whole ? nullptr : producers_[array];
  const auto* const copies = producer ? std::get_if<Replicate>(&producer->op) : nullptr;
  if (copies && copies->axes[axis] == none) {
    const std::span<const Value> before(copies->axes.data(), axis);
    return extent(copies->source, static_cast<std::size_t>(std::ranges::count(before, none)));
  }
  const Form::Cutting* const parts = cutting(array);
  if (parts && axis == 0) return cuts_[parts->cut].at.back();  // also for joined arrays
  if (forms_[array].is_whole) return writer().host(ScalarType::i64, Extent{array, number});
  if (!parts) throw InternalError("fission: an array that is nowhere");
  return writer().host(ScalarType::i64, Extent{parts->parts[0], number});
}

Value Rewriter::mapped(Value value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? value : found->second;
}

std::vector<Value> Rewriter::mapped(std::vector<Value> values) const {
  for (Value& value : values)
    if (value != none) value = mapped(value);
  return values;
}

namespace {

// Removes what is unused in the end: joins, rows, and parts of inlined arrays.
class Sweeper {
 public:
  explicit Sweeper(std::size_t arrays) : used_(arrays) {}

  void sweep(Block& block) {
    for (const ArrayId a : block.results) use(a);
    std::vector<Binding> kept;
    for (auto it = block.bindings.rbegin(); it != block.bindings.rend(); ++it) {
      const auto* concat = std::get_if<Concat>(&it->op);
      const bool is_inlined =
          it->device != none && is_one_of<Generate, Map, ZipWith, Backpermute, Replicate>(it->op);
      const bool may_go =
          is_inlined || std::holds_alternative<Rows>(it->op) || (concat && concat->joins);
      if (may_go && !used_[it->results[0]]) continue;
      edit_blocks(it->op, [&](Block& inner) { sweep(inner); });
      for_each_use(*it, [](Value) {}, [&](ArrayId a) { use(a); });
      kept.push_back(std::move(*it));
    }
    std::ranges::reverse(kept);
    block.bindings = std::move(kept);
  }

 private:
  void use(ArrayId a) { used_[a] = true; }

  std::vector<bool> used_;
};

}  // namespace
}  // namespace fission

Program split_over_devices(Program program, const FissionDevices& devices) {
  if (devices.works_apart.size() * devices.parts < 2) return program;
  fission::Rewriter rewriter(carry_all_gathers(std::move(program)), devices);
  Program split = rewriter.take();
  fission::Sweeper(split.array_types.size()).sweep(split.body);
  // Devices that are processes each work through their own steps alone.
  if (devices.is_exact) return fission::told_early(std::move(split));
  if (devices.parts > 1) fission::go_depth_first(split, rewriter.order());
  return split;
}

}  // namespace hasten::passes
