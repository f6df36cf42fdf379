// Scans in one pass over memory, for devices where a group may wait for groups that began before it
// (it takes a ticket): a tile publishes what it folds to, and finds what comes before it in what
// others have published. Duane Merrill and Michael Garland, "Single-pass parallel prefix scan with
// decoupled look-back" (2016), but for one thing: they join whatever is there first, and so in
// another order every time. Here the tree is fixed: 32 tiles join to a block, 32 blocks to a
// stretch, and only stretches wait in a chain.
#include "backends/c_like/scan_text.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

using Scope = ScanText::Scope;

class ChainedScanText {
 public:
  explicit ChainedScanText(ScanText& scan)
      : scan_(scan),
        code_(scan.code),
        kernel_(scan.kernel),
        tile_(leaf_names(kernel_, "g")),
        item_(leaf_names(kernel_, "h")),
        block_(leaf_names(kernel_, "p")),
        sum_(leaf_names(kernel_, "c")) {}

  // Extra: words of `flag`. All of them become zero.
  void clear() {
    const Scope function(code_, scan_.head(entry::clear, "GLOBAL u32* flag, const ix words"));
    const Scope word(code_,
                     "ROLLED for (ix at = GROUP * 256 + ITEM; at < words; at += GROUPS * 256)");
    code_.line("flag[at] = 0u;");
  }

  // Extra: rows, tiles of a row, the flags (the ticket, of 64 bits, and one for each value), and
  // values: of all tiles, then of all blocks, then of all stretches.
  void run() {
    const Scope function(
        code_, scan_.head(entry::chained, "const ix rows, const ix tiles, GLOBAL u32* flag, " +
                                              scratch_parameters(kernel_, "part")));
    scan_.begin_function();
    code_.line("LOCAL i64 ticket;");
    code_.line("const ix blocks = (tiles + 31) / 32, stretches = (tiles + 1023) / 1024;");
    code_.line("const ix first_block = rows * tiles, first_stretch = first_block + rows * blocks;");
    const Scope task(code_, "for (;;)");
    code_.line("if (ITEM == 0) ticket = (i64)atomicAdd((u64*)flag, (u64)1);");
    code_.line("BARRIER;");
    code_.line("const ix task = ticket;");
    code_.line("if (task >= rows * tiles) break;");
    code_.line("const ix row = task / tiles, tile = task % tiles;");
    scan_.begin_tile();
    scan_.read_tile(true);
    scan_.inclusive_scan("active");
    own_sums();
    {
      const Scope several(code_, "if (tiles > 1)");
      publish("task", tile_);
    }
    before_in_block();
    before_block();
    scan_.begin_item(item_);
    scan_.write_tile();
  }

 private:
  void declare_all(const Names& names) { declare(code_, kernel_.combine.results, names); }

  // g: the fold of the tile; h: of the items before this one.
  void own_sums() {
    declare_all(tile_);
    declare_all(item_);
    {
      const Scope any(code_, "if (active > 0)");
      assign(code_, tile_, elements(scan_.local, "active - 1"));
    }
    {
      const Scope later(code_, "if (ITEM > 0 && ITEM < active)");
      assign(code_, item_, elements(scan_.local, "ITEM - 1"));
    }
    code_.line("BARRIER;");
  }

  void publish(const std::string& place, const Names& values) {
    const Scope one(code_, "if (ITEM == 0)");
    code_.line("const ix place = " + place + ";");
    to_scratch(code_, "part", "place", values);
    code_.line("__threadfence();");
    code_.line("*(volatile u32*)(flag + 2 + place) = 1u;");
  }

  // to = the fold of `count` values that others publish, in order; nothing where there are none.
  void gather(const std::string& count, const std::string& place, const Names& to) {
    {
      const Scope some(code_, "if (ITEM < " + count + ")");
      code_.line("const ix place = " + place + ";");
      code_.line("while (*(volatile u32*)(flag + 2 + place) == 0u) {}");
      code_.line("__threadfence();");
      assign(code_, scan_.acc, from_scratch(code_, "part", "place"));
    }
    scan_.inclusive_scan(count);
    {
      const Scope some(code_, "if (" + count + " > 0)");
      assign(code_, to, elements(scan_.local, count + " - 1"));
    }
    code_.line("BARRIER;");
  }

  // p: the fold of the block's tiles before this one. Its last tile publishes the block.
  void before_in_block() {
    declare_all(block_);
    declare_all(sum_);
    code_.line("const i32 in_block = (i32)(tile & 31);");
    gather("in_block", "task - in_block + ITEM", block_);
    const Scope last(code_, "if (in_block == 31)");
    combine(code_, block_, tile_, sum_);
    publish("first_block + row * blocks + (tile >> 5)", sum_);
  }

  // acc: what comes before the tile. A stretch's last tile publishes what comes before the next.
  void before_block() {
    code_.line("const ix stretch = tile >> 10;");
    code_.line("const i32 carried = stretch > 0 ? 1 : 0;");
    code_.line("const i32 in_stretch = (i32)((tile >> 5) & 31) + carried;");
    gather("in_stretch",
           "carried && ITEM == 0 ? first_stretch + row * stretches + stretch - 1 : first_block + "
           "row * blocks + (stretch << 5) + ITEM - carried",
           sum_);
    scan_.begin_with_seed("!carried");
    {
      const Scope more(code_, "if (in_stretch > 0)");
      scan_.accumulate(sum_);
    }
    {
      const Scope more(code_, "if (in_block > 0)");
      scan_.accumulate(block_);
    }
    const Scope last(code_, "if ((tile & 1023) == 1023)");
    combine(code_, scan_.acc, tile_, sum_);
    publish("first_stretch + row * stretches + stretch", sum_);
  }

  ScanText& scan_;
  ScalarCode& code_;
  const Kernel& kernel_;
  Names tile_, item_, block_, sum_;
};

}  // namespace

void emit_chained_scan(ScanText& scan) {
  ChainedScanText text(scan);
  text.clear();
  text.run();
}

}  // namespace hasten::backends::c_like
