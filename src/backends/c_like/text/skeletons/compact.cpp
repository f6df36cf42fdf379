// Compactions in three phases: which elements are kept, and how many of each tile; the offset of
// each tile; the elements themselves. The decision about an element is a byte in scratch memory, so
// that it is made once; an element whose mask and leaves share costly code is written to scratch
// memory as well. Guy Blelloch, "Prefix sums and their applications" (1990).
#include "backends/c_like/text/skeletons/skeletons.hpp"
#include "kernels/compaction.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

class CompactText {
 public:
  explicit CompactText(ScalarCode& code)
      : code_(code),
        kernel_(code.kernel()),
        keeps_leaves_(kernels::halves_share_work(kernel_)) {}

  void run(Functions& functions) {
    if (functions.has(entry::counts)) counts();
    if (functions.has(entry::offsets)) offsets();
    if (functions.has(entry::kept)) kept();
  }

 private:
  using Scope = ScalarCode::Scope;

  [[nodiscard]] std::size_t leaves() const { return kernel_.element.results.size() - 1; }
  [[nodiscard]] ScalarType leaf_type(std::size_t leaf) const {
    return code_.type(kernel_.element.results[leaf + 1]);
  }

  [[nodiscard]] std::string head(const char* name) const {
    std::string extra = "const ix tiles, GLOBAL u8* flag, GLOBAL i64* count, GLOBAL i64* total";
    for (std::size_t i = 0; keeps_leaves_ && i < leaves(); ++i)
      extra += fmt::format(", GLOBAL {}* new{}", memory_type(leaf_type(i)), i);
    return fmt::format("KERNEL {}{}", name, parameters(code_, extra));
  }

  void begin_tile() {
    code_.line(fmt::format("const ix begin = task * {};", scan_tile));
    code_.line(
        fmt::format("const i32 size = (i32)(e0 - begin < {0} ? e0 - begin : {0});", scan_tile));
  }

  // Extra of all three: the tiles, a byte for each element, a number for each tile, the number of
  // elements that are kept, and scratch for leaves, if they are kept.
  void counts() {
    const Scope function(code_, head(entry::counts));
    begin_function(code_);
    code_.line("LOCAL i32 sums[256];");
    const Scope task(code_, "TASK(task, tiles)");
    begin_tile();
    code_.line("i32 mine = 0;");
    {
      const Scope element(code_, "ROLLED for (i32 i = (i32)ITEM; i < size; i += 256)");
      code_.line("const ix at = begin + i;");
      decide();
    }
    code_.line("sums[ITEM] = mine;");
    code_.line("BARRIER;");
    {
      const Scope step(code_, "ROLLED for (i32 step = 128; step > 0; step /= 2)");
      code_.line("if (ITEM < step) sums[ITEM] += sums[ITEM + step];");
      code_.line("BARRIER;");
    }
    code_.line("if (ITEM == 0) count[task] = sums[0];");
    code_.line("BARRIER;");
  }

  void decide() {
    const std::string at[] = {"at"};
    code_.define(kernel_.element.params, at);
    if (keeps_leaves_)
      code_.run(kernel_.element);
    else
      code_.run_apart(kernels::mask_region(kernel_));
    const std::string keep = ScalarCode::name(kernel_.element.results[0]);
    code_.line(fmt::format("flag[at] = (u8)({} ? 1 : 0);", keep));
    code_.line(fmt::format("mine += {} ? 1 : 0;", keep));
    for (std::size_t i = 0; keeps_leaves_ && i < leaves(); ++i)
      code_.line(fmt::format("new{}[at] = {};", i,
                             code_.expressions.to_memory(
                                 leaf_type(i), ScalarCode::name(kernel_.element.results[i + 1]))));
  }

  // One group replaces each tile's number by the sum over the tiles before it.
  void offsets() {
    const Scope function(code_, head(entry::offsets));
    code_.line("LOCAL i64 sums[256];");
    code_.line("const ix each = (tiles + 255) / 256, first = ITEM * each;");
    code_.line("const ix past = first + each < tiles ? first + each : tiles;");
    code_.line("i64 mine = 0;");
    code_.line("ROLLED for (ix tile = first; tile < past; ++tile) mine += count[tile];");
    code_.line("sums[ITEM] = mine;");
    code_.line("BARRIER;");
    scan_sums("i64");
    code_.line("i64 before = sums[ITEM] - mine;");
    {
      const Scope tile(code_, "ROLLED for (ix tile = first; tile < past; ++tile)");
      code_.line("const i64 own = count[tile];");
      code_.line("count[tile] = before;");
      code_.line("before += own;");
    }
    code_.line("if (ITEM == 255) *total = sums[255];");
  }

  // Replaces each number by the sum up to and including it.
  void scan_sums(const char* type) {
    const Scope step(code_, "ROLLED for (i32 step = 1; step < 256; step *= 2)");
    code_.line(fmt::format("const {} left = ITEM >= step ? sums[ITEM - step] : 0;", type));
    code_.line("BARRIER;");
    code_.line("sums[ITEM] += left;");
    code_.line("BARRIER;");
  }

  void kept() {
    const Scope function(code_, head(entry::kept));
    begin_function(code_);
    code_.line("LOCAL i32 sums[256];");
    code_.line(fmt::format("LOCAL u16 place[{}];", scan_tile));
    const Scope task(code_, "TASK(task, tiles)");
    begin_tile();
    code_.line(fmt::format("const i32 first = (i32)ITEM * {};", scan_run));
    code_.line(fmt::format("const i32 past = first + {0} < size ? first + {0} : size;", scan_run));
    code_.line("i32 mine = 0;");
    code_.line("ROLLED for (i32 i = first; i < past; ++i) mine += flag[begin + i];");
    code_.line("sums[ITEM] = mine;");
    code_.line("BARRIER;");
    scan_sums("i32");
    code_.line("i32 before = sums[ITEM] - mine;");
    {
      const Scope own(code_, "ROLLED for (i32 i = first; i < past; ++i)");
      code_.line("place[i] = (u16)before;");
      code_.line("before += flag[begin + i];");
    }
    code_.line("BARRIER;");
    {
      const Scope element(code_, "ROLLED for (i32 i = (i32)ITEM; i < size; i += 256)");
      code_.line("const ix at = begin + i;");
      write();
    }
    code_.line("BARRIER;");
  }

  void write() {
    {
      const Scope is_kept(code_, "if (flag[at])");
      code_.line("const ix to = (ix)count[task] + (ix)place[i];");
      write_to(0);
    }
    if (!kernel_.parts) return;
    const Scope other(code_, "else");
    code_.line("const ix to = at - (ix)count[task] - (ix)place[i];");
    write_to(leaves());
  }

  void write_to(std::size_t first) {
    if (!keeps_leaves_) {
      const std::string at[] = {"at"};
      code_.define(kernel_.element.params, at);
      code_.run_apart(kernels::leaves_region(kernel_));
    }
    for (std::size_t i = 0; i < leaves(); ++i)
      code_.store(first + i, "to",
                  keeps_leaves_
                      ? code_.expressions.from_memory(leaf_type(i), fmt::format("new{}[at]", i))
                      : ScalarCode::name(kernel_.element.results[i + 1]));
  }

  ScalarCode& code_;
  const Kernel& kernel_;
  bool keeps_leaves_;
};

}  // namespace

void emit_compact(ScalarCode& code, Functions& functions) { CompactText(code).run(functions); }

}  // namespace hasten::backends::c_like
