// The common part of all scans: one row per item, and one tile of a row per group.
#pragma once

#include "backends/c_like/text/skeletons/skeletons.hpp"

namespace hasten::backends::c_like {

/// Tiles go through local memory where it is large enough, so that neighbouring items access
/// neighbouring elements although each scans a run of its own.
class ScanText {
 public:
  using Scope = ScalarCode::Scope;

  explicit ScanText(ScalarCode& code);

  /// A function called `name` with its scalars defined, until the Scope ends.
  [[nodiscard]] std::string head(const char* name, const std::string& extra) const;
  void begin_function();
  /// hasten_rows. Extra: rows.
  void rows();

  // -- a tile; `row` and `tile` are defined ---------------------------------------------------
  /// Defines its bounds [begin, end) and the item's, the number of items that have elements
  /// (`active`), `at`: the row's offset in the outputs; `acc` and `some`.
  void begin_tile();
  /// acc: the fold of the item's elements. They are kept for write_tile if `keep`.
  void read_tile(bool keep);
  /// acc, the tile's prefix in the row: the seed, if there is one and `when` holds, or nothing.
  void begin_with_seed(const std::string& when);
  /// After the tile's prefix: the seed is a row's first result, and acc is combined with `items`,
  /// the fold of the tile's items before this one.
  void begin_item(const Names& items);
  /// Stores acc f x..., where acc is the item's prefix, and waits for the others.
  void write_tile();

  // -- values ---------------------------------------------------------------------------------
  void evaluate(const Names& index, const std::string& k);
  /// acc = acc f x, or x where acc is empty.
  void accumulate(const Names& x);
  /// The epilogue of the row's result `k`.
  void store(const Names& values, const std::string& k);
  /// local[i] = the fold of acc of items 0..i, for the first `active` items.
  void inclusive_scan(const std::string& active);
  [[nodiscard]] Names seed() const { return ScalarCode::names(kernel.seed); }

  ScalarCode& code;
  const Kernel& kernel;
  const std::size_t outer;  // axes
  const bool seeded;
  const Names acc, local;

 private:
  [[nodiscard]] std::string extent() const;
  [[nodiscard]] std::string result_of(const std::string& element) const;
  [[nodiscard]] std::string width() const;
  void place_row();
  void declare_own();
  [[nodiscard]] Names own(const std::string& j) const;
  [[nodiscard]] Names staged() const;
  [[nodiscard]] int shift() const;
  void warp_scan(const std::string& active);

  void begin_with_nothing();

  bool is_identity_;    // acc starts as an identity, and nothing tests `some`
  std::int64_t items_;  // elements per item in a tile, a power of two
  bool staged_;
  std::string unrolled_;  // the qualifier of loops over an item's staged elements
  Names own_, index_, warps_;
};

/// The fold of every tile, the prefix of every tile, the tiles themselves.
void emit_three_phases(ScanText& scan, Functions& functions);
/// One pass over memory: tiles wait for earlier ones. CUDA.
void emit_chained_scan(ScanText& scan);

}  // namespace hasten::backends::c_like
