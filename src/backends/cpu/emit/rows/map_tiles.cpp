// Lane l of a tile is in its row l / wide, column l % wide. No read is contiguous along the
// columns, so nothing is lost by indices that differ arbitrarily from lane to lane.
#include "backends/cpu/emit/rows/map_tiles.hpp"

#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/schedule/schedule.hpp"

#include <llvm/IR/Constants.h>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

class TileEmitter {
 public:
  TileEmitter(const KernelModule& module, llvm::Function* function,
              const kernels::Schedule& schedule)
      : function_(function),
        element_(module.kernel.element),
        code_(module, function, schedule.lanes),
        high_(static_cast<unsigned>(schedule.tile_rows)),
        wide_(schedule.lanes / high_) {}

  void run() {
    const std::vector<Place> params(element_.params.size(), {lane_level, Spread::varying});
    code_.hoisting.add(element_, params);
    OpenLevel entry(code_, 0);
    counted(code_, function_->getArg(1), function_->getArg(2), high_, {},
            [&](V row, const Values&) {
              rows_from(row);
              return Values{};
            });
    entry.close();
    code_.b.CreateRetVoid();
  }

 private:
  void rows_from(V row) {
    auto& b = code_.b;
    set_rows(row);
    OpenLevel level(code_, 1);
    V first = function_->getArg(3), end = function_->getArg(4);
    V whole = b.CreateAnd(b.CreateSub(end, first), code_.i64(-std::int64_t{wide_}));
    V whole_end = b.CreateAdd(first, whole);
    code_.when(b.CreateICmpSLT(first, whole_end), "whole", [&] {
      counted(code_, first, whole_end, wide_, {}, [&](V column, const Values&) {
        tile(column, 0);
        return Values{};
      });
    });
    code_.when(b.CreateICmpSLT(whole_end, end), "part", [&] {
      V left = b.CreateVectorSplat(code_.lanes(), b.CreateSub(end, whole_end));
      code_.mask = b.CreateICmpSLT(columns(), left);
      tile(whole_end, lane_level);
      code_.mask = nullptr;
    });
    level.close();
  }

  // The vector whose lane l is f(l).
  template <class F>
  V numbers(F f) {
    llvm::SmallVector<llvm::Constant*, 64> all;
    for (unsigned lane = 0; lane < code_.lanes(); ++lane) all.push_back(code_.b.getInt64(f(lane)));
    return llvm::ConstantVector::get(all);
  }
  V columns() {
    return numbers([&](unsigned lane) { return lane % wide_; });
  }

  // Sets, for each outer axis, the indices of the tile's rows.
  void set_rows(V row) {
    auto& b = code_.b;
    starts_.clear();
    const std::size_t axes = code_.kernel().rank - 1;
    Values lanes(axes);
    for (unsigned r = 0; r < high_; ++r) {
      V number = b.CreateAdd(row, code_.i64(r));
      starts_.push_back(b.CreateMul(number, code_.extent(axes)));
      const Values index = split_row(code_, number, axes);
      V here = r == 0 ? nullptr : in_row(r);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        V same = b.CreateVectorSplat(code_.lanes(), index[axis]);
        lanes[axis] = here ? b.CreateSelect(here, same, lanes[axis]) : same;
      }
    }
    for (std::size_t axis = 0; axis < axes; ++axis)
      code_.set(element_.params[axis], Varying{lanes[axis]});
  }

  V in_row(unsigned row) {
    V rows = numbers([&](unsigned lane) { return lane / wide_; });
    return code_.b.CreateICmpEQ(rows, code_.b.CreateVectorSplat(code_.lanes(), code_.i64(row)));
  }

  // Code above level `first` has been emitted.
  void tile(V column, unsigned first) {
    auto& b = code_.b;
    V index = b.CreateAdd(b.CreateVectorSplat(code_.lanes(), column), columns());
    code_.set(element_.params.back(), Varying{index});
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_hoisted(element_, first);
    const V mask = code_.mask;
    for (unsigned r = 0; r < high_; ++r) {
      V target = b.CreateAdd(starts_[r], column);
      code_.mask = mask ? part(mask, r) : nullptr;
      for (std::size_t i = 0; i < element_.results.size(); ++i)
        code_.store(i, target, part(code_.vector(element_.results[i]), r), false);
    }
    code_.mask = mask;
  }

  // The lanes of a row.
  V part(V lanes, unsigned row) {
    llvm::SmallVector<int, 64> those;
    for (unsigned lane = 0; lane < wide_; ++lane)
      those.push_back(static_cast<int>(row * wide_ + lane));
    return code_.b.CreateShuffleVector(lanes, those);
  }

  llvm::Function* function_;
  const kernels::Region& element_;
  LaneCode code_;
  unsigned high_, wide_;
  Values starts_;  // of the tile's rows, in elements
};

}  // namespace

void emit_map_tiles(const KernelModule& module, llvm::Function* function,
                    const kernels::Schedule& schedule) {
  TileEmitter(module, function, schedule).run();
}

}  // namespace hasten::backends::cpu
