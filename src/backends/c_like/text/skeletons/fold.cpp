// Folds: a group takes a few rows, or a part of one, and each row as many of its items as the
// launch specifies; a tree in local memory joins their folds, in order. CUDA: the same function
// joins the parts. OpenCL: a separate function does, and another one folds a row per item: there
// functions are compiled at their first launch, and one without barriers takes a fraction of the
// time. For a kernel with a range the rows of a group have different lengths: the number of
// barriers must not depend on them.
#include "backends/c_like/text/skeletons/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class FoldText {
 public:
  explicit FoldText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        is_shared_(joins_items(kernel_)),
        acc_(leaf_names(kernel_, "a")),
        local_(leaf_names(kernel_, "s")) {}

  // Extra: rows; elements of a row in this launch; its parts, and elements of a part; `shift`:
  // 2^shift items of a group fold a row (a part), which are neighbours, or, if `across`, neighbours
  // have neighbouring rows; whether the elements are the values of the parts, and those values.
  enum class Of : std::uint8_t { any, elements, parts };
  void run(const char* name, Of what) {
    what_ = what;
    const Scope function(code_, head(name));
    begin_function(code_);
    if (is_shared_) declare_local(code_, local_);
    code_.line("const i32 item = (i32)ITEM, width = 1 << shift, high = 256 >> shift;");
    code_.line("const i32 lane = across ? item >> (8 - shift) : item & (width - 1);");
    code_.line("const i32 place = across ? item & (high - 1) : item >> shift;");
    code_.line("const ix tasks = ((rows + high - 1) >> (8 - shift)) * parts;");
    const Scope task(code_, "TASK(task, tasks)");
    code_.line("const ix block = parts > 1 ? task / parts : task, part = task - block * parts;");
    code_.line("const ix row = block * high + place;");
    const Names index = split_row(code_, "row", outer_axes(kernel_));
    if (kernel_.range)
      part_of_segment(index);
    else
      part_of_row();
    begin_items();
    {
      const Scope inside(code_, "if (row < rows)");
      fold_items(index);
    }
    if (is_shared_) tree();
    const Scope one(code_, kernel_.range ? "if (lane == 0 && row < rows && !is_left)"
                                         : "if (lane == 0 && row < rows)");
    if (!is_shared_ || what_ == Of::parts) return result(index);
    {
      const Scope several(code_, "if (parts > 1)");
      const Scope some(code_, kernel_.range ? "if (used > 0)" : "");
      to_scratch(code_, "part", "across ? part * rows + row : row * parts + part", acc_);
    }
    const Scope single(code_, "else");
    result(index);
  }

  // The same parameters, of which only the rows and their size are used.
  void row_per_item() {
    const Scope function(code_, head(entry::row_folds));
    begin_function(code_);
    const Scope row(code_, "EACH(row, rows)");
    const Names index = split_row(code_, "row", outer_axes(kernel_));
    begin_accumulators("");
    if (!kernel_.range) {
      elements_of(index, "size", {"0", "1"});
      return result(index);
    }
    range_of(index);
    const Scope mine(code_, is_shared_ ? fmt::format("if (to - from <= {})", long_segment) : "");
    elements_of(index, "to - from", {"from", "1"});
    result(index);
  }

  // The same parameters. Groups loop over the rows, and fold those that the others have left.
  void long_segments() {
    what_ = Of::elements;
    const Scope function(code_, head(entry::long_segments));
    begin_function(code_);
    declare_local(code_, local_);
    code_.line("LOCAL i32 is_long[256], longs[256], many[1];");
    code_.line("const i32 item = (i32)ITEM;");
    const Scope task(code_, "TASK(task, (rows + 255) >> 8)");
    find_long_segments();
    {
      code_.line("const i32 all = many[0];");
      const Scope each(code_, "ROLLED for (i32 k = 0; k < all; ++k)");
      whole_segment();
    }
    code_.line("BARRIER;");
  }

 private:
  using Scope = ScalarCode::Scope;

  [[nodiscard]] std::string head(const char* name) const {
    const std::string extra =
        "const ix rows, const ix size, const ix parts, const ix length, const i32 shift, const i32 "
        "across, const i32 joins, " +
        scratch_parameters(kernel_, "part");
    return fmt::format("{} {}{}", is_bound_by_memory() ? "FULL_KERNEL" : "KERNEL", name,
                       parameters(code_, extra));
  }

  // Whether so little is computed that a multiprocessor can hold its maximum of groups, with
  // registers for a batch of reads. Alone, compilers take a few registers too many, or read one by
  // one.
  [[nodiscard]] bool is_bound_by_memory() const {
    std::size_t bytes = 0;
    for (const Value v : kernel_.combine.results)
      bytes += detail::size_in_bytes(kernel_.value_types[v]);
    return kernel_.element.body.size() <= copied_statements_max &&
           kernel_.combine.body.size() <= 2 && kernel_.folded == 1 && bytes <= 4;
  }

  [[nodiscard]] bool is_commutative() const { return kernel_.lane_operator.commutative; }

  // A row of elements [from, to) with more is left to groups.
  static std::string longest() { return fmt::format("((ix){} << shift);", long_segment); }

  // Lists them without a condition around a barrier.
  void find_long_segments() {
    code_.line("i32 mine_is_long = 0;");
    {
      code_.line("const ix row = task * 256 + item;");
      const Scope inside(code_, "if (row < rows)");
      range_of(split_row(code_, "row", kernel_.rank - 1));
      code_.line("mine_is_long = to - from > " + longest());
    }
    code_.line("if (item == 0) many[0] = 0;");
    code_.line("is_long[item] = mine_is_long;");
    code_.line("BARRIER;");
    {
      const Scope is_long(code_, "if (mine_is_long)");
      code_.line("i32 before = 0, all = 0;");
      {
        const Scope other(code_, "ROLLED for (i32 j = 0; j < 256; ++j)");
        code_.line("before += j < item ? is_long[j] : 0;");
        code_.line("all += is_long[j];");
      }
      code_.line("longs[before] = item;");
      code_.line("many[0] = all;");
    }
    code_.line("BARRIER;");
  }

  // Folds a segment with all items of a group.
  void whole_segment() {
    code_.line("const ix row = task * 256 + longs[k];");
    code_.line("const i32 shift = 8, width = 256, high = 1, lane = item;");
    const Names index = split_row(code_, "row", kernel_.rank - 1);
    code_.line("const ix part = 0;");
    part_of_segment(index);
    begin_items();
    fold_items(index);
    tree();
    const Scope one(code_, "if (lane == 0)");
    result(index);
  }

  // The elements [begin, begin + count) of the row are this part of it.
  void part_of_row() {
    code_.line("const ix begin = part * length;");
    code_.line("const ix count = size - begin < length ? size - begin : length;");
  }

  // The same for a segment, whose last parts may be empty. The code that joins the parts, `size` of
  // them, counts the others.
  void part_of_segment(const Names& index) {
    code_.line("ix begin = 0, count = 0;");
    code_.line("i32 is_left = 0;");
    const Scope inside(code_, "if (row < rows)");
    range_of(index);
    if (is_shared_) code_.line("is_left = !joins && shift < 8 && to - from > " + longest());
    code_.line("const ix cuts = joins ? size : parts, run = (to - from + cuts - 1) / cuts;");
    {
      const Scope of_parts(code_, "if (joins)");
      code_.line("count = run > 0 ? (to - from + run - 1) / run : 0;");
    }
    const Scope of_elements(code_, "else");
    code_.line("begin = from + part * run;");
    code_.line("if (!is_left) count = to - begin < run ? (to > begin ? to - begin : 0) : run;");
  }

  // The row is the elements [from, to) of the last axis.
  void range_of(const Names& index) {
    code_.define(kernel_.range->params, index);
    code_.run(*kernel_.range);
    code_.line(fmt::format("const ix from = (ix){}, to = (ix){};",
                           ScalarCode::name(kernel_.range->results[0]),
                           ScalarCode::name(kernel_.range->results[1])));
  }

  // The item has the elements [first, first + mine * step) of the row; the first `used` lanes have
  // some. The seed is the first lane's, before its elements.
  void begin_items() {
    if (is_commutative()) {  // neighbours read neighbours
      code_.line("const i32 used = count < width ? (i32)count : width;");
      code_.line("const ix first = begin + lane, mine = (count - lane + width - 1) >> shift;");
    } else {
      code_.line("const ix each = (count + width - 1) >> shift, first = begin + lane * each;");
      code_.line("const i32 used = each > 1 ? (i32)((count + each - 1) / each) : (i32)count;");
      code_.line("const ix rest = count - lane * each, mine = rest < each ? rest : each;");
    }
    begin_accumulators("if (parts == 1 && lane == 0)");
  }

  void begin_accumulators(const char* when_seeded) {
    declare(code_, kernel_.combine.results, acc_);
    if (is_commutative())
      assign(code_, acc_, identity_elements(code_));
    else
      code_.line("i32 some = 0;");
    if (kernel_.seed.empty()) return;
    const Scope seeded(code_, when_seeded);
    assign(code_, acc_, ScalarCode::names(kernel_.seed));
    if (!is_commutative()) code_.line("some = 1;");
  }

  void fold_items(const Names& index) {
    const Run run{"first", is_commutative() ? "1 << shift" : "1"};
    const std::string place = place_in(run);
    if (is_shared_ && what_ != Of::elements) {
      const Scope joins(code_, what_ == Of::any ? "if (joins)" : "");
      code_.line("const ix next = across ? rows : 1, at = across ? row : row * size;");
      const Scope part(code_, "ROLLED for (ix j = 0; j < mine; ++j)");
      code_.line("const ix k = " + place + ";");
      accumulate(from_scratch(code_, "part", "k * next + at"));
    }
    if (what_ == Of::parts) return;
    const Scope elements(code_, is_shared_ && what_ == Of::any ? "else" : "");
    elements_of(index, "mine", run);
  }

  // Places in a row of elements: the j-th is first + j * step.
  struct Run {
    std::string first, step;
  };
  static std::string place_in(const Run& run) {
    if (run.step == "1 << shift") return run.first + " + (j << shift)";
    return run.first == "0" ? "j" : run.first + " + j";
  }

  void elements_of(const Names& index, const std::string& count, const Run& run) {
    const std::string place = place_in(run);
    Names all = index;
    if (kernel_.folded == 1)
      all.push_back(place);
    else
      split_run(run, all);
    const auto find = [&] {
      code_.define(kernel_.element.params, all);
      code_.run(kernel_.element);
      store_beside(place);
      if (kernel_.folded > 1) next_place();
    };
    for_values(code_, {"ix", "j", "0", "1", count}, combined_leaves(kernel_), find,
               [&](const Names& found) { accumulate(found); });
  }

  // The indices of the first place along the folded axes, "k1", and those of a step, "d1". The
  // divisions are done once: from place to place indices are counted up with a carry.
  void split_run(const Run& run, Names& index) {
    code_.line(fmt::format("ix k_rest = {}, d_rest = {};", run.first, run.step));
    for (std::uint32_t axis = kernel_.rank; axis-- > outer_axes(kernel_) + 1;) {
      code_.line(fmt::format("const ix n{0} = e{0} > 0 ? e{0} : 1;", axis));
      code_.line(fmt::format("ix k{0} = k_rest % n{0};", axis));
      code_.line(fmt::format("const ix d{0} = d_rest % n{0};", axis));
      code_.line(fmt::format("k_rest /= n{0}, d_rest /= n{0};", axis));
    }
    code_.line(fmt::format("ix k{} = k_rest;", outer_axes(kernel_)));
    for (std::uint32_t axis = outer_axes(kernel_); axis < kernel_.rank; ++axis)
      index.push_back(fmt::format("k{}", axis));
  }

  void next_place() {
    code_.line("ix carry = 0;");
    for (std::uint32_t axis = kernel_.rank; axis-- > outer_axes(kernel_) + 1;) {
      code_.line(fmt::format("k{0} += d{0} + carry;", axis));
      code_.line(fmt::format("carry = k{0} >= n{0};", axis));
      code_.line(fmt::format("k{0} -= carry ? n{0} : 0;", axis));
    }
    code_.line(fmt::format("k{} += d_rest + carry;", outer_axes(kernel_)));
  }

  // Stores the elements of the row that are results, too.
  void store_beside(const std::string& place) {
    const std::size_t outputs = kernel_.outputs.size(), results = kernel_.element.results.size();
    const std::string at = fmt::format("row * size + {}", place);
    for (std::size_t i = kernel_.stored; i > 0; --i)
      code_.store(outputs - i, at, ScalarCode::name(kernel_.element.results[results - i]));
  }

  void accumulate(const Names& x) {
    if (is_commutative())
      combine(code_, acc_, x, acc_);
    else
      c_like::accumulate(code_, acc_, x);
  }

  // Joins the values of a row's lanes into the first one's: those of a warp by shuffles, if the
  // device has them, the others in local memory. The tree is the same.
  void tree() {
    // No condition around the barriers: PoCL's compiler would copy the code inside.
    const Scope several(code_, what_ == Of::any ? "if (shift > 0)" : "");
    code_.line("const i32 active = row < rows ? used : 0, apart = across ? high : 1;");
    const std::string lanes = kernel_.range ? "width" : "used";
    if (!code_.expressions.dialect().shuffles) return tree_in_local_memory("1", lanes);
    {
      const Scope neighbours(code_, what_ == Of::any ? "if (!across)" : "");
      tree_of_warp(lanes);
    }
    const Scope others(code_, fmt::format("if (across || {} > 32)", lanes));
    tree_in_local_memory("across ? 1 : 32", lanes);
  }

  void tree_of_warp(const std::string& lanes) {
    const bool is_small = kernel_.combine.body.size() <= copied_statements_max;
    const char* const unroll = is_small ? "WHOLLY" : "ROLLED";
    const Scope step(code_, fmt::format("{} for (i32 step = 1; step < 32 && step < {}; step *= 2)",
                                        unroll, lanes));
    join(shuffled(code_, "__shfl_down_sync", acc_, "n"), false);
  }

  void tree_in_local_memory(const std::string& from, const std::string& lanes) {
    assign(code_, elements(local_, "item"), acc_);
    code_.line("BARRIER;");
    const Scope step(code_,
                     fmt::format("ROLLED for (i32 step = {}; step < {}; step *= 2)", from, lanes));
    join(elements(local_, "item + step * apart"), true);
    code_.line("BARRIER;");
  }

  // acc = acc f the value of the lane `step` on, where each of the two begins `step` lanes.
  void join(const Names& right, bool keep) {
    const Scope pair(code_, "if ((lane & (2 * step - 1)) == 0 && lane + step < active)");
    combine(code_, acc_, right, acc_);
    if (keep) assign(code_, elements(local_, "item"), acc_);
  }

  void result(const Names& index) {
    Names params = index;
    params.insert(params.end(), acc_.begin(), acc_.end());
    code_.define(kernel_.epilogue.params, params);
    code_.run(kernel_.epilogue);
    for (std::size_t i = 0; i < kernel_.epilogue.results.size(); ++i)
      code_.store(i, "row", ScalarCode::name(kernel_.epilogue.results[i]));
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  bool is_shared_;
  Of what_ = Of::any;
  Names acc_, local_;
};

}  // namespace

void emit_fold(ScalarCode& code, Functions& functions) {
  const bool is_shared = joins_items(code.kernel());
  const auto emit = [&](const char* name, FoldText::Of what) {
    if (functions.has(name)) FoldText(code).run(name, what);
  };
  if (!code.expressions.dialect().items_in_lanes) {
    emit(entry::fold, FoldText::Of::any);
  } else {
    if (functions.has(entry::row_folds)) FoldText(code).row_per_item();
    if (is_shared) emit(entry::fold, FoldText::Of::elements);
    if (is_shared) emit(entry::joins, FoldText::Of::parts);
  }
  if (is_shared && code.kernel().range && functions.has(entry::long_segments))
    FoldText(code).long_segments();
}

}  // namespace hasten::backends::c_like
