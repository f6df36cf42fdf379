// Tiles of rows and columns: each lane's elements are read along memory and turned into columns
// (private_rows.hpp), and the tile is written row by row.
#include "backends/cpu/emit/rows/turned_map.hpp"

#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

namespace hasten::backends::cpu {

using V = llvm::Value*;

std::vector<Place> places_of_turned(const kernels::Kernel& map, std::size_t axis) {
  std::vector<Place> places(map.rank, Place{1, Spread::uniform});
  places.back() = {lane_level, Spread::affine};
  places[axis] = {lane_level + 1, Spread::uniform};
  return places;
}

std::optional<std::size_t> turned_axis(const kernels::Kernel& map) {
  std::optional<std::size_t> best;
  std::size_t most = 0;
  for (std::size_t axis = map.rank - std::size_t{1}; axis-- > 0;) {
    HoistingLevels places(map, true);
    places.add(map.element, places_of_turned(map, axis));
    const std::size_t reads =
        find_row_reads(places, map.element, map.element.params[axis], RowLoopOf::element)
            .reads.size();
    if (reads > most) best = axis, most = reads;
  }
  return best;
}

namespace {

class TurnedMap {
 public:
  TurnedMap(const KernelModule& module, llvm::Function* function, const kernels::Schedule& schedule)
      : module_(module),
        function_(function),
        element_(module.kernel.element),
        axis_(*turned_axis(module.kernel)),
        height_(schedule.turned_rows),
        code_(module, function, schedule.lanes) {
    for (std::size_t axis = 0; axis + 1 < module.kernel.rank; ++axis)
      if (axis != axis_) others_.push_back(axis);
  }

  void run() {
    auto& b = code_.b;
    code_.hoisting.add(element_, places_of_turned(code_.kernel(), axis_));
    OpenLevel entry(code_, 0);
    stream_ = streams();
    in_runs(code_, function_->getArg(1), function_->getArg(2),
            [&](V row) { return run_of_rows(row); });
    code_.fence(stream_);
    entry.close();
    b.CreateRetVoid();
  }

 private:
  // A row's part of a tile goes past the caches if it is whole lines.
  V streams() {
    auto& b = code_.b;
    std::size_t smallest = line_bytes;
    for (const core::ScalarType type : code_.kernel().outputs)
      smallest = std::min(smallest, detail::size_in_bytes(type));
    if (code_.lanes() * smallest < line_bytes) return b.getFalse();
    const auto elements = static_cast<std::int64_t>(line_bytes / smallest);
    V misplaced = b.CreateOr(code_.extent(code_.kernel().rank - std::size_t{1}), argument(3));
    misplaced = b.CreateAnd(misplaced, code_.i64(elements - 1));
    V wanted = b.CreateAnd(argument(6), code_.i64(run_stream));
    return b.CreateAnd(b.CreateICmpNE(wanted, code_.i64(0)),
                       b.CreateICmpEQ(misplaced, code_.i64(0)));
  }

  // All rows from this one on that differ in the turned axis alone. Returns the row after them.
  V run_of_rows(V row) {
    auto& b = code_.b;
    V extent = code_.extent(axis_);
    V first = b.CreateURem(row, extent);
    V count = least(b.CreateSub(extent, first), b.CreateSub(argument(2), row));
    V number = b.CreateUDiv(row, extent), start = code_.i64(0);
    for (auto axis = others_.rbegin(); axis != others_.rend(); ++axis) {
      V index = axis + 1 == others_.rend() ? number : b.CreateURem(number, code_.extent(*axis));
      number = b.CreateUDiv(number, code_.extent(*axis));
      code_.set(element_.params[*axis], Uniform{index});
      start = b.CreateAdd(start, b.CreateMul(index, pitch_of(*axis)));
    }
    V pitch = pitch_of(axis_);
    OpenLevel level(code_, 1);
    V end = b.CreateAdd(first, count);
    counted(code_, first, end, height_, {}, [&](V top, const Values&) {
      tiles(top, least(end, b.CreateAdd(top, code_.i64(height_))), start, pitch);
      return Values{};
    });
    level.close();
    return b.CreateAdd(row, count);
  }

  // The elements between neighbours along an axis of the outputs.
  V pitch_of(std::size_t axis) {
    V pitch = code_.i64(1);
    for (std::size_t inner = axis + 1; inner < code_.kernel().rank; ++inner)
      pitch = code_.b.CreateMul(pitch, code_.extent(inner));
    return pitch;
  }

  void tiles(V top, V bottom, V start, V pitch) {
    auto& b = code_.b;
    V right = argument(4);
    in_vectors(code_, argument(3), right, {}, [&](V column, const Values&, bool is_tail) {
      V on = is_tail ? b.CreateSub(right, column) : code_.i64(code_.lanes());
      tile(column, top, bottom, on, is_tail, b.CreateAdd(start, column), pitch);
      return Values{};
    });
  }

  // `on`: the number of columns.
  void tile(V column, V top, V bottom, V on, bool is_tail, V start, V pitch) {
    auto& b = code_.b;
    code_.set(element_.params.back(), Affine{column, code_.i64(1)});
    OpenLevel columns(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_hoisted(element_, is_tail ? lane_level : 0, lane_level);
    PrivateRows reads(module_, code_, element_, element_.params[axis_]);
    const std::int64_t steps = std::min(height_, reads.steps_max());
    counted(code_, top, bottom, steps, {}, [&](V begin, const Values&) {
      V end = least(bottom, b.CreateAdd(begin, code_.i64(steps)));
      reads.read(Uniform{begin}, b.CreateSub(end, begin), on);
      counted(code_, begin, end, 1, {}, [&](V row, const Values&) {
        elements(row, b.CreateAdd(start, b.CreateMul(row, pitch)));
        return Values{};
      });
      return Values{};
    });
    columns.close();
  }

  void elements(V row, V target) {
    auto& b = code_.b;
    code_.set(element_.params[axis_], Uniform{row});
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_hoisted(element_, lane_level + 1);
    Values results;
    for (const kernels::Value v : element_.results) results.push_back(code_.vector(v));
    const auto store = [&](bool past_caches) {
      for (std::size_t i = 0; i < results.size(); ++i)
        code_.store(i, target, results[i], past_caches);
    };
    if (code_.mask) return store(false);
    code_.when(stream_, "stream", [&] { store(true); });
    code_.when(b.CreateNot(stream_), "store", [&] { store(false); });
  }

  V argument(unsigned i) { return function_->getArg(i); }
  V least(V x, V y) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }

  const KernelModule& module_;
  llvm::Function* function_;
  const kernels::Region& element_;
  const std::size_t axis_;
  std::vector<std::size_t> others_;  // the other outer axes
  const std::int64_t height_;        // of a tile
  LaneCode code_;
  V stream_ = nullptr;
};

}  // namespace

void emit_turned_map(const KernelModule& module, llvm::Function* function,
                     const kernels::Schedule& schedule) {
  TurnedMap(module, function, schedule).run();
}

}  // namespace hasten::backends::cpu
