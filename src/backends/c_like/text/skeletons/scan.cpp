// Scans in three phases: the fold of every tile, the prefix of every tile, the tiles themselves.
// Guy Blelloch, "Prefix sums and their applications" (1990), with the operator's order kept. No
// group waits for another.
#include "backends/c_like/text/skeletons/scan_text.hpp"

#include <fmt/format.h>

namespace hasten::backends::c_like {
namespace {

using Scope = ScanText::Scope;

std::string tiles_parameters(const Kernel& kernel) {
  return "const ix rows, const ix tiles, " + scratch_parameters(kernel, "part");
}

constexpr const char* each_task = "TASK(task, rows * tiles)";
constexpr const char* row_and_tile = "const ix row = task / tiles, tile = task % tiles;";

// Extra: rows, tiles per row, scratch for one value per tile.
void parts(ScanText& scan) {
  ScalarCode& code = scan.code;
  const Scope function(code, scan.head(entry::parts, tiles_parameters(scan.kernel)));
  scan.begin_function();
  const Scope task(code, each_task);
  code.line(row_and_tile);
  scan.begin_tile();
  scan.read_tile(false);
  scan.inclusive_scan("active");
  const Scope last(code, "if (ITEM == active - 1)");
  to_scratch(code, "part", "task", scan.acc);
}

// before = before f last, or last where there is no prefix yet.
void carry_on(ScanText& scan, const Names& before, const Names& last) {
  ScalarCode& code = scan.code;
  {
    const Scope more(code, "if (some_before)");
    combine(code, before, last, before);
  }
  {
    const Scope begin(code, "else");
    assign(code, before, last);
    code.line("some_before = 1;");
  }
  code.line("BARRIER;");
}

// part[place] = before f local[ITEM - 1]
void exclusive(ScanText& scan, const Names& before) {
  ScalarCode& code = scan.code;
  {
    const Scope later(code, "if (ITEM > 0)");
    const Names left = elements(scan.local, "ITEM - 1");
    const Names sum = leaf_names(scan.kernel, "c");
    declare(code, scan.kernel.combine.results, sum);
    {
      const Scope more(code, "if (some_before)");
      combine(code, before, left, sum);
    }
    {
      const Scope begin(code, "else");
      assign(code, sum, left);
    }
    to_scratch(code, "part", "place", sum);
  }
  const Scope first(code, "else if (some_before)");
  to_scratch(code, "part", "place", before);
}

// Extra: as for parts. Each tile's value becomes the prefix of the tile; a row's first tile without
// a seed has no prefix, and its place holds no meaningful value.
void carries(ScanText& scan) {
  ScalarCode& code = scan.code;
  const Kernel& kernel = scan.kernel;
  const Scope function(code, scan.head(entry::carries, tiles_parameters(kernel)));
  begin_function(code);
  declare_local(code, scan.local);
  const Scope row(code, "TASK(row, rows)");
  const Names before = leaf_names(kernel, "b");
  declare(code, kernel.combine.results, before);
  code.line(fmt::format("i32 some_before = {};", scan.seeded ? 1 : 0));
  if (scan.seeded) assign(code, before, scan.seed());
  const Scope chunk(code, "ROLLED for (ix chunk = 0; chunk < tiles; chunk += 256)");
  code.line("const ix place = row * tiles + chunk + ITEM;");
  code.line("const ix active = tiles - chunk < 256 ? tiles - chunk : 256;");
  declare(code, kernel.combine.results, scan.acc);
  {
    const Scope inside(code, "if (ITEM < active)");
    assign(code, scan.acc, from_scratch(code, "part", "place"));
  }
  scan.inclusive_scan("active");
  {
    const Scope inside(code, "if (ITEM < active)");
    exclusive(scan, before);
  }
  carry_on(scan, before, elements(scan.local, "active - 1"));
}

// Extra: as for parts, with the prefix of each tile.
void tiles(ScanText& scan) {
  ScalarCode& code = scan.code;
  const Scope function(code, scan.head(entry::tiles, tiles_parameters(scan.kernel)));
  scan.begin_function();
  const Scope task(code, each_task);
  code.line(row_and_tile);
  scan.begin_tile();
  scan.read_tile(true);
  scan.inclusive_scan("active");
  scan.begin_with_seed("tile == 0");
  {
    const Scope carried(code, "if (tile > 0)");
    assign(code, scan.acc, from_scratch(code, "part", "task"));
    code.line("some = 1;");
  }
  scan.begin_item(elements(scan.local, "ITEM - 1"));
  scan.write_tile();
}

}  // namespace

void emit_three_phases(ScanText& scan, Functions& functions) {
  if (functions.has(entry::parts)) parts(scan);
  if (functions.has(entry::carries)) carries(scan);
  if (functions.has(entry::tiles)) tiles(scan);
}

}  // namespace hasten::backends::c_like
