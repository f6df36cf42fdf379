// Parts of columns that are few and long: sums of many points. Lanes run down the columns, and a
// step takes a vector of each column; the folds so far wait on the stack.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/rows/flat_columns.hpp"
#include "backends/cpu/emit/rows/known_rows.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"

namespace hasten::backends::cpu {

using kernels::Kernel;
using V = llvm::Value*;

namespace {

class FewColumns {
 public:
  FewColumns(const KernelModule& module, llvm::Function* function, unsigned lanes)
      : module_(module),
        function_(function),
        code_(module, function, lanes),
        element_(module.kernel.element) {
    for (const V nothing : identities(code_)) {
      auto* slot = code_.stack_slot(llvm::ArrayType::get(nothing->getType(), few_columns_max));
      slot->setAlignment(llvm::Align(64));
      folded_.push_back(slot);
    }
  }

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    std::vector<Place> places(kernel.rank, Place{1, Spread::uniform});
    places[kernel.rank - 2] = {lane_level + 1, Spread::uniform};
    places.back() = {lane_level, Spread::affine};
    code_.hoisting.add(element_, places);
    hoist_operator(code_, true);
    OpenLevel entry(code_, 0);
    columns_ = code_.extent(kernel.rank - 2);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 2);
    for (std::size_t axis = 0; axis < rows.index.size(); ++axis)
      code_.set(element_.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    if (module_.known.number > 0)
      fold_known();
    else
      fold_all();
    for_columns([&](V column) { store_part(rows.row, column); });
    row.close();
    rows.close();
    entry.close();
    b.CreateRetVoid();
  }

 private:
  void fold_all() {
    for_columns([&](V column) { keep(column, identities(code_)); });
    in_vectors(code_, word_of_part(0), word_of_part(1), {}, [&](V first, const Values&, bool tail) {
      V on = tail ? code_.b.CreateSub(word_of_part(1), first) : code_.i64(code_.lanes());
      steps(first, on, tail);
      return Values{};
    });
  }

  // The same in registers, except for columns that fill no whole vector. Folds of vectors along
  // memory have the same bits once they are taken apart: each number is added to the same ones.
  void fold_known() {
    KnownRows rows(module_, code_, element_, element_.params.size() - 2);
    FlatColumns flat(module_, code_, element_);
    bool is_flat = false;
    Values start;
    for (std::int64_t column = 0; column < module_.known.number; ++column)
      for (const V nothing : identities(code_)) start.push_back(nothing);
    const auto body = [&](V first, const Values& left, bool tail) {
      if (!tail) return known_steps(rows, flat, first, left, is_flat);
      keep_all(is_flat ? taken_apart(left) : left);
      steps(first, code_.b.CreateSub(word_of_part(1), first), true);
      return is_flat ? put_together(all_kept()) : all_kept();
    };
    const Values all = in_vectors(code_, word_of_part(0), word_of_part(1), start, body);
    keep_all(is_flat ? taken_apart(all) : all);
  }

  Values known_steps(KnownRows& rows, FlatColumns& flat, V first, const Values& left,
                     bool& is_flat) {
    code_.set(element_.params.back(), Affine{first, code_.i64(1)});
    OpenLevel vector(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element_, 0, lane_level);
    Values next;
    const auto then = [&](std::int64_t number) {
      const auto begin = left.begin() + number * std::ssize(folded_);
      const Values before(begin, begin + std::ssize(folded_));
      for (const V x : combined_by_table(code_, before, combined_of(code_))) next.push_back(x);
    };
    is_flat = flat.each_vector(then);
    if (!is_flat) rows.each_column(then);
    vector.close();
    return next;
  }

  // From vectors along memory to columns, and back; leaf by leaf.
  Values taken_apart(const Values& vectors) {
    return by_leaf(vectors, [&](const Values& leaf) { return code_.columns_of(leaf); });
  }
  Values put_together(const Values& columns) {
    return by_leaf(columns, [&](const Values& leaf) { return code_.vectors_of(leaf); });
  }

  Values by_leaf(const Values& values, llvm::function_ref<Values(const Values&)> change) {
    Values result(values.size());
    for (std::size_t leaf = 0; leaf < folded_.size(); ++leaf) {
      Values of_leaf;
      for (std::size_t i = leaf; i < values.size(); i += folded_.size())
        of_leaf.push_back(values[i]);
      const Values changed = change(of_leaf);
      for (std::size_t i = 0; i < changed.size(); ++i)
        result[i * folded_.size() + leaf] = changed[i];
    }
    return result;
  }

  void keep_all(const Values& values) {
    for (std::int64_t column = 0; column < module_.known.number; ++column) {
      const auto begin = values.begin() + column * std::ssize(folded_);
      keep(code_.i64(column), Values(begin, begin + std::ssize(folded_)));
    }
  }

  Values all_kept() {
    Values values;
    for (std::int64_t column = 0; column < module_.known.number; ++column)
      for (const V x : kept(code_.i64(column))) values.push_back(x);
    return values;
  }

  void for_columns(llvm::function_ref<void(V)> body) {
    counted(code_, code_.i64(0), columns_, 1, {}, [&](V column, const Values&) {
      body(column);
      return Values{};
    });
  }

  // A vector of steps, of which the first `on` are on.
  void steps(V first, V on, bool tail) {
    code_.set(element_.params.back(), Affine{first, code_.i64(1)});
    OpenLevel vector(code_, lane_level);
    code_.level_blocks.resize(lane_level + 1);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element_, tail ? lane_level : 0, lane_level);
    const kernels::Value column_index = element_.params[element_.params.size() - 2];
    PrivateRows reads(module_, code_, element_, column_index);
    if (reads.found()) reads.read(Uniform{code_.i64(0)}, columns_, on);
    const Values nothing = identities(code_);
    for_columns([&](V column) {
      code_.set(column_index, Uniform{column});
      code_.level_blocks.resize(lane_level + 1);
      code_.level_blocks.push_back(code_.b.GetInsertBlock());
      code_.run_hoisted(element_, lane_level + 1);
      Values x = combined_of(code_);
      for (std::size_t i = 0; tail && i < x.size(); ++i)
        x[i] = code_.b.CreateSelect(code_.mask, x[i], nothing[i]);
      keep(column, combined_by_table(code_, kept(column), x));
    });
    vector.close();
  }

  // -- what columns have come to ------------------------------------------------------------------

  V place(std::size_t leaf, V column) {
    auto* slot = folded_[leaf];
    return code_.b.CreateGEP(slot->getAllocatedType()->getArrayElementType(), slot, column);
  }

  Values kept(V column) {
    Values values;
    for (std::size_t i = 0; i < folded_.size(); ++i)
      values.push_back(code_.b.CreateLoad(folded_[i]->getAllocatedType()->getArrayElementType(),
                                          place(i, column)));
    return values;
  }

  void keep(V column, const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      code_.b.CreateStore(values[i], place(i, column));
  }

  // A member of the ColumnPart.
  V word_of_part(std::int64_t number) {
    auto& b = code_.b;
    V at = b.CreateGEP(b.getInt64Ty(), function_->getArg(5), code_.i64(number));
    return b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8));
  }

  void store_part(V row, V column) {
    auto& b = code_.b;
    const Values results = lanes_combined(code_, kept(column));
    V words = b.CreateIntToPtr(word_of_part(2), b.getPtrTy());
    V first = b.CreateAdd(b.CreateMul(row, word_of_part(3)), column), size = word_of_part(4);
    for (std::size_t i = 0; i < results.size(); ++i) {
      V at = b.CreateAdd(b.CreateMul(size, code_.i64(static_cast<std::int64_t>(i))), first);
      code_.store_slot(words, at, results[i]);
    }
  }

  const KernelModule& module_;
  llvm::Function* function_;
  LaneCode code_;
  const kernels::Region& element_;
  V columns_ = nullptr;
  std::vector<llvm::AllocaInst*> folded_;  // by leaf, a vector of each column
};

}  // namespace

void emit_few_columns(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  FewColumns(module, function, lanes).run();
}

}  // namespace hasten::backends::cpu
