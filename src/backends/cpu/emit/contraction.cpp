// The functions of a contraction; see contraction.hpp.
#include "backends/cpu/contraction.hpp"
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include "kernels/analysis/contraction.hpp"

#include <cstddef>

namespace hasten::backends::cpu {

using kernels::Contraction;
using kernels::Kernel;
using kernels::Region;
using kernels::Value;
using V = llvm::Value*;

namespace {

// Steps whose part of a panel stays in the first cache while one row after the other is stored.
constexpr std::int64_t packed_together = 256;

llvm::Function* declare(const KernelModule& module, const char* name) {
  llvm::LLVMContext& context = module.llvm.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module.llvm);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

/// What all functions share: the part they compute, and its indices.
class PartEmitter {
 public:
  /// The indices of a step along the folded axes.
  using Steps = std::vector<V>;

  /// `part` is the function's argument that points to the ContractionPart.
  PartEmitter(const KernelModule& module, const kernels::PackedTile& tile,
              const Contraction& contraction, llvm::Function* function, unsigned lanes,
              unsigned part = 1)
      : function_(function),
        part_(function->getArg(part)),
        code_(module, function_, lanes),
        tile_(tile),
        contraction_(contraction),
        product_(word(offsetof(ContractionPart, product))),
        row0_(word(offsetof(ContractionPart, row0))),
        row1_(word(offsetof(ContractionPart, row1))),
        column0_(word(offsetof(ContractionPart, column0))),
        column1_(word(offsetof(ContractionPart, column1))),
        k0_(word(offsetof(ContractionPart, k0))),
        k1_(word(offsetof(ContractionPart, k1))),
        steps_(code_.b.CreateSub(k1_, k0_)),
        down_(pointer(offsetof(ContractionPart, down))),
        across_(pointer(offsetof(ContractionPart, across))),
        column_axis_(outer_axes(code_.kernel()) - 1),
        row_axis_(contraction.row_axis),
        depth_(number(1)) {
    for (std::size_t axis = column_axis_ + 1; axis < code_.kernel().rank; ++axis)
      depth_ = times(depth_, code_.extent(axis));
    split_product();
    code_.hoisting = HoistingLevels(code_.kernel(), code_.lanes() > 1, false);
  }

 protected:
  V field(llvm::Type* type, std::size_t offset) {
    V address = code_.b.CreateConstInBoundsGEP1_64(code_.b.getInt8Ty(), part_, offset);
    return code_.b.CreateAlignedLoad(type, address, llvm::Align(8));
  }
  V word(std::size_t offset) { return field(code_.b.getInt64Ty(), offset); }
  V pointer(std::size_t offset) { return field(code_.b.getPtrTy(), offset); }

  V add(V a, V b) { return code_.b.CreateNSWAdd(a, b); }
  V subtract(V a, V b) { return code_.b.CreateNSWSub(a, b); }
  V times(V a, V b) { return code_.b.CreateNSWMul(a, b); }
  V number(std::int64_t x) { return code_.i64(x); }
  V smaller(V a, V b) { return code_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }
  V at(V base, V bytes) { return code_.b.CreateGEP(code_.b.getInt8Ty(), base, bytes); }
  [[nodiscard]] std::int64_t bytes(Value v) const {
    return static_cast<std::int64_t>(detail::size_in_bytes(code_.type(v)));
  }

  void loop(V begin, V end, std::int64_t step, llvm::function_ref<void(V)> body) {
    counted(code_, begin, end, step, {}, [&](V i, const Values&) { return body(i), Values{}; });
  }

  /// Steps [begin, end) with their indices, which are counted up with a carry.
  void each_step(V begin, V end, llvm::function_ref<void(V, const Steps&)> body) {
    if (code_.kernel().folded == 1) return loop(begin, end, 1, [&](V k) { body(k, {k}); });
    counted(code_, begin, end, 1, steps_at(begin), [&](V k, const Values& index) {
      body(k, index);
      return next_steps(index);
    });
  }

  Steps next_steps(const Steps& index) { return next_index(code_, index, column_axis_ + 1); }

  Steps steps_at(V k) {
    Steps index(code_.kernel().folded);
    for (std::size_t i = index.size(); i-- > 1;) {
      V extent = code_.extent(column_axis_ + 1 + i);
      index[i] = code_.b.CreateURem(k, extent);
      k = code_.b.CreateUDiv(k, extent);
    }
    index[0] = k;
    return index;
  }

  /// Says how the values of a region differ among lanes, which go along columns; `others` are its
  /// parameters behind the outer axes. All are computed where they are used, so no reduction has
  /// lanes of its own.
  void place_region(const Region& region, Spread others) {
    std::vector<Place> places(column_axis_ + 1, Place{lane_level, Spread::uniform});
    places[column_axis_].spread = Spread::affine;
    places.resize(region.params.size(), Place{lane_level, others});
    code_.hoisting.add(region, places);
  }

  void set_indices(const Region& region, const Lanes& row, const Lanes& column,
                   const Steps& steps) {
    for (std::size_t axis = 0; axis < column_axis_; ++axis)
      code_.set(region.params[axis], axis == row_axis_ ? row : Uniform{outer_[axis]});
    code_.set(region.params[column_axis_], column);
    for (std::size_t i = 0; i < steps.size(); ++i)
      code_.set(region.params[column_axis_ + 1 + i], Uniform{steps[i]});
  }

  /// The position of a result among all.
  V place_of(V row, V column) {
    V line = number(0);
    for (std::size_t axis = 0; axis < column_axis_; ++axis)
      line = add(times(line, code_.extent(axis)), axis == row_axis_ ? row : outer_[axis]);
    return add(times(line, code_.extent(column_axis_)), column);
  }

  Values combine(const Values& left, const Values& right) {
    return code_.kernel().lane_operator.commutative ? combined_by_table(code_, left, right)
                                                    : combined(code_, left, right);
  }

  /// What a result is folded from at first.
  Values start() {
    const Kernel& kernel = code_.kernel();
    return kernel.seed.empty() ? identities(code_) : lanes_of(code_, kernel.seed);
  }

  // The position of a step of a panel; panels are counted.
  V step_of(V panels, V panel, std::int64_t bytes, V k) {
    V step = add(times(panel, steps_), subtract(k, k0_));
    return at(panels, times(step, number(bytes)));
  }

  llvm::Function* function_;
  V part_;
  LaneCode code_;
  const kernels::PackedTile& tile_;
  const Contraction& contraction_;
  V product_, row0_, row1_, column0_, column1_, k0_, k1_, steps_, down_, across_;
  std::size_t column_axis_, row_axis_;
  V depth_;       // steps of all parts
  Values outer_;  // by axis before the columns'; null for that of rows

 private:
  void split_product() {
    outer_.assign(column_axis_, nullptr);
    V rest = product_;
    for (std::size_t axis = column_axis_; axis-- > 0;) {
      if (axis == row_axis_) continue;
      const bool is_first = axis == 0 || (axis == 1 && row_axis_ == 0);
      outer_[axis] = is_first ? rest : code_.b.CreateURem(rest, code_.extent(axis));
      if (!is_first) rest = code_.b.CreateUDiv(rest, code_.extent(axis));
    }
  }
};

/// A vector for each shared value, step after step; zeros beyond the last column.
class AcrossEmitter : PartEmitter {
 public:
  AcrossEmitter(const KernelModule& module, const kernels::PackedTile& tile,
                const Contraction& contraction)
      : PartEmitter(module, tile, contraction, declare(module, pack_across_symbol), tile.lanes) {}

  void run() {
    auto& b = code_.b;
    const std::int64_t lanes = tile_.lanes;
    place_region(contraction_.across.shared, Spread::uniform);
    loop(column0_, column1_, lanes, [&](V column) {
      V end = code_.extent(column_axis_);
      V left = subtract(end, column);
      V is_whole = b.CreateICmpSGE(left, number(lanes));
      code_.when(is_whole, "whole", [&] { panel(column); });
      code_.when(b.CreateNot(is_whole), "part", [&] {
        code_.mask = code_.first_lanes(left);
        panel(column);
        code_.mask = nullptr;
      });
    });
    b.CreateRetVoid();
  }

 private:
  void panel(V column) {
    auto& b = code_.b;
    const Region& shared = contraction_.across.shared;
    V number_of_panel = b.CreateUDiv(column, number(tile_.lanes));
    each_step(k0_, k1_, [&](V k, const Steps& steps) {
      set_indices(shared, Uniform{number(0)}, Affine{column, number(1)}, steps);
      code_.run(shared);
      V to = step_of(across_, number_of_panel, tile_.across_bytes, k);
      for (const Value v : shared.results) {
        V x = code_.vector(v);
        if (code_.mask)
          x = b.CreateSelect(code_.mask, x, llvm::Constant::getNullValue(x->getType()));
        b.CreateAlignedStore(x, to, llvm::Align(static_cast<std::uint64_t>(bytes(v))));
        to = at(to, number(bytes(v) * tile_.lanes));
      }
    });
  }
};

/// A number of each row for each shared value, step after step; the last row is repeated beyond the
/// end. Reads go along memory.
class DownEmitter : PartEmitter {
 public:
  DownEmitter(const KernelModule& module, const kernels::PackedTile& tile,
              const Contraction& contraction)
      : PartEmitter(module, tile, contraction, declare(module, pack_down_symbol), 1) {}

  void run() {
    loop(row0_, row1_, tile_.rows, [&](V row) {
      V panel = code_.b.CreateUDiv(subtract(row, row0_), number(tile_.rows));
      const auto over_rows = [&](llvm::function_ref<void(V)> body) {
        loop(number(0), number(tile_.rows), 1, body);
      };
      const auto put_at = [&](V r, V k, const Steps& steps) { put(panel, row, r, k, steps); };
      if (!contraction_.down.along_fold)
        return each_step(k0_, k1_, [&](V k, const Steps& steps) {
          over_rows([&](V r) { put_at(r, k, steps); });
        });
      loop(k0_, k1_, packed_together, [&](V begin) {
        V end = smaller(add(begin, number(packed_together)), k1_);
        over_rows([&](V r) {
          each_step(begin, end, [&](V k, const Steps& steps) { put_at(r, k, steps); });
        });
      });
    });
    code_.b.CreateRetVoid();
  }

 private:
  void put(V panel, V row, V r, V k, const Steps& steps) {
    const Region& shared = contraction_.down.shared;
    V index = smaller(add(row, r), subtract(row1_, number(1)));
    set_indices(shared, Uniform{index}, Uniform{number(0)}, steps);
    code_.run(shared);
    V to = step_of(down_, panel, tile_.down_bytes, k);
    for (const Value v : shared.results) {
      code_.b.CreateAlignedStore(code_.scalar(v), at(to, times(r, number(bytes(v)))),
                                 llvm::Align(static_cast<std::uint64_t>(bytes(v))));
      to = at(to, number(bytes(v) * tile_.rows));
    }
  }
};

/// Tiles of results, in registers throughout the steps.
class TileEmitter : PartEmitter {
 public:
  TileEmitter(const KernelModule& module, const kernels::PackedTile& tile,
              const Contraction& contraction)
      : PartEmitter(module, tile, contraction, declare(module, multiply_symbol), tile.lanes),
        sums_(pointer(offsetof(ContractionPart, sums))),
        is_kept_(code_.b.CreateICmpNE(word(offsetof(ContractionPart, sums_kept)), number(0))),
        pitch_(word(offsetof(ContractionPart, sums_pitch))),
        size_(word(offsetof(ContractionPart, sums_size))) {}

  void run() {
    auto& b = code_.b;
    place_values();
    loop(column0_, column1_, tile_.lanes, [&](V column) {
      loop(row0_, row1_, tile_.rows, [&](V row) {
        V origin = b.CreateSelect(is_kept_, add(times(row, pitch_), column), number(0));
        store_sums(origin, fold(row, column, origin));
        V is_last = b.CreateICmpEQ(k1_, depth_);
        code_.when(is_last, "results", [&] { results(row, column, origin); });
      });
    });
    b.CreateRetVoid();
  }

 private:
  [[nodiscard]] const std::vector<Value>& leaves() const { return code_.kernel().combine.results; }

  // A panel of columns holds vectors, even if all lanes are the same.
  void place_values() {
    const Kernel& kernel = code_.kernel();
    const Region vectors{contraction_.across.shared.results, {}, {}};
    code_.hoisting.add(
        vectors, std::vector<Place>(vectors.params.size(), Place{lane_level, Spread::varying}));
    place_region(contraction_.rest, Spread::uniform);
    hoist_operator(code_, true);
    place_region(kernel.epilogue, Spread::varying);
  }

  // The place in `sums` of an element of a leaf.
  V place(std::size_t leaf, V element) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < leaf; ++i) before += bytes(leaves()[i]);
    return at(sums_,
              add(times(size_, number(before)), times(element, number(bytes(leaves()[leaf])))));
  }
  V element_of(V origin, V r) { return add(origin, times(r, pitch_)); }
  [[nodiscard]] llvm::Align align(std::size_t leaf) const {
    return llvm::Align(static_cast<std::uint64_t>(bytes(leaves()[leaf])));
  }

  void store_sums(V origin, const Values& sums) {
    for (std::int64_t r = 0; r < tile_.rows; ++r)
      for (std::size_t i = 0; i < leaves().size(); ++i)
        code_.b.CreateAlignedStore(sums[static_cast<std::size_t>(r) * leaves().size() + i],
                                   place(i, element_of(origin, number(r))), align(i));
  }

  V load_sum(std::size_t leaf, V element) {
    return code_.b.CreateAlignedLoad(code_.lane_type(code_.type(leaves()[leaf])),
                                     place(leaf, element), align(leaf));
  }

  Values start_of_all() {
    const Values one = start();
    Values all;
    for (std::int64_t r = 0; r < tile_.rows; ++r) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

  Values fold(V row, V column, V origin) {
    const Values first = start_of_all();
    const Values state = guarded(code_, code_.b.CreateICmpSGT(k0_, number(0)), first, [&] {
      Values loaded;
      for (std::int64_t r = 0; r < tile_.rows; ++r)
        for (std::size_t i = 0; i < leaves().size(); ++i)
          loaded.push_back(load_sum(i, element_of(origin, number(r))));
      return loaded;
    });
    V down = code_.b.CreateUDiv(subtract(row, row0_), number(tile_.rows));
    V across = code_.b.CreateUDiv(column, number(tile_.lanes));
    return counted(code_, k0_, k1_, 1, state, [&](V k, const Values& left) {
      load_columns(step_of(across_, across, tile_.across_bytes, k));
      // Mostly dead code: few elements depend on them beside reads.
      const Steps steps = steps_at(k);
      V of_rows = step_of(down_, down, tile_.down_bytes, k);
      Values next;
      for (std::int64_t r = 0; r < tile_.rows; ++r) {
        load_row(of_rows, r);
        const Values right = element(add(row, number(r)), column, steps);
        const auto begin = left.begin() + r * std::ssize(leaves());
        const Values sums = combine(Values(begin, begin + std::ssize(leaves())), right);
        next.insert(next.end(), sums.begin(), sums.end());
      }
      return next;
    });
  }

  void load_columns(V from) {
    for (const Value v : contraction_.across.shared.results) {
      V x = code_.b.CreateAlignedLoad(code_.lane_type(code_.type(v)), from,
                                      llvm::Align(static_cast<std::uint64_t>(bytes(v))));
      code_.set(v, Varying{x});
      from = at(from, number(bytes(v) * tile_.lanes));
    }
  }

  void load_row(V from, std::int64_t r) {
    for (const Value v : contraction_.down.shared.results) {
      V x = code_.b.CreateAlignedLoad(register_type(code_.b.getContext(), code_.type(v)),
                                      at(from, number(r * bytes(v))),
                                      llvm::Align(static_cast<std::uint64_t>(bytes(v))));
      code_.set(v, Uniform{x});
      from = at(from, number(bytes(v) * tile_.rows));
    }
  }

  Values element(V row, V column, const Steps& steps) {
    set_indices(contraction_.rest, Uniform{row}, Affine{column, number(1)}, steps);
    code_.run(contraction_.rest);
    return lanes_of(code_, contraction_.rest.results);
  }

  void results(V row, V column, V origin) {
    V rows = smaller(number(tile_.rows), subtract(row1_, row));
    V end = smaller(add(column, number(tile_.lanes)), column1_);
    loop(number(0), rows, 1, [&](V r) {
      V sums = element_of(origin, r);
      in_vectors(code_, column, end, {}, [&](V at_column, const Values&, bool) {
        finish(add(row, r), at_column, sums);
        return Values{};
      });
    });
  }

  void finish(V row, V column, V sums) {
    const Kernel& kernel = code_.kernel();
    const Region& epilogue = kernel.epilogue;
    set_indices(epilogue, Uniform{row}, Affine{column, number(1)}, {});
    Values values;
    for (std::size_t i = 0; i < leaves().size(); ++i) values.push_back(load_sum(i, sums));
    set_lanes(code_, std::span(epilogue.params).subspan(column_axis_ + 1), values);
    code_.run(epilogue);
    V target = place_of(row, column);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, target, code_.vector(epilogue.results[i]), false);
  }

  V sums_, is_kept_, pitch_, size_;
};

/// Tiles of few rows, for which what they share is computed where it is needed.
class DirectEmitter : PartEmitter {
 public:
  DirectEmitter(const KernelModule& module, const kernels::PackedTile& tile,
                const Contraction& contraction)
      : PartEmitter(module, tile, contraction, declare_run(module, Form::direct_tiles), tile.lanes,
                    part_argument) {}

  void run() {
    place_region(contraction_.down.shared, Spread::uniform);
    place_region(contraction_.across.shared, Spread::uniform);
    place_region(contraction_.rest, Spread::uniform);
    hoist_operator(code_, true);
    place_region(code_.kernel().epilogue, Spread::varying);
    in_vectors(code_, column0_, column1_, {}, [&](V column, const Values&, bool) {
      loop(row0_, row1_, direct_rows, [&](V row) { store(row, column, fold(row, column)); });
      return Values{};
    });
    code_.b.CreateRetVoid();
  }

 private:
  static constexpr unsigned part_argument = 5;

  // Beyond the end the last row is repeated.
  V row_at(V row, std::int64_t r) {
    return smaller(add(row, number(r)), subtract(row1_, number(1)));
  }

  std::vector<Values> fold(V row, V column) {
    const Values one = start();
    Values state;
    for (std::int64_t r = 0; r < direct_rows; ++r)
      state.insert(state.end(), one.begin(), one.end());
    const std::size_t sums = state.size(), leaves = one.size();
    const Steps first = steps_at(k0_);
    state.insert(state.end(), first.begin(), first.end());
    state = counted(code_, k0_, k1_, 1, state, [&](V, const Values& left) {
      const Steps steps(left.begin() + static_cast<std::ptrdiff_t>(sums), left.end());
      const Lanes columns = Affine{column, number(1)};
      set_indices(contraction_.across.shared, Uniform{number(0)}, columns, steps);
      code_.run(contraction_.across.shared);
      Values next;
      for (std::int64_t r = 0; r < direct_rows; ++r) {
        const Lanes own_row = Uniform{row_at(row, r)};
        set_indices(contraction_.down.shared, own_row, Uniform{number(0)}, steps);
        code_.run(contraction_.down.shared);
        set_indices(contraction_.rest, own_row, columns, steps);
        code_.run(contraction_.rest);
        const auto begin = left.begin() + r * static_cast<std::ptrdiff_t>(leaves);
        const Values all = combine(Values(begin, begin + static_cast<std::ptrdiff_t>(leaves)),
                                   lanes_of(code_, contraction_.rest.results));
        next.insert(next.end(), all.begin(), all.end());
      }
      const Steps after = next_steps(steps);
      next.insert(next.end(), after.begin(), after.end());
      return next;
    });
    std::vector<Values> rows;
    for (std::size_t i = 0; i < sums; i += leaves) {
      const auto begin = state.begin() + static_cast<std::ptrdiff_t>(i);
      rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(leaves));
    }
    return rows;
  }

  void store(V row, V column, const std::vector<Values>& rows) {
    for (std::int64_t r = 0; r < direct_rows; ++r) {
      V own_row = add(row, number(r));
      code_.when(code_.b.CreateICmpSLT(own_row, row1_), "result",
                 [&] { finish(own_row, column, rows[static_cast<std::size_t>(r)]); });
    }
  }

  void finish(V row, V column, const Values& sums) {
    const Region& epilogue = code_.kernel().epilogue;
    set_indices(epilogue, Uniform{row}, Affine{column, number(1)}, {});
    set_lanes(code_, std::span(epilogue.params).subspan(column_axis_ + 1), sums);
    code_.run(epilogue);
    V target = place_of(row, column);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, target, code_.vector(epilogue.results[i]), false);
  }
};

}  // namespace

void emit_contraction(const KernelModule& module, const kernels::PackedTile& tile) {
  const auto contraction = kernels::find_any_contraction(module.kernel);
  AcrossEmitter(module, tile, *contraction).run();
  DownEmitter(module, tile, *contraction).run();
  TileEmitter(module, tile, *contraction).run();
}

void emit_direct_tiles(const KernelModule& module, const kernels::PackedTile& tile) {
  DirectEmitter(module, tile, *kernels::find_any_contraction(module.kernel)).run();
}

}  // namespace hasten::backends::cpu
