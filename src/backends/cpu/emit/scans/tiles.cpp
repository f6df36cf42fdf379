// The tiles of a row, one after the other.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/scans/scan.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

Values appended(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class TileScanner {
 public:
  TileScanner(const KernelModule& module, llvm::Function* function, unsigned lanes, bool in_order)
      : function_(function),
        code_(module, function_, lanes),
        in_order_(in_order),
        seeded_(!module.kernel.seed.empty()),
        width_(lanes) {
    for (Value leaf : module.kernel.combine.results) {
      const core::ScalarType type = module.kernel.value_types[leaf];
      width_ = std::min(
          width_, module.machine.lanes(is_small_float(type) ? 4 : detail::size_in_bytes(type)));
    }
  }

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, !in_order_));
    hoist_operator(code_, !in_order_);
    place_epilogue(code_, !in_order_);
    const auto flag = [&](std::int64_t bit) {
      return b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(bit)), code_.i64(0));
    };
    stream_ = flag(run_stream);
    V totals = flag(run_totals);
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis + 1 < kernel.rank; ++axis)
      for (const kernels::Region* region : {&kernel.element, &kernel.epilogue})
        code_.set(region->params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    code_.when(totals, "totals", [&] { total_tiles(); });
    code_.when(b.CreateNot(totals), "scan", [&] { scan_tiles(rows.row); });
    row.close();
    rows.close();
    entry.close();
    code_.fence(stream_);
    b.CreateRetVoid();
  }

 private:
  [[nodiscard]] V first_tile() const { return function_->getArg(3); }
  [[nodiscard]] V last_tile() const { return function_->getArg(4); }
  [[nodiscard]] V scratch() const { return function_->getArg(5); }

  std::pair<V, V> bounds(V tile) {
    auto& b = code_.b;
    if (code_.kernel().in_order) return {code_.i64(0), code_.extent(code_.kernel().rank - 1)};
    V size = scan_tile_size(code_);
    V begin = b.CreateNSWMul(tile, size);
    V end = b.CreateNSWAdd(begin, size);
    return {begin, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end,
                                           code_.extent(code_.kernel().rank - 1))};
  }

  // Code outside the loop over lanes is emitted with the first copy of the element only.
  Values element(Lanes index) {
    const kernels::Region& fn = code_.kernel().element;
    code_.set(fn.params.back(), index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, emitted_ ? lane_level : 0);
    emitted_ = true;
    return lanes_of(code_, fn.results);
  }

  // -- folds of tiles -----------------------------------------------------------------------------

  void total_tiles() {
    counted(code_, first_tile(), last_tile(), 1, {}, [&](V tile, const Values&) {
      const auto [begin, end] = bounds(tile);
      store_tile(code_, scratch(), tile,
                 in_order_ ? total_in_order(begin, end) : total_lanes(begin, end));
      return Values{};
    });
  }

  Values total_in_order(V begin, V end) {
    return counted(code_, begin, end, 1, zeros(code_, code_.kernel().element.results),
                   [&](V index, const Values& left) {
                     const Values right = element(Uniform{index});
                     return combined_unless(code_, code_.b.CreateICmpEQ(index, begin), left, right);
                   });
  }

  Values total_lanes(V begin, V end) {
    if (of_segments()) return total_segments(begin, end);
    const Values total = in_vectors(
        code_, begin, end, identities(code_), [&](V index, const Values& left, bool tail) {
          return combined_by_table(code_, left, element_or_identity(index, tail));
        });
    return lanes_combined(code_, total);
  }

  [[nodiscard]] bool of_segments() const { return code_.kernel().lane_operator.of_segments; }

  // In the order of the elements.
  Values total_segments(V begin, V end) {
    const Values total = in_vectors(code_, begin, end, identities_of_register(),
                                    [&](V index, const Values& left, bool tail) {
                                      Values next = left;
                                      scan_vector(element_or_identity(index, tail), next);
                                      return next;
                                    });
    return first_lanes_of(total);
  }

  Values identities_of_register() { return lanes_from(identities(code_), 0, 0); }

  Values first_lanes_of(Values state) {
    for (V& value : state) value = code_.b.CreateExtractElement(value, code_.i64(0));
    return state;
  }

  // The identity in lanes that are off.
  Values element_or_identity(V index, bool tail) {
    Values x = element(Affine{index, code_.i64(1)});
    const Values nothing = identities(code_);
    for (std::size_t i = 0; tail && i < x.size(); ++i)
      x[i] = code_.b.CreateSelect(code_.mask, x[i], nothing[i]);
    return x;
  }

  // -- scans of tiles -----------------------------------------------------------------------------

  void scan_tiles(V row) {
    auto& b = code_.b;
    start_ = b.CreateMul(row, row_length(code_));
    V at_start = b.CreateICmpEQ(first_tile(), code_.i64(0));
    if (seeded_) code_.when(at_start, "seed", [&] { store_seed(); });
    const Values carry = guarded(code_, b.CreateNot(at_start), first_carry(), [&] {
      return load_tile(code_, scratch(), b.CreateSub(first_tile(), code_.i64(1)));
    });
    code_.when(b.CreateICmpSLT(first_tile(), last_tile()), "tiles", [&] {
      counted(code_, first_tile(), last_tile(), 1, carry, [&](V tile, const Values& left) {
        const auto [begin, end] = bounds(tile);
        if (in_order_) return scan_in_order(tile, begin, end, left);
        V goes_on = b.CreateICmpSLT(b.CreateNSWAdd(tile, code_.i64(1)), last_tile());
        code_.when(b.CreateNot(goes_on), "last", [&] { scan_lanes(begin, end, left, false); });
        return guarded(code_, goes_on, left, [&] { return scan_lanes(begin, end, left, true); });
      });
    });
  }

  // The first result of a row, in the first lane.
  void store_seed() {
    Values values = seeds(code_);
    if (in_order_) return store(code_.i64(0), values, true);
    for (V& value : values) value = code_.b.CreateVectorSplat(code_.lanes(), value);
    code_.mask = code_.first_lanes(code_.i64(1));
    store(code_.i64(0), values, true);
    code_.mask = nullptr;
  }

  // The carry into a row: with the table's operators, an identity.
  Values first_carry() {
    if (seeded_) return seeds(code_);
    if (in_order_) return zeros(code_, code_.kernel().element.results);
    Values values = identities(code_);
    for (V& value : values)
      if (value->getType()->isVectorTy())
        value = llvm::cast<llvm::Constant>(value)->getSplatValue();
    return values;
  }

  // Returns the carry into the next tile, if there is one.
  Values scan_in_order(V tile, V begin, V end, const Values& carry) {
    auto& b = code_.b;
    counted(code_, begin, end, 1, carry, [&](V index, const Values& left) {
      const Values right = element(Uniform{index});
      const Values next =
          seeded_ ? combined(code_, left, right)
                  : combined_unless(code_, b.CreateICmpEQ(index, code_.i64(0)), left, right);
      store(result_of(index), next, true);
      return next;
    });
    V goes_on = b.CreateICmpSLT(b.CreateNSWAdd(tile, code_.i64(1)), last_tile());
    return guarded(code_, goes_on, carry, [&] {
      const Values total = total_in_order(begin, end);
      if (seeded_) return combined(code_, carry, total);
      return combined_unless(code_, b.CreateICmpEQ(tile, code_.i64(0)), carry, total);
    });
  }

  // Where another tile follows, the tile's fold is computed along the way; returns the next carry.
  Values scan_lanes(V begin, V end, const Values& carry, bool goes_on) {
    auto& b = code_.b;
    Values state;
    for (V value : carry) state.push_back(b.CreateVectorSplat(width_, value));
    const auto leaves = static_cast<std::ptrdiff_t>(carry.size());
    const Values nothing = !goes_on        ? Values()
                           : of_segments() ? identities_of_register()
                                           : identities(code_);
    state = in_vectors(
        code_, begin, end, appended(state, nothing), [&](V index, const Values& s, bool tail) {
          const Values x = element_or_identity(index, tail);
          Values left(s.begin(), s.begin() + leaves), total(s.begin() + leaves, s.end());
          store(result_of(index), scan_vector(x, left, goes_on ? &total : nullptr), tail);
          return appended(left, total);
        });
    if (!goes_on) return {};
    const Values total(state.begin() + leaves, state.end());
    return tiles_combined(code_, carry,
                          of_segments() ? first_lanes_of(total) : lanes_combined(code_, total));
  }

  // Register by register; `carry` is in all lanes, and passes from one register to the next. So
  // does the `total` of segments; that of others has lanes of its own.
  Values scan_vector(const Values& x, Values& carry, Values* total = nullptr) {
    std::vector<Values> parts;  // by register, then leaf
    for (unsigned first = 0; first < code_.lanes(); first += width_) {
      const Values prefix = prefixes(lanes_from(x, first, 1));
      const Values last = lanes_from(prefix, width_ - 1, 0);
      parts.push_back(combined_by_table(code_, carry, prefix));
      carry = combined_by_table(code_, carry, last);
      if (total && of_segments()) *total = combined_by_table(code_, *total, last);
    }
    if (total && !of_segments()) *total = combined_by_table(code_, *total, x);
    Values result;
    for (std::size_t leaf = 0; leaf < x.size(); ++leaf) {
      llvm::SmallVector<V, 8> registers;
      for (const Values& part : parts) registers.push_back(part[leaf]);
      result.push_back(joined(code_.b, std::move(registers), code_.lanes()));
    }
    return result;
  }

  /// A register of the lanes first, first + step, ...
  Values lanes_from(const Values& x, unsigned first, int step) {
    llvm::SmallVector<int, 64> order;
    for (unsigned i = 0; i < width_; ++i)
      order.push_back(static_cast<int>(first) + static_cast<int>(i) * step);
    Values result;
    for (V value : x) result.push_back(code_.b.CreateShuffleVector(value, order));
    return result;
  }

  // Lane l becomes the fold of lanes 0 to l, in a logarithm of steps.
  Values prefixes(Values x) {
    for (unsigned distance = 1; distance < width_; distance *= 2)
      x = combined_by_table(code_, shifted(x, distance), x);
    return x;
  }

  // Lanes move up; the identity is shifted in below.
  Values shifted(const Values& x, unsigned distance) {
    llvm::SmallVector<int, 64> order;
    for (unsigned i = 0; i < width_; ++i)
      order.push_back(static_cast<int>(i < distance ? width_ + i : i - distance));
    const Values nothing = identities(code_);
    Values result;
    for (std::size_t i = 0; i < x.size(); ++i) {
      V fill = code_.b.CreateVectorSplat(width_,
                                         llvm::cast<llvm::Constant>(nothing[i])->getSplatValue());
      result.push_back(code_.b.CreateShuffleVector(x[i], fill, order));
    }
    return result;
  }

  // The position in its row of the result that an element makes.
  V result_of(V index) { return seeded_ ? code_.b.CreateNSWAdd(index, code_.i64(1)) : index; }

  // Streamed if the launch asks for it, except for parts of vectors and scalars (`here`).
  void store(V index, const Values& values, bool here) {
    const Values results = epilogue_of(
        code_, in_order_ ? Lanes(Uniform{index}) : Lanes(Affine{index, code_.i64(1)}), values);
    V at = code_.b.CreateAdd(start_, index);
    const auto store_all = [&](bool past_caches) {
      for (std::size_t i = 0; i < results.size(); ++i) code_.store(i, at, results[i], past_caches);
    };
    if (here) return store_all(false);
    code_.when(stream_, "stream", [&] { store_all(true); });
    code_.when(code_.b.CreateNot(stream_), "store", [&] { store_all(false); });
  }

  llvm::Function* function_;
  LaneCode code_;
  bool in_order_, seeded_, emitted_ = false;
  unsigned width_;  // lanes of a register of the widest leaf
  V stream_ = nullptr;
  V start_ = nullptr;  // of the row, in the outputs
};

}  // namespace

void emit_scan_of_tiles(const KernelModule& module, llvm::Function* function, unsigned lanes,
                        bool in_order) {
  TileScanner(module, function, lanes, in_order).run();
}

}  // namespace hasten::backends::cpu
