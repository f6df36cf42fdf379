// Scans in one pass over memory, for devices where a group may wait for groups that started before
// it (it takes a ticket): a tile publishes its fold, and combines its prefix from what others have
// published. Duane Merrill and Michael Garland, "Single-pass parallel prefix scan with decoupled
// look-back" (2016), with one difference: they join whatever is available first, and so in another
// order every time. Here the tree is fixed: 32 tiles form a block, 32 blocks a stretch, and only
// stretches wait in a chain.
#include "backends/c_like/text/skeletons/scan_text.hpp"

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

  // Extra: rows, tiles of a row, the flags (the ticket, of 64 bits, and one for each value), and
  // values: of all tiles, then of all blocks, then of all stretches.
  void run() {
    const Scope function(
        code_, scan_.head(entry::chained, "const ix rows, const ix tiles, GLOBAL u32* flag, " +
                                              scratch_parameters(kernel_, "part")));
    scan_.begin_function();
    code_.line("LOCAL i64 ticket;");
    code_.line("const ix blocks = (tiles + 31) >> 5, stretches = (tiles + 1023) >> 10;");
    code_.line("const ix first_block = rows * tiles, first_stretch = first_block + rows * blocks;");
    const Scope task(code_, "for (;;)");
    code_.line("if (ITEM == 0) ticket = (i64)atomicAdd((u64*)flag, (u64)1);");
    code_.line("BARRIER;");
    code_.line("const ix task = ticket;");
    code_.line("if (task >= rows * tiles) break;");
    code_.line("const ix row = task / tiles, tile = task - row * tiles;");
    scan_.begin_tile();
    scan_.read_tile(true);
    code_.line("const i32 in_block = (i32)(tile & 31), carried = tile >> 10 > 0 ? 1 : 0;");
    code_.line("const i32 in_stretch = (i32)((tile >> 5) & 31) + carried;");
    for (const Names* names : {&tile_, &item_, &block_, &sum_})
      declare(code_, kernel_.combine.results, *names);
    three_scans();
    before_tile();
    scan_.begin_item(item_);
    scan_.write_tile();
  }

 private:
  // Scans the tile's items, the tiles before it in its block, and the blocks before that, by one
  // text, since compilers take longest for it. Every branch, except around reads, is the group's.
  void three_scans() {
    code_.line("i32 bound = active;");
    const Scope phase(code_, "ROLLED for (i32 phase = 0; phase < (tiles > 1 ? 3 : 1); ++phase)");
    {
      const Scope others(code_, "if (phase > 0 && ITEM < bound)");
      read_published();
    }
    scan_.inclusive_scan("bound");
    {
      const Scope items(code_, "if (phase == 0)");
      own_sums();
      code_.line("bound = in_block;");
    }
    {
      const Scope tiles(code_, "else if (phase == 1)");
      take_last(block_);
      publish_block();
      code_.line("bound = in_stretch;");
    }
    {
      const Scope blocks(code_, "else");
      take_last(sum_);
    }
    code_.line("BARRIER;");
  }

  // acc: a value that another tile publishes.
  void read_published() {
    code_.line("const ix in_row = (tile >> 10 << 5) + ITEM - carried;");
    code_.line(
        "const ix place = phase == 1 ? task - in_block + ITEM : carried && ITEM == 0 ? "
        "first_stretch "
        "+ row * stretches + (tile >> 10) - 1 : first_block + row * blocks + in_row;");
    code_.line("while (*(volatile u32*)(flag + 2 + place) == 0u) {}");
    code_.line("__threadfence();");
    assign(code_, scan_.acc, from_scratch(code_, "part", "place"));
  }

  // to = the fold of the scanned values, if there are any.
  void take_last(const Names& to) {
    const Scope some(code_, "if (bound > 0)");
    assign(code_, to, elements(scan_.local, "bound - 1"));
  }

  // g: the fold of the tile; h: of the items before this one.
  void own_sums() {
    take_last(tile_);
    {
      const Scope later(code_, "if (ITEM > 0 && ITEM < active)");
      assign(code_, item_, elements(scan_.local, "ITEM - 1"));
    }
    const Scope several(code_, "if (tiles > 1)");
    publish("task", tile_);
  }

  void publish(const std::string& place, const Names& values) {
    const Scope one(code_, "if (ITEM == 0)");
    code_.line("const ix place = " + place + ";");
    to_scratch(code_, "part", "place", values);
    code_.line("__threadfence();");
    code_.line("*(volatile u32*)(flag + 2 + place) = 1u;");
  }

  // p: the fold of the block's tiles before this one. Its last tile publishes the block.
  void publish_block() {
    const Scope last(code_, "if (in_block == 31)");
    combine(code_, block_, tile_, sum_);
    publish("first_block + row * blocks + (tile >> 5)", sum_);
  }

  // acc: the fold of all before the tile. A stretch's last tile publishes it for the next stretch.
  void before_tile() {
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
    publish("first_stretch + row * stretches + (tile >> 10)", sum_);
  }

  ScanText& scan_;
  ScalarCode& code_;
  const Kernel& kernel_;
  Names tile_, item_, block_, sum_;
};

}  // namespace

void emit_chained_scan(ScanText& scan) { ChainedScanText(scan).run(); }

}  // namespace hasten::backends::c_like
