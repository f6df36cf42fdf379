// The three functions of a contraction; see contraction.hpp.
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

llvm::Function* declare(const KernelModule& module, const char* name) {
  llvm::LLVMContext& context = module.llvm.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module.llvm);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

/// What all three functions share: the part they compute, and its indices.
class PartEmitter {
 public:
  PartEmitter(const KernelModule& module, const kernels::PackedTile& tile,
              const Contraction& contraction, const char* name, unsigned lanes)
      : function_(declare(module, name)),
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
        outer_(split_row(code_, product_, code_.kernel().rank - 3)) {
    code_.hoisting = HoistingLevels(code_.kernel(), code_.lanes() > 1, false);
  }

 protected:
  V field(llvm::Type* type, std::size_t offset) {
    V address =
        code_.b.CreateConstInBoundsGEP1_64(code_.b.getInt8Ty(), function_->getArg(1), offset);
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

  /// Says how the values of a region differ among lanes, from its parameters behind the outer axes.
  /// All are computed where they are used, so no reduction has lanes of its own.
  void place_region(const Region& region, std::initializer_list<Spread> inner, Spread others) {
    std::vector<Place> places(outer_.size(), Place{lane_level, Spread::uniform});
    for (const Spread spread : inner) places.push_back({lane_level, spread});
    places.resize(region.params.size(), Place{lane_level, others});
    code_.hoisting.add(region, places);
  }

  // Sets the indices of the axes before the last three, then these.
  void set_indices(const Region& region, std::initializer_list<Lanes> inner) {
    std::size_t axis = 0;
    for (V index : outer_) code_.set(region.params[axis++], Uniform{index});
    for (const Lanes& index : inner) code_.set(region.params[axis++], index);
  }

  // The position of a step of a panel; panels are counted.
  V step_of(V panels, V panel, std::int64_t bytes, V k) {
    V step = add(times(panel, steps_), subtract(k, k0_));
    return at(panels, times(step, number(bytes)));
  }

  llvm::Function* function_;
  LaneCode code_;
  const kernels::PackedTile& tile_;
  const Contraction& contraction_;
  V product_, row0_, row1_, column0_, column1_, k0_, k1_, steps_, down_, across_;
  Values outer_;
};

/// A vector for each shared value, step after step; zeros beyond the last column.
class AcrossEmitter : PartEmitter {
 public:
  AcrossEmitter(const KernelModule& module, const kernels::PackedTile& tile,
                const Contraction& contraction)
      : PartEmitter(module, tile, contraction, pack_across_symbol, tile.lanes) {}

  void run() {
    auto& b = code_.b;
    const std::int64_t lanes = tile_.lanes;
    place_region(contraction_.across.shared, {Spread::uniform, Spread::affine, Spread::uniform},
                 Spread::uniform);
    loop(column0_, column1_, lanes, [&](V column) {
      V end = code_.extent(code_.kernel().rank - 2);
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
    loop(k0_, k1_, 1, [&](V k) {
      set_indices(shared, {Uniform{number(0)}, Affine{column, number(1)}, Uniform{k}});
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
      : PartEmitter(module, tile, contraction, pack_down_symbol, 1) {}

  void run() {
    loop(row0_, row1_, tile_.rows, [&](V row) {
      V panel = code_.b.CreateUDiv(subtract(row, row0_), number(tile_.rows));
      const auto over_rows = [&](llvm::function_ref<void(V)> body) {
        loop(number(0), number(tile_.rows), 1, body);
      };
      const auto over_steps = [&](llvm::function_ref<void(V)> body) { loop(k0_, k1_, 1, body); };
      if (contraction_.down.along_fold)
        over_rows([&](V r) { over_steps([&](V k) { put(panel, row, r, k); }); });
      else
        over_steps([&](V k) { over_rows([&](V r) { put(panel, row, r, k); }); });
    });
    code_.b.CreateRetVoid();
  }

 private:
  void put(V panel, V row, V r, V k) {
    const Region& shared = contraction_.down.shared;
    V index = smaller(add(row, r), subtract(row1_, number(1)));
    set_indices(shared, {Uniform{index}, Uniform{number(0)}, Uniform{k}});
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
      : PartEmitter(module, tile, contraction, multiply_symbol, tile.lanes),
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
        V is_last = b.CreateICmpEQ(k1_, code_.extent(code_.kernel().rank - 1));
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
    place_region(contraction_.rest, {Spread::uniform, Spread::affine, Spread::uniform},
                 Spread::uniform);
    hoist_operator(code_, true);
    place_region(kernel.epilogue, {Spread::uniform, Spread::affine}, Spread::varying);
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

  Values start() {
    const Kernel& kernel = code_.kernel();
    const Values one = kernel.seed.empty() ? identities(code_) : lanes_of(code_, kernel.seed);
    Values all;
    for (std::int64_t r = 0; r < tile_.rows; ++r) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

  Values fold(V row, V column, V origin) {
    const Values first = start();
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
      V of_rows = step_of(down_, down, tile_.down_bytes, k);
      Values next;
      for (std::int64_t r = 0; r < tile_.rows; ++r) {
        load_row(of_rows, r);
        const Values right = element(add(row, number(r)), column, k);
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

  Values element(V row, V column, V k) {
    set_indices(contraction_.rest, {Uniform{row}, Affine{column, number(1)}, Uniform{k}});
    code_.run(contraction_.rest);
    return lanes_of(code_, contraction_.rest.results);
  }

  Values combine(const Values& left, const Values& right) {
    return code_.kernel().lane_operator.commutative ? combined_by_table(code_, left, right)
                                                    : combined(code_, left, right);
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
    set_indices(epilogue, {Uniform{row}, Affine{column, number(1)}});
    Values values;
    for (std::size_t i = 0; i < leaves().size(); ++i) values.push_back(load_sum(i, sums));
    set_lanes(code_, std::span(epilogue.params).subspan(outer_.size() + 2), values);
    code_.run(epilogue);
    V line = add(times(product_, code_.extent(kernel.rank - 3)), row);
    V target = add(times(line, code_.extent(kernel.rank - 2)), column);
    for (std::size_t i = 0; i < epilogue.results.size(); ++i)
      code_.store(i, target, code_.vector(epilogue.results[i]), false);
  }

  V sums_, is_kept_, pitch_, size_;
};

}  // namespace

void emit_contraction(const KernelModule& module, const kernels::PackedTile& tile) {
  const auto contraction = kernels::find_contraction(module.kernel);
  AcrossEmitter(module, tile, *contraction).run();
  DownEmitter(module, tile, *contraction).run();
  TileEmitter(module, tile, *contraction).run();
}

}  // namespace hasten::backends::cpu
