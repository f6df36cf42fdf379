// Folds: a row per item when rows are short or many, else a part of a row per group, whose items
// fold runs of neighbours that a tree in local memory joins in order.
#include "backends/c_like/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class FoldText {
 public:
  explicit FoldText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        outer_(kernel_.rank - 1),
        acc_(leaf_names(kernel_, "a")),
        local_(leaf_names(kernel_, "s")) {}

  void run() {
    rows();
    if (!fits_local_memory(kernel_)) return;
    parts();
    finish();
  }

 private:
  using Scope = ScalarCode::Scope;

  // Extra: rows.
  void rows() {
    const Scope function(code_, head(entry::rows, "const i64 rows"));
    begin_function(code_);
    const Scope row(code_, "for (i64 row = GROUP * 256 + ITEM; row < rows; row += GROUPS * 256)");
    const Names index = split_row(code_, "row", outer_);
    begin_row();
    run_of_elements(index, "0", fmt::format("e{}", outer_), "1");
    result(index);
  }

  // Extra: rows, parts of a row, elements of a part, scratch for a value of each part. A row of one
  // part is finished here.
  void parts() {
    const Scope function(code_,
                         head(entry::parts, "const i64 rows, const i64 parts, const i64 length, " +
                                                scratch_parameters(kernel_, "part")));
    begin_function(code_);
    declare_local(code_, local_);
    const Scope task(code_, "for (i64 task = GROUP; task < rows * parts; task += GROUPS)");
    code_.line("const i64 row = task / parts, begin = task % parts * length;");
    const std::string last = fmt::format("e{}", outer_);
    code_.line(fmt::format("const i64 end = begin + length < {0} ? begin + length : {0};", last));
    const Names index = split_row(code_, "row", outer_);
    declare(code_, kernel_.combine.results, acc_);
    code_.line("i32 some = 0;");
    if (kernel_.lane_operator.commutative) {  // neighbours read neighbours
      run_of_elements(index, "begin + ITEM", "end", "256");
      code_.line("const i32 active = (i32)(end - begin < 256 ? end - begin : 256);");
    } else {
      code_.line("const i64 each = (end - begin + 255) / 256, first = begin + ITEM * each;");
      run_of_elements(index, "first", "(first + each < end ? first + each : end)", "1");
      code_.line("const i32 active = (i32)((end - begin + each - 1) / each);");
    }
    tree();
    const Scope one(code_, "if (ITEM == 0)");
    {
      const Scope several(code_, "if (parts > 1)");
      to_scratch(code_, "part", "task", acc_);
    }
    const Scope single(code_, "else");
    with_seed();
    result(index);
  }

  // Extra: rows, parts of a row, the values of the parts.
  void finish() {
    const Scope function(code_, head(entry::finish, "const i64 rows, const i64 parts, " +
                                                        scratch_parameters(kernel_, "part")));
    begin_function(code_);
    declare_local(code_, local_);
    const Scope row(code_, "for (i64 row = GROUP; row < rows; row += GROUPS)");
    const Names index = split_row(code_, "row", outer_);
    declare(code_, kernel_.combine.results, acc_);
    code_.line("const i64 each = (parts + 255) / 256, first = ITEM * each;");
    code_.line("const i64 past = first + each < parts ? first + each : parts;");
    code_.line("i32 some = 0;");
    {
      const Scope part(code_, "for (i64 k = first; k < past; ++k)");
      accumulate(from_scratch(code_, "part", "row * parts + k"));
    }
    code_.line("const i32 active = (i32)((parts + each - 1) / each);");
    tree();
    const Scope one(code_, "if (ITEM == 0)");
    with_seed();
    result(index);
  }

  std::string head(const char* name, const std::string& extra) {
    return fmt::format("KERNEL {}{}", name, parameters(kernel_, extra));
  }

  void begin_row() {
    declare(code_, kernel_.combine.results, acc_);
    code_.line(fmt::format("i32 some = {};", kernel_.seed.empty() ? 0 : 1));
    if (!kernel_.seed.empty()) assign(code_, acc_, ScalarCode::names(kernel_.seed));
  }

  void run_of_elements(const Names& index, const std::string& first, const std::string& past,
                       const std::string& step) {
    // Several reads under way at once: one for each item would leave most of the bandwidth unused.
    const Scope element(code_,
                        fmt::format("UNROLL for (i64 k = {}; k < {}; k += {})", first, past, step));
    Names all = index;
    all.push_back("k");
    code_.define(kernel_.element.params, all);
    code_.run(kernel_.element);
    accumulate(ScalarCode::names(kernel_.element.results));
  }

  // acc = acc f x, or x where there is nothing yet.
  void accumulate(const Names& x) {
    {
      const Scope more(code_, "if (some)");
      combine(code_, acc_, x, acc_);
    }
    const Scope begin(code_, "else");
    assign(code_, acc_, x);
    code_.line("some = 1;");
  }

  // Joins the values of the first `active` items of a group in order, into item 0's.
  void tree() {
    assign(code_, elements(local_, "ITEM"), acc_);
    code_.line("BARRIER;");
    {
      const Scope step(code_, "for (i32 step = 1; step < active; step *= 2)");
      {
        const Scope pair(code_, "if ((ITEM & (2 * step - 1)) == 0 && ITEM + step < active)");
        combine(code_, acc_, elements(local_, "ITEM + step"), acc_);
        assign(code_, elements(local_, "ITEM"), acc_);
      }
      code_.line("BARRIER;");
    }
  }

  void with_seed() {
    if (!kernel_.seed.empty()) combine(code_, ScalarCode::names(kernel_.seed), acc_, acc_);
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
  std::size_t outer_;
  Names acc_, local_;
};

}  // namespace

void emit_fold(ScalarCode& code) { FoldText(code).run(); }

}  // namespace hasten::backends::c_like
