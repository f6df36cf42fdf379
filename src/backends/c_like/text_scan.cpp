// Scans in three phases: the fold of every tile, what comes before every tile, the tiles
// themselves. Guy Blelloch, "Prefix sums and their applications" (1990), with the operator's order
// kept.
#include "backends/c_like/skeletons.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class ScanText {
 public:
  explicit ScanText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        outer_(kernel_.rank - 1),
        seeded_(!kernel_.seed.empty()),
        acc_(leaf_names(kernel_, "a")),
        local_(leaf_names(kernel_, "s")),
        own_(leaf_names(kernel_, "x")) {}

  void run() {
    rows();
    if (!fits_local_memory(kernel_)) return;
    parts();
    carries();
    tiles();
  }

 private:
  using Scope = ScalarCode::Scope;

  // Extra: rows.
  void rows() {
    const Scope function(code_, head(entry::rows, "const i64 rows"));
    begin_function(code_);
    const Scope row(code_, "for (i64 row = GROUP * 256 + ITEM; row < rows; row += GROUPS * 256)");
    const Names index = split_row(code_, "row", outer_);
    declare(code_, kernel_.combine.results, acc_);
    code_.line(fmt::format("i32 some = {};", seeded_ ? 1 : 0));
    code_.line("i64 at = row * " + width() + ";");
    if (seeded_) {
      assign(code_, acc_, ScalarCode::names(kernel_.seed));
      store(acc_, "at");
    }
    const Scope element(code_, fmt::format("for (i64 k = 0; k < e{}; ++k)", outer_));
    evaluate(index, "k");
    accumulate(ScalarCode::names(kernel_.element.results));
    store(acc_, seeded_ ? "at + k + 1" : "at + k");
  }

  // Extra: rows, tiles of a row, scratch for a value of each tile.
  void parts() {
    const Scope function(code_, head(entry::parts, tiles_parameters()));
    begin_function(code_);
    declare_local(code_, local_);
    const Scope task(code_, "for (i64 task = GROUP; task < rows * tiles; task += GROUPS)");
    begin_tile();
    const Names index = split_row(code_, "row", outer_);
    code_.line("i32 some = 0;");
    {
      const Scope element(code_, "for (i64 k = first; k < past; ++k)");
      evaluate(index, "k");
      accumulate(ScalarCode::names(kernel_.element.results));
    }
    inclusive_scan("active");
    const Scope last(code_, "if (ITEM == active - 1)");
    to_scratch(code_, "part", "task", acc_);
  }

  // Extra: as of parts. Each tile's value becomes what comes before the tile; a row's first tile
  // without a seed has nothing before it, and its place nothing of meaning.
  void carries() {
    const Scope function(code_, head(entry::carries, tiles_parameters()));
    begin_function(code_);
    declare_local(code_, local_);
    const Scope row(code_, "for (i64 row = GROUP; row < rows; row += GROUPS)");
    const Names before = leaf_names(kernel_, "b");
    declare(code_, kernel_.combine.results, before);
    code_.line(fmt::format("i32 some_before = {};", seeded_ ? 1 : 0));
    if (seeded_) assign(code_, before, ScalarCode::names(kernel_.seed));
    const Scope chunk(code_, "for (i64 chunk = 0; chunk < tiles; chunk += 256)");
    code_.line("const i64 place = row * tiles + chunk + ITEM;");
    code_.line("const i64 active = tiles - chunk < 256 ? tiles - chunk : 256;");
    declare(code_, kernel_.combine.results, acc_);
    {
      const Scope inside(code_, "if (ITEM < active)");
      assign(code_, acc_, from_scratch(code_, "part", "place"));
    }
    inclusive_scan("active");
    {
      const Scope inside(code_, "if (ITEM < active)");
      {
        const Scope later(code_, "if (ITEM > 0)");
        const Names left = elements(local_, "ITEM - 1");
        const Names sum = leaf_names(kernel_, "c");
        declare(code_, kernel_.combine.results, sum);
        {
          const Scope more(code_, "if (some_before)");
          combine(code_, before, left, sum);
        }
        {
          const Scope begin(code_, "else");
          assign(code_, sum, left);
        }
        to_scratch(code_, "part", "place", sum);
      }
      const Scope first(code_, "else if (some_before)");
      to_scratch(code_, "part", "place", before);
    }
    const Names last = elements(local_, "active - 1");
    {
      const Scope more(code_, "if (some_before)");
      combine(code_, before, last, before);
    }
    {
      const Scope begin(code_, "else");
      assign(code_, before, last);
      code_.line("some_before = 1;");
    }
    code_.line("BARRIER;");
  }

  // Extra: as of parts, with what comes before each tile.
  void tiles() {
    const Scope function(code_, head(entry::tiles, tiles_parameters()));
    begin_function(code_);
    declare_local(code_, local_);
    const Scope task(code_, "for (i64 task = GROUP; task < rows * tiles; task += GROUPS)");
    begin_tile();
    const Names index = split_row(code_, "row", outer_);
    code_.line("const i64 at = row * " + width() + (seeded_ ? " + 1;" : ";"));
    code_.line("i32 some = 0;");
    private_elements(index);
    inclusive_scan("active");
    start_of_item();
    if (seeded_) {
      const Scope seed(code_, "if (begin == 0 && ITEM == 0)");
      store(ScalarCode::names(kernel_.seed), "at - 1");
    }
    {
      const Scope element(code_, "for (i64 k = first; k < past; ++k)");
      accumulate(elements(own_, "k - first"));
      store(acc_, "at + k");
    }
    code_.line("BARRIER;");
  }

  // x[0..]: the item's elements; acc: their fold.
  void private_elements(const Names& index) {
    for (std::size_t i = 0; i < own_.size(); ++i)
      code_.line(fmt::format("{} {}[{}];", register_type(code_.type(kernel_.combine.results[i])),
                             own_[i], scan_items));
    const Scope element(code_, "for (i64 k = first; k < past; ++k)");
    evaluate(index, "k");
    assign(code_, elements(own_, "k - first"), ScalarCode::names(kernel_.element.results));
    accumulate(ScalarCode::names(kernel_.element.results));
  }

  // acc: what comes before the item, from the row's begin.
  void start_of_item() {
    code_.line("some = 0;");
    {
      const Scope carried(code_, "if (begin > 0)");
      assign(code_, acc_, from_scratch(code_, "part", "task"));
      code_.line("some = 1;");
    }
    if (seeded_) {
      const Scope seed(code_, "else");
      assign(code_, acc_, ScalarCode::names(kernel_.seed));
      code_.line("some = 1;");
    }
    const Scope later(code_, "if (ITEM > 0 && ITEM < active)");
    accumulate(elements(local_, "ITEM - 1"));
  }

  static std::string width_of(std::size_t outer, bool seeded) {
    return seeded ? fmt::format("(e{} + 1)", outer) : fmt::format("e{}", outer);
  }
  [[nodiscard]] std::string width() const { return width_of(outer_, seeded_); }

  std::string head(const char* name, const std::string& extra) {
    return fmt::format("KERNEL {}{}", name, parameters(kernel_, extra));
  }

  std::string tiles_parameters() {
    return "const i64 rows, const i64 tiles, " + scratch_parameters(kernel_, "part");
  }

  // The task's row and tile, and the item's run of elements [first, past).
  void begin_tile() {
    const std::string n = fmt::format("e{}", outer_);
    code_.line(fmt::format("const i64 row = task / tiles, begin = task % tiles * {};", scan_tile));
    code_.line(fmt::format("const i64 end = begin + {0} < {1} ? begin + {0} : {1};", scan_tile, n));
    code_.line(fmt::format("const i64 first = begin + ITEM * {};", scan_items));
    code_.line(fmt::format("const i64 past = first + {0} < end ? first + {0} : end;", scan_items));
    code_.line(
        fmt::format("const i64 active = (end - begin + {}) / {};", scan_items - 1, scan_items));
    declare(code_, kernel_.combine.results, acc_);
  }

  void evaluate(const Names& index, const std::string& k) {
    Names all = index;
    all.push_back(k);
    code_.define(kernel_.element.params, all);
    code_.run(kernel_.element);
  }

  void accumulate(const Names& x) {
    {
      const Scope more(code_, "if (some)");
      combine(code_, acc_, x, acc_);
    }
    const Scope begin(code_, "else");
    assign(code_, acc_, x);
    code_.line("some = 1;");
  }

  void store(const Names& values, const std::string& at) {
    for (std::size_t i = 0; i < values.size(); ++i) code_.store(i, at, values[i]);
  }

  // local[i] = the fold of acc of items 0..i, for the first `active` items.
  void inclusive_scan(const std::string& active) {
    assign(code_, elements(local_, "ITEM"), acc_);
    code_.line("BARRIER;");
    const Scope step(code_, fmt::format("for (i64 step = 1; step < {}; step *= 2)", active));
    {
      const Scope inside(code_, fmt::format("if (ITEM >= step && ITEM < {})", active));
      combine(code_, elements(local_, "ITEM - step"), acc_, acc_);
    }
    code_.line("BARRIER;");
    assign(code_, elements(local_, "ITEM"), acc_);
    code_.line("BARRIER;");
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  std::size_t outer_;
  bool seeded_;
  Names acc_, local_, own_;
};

}  // namespace

void emit_scan(ScalarCode& code) { ScanText(code).run(); }

}  // namespace hasten::backends::c_like
