// One walk over a program that cuts operations and joins parts: the declarations that the files of
// this folder share.
//
// Every array has a form: whole, under its own number, or in parts by one cut or several, each made
// when it is first needed. A cut is where an axis is cut: numbers of the host, from 0 to the
// extent. One symbol (passes/shapes.hpp) has one cut, so that arrays of one space are cut at the
// same places.
#pragma once

#include "core/traverse.hpp"
#include "passes/fission/fission.hpp"
#include "passes/fission/row_reads.hpp"
#include "passes/shapes.hpp"
#include "passes/writing.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hasten::passes::fission {

using core::ArrayId;
using core::Value;

class Rewriter {
 public:
  Rewriter(core::Program program, const FissionDevices& devices);
  core::Program take();
  /// The order in which parts are issued.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

 private:
  using Binding = core::Binding;
  using Block = core::Block;
  using Cut = std::uint32_t;  // index into cuts_
  using Parts = std::vector<ArrayId>;

  struct CutAt {
    std::vector<Value> at;       // one more than parts
    std::vector<Value> lengths;  // the differences
    std::size_t scope;
    bool is_even = false;  // parts of a device are equally long, until the axis ends
  };
  struct Form {
    bool is_whole = false;
    std::size_t scope = 0;  // where the whole is defined
    struct Cutting {
      Cut cut;
      Parts parts;
      std::size_t scope;
      bool is_all;            // not only the first rows, as many as a shorter array has
      bool are_rows = false;  // views of the whole, which is in host memory
    };
    std::vector<Cutting> cuttings = {};
  };
  struct Scope {
    std::size_t id;
    std::vector<Binding>* out;
  };

  // rewriter.cpp: blocks, forms, cuts
  void rewrite(const Binding& binding);
  [[nodiscard]] bool is_open(std::size_t scope) const;
  [[nodiscard]] std::vector<Binding>& out_of(std::size_t scope);
  [[nodiscard]] std::size_t here() const { return scopes_.back().id; }
  [[nodiscard]] BlockWriter writer() { return {to_, *like_, *scopes_.back().out}; }
  [[nodiscard]] std::size_t parts() const { return order_.size(); }
  [[nodiscard]] bool in_time() const { return in_time_ > 1; }
  [[nodiscard]] std::size_t devices() const { return order_.size() / in_time_; }

  void keep_whole(const Binding& binding);
  void use_wholes(core::ArrayOp& op);
  void use_wholes(core::Stmt& stmt);
  void use_wholes(core::Region& fn);
  void define_whole(ArrayId array);
  void define_parts(ArrayId array, Cut cut, Parts parts);
  ArrayId whole(ArrayId array);
  Parts parts_in(ArrayId array, Cut cut);
  [[nodiscard]] bool is_in_host_memory(ArrayId array) const;
  [[nodiscard]] const Form::Cutting* cutting(ArrayId array) const;
  [[nodiscard]] const Form::Cutting* cutting(ArrayId array, Cut cut) const;

  [[nodiscard]] Symbol symbol(ArrayId array, std::size_t axis = 0) const;
  [[nodiscard]] Symbol known(Symbol symbol) const { return shapes_.known(symbol, at_); }
  [[nodiscard]] std::optional<Cut> named_cut(Symbol symbol) const;
  Cut cut_of(ArrayId array);
  Cut cut_for(Symbol symbol, Value extent);
  Cut add_cut(std::vector<Value> at);
  Cut scaled(Cut cut, std::span<const Value> by, std::span<const Symbol> known_as);
  void name_cut(Symbol symbol, Cut cut) { cut_of_symbol_[symbol] = cut; }
  std::vector<Value> points_of(Value extent);
  Value share_of(Value extent, Value share);

  // in_time.cpp: several parts for each device
  [[nodiscard]] std::int64_t rows_near(const Block& block) const;
  std::vector<Value> points_in_time(const std::vector<Value>& of_devices);
  [[nodiscard]] bool can_be_near(Cut cut, const RowRange& range) const;
  [[nodiscard]] std::vector<std::size_t> parts_before(std::size_t part) const;
  [[nodiscard]] std::vector<std::size_t> parts_after(std::size_t part) const;
  bool fold_in_time(const Binding& binding, const core::Fold& fold);
  bool fold_columns_in_time(const Binding& binding, const core::Fold& fold);
  ArrayId carried(const Binding& binding, ArrayId before, ArrayId scanned, std::size_t part);
  ArrayId in_memory(ArrayId array, std::size_t part);
  Value extent(ArrayId array, std::size_t axis);
  [[nodiscard]] Value mapped(Value value) const;
  std::vector<Value> mapped(std::vector<Value> values) const;

  // code.cpp: functions of parts
  /// The rows that a part reads of an array: its own, and a number of rows before and after.
  struct Near {
    Value begin = core::none;  // the first row of `own`
    ArrayId own = core::none;  // the part, or rows of the whole with its neighbours
    ArrayId before = core::none, after = core::none;
    Value before_begin = core::none;
  };
  core::Region copy(const core::Region& fn);
  /// A part's version of a function of which a parameter, the first one unless `param` says
  /// otherwise, is an index of the cut axis.
  core::Region at_part(const core::Region& fn, Cut cut, std::size_t part, Symbol axis,
                       std::size_t param = 0);
  /// A part's version of a function of elements of these arrays, some of which are known to be row
  /// numbers.
  core::Region of_elements(const core::Region& fn, std::span<const ArrayId> sources, Cut cut,
                           std::size_t part, Symbol axis);
  /// Turns reads near `rows`, which are numbers of rows of the part, into reads of parts.
  void read_parts(core::Region& fn, const std::vector<Value>& rows, Cut cut, std::size_t part,
                  Symbol axis);
  [[nodiscard]] std::optional<RowRange> rows_read(const core::Load& load, Cut cut,
                                                  const RowReads& reads) const;
  Near near(ArrayId array, Cut cut, std::size_t part, const RowRange& range);
  Near near_wrapped(ArrayId array, Cut cut, std::size_t part, const RowRange& range);
  ArrayId some_rows(ArrayId array, Cut cut, const std::vector<std::size_t>& parts, Value begin,
                    Value end);
  ArrayId one_after_other(const Parts& pieces);
  ArrayId joined(ArrayId array, Cut cut);
  ArrayId border(const Parts& parts, Cut cut, const std::vector<std::size_t>& others, Value begin,
                 Value end);
  ArrayId rows_of_part(ArrayId part, std::size_t device, Value begin, Value count);
  core::Load moved(core::Load load, ArrayId array, Value begin, std::vector<core::Stmt>& before);
  void read_near(const core::Stmt& stmt, Near near, const RowRange& range, Cut cut,
                 std::size_t part, std::vector<core::Stmt>& body);
  [[nodiscard]] core::Region wrapped(const core::Load& load, const Near& near, Cut cut,
                                     std::size_t part, core::ScalarType type);
  ArrayId make(const Binding& like, core::ArrayType type, core::ArrayOp op, std::size_t device);

  // shifts.cpp: rows of arrays with other cuts
  [[nodiscard]] std::optional<Value> rows_moved_by(const core::Region& fn, Value index);
  std::optional<Cut> cut_of_moved(const core::Backpermute& op, Cut cut);
  Cut moved_cut(Cut cut, Value by, ArrayId array);
  Near near_of_other(ArrayId array, Cut cut, std::size_t part, const RowRange& range);

  // rules.cpp: operations whose parts follow from parts of the sources
  /// False if the operation stays whole.
  bool cut(const Binding& binding);
  bool cut_apart(const Binding& binding);
  Parts make_parts(const Binding& binding, Cut cut);
  core::ArrayOp part_of(const Binding& binding, Cut cut, std::size_t part);
  core::ArrayOp part_of(const core::Backpermute& op, Cut cut, std::size_t part, Symbol axis);
  core::ArrayOp part_of(const core::GenerateSegments& op, const Binding& binding, Cut cut,
                        std::size_t part, Symbol axis);
  core::ArrayId moved_offsets(const Binding& binding, core::ArrayId offsets, Value origin,
                              std::size_t part);
  std::optional<Value> outermost_extent(const core::ArrayOp& op);
  core::Concat concat_of_rows(const core::Concat& op, Cut cut, std::size_t part);
  Value sum_of_rows(const std::vector<ArrayId>& sources);
  bool cut_reshaped(const Binding& binding, const core::Reshape& op);
  [[nodiscard]] static bool can_make_again(const core::ArrayOp& op);
  void check_before(const Binding& binding);
  void check_count(const Binding& binding);
  void note_counted(const Binding& binding);
  ArrayId ghost(ArrayId array);
  ArrayId ghost(const core::ArrayType& type, std::vector<Value> extents);
  void add_ghost(core::ArrayType type, core::ArrayOp op);

  // folds.cpp: operations cut along the axis that they fold or scan
  bool cut_fold(const Binding& binding, const core::Fold& fold);
  bool cut_scan(const Binding& binding, const core::Scan& scan);
  bool cut_compaction(const Binding& binding, const core::Compact& compact);
  Parts folded_before(const Binding& binding, const core::Scan& scan, const Parts& sources,
                      const std::vector<Value>& nothing);
  std::vector<Value> identity(const core::Region& fn, const core::ArrayType& type);
  ArrayId combined(const core::Region& fn, ArrayId left, ArrayId right);

  // cut_again.cpp: results of compactions
  struct Kept {
    Cut as_made, named;
    Value is_uneven = core::none;  // whether the two cuts differ
  };
  void define_kept(const Binding& binding, ArrayId kept, const Parts& parts);
  const Kept& cut_of_kept(ArrayId kept, const Parts& parts);
  [[nodiscard]] bool is_worked_on(Symbol axis, const Block& block, bool is_in_loop) const;
  Kept cut_evenly(Cut as_made);
  Parts cut_again(const Binding& binding, const Parts& given, const Kept& cuts);
  ArrayId piece(ArrayId part, Cut from, std::size_t j, Cut to, std::size_t k);

  // segments.cpp
  struct PartOfSegments;
  bool cut_segments(const Binding& binding, const core::FoldSegments& fold);
  bool cut_between_segments(const Binding& binding, const core::FoldSegments& fold);
  bool cut_inside_segments(const Binding& binding, const core::FoldSegments& fold,
                           const std::vector<Value>& nothing);
  std::vector<PartOfSegments> parts_of_segments(const Binding& binding,
                                                const core::FoldSegments& fold, Cut elements);
  ArrayId segments_at_cuts(const Binding& binding, ArrayId offsets, Value count, Cut elements);
  ArrayId places_in_part(const Binding& binding, ArrayId offsets, Value count,
                         const PartOfSegments& at, std::size_t part);
  ArrayId with_first(const Binding& binding, const core::FoldSegments& fold,
                     const PartOfSegments& at, ArrayId so_far, ArrayId head, ArrayId rest,
                     std::size_t part);
  ArrayId gone_on(const Binding& binding, const core::FoldSegments& fold, const PartOfSegments& at,
                  ArrayId so_far, ArrayId tail, std::size_t part);

  // scatters.cpp
  bool cut_scatter(const Binding& binding, const core::Permute& permute);
  bool scatter_to_own(const Binding& binding, const core::Permute& permute);
  bool scatter_by_ranges(const Binding& binding, const core::Permute& permute);
  core::Generate nothing_of(ArrayId like, const std::vector<Value>& nothing);
  Parts as_vectors(const Binding& binding, Parts arrays);
  ArrayId numbers_of_targets(const Binding& binding, ArrayId targets, Cut cut, std::size_t part);

  // first_positions.cpp
  /// For a sort for its first positions: those of each part, and those selected among all of them.
  struct FirstOfParts {
    std::size_t scope;
    Cut cut;
    Parts orders;
    std::vector<Value> counts;
    ArrayId order;
    Value count;  // the number of positions wanted
  };
  bool cut_sort_for_first(const Binding& binding, const core::SortPositions& sort);
  bool cut_gather_of_first(const Binding& binding, const core::Generate& gather);
  ArrayId first_elements(const Binding& binding, const FirstOfParts& firsts, const Parts& arrays);
  void define_first(const Binding& binding, const FirstOfParts& firsts, ArrayId found,
                    Value extent);

  // sorts.cpp, ranges.cpp
  /// The operands of a sort, by parts: the keys, and what moves with them.
  struct ToSort {
    Cut cut = 0;
    Parts keys;
    Parts sampled;                             // the source of the keys, element by element,
    std::vector<const core::Region*> to_keys;  // by these functions, one after the other
    bool is_sampled_by_host = false;
    std::vector<Parts> carried;  // by carried array
    bool wants_positions = false, wants_heads = false;
  };
  bool cut_sort(const Binding& binding, const core::SortPositions& sort);
  std::vector<Parts> sorted_where_it_is(const Binding& binding, const core::SortPositions& sort,
                                        const ToSort& what);
  std::vector<Parts> sorted_apart(const Binding& binding, const core::SortPositions& sort,
                                  const ToSort& what);
  std::vector<Parts> sorted_by_ranges(const Binding& binding, const core::SortPositions& sort,
                                      const ToSort& what, std::vector<Value>* places = nullptr);
  std::vector<ArrayId> sorted(const Binding& binding, core::SortPositions op, core::ArrayType order,
                              std::size_t device);
  void find_sampled(ArrayId keys, ToSort& what);
  [[nodiscard]] const core::Map* made_alone(ArrayId array) const;
  [[nodiscard]] std::optional<std::size_t> made_of_carried(const core::SortPositions& sort) const;
  ArrayId keys_again(ArrayId keys, ArrayId carried, ArrayId part, std::size_t device);
  ArrayId splitters_of(const Binding& binding, const ToSort& what);
  ArrayId samples_of(const Binding& binding, const ToSort& what);
  ArrayId numbers_of_ranges(const Binding& binding, const ToSort& what, ArrayId splitters,
                            std::size_t part);
  Value shift_of_places(const ToSort& what, std::size_t part);
  ArrayId words_of_splitters(const Binding& binding, const ToSort& what, ArrayId splitters,
                             Value shift, std::size_t part);
  Parts heads(const Binding& binding, const Parts& orders, const Parts& positions,
              const Parts& keys);
  static Value is_other(RegionWriter& code, const std::vector<Value>& key, ArrayId before);
  ArrayId last_key(const Binding& binding, ArrayId keys, Value length, ArrayId before,
                   std::size_t part);
  Cut cut_of_made(const Parts& parts);
  [[nodiscard]] bool is_read(ArrayId array);

  // exchange.cpp
  [[nodiscard]] core::ScalarType type_of_range() const;
  Value first_not_below(RegionWriter& code, ArrayId array, std::uint32_t leaf, Value length,
                        Value wanted);
  std::vector<Parts> exchanged(const Binding& binding, const Parts& numbers,
                               std::vector<Parts> arrays, const Cut* positions = nullptr,
                               std::vector<Value>* places = nullptr);
  ArrayId ends_of_ranges(const Binding& binding, ArrayId numbers, std::size_t part);
  std::vector<Parts> brought_together(const Binding& binding, const std::vector<Parts>& arrays,
                                      ArrayId ends, std::vector<Value>* places);

  // control.cpp
  struct States;
  void rewrite_loop(const Binding& binding, const core::ArrayWhile& loop);
  void rewrite_rounds(const core::ArrayWhile& loop, const States& states, core::ArrayWhile& made,
                      States& next);
  void rewrite_branches(const Binding& binding, const core::ArrayIf& branch);
  void rewrite_branch(const Block& from, Block& to, const std::vector<std::optional<Cut>>& cuts);
  void begin_block(Block& to);
  void end_block();

  [[nodiscard]] bool wants();

  const core::Program from_;
  core::Program to_;
  const Shapes shapes_;
  struct Join {
    ArrayId array;
    std::size_t scope;
  };
  std::map<ArrayId, Join> joins_;   // by first part
  const std::size_t in_time_;       // parts of each device
  std::vector<std::size_t> order_;  // in which parts are issued
  bool is_exact_, slices_borders_;
  std::int64_t rows_near_ = 0;  // the number of rows read before or after a part's own
  std::uint64_t seed_;
  std::vector<Value> shares_;
  std::vector<Form> forms_;                // by ArrayId of from_
  std::vector<const Binding*> producers_;  // likewise; null: a parameter
  std::set<std::vector<Symbol>> counted_;  // shapes of arrays that exist
  std::vector<bool> read_;                 // likewise; empty: not known yet
  std::vector<CutAt> cuts_;
  std::map<Symbol, Cut> cut_of_symbol_;
  std::map<std::pair<Cut, std::vector<Symbol>>, Cut> scaled_;
  std::map<std::pair<Cut, const core::Backpermute*>, Cut> moved_;
  std::map<std::tuple<Cut, Symbol, std::int64_t>, Cut> near_;  // by rows moved, too
  std::map<ArrayId, FirstOfParts> firsts_;                     // by array of positions
  std::set<ArrayId> at_firsts_;  // such positions, and elements at them
  std::map<Symbol, Kept> kept_;
  std::set<ArrayId> joined_;  // that consist of parts
  core::Renaming values_;     // extents that are numbers of the host
  std::vector<Scope> scopes_;
  std::size_t next_scope_ = 0;
  std::vector<bool> open_;  // by scope
  const Binding* like_ = nullptr;
  ArrayId at_ = core::none;  // the place for which facts are looked up
  int depth_ = 0;            // nesting of operations that are made again for another cut
};

}  // namespace hasten::passes::fission
