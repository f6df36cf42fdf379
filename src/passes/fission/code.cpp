// Functions of parts: the same code at an index that begins where the part does. It reads parts for
// rows near its own, and wholes elsewhere.
#include "passes/fission/rewriter.hpp"

#include "passes/walk.hpp"

#include <algorithm>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

Region Rewriter::copy(const Region& fn) {
  Renaming renaming;
  Region result = clone(fn, renaming, to_);
  use_wholes(result);
  return result;
}

ArrayId Rewriter::make(const Binding& like, ArrayType type, ArrayOp op, std::size_t device) {
  Binding binding;
  binding.results = {to_.new_array(std::move(type))};
  binding.op = std::move(op);
  binding.where = like.where;
  binding.operation = like.operation;
  binding.device = static_cast<std::uint32_t>(device);
  scopes_.back().out->push_back(binding);
  return binding.results[0];
}

// -- reads ----------------------------------------------------------------------------------------

std::optional<RowRange> Rewriter::rows_read(const Load& load, Cut cut,
                                            const RowReads& reads) const {
  if (load.index.empty() || !contains(load.inside, 0) || load.array >= forms_.size())
    return std::nullopt;
  const auto range = reads.of(load.index[0]);
  if (!range) return std::nullopt;
  const bool is_of_axis = named_cut(known(symbol(load.array))) == cut;
  if (!is_of_axis && at_firsts_.contains(load.array)) return std::nullopt;
  return (is_of_axis ? can_be_near(cut, *range) : !range->wraps) ? range : std::nullopt;
}

Rewriter::Near Rewriter::near(ArrayId array, Cut cut, std::size_t part, const RowRange& range) {
  if (named_cut(known(symbol(array))) != cut) return near_of_other(array, cut, part, range);
  if (range.wraps) return near_wrapped(array, cut, part, range);
  Near result;
  BlockWriter code = writer();
  const CutAt& at = cuts_[cut];
  result.begin = at.at[part];
  if (range.first == 0 && range.last == 0) {
    result.own = parts_in(array, cut)[part];
  } else if (forms_[array].is_whole) {
    const Value zero = code.number(0);
    const Value first = code.host(ScalarOp::add, at.at[part], code.number(range.first));
    const Value last = code.host(ScalarOp::add, at.at[part + 1], code.number(range.last));
    result.begin = code.host(ScalarOp::max, zero, code.host(ScalarOp::min, first, at.at[part]));
    const Value beyond = code.host(ScalarOp::max, last, at.at[part + 1]);
    const Value end = code.host(ScalarOp::min, at.at.back(), beyond);
    result.own = code.add(to_.array_types[array], Rows{array, result.begin, end});
  } else if (slices_borders_) {
    result.own = parts_in(array, cut)[part];
    const auto rows = [&](Value begin, Value end) {
      return code.add(to_.array_types[array], Rows{joined(array, cut), begin, end});
    };
    if (range.first < 0 && part > 0) {
      const Value reach = code.host(ScalarOp::sub, at.at[part], code.number(-range.first));
      result.before_begin = code.host(ScalarOp::max, reach, code.number(0));
      result.before = rows(result.before_begin, at.at[part]);
    }
    if (range.last > 0 && part + 1 < devices()) {
      const Value reach = code.host(ScalarOp::add, at.at[part + 1], code.number(range.last));
      result.after = rows(at.at[part + 1], code.host(ScalarOp::min, reach, at.at.back()));
    }
  } else {
    const Parts parts = parts_in(array, cut);
    result.own = parts[part];
    if (const auto others = parts_before(part); range.first < 0 && !others.empty()) {
      const Value reach = code.host(ScalarOp::sub, at.at[part], code.number(-range.first));
      result.before_begin = code.host(ScalarOp::max, reach, code.number(0));
      result.before = border(parts, cut, others, result.before_begin, at.at[part]);
    }
    if (const auto others = parts_after(part); range.last > 0 && !others.empty()) {
      const Value reach = code.host(ScalarOp::add, at.at[part + 1], code.number(range.last));
      const Value end = code.host(ScalarOp::min, reach, at.at.back());
      result.after = border(parts, cut, others, at.at[part + 1], end);
    }
  }
  return result;
}

// The last rows precede the first row, and the first rows follow the last; never more rows than
// exist. With parts in time, rows of the other end are in few parts: no part is shorter than the
// rows that are near, except a device's last part with rows.
Rewriter::Near Rewriter::near_wrapped(ArrayId array, Cut cut, std::size_t part,
                                      const RowRange& range) {
  Near result;
  BlockWriter code = writer();
  result.own = parts_in(array, cut)[part];
  const std::vector<Value> at = cuts_[cut].at;
  result.begin = at[part];
  const Value zero = code.number(0), all = at.back(), end = at[part + 1];
  const bool is_first = part % in_time_ == 0;
  if (range.first < 0) {
    const Value count = code.host(ScalarOp::min, code.number(-range.first), all);
    result.before_begin = code.host(ScalarOp::sub, at[part], count);
    Parts pieces;
    if (is_first) {
      std::vector<std::size_t> behind;
      for (std::size_t k = part; k < parts(); ++k) behind.push_back(k);
      const Value from = code.host(ScalarOp::add, result.before_begin, all);
      pieces.push_back(some_rows(array, cut, behind, code.host(ScalarOp::min, from, all), all));
    }
    if (const auto others = parts_before(part); !others.empty())
      pieces.push_back(some_rows(array, cut, others,
                                 code.host(ScalarOp::max, result.before_begin, zero), at[part]));
    result.before = one_after_other(pieces);
  }
  if (range.last > 0) {
    const Value count = code.host(ScalarOp::min, code.number(range.last), all);
    const Value to = code.host(ScalarOp::add, end, count);
    Parts pieces;
    if (const auto others = parts_after(part); !others.empty())
      pieces.push_back(some_rows(array, cut, others, end, code.host(ScalarOp::min, to, all)));
    std::vector<std::size_t> firsts;
    for (std::size_t k = 0; k <= part; k += in_time_) firsts.push_back(k);
    const Value beyond = code.host(ScalarOp::sub, to, all);
    pieces.push_back(some_rows(array, cut, firsts, zero, code.host(ScalarOp::max, beyond, zero)));
    result.after = one_after_other(pieces);
  }
  return result;
}

// The rows [begin, end), which are in these parts.
ArrayId Rewriter::some_rows(ArrayId array, Cut cut, const std::vector<std::size_t>& parts,
                            Value begin, Value end) {
  if (!forms_[array].is_whole && !slices_borders_)
    return border(parts_in(array, cut), cut, parts, begin, end);
  const ArrayId all = forms_[array].is_whole ? array : joined(array, cut);
  return writer().add(to_.array_types[array], Rows{all, begin, end});
}

ArrayId Rewriter::one_after_other(const Parts& pieces) {
  if (pieces.size() == 1) return pieces[0];
  return writer().add(to_.array_types[pieces[0]], Concat{0, pieces, true});
}

// All parts joined, to take rows from: for joins that are no copies.
ArrayId Rewriter::joined(ArrayId array, Cut cut) {
  const Parts parts = parts_in(array, cut);
  const auto known = joins_.find(parts[0]);
  if (known != joins_.end() && is_open(known->second.scope)) return known->second.array;
  Binding join;
  join.results = {to_.new_array(to_.array_types[array])};
  join.op = Concat{0, parts, true};
  join.where = like_->where;
  join.operation = "join";
  const std::size_t scope = cutting(array, cut)->scope;
  joins_[parts[0]] = {join.results[0], scope};
  out_of(scope).push_back(join);
  return join.results[0];
}

// Rows of other parts: their devices copy the rows they have, and the copies move.
ArrayId Rewriter::border(const Parts& parts, Cut cut, const std::vector<std::size_t>& others,
                         Value begin, Value end) {
  BlockWriter code = writer();
  Parts pieces;
  for (const std::size_t j : others) {
    const Value from = cuts_[cut].at[j], to = cuts_[cut].at[j + 1];
    const auto local = [&](Value row) {
      const Value clamped = code.host(ScalarOp::min, to, code.host(ScalarOp::max, row, from));
      return code.host(ScalarOp::sub, clamped, from);
    };
    const Value first = local(begin);
    const Value count = code.host(ScalarOp::sub, local(end), first);
    pieces.push_back(rows_of_part(parts[j], j, first, count));
  }
  return one_after_other(pieces);
}

ArrayId Rewriter::rows_of_part(ArrayId part, std::size_t device, Value begin, Value count) {
  const ArrayType type = to_.array_types[part];
  std::vector<Value> extents{count};
  for (std::uint32_t axis = 1; axis < type.rank; ++axis)
    extents.push_back(writer().host(ScalarType::i64, Extent{part, axis}));
  RegionWriter code(to_);
  std::vector<Value> index = code.parameters(std::vector<ScalarType>(type.rank, ScalarType::i64));
  index[0] = code.prim(ScalarOp::add, ScalarType::i64, {index[0], begin});
  return make(*like_, type,
              Backpermute{std::move(extents), code.take(index), part, all_axes(type.rank), true},
              device);
}

// `index` less the first row of an array.
Load Rewriter::moved(Load load, ArrayId array, Value begin, std::vector<Stmt>& before) {
  const Value local = to_.new_value(ScalarType::i64);
  before.push_back({{local}, Prim{ScalarOp::sub, {load.index[0], begin}}});
  load.array = array;
  load.index[0] = local;
  return load;
}

// Reads from one of several arrays, chosen by the row among those that may contain it.
void Rewriter::read_near(const Stmt& stmt, Near near, const RowRange& range, Cut cut,
                         std::size_t part, std::vector<Stmt>& body) {
  if (range.first >= 0) near.before = none;
  if (range.last <= 0) near.after = none;
  const Load& load = std::get<Load>(stmt.op);
  const auto region_of_load = [&](ArrayId array, Value begin, Value result) {
    Region region;
    Load read = moved(load, array, begin, region.body);
    region.body.push_back({{result}, std::move(read)});
    region.results = {result};
    return region;
  };
  const Value result = stmt.results[0];
  const ScalarType type = to_.value_types[result];
  if (near.before == none && near.after == none) {
    Load read = moved(load, near.own, near.begin, body);
    body.push_back({{result}, std::move(read)});
    return;
  }
  if (range.wraps) {
    Region chosen = wrapped(load, near, cut, part, type);
    chosen.body.back().results = {result};
    for (Stmt& each : chosen.body) body.push_back(std::move(each));
    return;
  }
  Region inner = region_of_load(near.own, near.begin, to_.new_value(type));
  const auto choose = [&](ScalarOp op, Value bound, Region there) {
    Region both;
    const Value is_there = to_.new_value(ScalarType::boolean), chosen = to_.new_value(type);
    both.body.push_back({{is_there}, Prim{op, {load.index[0], bound}}});
    both.body.push_back({{chosen}, If{is_there, std::move(there), std::move(inner)}});
    both.results = {chosen};
    inner = std::move(both);
  };
  const CutAt& at = cuts_[cut];
  if (near.after != none)
    choose(ScalarOp::ge, at.at[part + 1],
           region_of_load(near.after, at.at[part + 1], to_.new_value(type)));
  if (near.before != none)
    choose(ScalarOp::lt, at.at[part],
           region_of_load(near.before, near.before_begin, to_.new_value(type)));
  // The outermost choice is this statement.
  inner.body.back().results = {result};
  for (Stmt& each : inner.body) body.push_back(std::move(each));
}

// Reads a row of the part, or else one of the rows around it, which are numbered consecutively from
// end to end.
Region Rewriter::wrapped(const Load& load, const Near& near, Cut cut, std::size_t part,
                         ScalarType type) {
  const std::vector<Value>& at = cuts_[cut].at;
  const ScalarType number = ScalarType::i64;
  const Value row = load.index[0];
  const auto distance = [&](RegionWriter& code, Value from) {
    const Value less = code.prim(ScalarOp::sub, number, {row, from});
    return code.prim(ScalarOp::mod, number, {less, at.back()});
  };
  const auto read = [&](RegionWriter& code, ArrayId array, Value index) {
    Load there = load;
    there.array = array;
    there.index[0] = index;
    const Value element = to_.new_value(type);
    code.add({{element}, std::move(there)});
    return element;
  };
  RegionWriter code(to_), own(to_), around(to_);
  const Value element = read(own, near.own, own.prim(ScalarOp::sub, number, {row, near.begin}));
  Value other = none;
  if (near.after == none) {
    other = read(around, near.before, distance(around, near.before_begin));
  } else if (near.before == none) {
    other = read(around, near.after, distance(around, at[part + 1]));
  } else {
    RegionWriter before(to_), after(to_);
    const Value rows = around.prim(ScalarOp::sub, number, {at[part], near.before_begin});
    const Value place = distance(around, near.before_begin);
    const Value is_before = around.prim(ScalarOp::lt, ScalarType::boolean, {place, rows});
    const Value first = read(before, near.before, place);
    const Value last = read(after, near.after, distance(after, at[part + 1]));
    other = around.branch(is_before, before.take({first}), after.take({last}))[0];
  }
  const Value begun = code.prim(ScalarOp::ge, ScalarType::boolean, {row, at[part]});
  const Value goes_on = code.prim(ScalarOp::lt, ScalarType::boolean, {row, at[part + 1]});
  const Value is_own = code.prim(ScalarOp::and_, ScalarType::boolean, {begun, goes_on});
  const std::vector<Value> results = code.branch(is_own, own.take({element}), around.take({other}));
  return code.take(results);
}

// -- functions of an index ------------------------------------------------------------------------

Region Rewriter::at_part(const Region& fn, Cut cut, std::size_t part, Symbol axis,
                         std::size_t param) {
  Renaming renaming;
  Region result = clone(fn, renaming, to_);
  read_parts(result, {result.params[param]}, cut, part, axis);
  const Value index = result.params[param], local = to_.new_value(ScalarType::i64);
  result.params[param] = local;
  result.body.insert(result.body.begin(),
                     {{index}, Prim{ScalarOp::add, {local, cuts_[cut].at[part]}}});
  use_wholes(result);
  return result;
}

Region Rewriter::of_elements(const Region& fn, std::span<const ArrayId> sources, Cut cut,
                             std::size_t part, Symbol axis) {
  Renaming renaming;
  Region result = clone(fn, renaming, to_);
  std::vector<Value> rows;
  std::size_t param = 0;
  for (const ArrayId source : sources) {
    const auto* const made =
        producers_[source] ? std::get_if<Generate>(&producers_[source]->op) : nullptr;
    for (std::size_t leaf = 0; leaf < to_.array_types[source].leaves.size(); ++leaf, ++param)
      if (made && made->fn.results[leaf] == made->fn.params[0])
        rows.push_back(result.params[param]);
  }
  if (!rows.empty()) read_parts(result, rows, cut, part, axis);
  use_wholes(result);
  return result;
}

void Rewriter::read_parts(Region& result, const std::vector<Value>& rows, Cut cut, std::size_t part,
                          Symbol axis) {
  RowReads reads(to_, shapes_, from_.value_types.size(), axis);
  reads.walk(result, rows);
  std::map<ArrayId, RowRange> ranges;
  for_each_region(result, [&](Region& region) {
    for (const Stmt& stmt : region.body)
      if (const auto* load = std::get_if<Load>(&stmt.op))
        if (const auto range = rows_read(*load, cut, reads)) {
          ranges[load->array].include(*range);
        }
  });
  std::map<ArrayId, Near> nears;
  for (const auto& [array, range] : ranges) nears[array] = near(array, cut, part, range);
  for_each_region(result, [&](Region& region) {
    std::vector<Stmt> body;
    for (Stmt& stmt : region.body) {
      const auto* load = std::get_if<Load>(&stmt.op);
      const auto range = load ? rows_read(*load, cut, reads) : std::nullopt;
      if (range)
        read_near(stmt, nears.at(load->array), *range, cut, part, body);
      else
        body.push_back(std::move(stmt));
    }
    region.body = std::move(body);
  });
}

}  // namespace hasten::passes::fission
