// Which functions a scan's module has, and what they share.
#include "backends/cpu/emit/scans/scan.hpp"

#include "backends/cpu/emit/loops.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

// Slots hold the leaves of one tile after the other.
V slot_of(LaneCode& code, V tile, std::size_t leaf) {
  const auto leaves = static_cast<std::int64_t>(code.kernel().element.results.size());
  return code.b.CreateAdd(code.b.CreateMul(tile, code.i64(leaves)),
                          code.i64(static_cast<std::int64_t>(leaf)));
}

}  // namespace

Values load_tile(LaneCode& code, V scratch, V tile) {
  Values values;
  const auto& results = code.kernel().element.results;
  for (std::size_t i = 0; i < results.size(); ++i)
    values.push_back(code.load_slot(scratch, slot_of(code, tile, i), code.type(results[i])));
  return values;
}

void store_tile(LaneCode& code, V scratch, V tile, const Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    code.store_slot(scratch, slot_of(code, tile, i), values[i]);
}

Values seeds(LaneCode& code) {
  Values values;
  for (Value v : code.kernel().seed) values.push_back(code.scalar(v));
  return values;
}

void place_epilogue(LaneCode& code, bool lanes) {
  const Kernel& kernel = code.kernel();
  std::vector<Place> places = element_places(kernel, lanes);
  places.resize(kernel.epilogue.params.size(),
                Place{lane_level, lanes ? Spread::varying : Spread::uniform});
  code.hoisting.add(kernel.epilogue, places);
}

Values epilogue_of(LaneCode& code, Lanes index, const Values& element) {
  const Kernel& kernel = code.kernel();
  const kernels::Region& epilogue = kernel.epilogue;
  code.set(epilogue.params[kernel.rank - 1], index);
  set_lanes(code, std::span(epilogue.params).subspan(kernel.rank), element);
  code.run(epilogue);
  return lanes_of(code, epilogue.results);
}

V scan_tile_size(LaneCode& code) {
  auto& b = code.b;
  if (combines_neighbours(code.kernel())) return code.i64(tile_elements);
  V steps = b.CreateUDiv(code.extent(code.kernel().rank - 1), code.i64(ordered_row_step));
  V size = b.CreateAdd(b.CreateMul(steps, code.i64(ordered_tile_step)), code.i64(ordered_tile_min));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, size, code.i64(ordered_tile_max));
}

V row_length(LaneCode& code) {
  const Kernel& kernel = code.kernel();
  return code.b.CreateAdd(code.extent(kernel.rank - 1), code.i64(kernel.seed.empty() ? 0 : 1));
}

Values tiles_combined(LaneCode& code, const Values& left, const Values& right) {
  return code.kernel().lane_operator.commutative ? combined_by_table(code, left, right)
                                                 : combined(code, left, right);
}

namespace {

// Emits the function for the carry out of a tile.
class CarryEmitter {
 public:
  explicit CarryEmitter(const KernelModule& module)
      : function_(declare_finish(module)),
        code_(module, function_, 1) {}

  void run() {
    auto& b = code_.b;
    V tile = function_->getArg(2), scratch = function_->getArg(3);
    const Values total = load_tile(code_, scratch, tile);
    V inside = b.CreateICmpSGT(tile, code_.i64(0));
    const bool seeded = !code_.kernel().seed.empty();
    const Values nothing = seeded ? seeds(code_) : zeros(code_, code_.kernel().element.results);
    const Values left = guarded(code_, inside, nothing, [&] {
      return load_tile(code_, scratch, b.CreateSub(tile, code_.i64(1)));
    });
    V combines = seeded ? b.getTrue() : inside;
    const Values carry =
        guarded(code_, combines, total, [&] { return tiles_combined(code_, left, total); });
    store_tile(code_, scratch, tile, carry);
    b.CreateRetVoid();
  }

 private:
  llvm::Function* function_;
  LaneCode code_;
};

// Lanes across the rows of a kernel whose lanes run along them.
void emit_short_rows(const KernelModule& module, unsigned lanes) {
  Kernel kernel = module.kernel;
  kernel.lanes = kernels::FoldLanes::outer;
  const KernelModule turned{module.llvm, kernel, module.machine, module.options};
  emit_scan_across(turned, declare_run(turned, Form::short_rows), lanes);
}

void emit_usual_scan(const KernelModule& module, const kernels::Schedule& schedule) {
  if (module.kernel.lanes == kernels::FoldLanes::outer)
    return emit_scan_across(module, declare_run(module), schedule.lanes);
  CarryEmitter(module).run();
  const bool has_runs = schedule.in_order && schedule.lanes > 1;
  llvm::Function* tiles = has_runs ? declare_part(module, "hasten_tiles") : declare_run(module);
  emit_scan_of_tiles(module, tiles, has_runs ? 1 : schedule.lanes, schedule.in_order);
  if (has_runs) emit_scan_of_runs(module, declare_run(module), schedule.lanes, tiles);
}

}  // namespace

void emit_scan(const KernelModule& module, const kernels::Schedule& schedule, const Forms& forms) {
  if (has(forms, Form::usual)) emit_usual_scan(module, schedule);
  if (has(forms, Form::short_rows)) emit_short_rows(module, schedule.lanes_across);
  if (has(forms, Form::joined_rows))
    emit_scan_of_tiles(module, declare_run(module, Form::joined_rows), schedule.lanes_joined,
                       false);
}

}  // namespace hasten::backends::cpu
