// What all ways to scan have in common: a row an item, and a tile of a row in one group.
#pragma once

#include "backends/c_like/text/skeletons/skeletons.hpp"

namespace hasten::backends::c_like {

/// Tiles go through local memory where it is large enough, so that neighbouring items read and
/// write neighbouring elements although each scans a run of its own.
class ScanText {
 public:
  using Scope = ScalarCode::Scope;

  explicit ScanText(ScalarCode& code);

  /// A function of `name` with its scalars ready, until the Scope ends.
  [[nodiscard]] std::string head(const char* name, const std::string& extra) const;
  void begin_function();
  /// hasten_rows. Extra: rows.
  void rows();

  // -- a tile; `row` and `tile` are defined ---------------------------------------------------
  /// Its bounds [begin, end) and the item's, its items that have elements (`active`), `at`: where
  /// the row begins in the outputs; `acc` and `some`.
  void begin_tile();
  /// acc: the fold of the item's elements. They are kept for write_tile if `keep`.
  void read_tile(bool keep);
  /// acc, from the row's begin to the tile: the seed, if there is one and `when` holds, or nothing.
  void begin_with_seed(const std::string& when);
  /// After what comes before the tile: the seed is a row's first result, and acc gets `items`, the
  /// fold of the tile's items before this one.
  void begin_item(const Names& items);
  /// Stores acc f x..., acc being what comes before the item, and waits for the others.
  void write_tile();

  // -- values ---------------------------------------------------------------------------------
  void evaluate(const Names& index, const std::string& k);
  /// acc = acc f x, or x where there is nothing yet.
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

  bool is_identity_;  // acc begins as what leaves everything as it is, and nothing asks for `some`
  std::int64_t items_;  // elements of an item in a tile, a power of two
  bool staged_;
  std::string unrolled_;  // what stands before loops over an item's staged elements
  Names own_, index_, warps_;
};

/// The fold of every tile, what comes before every tile, the tiles themselves.
void emit_three_phases(ScanText& scan, Functions& functions);
/// One pass over memory: tiles wait for those before them. CUDA.
void emit_chained_scan(ScanText& scan);

}  // namespace hasten::backends::c_like
