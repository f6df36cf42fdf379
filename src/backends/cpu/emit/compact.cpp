// Compactions: the elements kept of a tile go, without gaps, to memory of the tile's own; the
// launcher copies them to their place once it knows how many elements the tiles before have kept.
//
// Whole vectors are stored, and the next one overwrites what is too much: the tile's memory is one
// vector longer than the tile.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

class CompactEmitter {
 public:
  CompactEmitter(const KernelModule& module, unsigned lanes)
      : function_(declare_run(module)),
        code_(module, function_, lanes),
        compresses_(compresses(module.machine)),
        leaves_(module.kernel.element.results.size() - 1) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, true));
    OpenLevel entry(code_, 0);
    OpenLevel row(code_, 1);
    const Values counts(kernel.parts ? 2 : 1, code_.i64(0));
    const Values kept = in_vectors(
        code_, function_->getArg(3), function_->getArg(4), counts,
        [&](V index, const Values& before, bool tail) { return elements(index, before, tail); });
    code_.store_slot(function_->getArg(5), code_.i64(0), kept[0]);
    row.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  // Returns the count of each part after these elements.
  Values elements(V index, const Values& before, bool tail) {
    const kernels::Region& fn = code_.kernel().element;
    code_.set(fn.params.back(), Affine{index, code_.i64(1)});
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, tail ? lane_level : 0);
    Values x;
    for (std::size_t i = 0; i < leaves_; ++i) x.push_back(code_.vector(fn.results[i + 1]));
    V keep = code_.vector(fn.results[0]), there = code_.mask;
    code_.mask = nullptr;  // stores go beyond the elements kept
    Values after = before;
    for (std::size_t part = 0; part < after.size(); ++part) {
      V chosen = part == 0 ? keep : code_.b.CreateNot(keep);
      if (there) chosen = code_.b.CreateAnd(chosen, there);
      after[part] = compresses_ ? compress(x, chosen, part, before[part])
                                : store_each(x, chosen, part, before[part]);
    }
    code_.mask = there;
    return after;
  }

  V compress(const Values& x, V chosen, std::size_t part, V at) {
    auto& b = code_.b;
    for (std::size_t i = 0; i < leaves_; ++i)
      code_.store(part * leaves_ + i, at, compressed(b, x[i], chosen), false);
    return b.CreateAdd(at, count_of(b, chosen));
  }

  // Each lane is stored; the next one overwrites it if it is not kept.
  V store_each(const Values& x, V chosen, std::size_t part, V at) {
    auto& b = code_.b;
    for (std::uint64_t lane = 0; lane < code_.lanes(); ++lane) {
      for (std::size_t i = 0; i < leaves_; ++i)
        code_.store(part * leaves_ + i, at, b.CreateExtractElement(x[i], lane), false);
      at = b.CreateAdd(at, b.CreateZExt(b.CreateExtractElement(chosen, lane), b.getInt64Ty()));
    }
    return at;
  }

  llvm::Function* function_;
  LaneCode code_;
  bool compresses_;
  std::size_t leaves_;
};

}  // namespace

void emit_compact(const KernelModule& module, const kernels::Schedule& schedule) {
  CompactEmitter(module, schedule.lanes).run();
}

}  // namespace hasten::backends::cpu
