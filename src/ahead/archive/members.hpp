// The members of the structures of a plan, each once, in the order of archives.
#pragma once

#include "ahead/archive/archive.hpp"
#include "core/fields.hpp"
#include "kernels/plan.hpp"
#include "kernels/schedule.hpp"

#include <hasten/run/error.hpp>

#include <tuple>

namespace hasten::ahead {

/// A member that is not listed does not compile.
template <class T, class... Refs>
constexpr std::tuple<Refs&...> all_members(Refs&... refs) {
  static_assert(sizeof...(Refs) == core::field::member_count<T>(),
                "a member of this struct is not listed");
  return {refs...};
}

template <>
struct Members<core::Region> {
  static auto of(auto& x) { return all_members<core::Region>(x.params, x.body, x.results); }
};
template <>
struct Members<core::Stmt> {
  static auto of(auto& x) { return all_members<core::Stmt>(x.results, x.op); }
};
template <>
struct Members<core::Constant> {
  static auto of(auto& x) { return all_members<core::Constant>(x.bits, x.slot); }
};
template <>
struct Members<core::Prim> {
  static auto of(auto& x) { return all_members<core::Prim>(x.op, x.args); }
};
template <>
struct Members<core::If> {
  static auto of(auto& x) { return all_members<core::If>(x.condition, x.then_, x.else_); }
};
template <>
struct Members<core::While> {
  static auto of(auto& x) { return all_members<core::While>(x.init, x.condition, x.body); }
};
template <>
struct Members<core::Load> {
  static auto of(auto& x) {
    return all_members<core::Load>(x.array, x.leaf, x.index, x.inside, x.some);
  }
};
template <>
struct Members<core::LoadLinear> {
  static auto of(auto& x) {
    return all_members<core::LoadLinear>(x.array, x.leaf, x.index, x.inside);
  }
};
template <>
struct Members<core::Extent> {
  static auto of(auto& x) { return all_members<core::Extent>(x.array, x.axis); }
};
template <>
struct Members<core::Reduce> {
  static auto of(auto& x) {
    return all_members<core::Reduce>(x.begin, x.end, x.element, x.combine, x.seed);
  }
};
template <>
struct Members<core::Extract> {
  static auto of(auto& x) { return all_members<core::Extract>(x.index, x.elements); }
};
template <>
struct Members<core::Insert> {
  static auto of(auto& x) { return all_members<core::Insert>(x.index, x.element, x.elements); }
};
template <>
struct Members<core::Bits> {
  static auto of(auto& x) { return all_members<core::Bits>(x.lo, x.hi); }
};
template <>
struct Members<core::ArrayType> {
  static auto of(auto& x) { return all_members<core::ArrayType>(x.rank, x.leaves); }
};
template <>
struct Members<core::LaneOperator> {
  static auto of(auto& x) {
    return all_members<core::LaneOperator>(x.commutative, x.leaves, x.of_segments);
  }
};
template <>
struct Members<kernels::Interior> {
  static auto of(auto& x) { return all_members<kernels::Interior>(x.bounds, x.element); }
};
template <>
struct Members<kernels::Loop> {
  static auto of(auto& x) {
    return all_members<kernels::Loop>(x.rank, x.writes, x.element, x.interior);
  }
};
template <>
struct Members<kernels::Kernel> {
  static auto of(auto& x) {
    return all_members<kernels::Kernel>(
        x.skeleton, x.rank, x.inputs, x.outputs, x.scalars, x.value_types, x.element, x.combine,
        x.seed, x.lane_operator, x.lanes, x.epilogue, x.inner_axes, x.folded, x.stored, x.range,
        x.collapsible, x.recomputed, x.interior, x.in_order, x.any_order, x.unique, x.writes,
        x.loops, x.parts);
  }
};
template <>
struct Members<kernels::InputSource> {
  static auto of(auto& x) { return all_members<kernels::InputSource>(x.array, x.leaf); }
};
template <>
struct Members<kernels::ArgumentSource> {
  static auto of(auto& x) {
    return all_members<kernels::ArgumentSource>(x.host, x.array, x.axis, x.imaginary, x.is_limit);
  }
};
template <>
struct Members<kernels::HostScalars> {
  static auto of(auto& x) { return all_members<kernels::HostScalars>(x.stmt); }
};
template <>
struct Members<kernels::BindUse> {
  static auto of(auto& x) { return all_members<kernels::BindUse>(x.array, x.index); }
};
template <>
struct Members<kernels::BindInput> {
  static auto of(auto& x) { return all_members<kernels::BindInput>(x.array, x.index); }
};
template <>
struct Members<kernels::MakeUnit> {
  static auto of(auto& x) { return all_members<kernels::MakeUnit>(x.array, x.values); }
};
template <>
struct Members<kernels::View> {
  static auto of(auto& x) {
    return all_members<kernels::View>(x.array, x.source, x.extents, x.same, x.leaves);
  }
};
template <>
struct Members<kernels::RowsStep> {
  static auto of(auto& x) {
    return all_members<kernels::RowsStep>(x.array, x.source, x.begin, x.end);
  }
};
template <>
struct Members<kernels::JoinStep> {
  static auto of(auto& x) { return all_members<kernels::JoinStep>(x.array, x.parts, x.at); }
};
template <>
struct Members<kernels::StandIn> {
  static auto of(auto& x) { return all_members<kernels::StandIn>(x.array, x.source); }
};
template <>
struct Members<kernels::LaunchOutput> {
  static auto of(auto& x) { return all_members<kernels::LaunchOutput>(x.array, x.extents); }
};
template <>
struct Members<kernels::RowExtent> {
  static auto of(auto& x) { return all_members<kernels::RowExtent>(x.scalar, x.axis); }
};
template <>
struct Members<kernels::FlatRows> {
  static auto of(auto& x) { return all_members<kernels::FlatRows>(x.first, x.extents); }
};
template <>
struct Members<kernels::Launch> {
  static auto of(auto& x) {
    return all_members<kernels::Launch>(x.kernel, x.limited, x.in_range, x.output, x.output_extents,
                                        x.space, x.inputs, x.arguments, x.in_place, x.flat_rows,
                                        x.fused, x.into, x.reused, x.overwritable, x.beside,
                                        x.is_condition, x.others);
  }
};
template <>
struct Members<kernels::HostElements> {
  static auto of(auto& x) { return all_members<kernels::HostElements>(x.array, x.extents, x.fn); }
};
template <>
struct Members<kernels::SortStep> {
  static auto of(auto& x) {
    return all_members<kernels::SortStep>(x.output, x.keys, x.carried, x.carried_to, x.at_heads,
                                          x.first, x.only_carried);
  }
};
template <>
struct Members<kernels::CheckNonEmpty> {
  static auto of(auto& x) { return all_members<kernels::CheckNonEmpty>(x.extents, x.folded); }
};
template <>
struct Members<kernels::CheckSameSize> {
  static auto of(auto& x) { return all_members<kernels::CheckSameSize>(x.from, x.to); }
};
template <>
struct Members<kernels::CheckCountable> {
  static auto of(auto& x) { return all_members<kernels::CheckCountable>(x.extents); }
};
template <>
struct Members<kernels::CheckEqualExtents> {
  static auto of(auto& x) {
    return all_members<kernels::CheckEqualExtents>(x.left, x.right, x.is_operator);
  }
};
template <>
struct Members<kernels::CheckDemand> {
  static auto of(auto& x) {
    return all_members<kernels::CheckDemand>(x.condition, x.message, x.shown, x.of_elements,
                                             x.of_count);
  }
};
template <>
struct Members<kernels::CheckInside> {
  static auto of(auto& x) { return all_members<kernels::CheckInside>(x.index, x.extents); }
};
template <>
struct Members<kernels::CheckFlags> {
  static auto of(auto& x) { return all_members<kernels::CheckFlags>(x.flags, x.kinds); }
};
template <>
struct Members<kernels::Free> {
  static auto of(auto& x) { return all_members<kernels::Free>(x.arrays); }
};
template <>
struct Members<kernels::BranchStep> {
  static auto of(auto& x) {
    return all_members<kernels::BranchStep>(x.condition, x.then_, x.else_, x.then_results,
                                            x.else_results, x.results);
  }
};
template <>
struct Members<kernels::LoopStep> {
  static auto of(auto& x) {
    return all_members<kernels::LoopStep>(x.init, x.results, x.condition_state, x.body_state,
                                          x.condition, x.body, x.value, x.next);
  }
};
template <>
struct Members<kernels::Step> {
  static auto of(auto& x) {
    return all_members<kernels::Step>(x.op, x.where, x.operation, x.device, x.site);
  }
};
template <>
struct Members<kernels::MemoryNote> {
  static auto of(auto& x) {
    return all_members<kernels::MemoryNote>(x.array, x.operation, x.reason, x.where);
  }
};
template <>
struct Members<kernels::Plan> {
  static auto of(auto& x) {
    return all_members<kernels::Plan>(x.kernels, x.keys, x.steps, x.array_types, x.value_types,
                                      x.inputs, x.scalar_inputs, x.results, x.scalar_results,
                                      x.memory, x.checks, x.sites);
  }
};
template <>
struct Members<kernels::PackedTile> {
  static auto of(auto& x) {
    return all_members<kernels::PackedTile>(x.rows, x.lanes, x.down_bytes, x.across_bytes,
                                            x.sum_bytes, x.row_axis, x.same_rows, x.many_rows,
                                            x.has_light_sides);
  }
};
template <>
struct Members<kernels::GroupTile> {
  static auto of(auto& x) { return all_members<kernels::GroupTile>(x.high, x.wide, x.steps); }
};
template <>
struct Members<kernels::Schedule> {
  static auto of(auto& x) {
    return all_members<kernels::Schedule>(
        x.lanes, x.lanes_across, x.across_below, x.lanes_along, x.lanes_outside, x.outside_depth,
        x.lanes_down, x.few_columns, x.apart_scalars, x.lanes_of_rows, x.row_scalars, x.short_row,
        x.lanes_joined, x.joined_below, x.rows_together, x.strip_columns, x.in_order, x.packed,
        x.tile_rows, x.lane_step, x.turned_rows, x.window_rows, x.window_columns, x.still_row,
        x.kept_elements, x.part_lanes, x.neighbour_lanes, x.few_lanes, x.few_targets, x.nanoseconds,
        x.loop_lanes, x.loop_nanoseconds, x.items, x.group, x.interior_rows);
  }
};
template <>
struct Members<support::Digest> {
  static auto of(auto& x) { return all_members<support::Digest>(x.lo, x.hi); }
};

// Functions of this process cannot be stored: passes::choose_foreign has chosen fallbacks.
[[noreturn]] inline std::tuple<> fail_foreign() {
  throw InternalError("a function of this process cannot be part of a library");
}
template <>
struct Members<core::ForeignCall> {
  static std::tuple<> of(auto&) { fail_foreign(); }
};
template <>
struct Members<kernels::ForeignStep> {
  static std::tuple<> of(auto&) { fail_foreign(); }
};

}  // namespace hasten::ahead
