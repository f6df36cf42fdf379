// A tile of a row in one group: each item scans a run of neighbours, the group scans their folds.
#include "backends/c_like/text/skeletons/scan_text.hpp"

#include <fmt/format.h>

#include <bit>

namespace hasten::backends::c_like {
namespace {

// Runs of an item's elements are padded by one, which avoids bank conflicts between items.
constexpr std::int64_t staged_elements(std::int64_t items) { return group_size * (items + 1); }

// Whether local memory holds a tile with this many elements per item, and a value per item.
bool fits_staged(const Kernel& kernel, const Dialect& dialect, std::int64_t items) {
  std::size_t bytes = 0;
  for (const Value v : kernel.combine.results)
    bytes += std::max<std::size_t>(detail::size_in_bytes(kernel.value_types[v]), 4);
  return bytes * static_cast<std::size_t>(staged_elements(items) + group_size) <=
         dialect.scan_local_bytes;
}

}  // namespace

// A chained tile waits for others longer than it takes to read it: few large tiles.
std::int64_t scan_items(const Kernel& kernel, const Dialect& dialect) {
  std::int64_t items = scan_run;
  if (dialect.forward_progress)
    while (items < scan_run_max && fits_staged(kernel, dialect, 2 * items)) items *= 2;
  return items;
}

ScanText::ScanText(ScalarCode& text)
    : code(text),
      kernel(text.kernel()),
      outer(kernel.rank - 1),
      seeded(!kernel.seed.empty()),
      acc(leaf_names(kernel, "a")),
      local(leaf_names(kernel, "s")),
      is_identity_(text.expressions.dialect().shuffles && kernel.lane_operator.commutative),
      items_(scan_items(kernel, text.expressions.dialect())),
      staged_(fits_staged(kernel, text.expressions.dialect(), items_)),
      unrolled_(staged_ && kernel.combine.body.size() <= copied_statements_max ? "BY_EIGHT"
                                                                               : "ROLLED"),
      own_(leaf_names(kernel, "x")),
      warps_(leaf_names(kernel, "w")) {}

std::string ScanText::extent() const { return fmt::format("e{}", outer); }

std::string ScanText::width() const {
  return seeded ? fmt::format("(e{} + 1)", outer) : fmt::format("e{}", outer);
}

std::string ScanText::head(const char* name, const std::string& extra) const {
  return fmt::format("KERNEL {}{}", name, parameters(code, extra));
}

void ScanText::begin_function() {
  c_like::begin_function(code);
  declare_local(code, local);
  if (code.expressions.dialect().shuffles)
    for (std::size_t i = 0; i < warps_.size(); ++i)
      code.line(fmt::format("LOCAL {} {}[{}];", register_type(code.type(kernel.combine.results[i])),
                            warps_[i], group_size / 32));
  if (staged_) declare_own();
}

void ScanText::rows() {
  const Scope function(code, head(entry::rows, "const ix rows"));
  c_like::begin_function(code);
  const Scope row(code, "EACH(row, rows)");
  index_ = split_row(code, "row", outer);
  declare(code, kernel.combine.results, acc);
  if (is_identity_)
    begin_with_nothing();
  else
    code.line(fmt::format("i32 some = {};", seeded ? 1 : 0));
  place_row();
  if (seeded) {
    assign(code, acc, seed());
    store(acc, "0");
  }
  const Scope element(code, fmt::format("ROLLED for (ix k = 0; k < {}; ++k)", extent()));
  evaluate(index_, "k");
  accumulate(ScalarCode::names(kernel.element.results));
  store(acc, result_of("k"));
}

// The offset of the row's results, and their stride.
void ScanText::place_row() {
  if (kernel.inner_axes == 0) return code.line("const ix at = row * " + width() + ";");
  std::string pitch;
  for (std::size_t axis = outer - kernel.inner_axes; axis < outer; ++axis)
    pitch += fmt::format("{}e{}", pitch.empty() ? "" : " * ", axis);
  code.line("const ix pitch = " + pitch + ";");
  code.line("const ix at = row / pitch * " + width() + " * pitch + row % pitch;");
}

void ScanText::begin_tile() {
  code.line(fmt::format("const ix begin = tile * {};", group_size * items_));
  code.line(fmt::format("const i32 count = (i32)({1} - begin < {0} ? {1} - begin : {0});",
                        group_size * items_, extent()));
  code.line(fmt::format("const i32 first = (i32)ITEM * {};", items_));
  code.line(fmt::format("const i32 mine = count - first < {0} ? count - first : {0};", items_));
  code.line(fmt::format("const i32 active = (count + {}) >> {};", items_ - 1, shift()));
  place_row();
  index_ = split_row(code, "row", outer);
  declare(code, kernel.combine.results, acc);
  begin_with_nothing();
}

void ScanText::begin_with_nothing() {
  if (is_identity_)
    assign(code, acc, identity_elements(code));
  else
    code.line("i32 some = 0;");
}

void ScanText::declare_own() {
  for (std::size_t i = 0; i < own_.size(); ++i)
    code.line(fmt::format("{}{} {}[{}];", staged_ ? "LOCAL " : "",
                          register_type(code.type(kernel.combine.results[i])), own_[i],
                          staged_ ? staged_elements(items_) : items_));
}

// The item's j-th element.
Names ScanText::own(const std::string& j) const {
  return elements(own_, staged_ ? fmt::format("ITEM * {} + {}", items_ + 1, j) : j);
}

// The tile's i-th element. Uses shifts, because devices divide signed numbers slowly.
Names ScanText::staged() const { return elements(own_, fmt::format("i + (i >> {})", shift())); }

int ScanText::shift() const { return std::bit_width(static_cast<std::uint64_t>(items_)) - 1; }

void ScanText::read_tile(bool keep) {
  const Names values = ScalarCode::names(kernel.element.results);
  if (staged_) {
    for_values(
        code, {"i32", "i", "(i32)ITEM", "256", "count"}, kernel.element.results,
        [&] { evaluate(index_, "begin + i"); },
        [&](const Names& found) { assign(code, staged(), found); });
    code.line("BARRIER;");
    const Scope any(code, "if (mine > 0)");
    assign(code, acc, own("0"));
    const Scope element(code, unrolled_ + " for (i32 j = 1; j < mine; ++j)");
    return combine(code, acc, own("j"), acc);
  }
  if (keep) declare_own();
  const Scope element(code, "ROLLED for (i32 j = 0; j < mine; ++j)");
  evaluate(index_, "begin + first + j");
  if (keep) assign(code, own("j"), values);
  accumulate(values);
}

void ScanText::begin_with_seed(const std::string& when) {
  if (is_identity_)
    begin_with_nothing();
  else
    code.line("some = 0;");
  if (!seeded) return;
  const Scope first(code, "if (" + when + ")");
  assign(code, acc, seed());
  if (!is_identity_) code.line("some = 1;");
}

void ScanText::begin_item(const Names& items) {
  if (seeded) {
    const Scope first(code, "if (tile == 0 && ITEM == 0)");
    store(seed(), "0");
  }
  const Scope later(code, "if (ITEM > 0 && ITEM < active)");
  accumulate(items);
}

void ScanText::write_tile() {
  {
    const Scope element(code, unrolled_ + " for (i32 j = 0; j < mine; ++j)");
    accumulate(own("j"));
    if (staged_)
      assign(code, own("j"), acc);
    else
      store(acc, result_of("begin + first + j"));
  }
  code.line("BARRIER;");
  if (!staged_) return;
  {
    const Scope element(code, "ROLLED for (i32 i = (i32)ITEM; i < count; i += 256)");
    store(staged(), result_of("begin + i"));
  }
  code.line("BARRIER;");
}

void ScanText::evaluate(const Names& index, const std::string& k) {
  Names all = index;
  all.push_back(k);
  code.define(kernel.element.params, all);
  code.run(kernel.element);
}

void ScanText::accumulate(const Names& x) {
  if (is_identity_)
    combine(code, acc, x, acc);
  else
    c_like::accumulate(code, acc, x);
}

void ScanText::store(const Names& values, const std::string& k) {
  const Scope result(code, "");
  Names params = index_;
  params.push_back(k);
  params.insert(params.end(), values.begin(), values.end());
  code.define(kernel.epilogue.params, params);
  code.run(kernel.epilogue);
  const Names results = ScalarCode::names(kernel.epilogue.results);
  const std::string place = "at + " + ScalarCode::name(kernel.epilogue.params[outer]) +
                            (kernel.inner_axes > 0 ? " * pitch" : "");
  for (std::size_t i = 0; i < results.size(); ++i) code.store(i, place, results[i]);
}

// The position in its row of the result that an element makes.
std::string ScanText::result_of(const std::string& element) const {
  return seeded ? element + " + 1" : element;
}

void ScanText::inclusive_scan(const std::string& active) {
  if (code.expressions.dialect().shuffles) return warp_scan(active);
  assign(code, elements(local, "ITEM"), acc);
  code.line("BARRIER;");
  const Scope step(code, fmt::format("ROLLED for (i32 step = 1; step < {}; step *= 2)", active));
  {
    const Scope inside(code, fmt::format("if (ITEM >= step && ITEM < {})", active));
    combine(code, elements(local, "ITEM - step"), acc, acc);
  }
  code.line("BARRIER;");
  assign(code, elements(local, "ITEM"), acc);
  code.line("BARRIER;");
}

// Scans each warp by shuffles, which need all of its lanes; then each item adds its warp's prefix.
void ScanText::warp_scan(const std::string& active) {
  {
    const Scope step(code, "ROLLED for (i32 step = 1; step < 32; step *= 2)");
    const Names left = shuffled(code, "__shfl_up_sync", acc, "n");
    const Scope inside(code, fmt::format("if ((ITEM & 31) >= step && ITEM < {})", active));
    combine(code, left, acc, acc);
  }
  {
    const Scope last(code, "if ((ITEM & 31) == 31)");
    assign(code, elements(warps_, "ITEM >> 5"), acc);
  }
  code.line("BARRIER;");
  {
    const Scope later(code, fmt::format("if (ITEM >= 32 && ITEM < {})", active));
    const Names before = leaf_names(kernel, "n");
    for (std::size_t i = 0; i < before.size(); ++i)
      code.line(fmt::format("{} {} = {}[0];", register_type(code.type(kernel.combine.results[i])),
                            before[i], warps_[i]));
    {
      // The item's own comes last: compilers take longest for copies of the operator.
      const Scope warp(code, "ROLLED for (i32 w = 1; w <= (ITEM >> 5); ++w)");
      Names right;
      for (std::size_t i = 0; i < acc.size(); ++i)
        right.push_back(fmt::format("(w < (ITEM >> 5) ? {}[w] : {})", warps_[i], acc[i]));
      combine(code, before, right, before);
    }
    assign(code, acc, before);
  }
  assign(code, elements(local, "ITEM"), acc);
  code.line("BARRIER;");
}

void emit_scan(ScalarCode& code, Functions& functions) {
  ScanText scan(code);
  if (scans_by_item(code.kernel()) && functions.has(entry::rows)) scan.rows();
  if (!joins_items(code.kernel())) return;
  if (!code.expressions.dialect().forward_progress)
    emit_three_phases(scan, functions);
  else if (functions.has(entry::chained))
    emit_chained_scan(scan);
}

}  // namespace hasten::backends::c_like
