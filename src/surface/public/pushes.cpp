// Push arrays: operations change the targets and values of writes.
#include <hasten/detail/terms/permute.hpp>
#include <hasten/detail/terms/pull_push.hpp>
#include <hasten/detail/trace.hpp>

#include "surface/derived.hpp"
#include "surface/guarded.hpp"
#include "surface/node.hpp"

#include <algorithm>
#include <utility>

namespace hasten::detail {
namespace {

using Index = std::span<const Term>;

/// The same writes, each transformed.
template <class F>
PushLoop changed(const PushLoop& loop, F f) {
  return {loop.space, loop.writes, [body = loop.body, f = std::move(f)](Index index) {
            std::vector<Write> writes = body(index);
            for (Write& write : writes) f(write);
            return writes;
          }};
}

template <class F>
std::vector<PushLoop> changed(std::vector<PushLoop> loops, F f) {
  for (PushLoop& loop : loops) loop = changed(loop, f);
  return loops;
}

/// Writes a pull array from this position on along an axis.
PushLoop loop_of(const PullTerms& pull, unsigned axis, const Term& begin) {
  return {pull.extent, 1, [at = pull.at, axis, begin](Index index) {
            std::vector<Term> to = copied(index);
            to[axis] = i64::add(to[axis], begin);
            return std::vector<Write>{{std::move(to), at(index)}};
          }};
}

std::vector<PushLoop> loops_of(const PushTerms& push) {
  if (push.parts.size() == 1)  // of any rank
    return {{push.extent, 1, [at = push.parts[0].at](Index index) {
               return std::vector<Write>{{copied(index), at(index)}};
             }}};
  std::vector<PushLoop> loops = push.loops;
  Term begin = i64::literal(0);
  for (const PullTerms& part : push.parts) {
    loops.push_back(loop_of(part, push.axis, begin));
    begin = i64::add(begin, part.extent[push.axis]);
  }
  return loops;
}

bool are_one(const Term& a, const Term& b) { return a.node()->identity == b.node()->identity; }

/// Requires two arrays to have the same extents, except along one axis.
void demand_equal(const std::vector<Term>& a, const std::vector<Term>& b, std::size_t but,
                  const char* message, const Call& call, std::vector<Guard>& guards) {
  for (std::size_t axis = 0; axis < a.size(); ++axis)
    if (axis != but && !are_one(a[axis], b[axis]))
      guards.push_back({i64::equal(a[axis], b[axis]), message, {a[axis], b[axis]}, call});
}

void append(std::vector<Guard>& guards, const std::vector<Guard>& more) {
  guards.insert(guards.end(), more.begin(), more.end());
}

bool have_one_space(const PushLoop& a, const PushLoop& b) {
  return std::equal(a.space.begin(), a.space.end(), b.space.begin(), b.space.end(), are_one);
}

/// Merges loops over one space into one with more writes: shared code is computed once.
std::vector<PushLoop> merged(const std::vector<PushLoop>& loops) {
  constexpr std::size_t writes_most = 8;
  std::vector<PushLoop> result;
  for (const PushLoop& loop : loops) {
    const auto like = std::find_if(result.begin(), result.end(), [&](const PushLoop& other) {
      return have_one_space(loop, other) && loop.writes + other.writes <= writes_most;
    });
    if (like == result.end()) {
      result.push_back(loop);
      continue;
    }
    like->writes += loop.writes;
    like->body = [first = like->body, second = loop.body](Index index) {
      std::vector<Write> writes = first(index), more = second(index);
      writes.insert(writes.end(), more.begin(), more.end());
      return writes;
    };
  }
  return result;
}

Term kept(Term array, const std::vector<Guard>& guards, const Call& call) {
  for (Guard guard : guards) {
    if (guard.call.where.line() == 0) guard.call.where = call.where;
    array = guarded(guard, array);
  }
  return compute(array, call.operation, call.where);
}

/// The values that a loop's iterations write, and their targets.
TargetsAndSource written(const PushLoop& loop, const Call& call) {
  const auto of_writes = [&](auto part) {
    return generated(loop.space, call, [&](const std::vector<Term>& index) {
      std::vector<Term> parts;
      for (const Write& write : loop.body(index)) parts.push_back(part(write));
      return tuple_of(parts);
    });
  };
  const Term keep = constant(ScalarType::boolean, {1, 0}, LiteralMode::baked);
  const Term targets =
      of_writes([&](const Write& write) { return target_term(keep, write.index); });
  const Term values = of_writes([](const Write& write) { return write.value; });
  return {targets, values};
}

/// The limit of the arguments that loops add to one kernel, an extent per axis and one more for
/// each loop: devices accept at least a hundred.
constexpr std::size_t numbers_most = 64;

/// The number of loops, from the first on, that one kernel takes.
std::size_t together(std::span<const PushLoop> loops) {
  std::size_t count = 0, numbers = 0;
  while (count < loops.size() && (numbers += loops[count].space.size() + 1) <= numbers_most)
    ++count;
  return std::max<std::size_t>(count, 1);
}

Term written(std::span<const PushLoop> loops, Term into, const Call& call) {
  // Later loops write what the first ones do not: no initial contents are needed.
  PermuteMode mode = PermuteMode::covering;
  while (!loops.empty()) {
    const std::size_t count = together(loops);
    std::vector<TargetsAndSource> parts;
    for (const PushLoop& loop : loops.first(count)) parts.push_back(written(loop, call));
    into = permute(left_of(type_of(into), call), into, parts, mode, call.operation, call.where);
    mode = PermuteMode::unique;
    loops = loops.subspan(count);
  }
  return into;
}

}  // namespace

PushTerms push_of(PullTerms pull) { return {pull.extent, pull.type, {std::move(pull)}, 0, {}}; }

Term force_push(const PushTerms& push, const Term& zero, const Call& call) {
  try {
    if (push.parts.size() == 1) return kept(generate_pull(push.parts[0], call), push.guards, call);
    const Term nothing = fill_array(push.extent, zero, call.where);
    return kept(written(merged(loops_of(push)), nothing, call), push.guards, call);
  } catch (const BuildError& error) {
    throw_placed(error, call.where);
  }
}

PushTerms map_push(const PushTerms& push, Type type,
                   const std::function<Term(Index, const Term&)>& f) {
  PushTerms result{push.extent, type, push.parts, push.axis, {}, push.guards};
  Term begin = i64::literal(0);
  for (PullTerms& part : result.parts) {
    const bool is_one = result.parts.size() == 1;
    part.type = type;
    part.at = [at = part.at, f, is_one, axis = push.axis, begin](Index index) {
      std::vector<Term> whole = copied(index);
      if (!is_one) whole[axis] = i64::add(whole[axis], begin);
      return f(whole, at(index));
    };
    if (!is_one) begin = i64::add(begin, part.extent[push.axis]);
  }
  result.loops =
      changed(push.loops, [f](Write& write) { write.value = f(write.index, write.value); });
  return result;
}

PushTerms swapped(const PushTerms& push, unsigned a, unsigned b) {
  PushTerms result = push;
  std::swap(result.extent[a], result.extent[b]);
  for (PullTerms& part : result.parts) part = swapped(part, a, b);
  if (push.axis == a || push.axis == b) result.axis = push.axis == a ? b : a;
  result.loops =
      changed(push.loops, [a, b](Write& write) { std::swap(write.index[a], write.index[b]); });
  return result;
}

PushTerms reversed(const PushTerms& push, unsigned axis) {
  PushTerms result = push;
  for (PullTerms& part : result.parts) part = reversed(part, axis);
  if (axis == push.axis) std::reverse(result.parts.begin(), result.parts.end());
  const Term last = i64::sub(push.extent[axis], i64::literal(1));
  result.loops = changed(push.loops, [axis, last](Write& write) {
    write.index[axis] = i64::sub(last, write.index[axis]);
  });
  return result;
}

PushTerms concat(unsigned axis, std::vector<PushTerms> parts, const Call& call) {
  const auto stays = [axis](const PushTerms& part) {
    return part.parts.size() == 1 || (!part.parts.empty() && part.axis == axis);
  };
  const bool stay = std::all_of(parts.begin(), parts.end(), stays);
  PushTerms result{parts[0].extent, parts[0].type, {}, axis, {}};
  Term begin = i64::literal(0);
  for (PushTerms& part : parts) {
    demand_equal(result.extent, part.extent, axis,
                 "the parts of a push array have other extents than along the axis where they "
                 "meet: {} and {}",
                 call, result.guards);
    append(result.guards, part.guards);
    // Clamps the other axes, so that no part exceeds them before the guard is checked.
    for (PullTerms& pull : part.parts)
      for (std::size_t other = 0; other < pull.extent.size(); ++other)
        if (other != axis && (part.parts.size() == 1 || other != part.axis) &&
            &part != parts.data())
          pull.extent[other] = i64::min(pull.extent[other], result.extent[other]);
    if (stay)
      result.parts.insert(result.parts.end(), part.parts.begin(), part.parts.end());
    else
      for (const PushLoop& loop : changed(loops_of(part), [axis, begin](Write& write) {
             write.index[axis] = i64::add(write.index[axis], begin);
           }))
        result.loops.push_back(loop);
    begin = i64::add(begin, part.extent[axis]);
  }
  result.extent[axis] = begin;
  return result;
}

PushTerms interleave(const PushTerms& even, const PushTerms& odd, const Call& call) {
  const std::size_t axis = even.extent.size() - 1;
  PushTerms result{even.extent, even.type, {}, 0, {}, even.guards};
  append(result.guards, odd.guards);
  demand_equal(even.extent, odd.extent, even.extent.size(),
               "the arrays have other extents: {} and {}", call, result.guards);
  result.extent[axis] = i64::mul(even.extent[axis], i64::literal(2));
  const auto place = [axis](Write& write, std::int64_t k) {
    write.index[axis] = i64::add(i64::mul(write.index[axis], i64::literal(2)), i64::literal(k));
  };
  if (even.parts.size() == 1 && odd.parts.size() == 1) {
    const auto both = [place, x = even.parts[0].at, y = odd.parts[0].at](Index index) {
      std::vector<Write> writes{{copied(index), x(index)}, {copied(index), y(index)}};
      place(writes[0], 0), place(writes[1], 1);
      return writes;
    };
    const bool is_one =
        std::equal(even.extent.begin(), even.extent.end(), odd.extent.begin(), are_one);
    result.loops.push_back(
        {is_one ? even.extent : intersect_extents(even.extent, odd.extent), 2, both});
    return result;
  }
  for (const std::int64_t k : {0, 1})
    for (const PushLoop& loop :
         changed(loops_of(k == 0 ? even : odd), [place, k](Write& write) { place(write, k); }))
      result.loops.push_back(loop);
  return result;
}

PushTerms permute_push(std::vector<Term> extent, const PushTerms& push,
                       const std::function<std::vector<Term>(Index)>& to) {
  PushTerms result{std::move(extent), push.type, {}, 0, {}, push.guards};
  result.loops = changed(loops_of(push), [to](Write& write) { write.index = to(write.index); });
  return result;
}

}  // namespace hasten::detail
