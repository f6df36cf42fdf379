// The functions of a kernel's text. Each takes the kernel's inputs, outputs, scalars and the
// extents of its space, in this order, then the parameters named where it is emitted.
#pragma once

#include "backends/c_like/text/scalar_code.hpp"
#include "backends/c_like/text/source.hpp"
#include "kernels/schedule.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace hasten::backends::c_like {

/// Selects which functions of a kernel become text: those of a module.
class Functions {
 public:
  explicit Functions(std::string_view module) : module_(module) {}
  /// Called for each function that the kernel has.
  [[nodiscard]] bool has(std::string_view function) {
    all_.push_back(function);
    return module_ == main_module || module_ == function;
  }
  /// The functions it was called for.
  [[nodiscard]] const std::vector<std::string_view>& all() const { return all_; }

 private:
  std::string_view module_;
  std::vector<std::string_view> all_;
};

/// "(inputs, outputs, scalars, extents e0..., extra)"
std::string parameters(const ScalarCode& code, std::string_view extra);
/// Defines scalars that are passed in another form: `const bool v7 = m7 != 0;`, and narrowed ones.
void begin_function(ScalarCode& code);
/// The ix `row` as indices of `axes` axes, the outer ones or those from `first` on: their
/// expressions.
Names split_row(ScalarCode& code, const std::string& row, std::size_t axes, std::size_t first = 0);

/// One write of a scatter whose elements do not meet: tests the condition only where it is not
/// known to hold.
void store_write(ScalarCode& code, const Region& element, std::span<const Value> written);

/// The most statements of an operator that a loop may contain several copies of.
inline constexpr std::size_t copied_statements_max = 8;

/// "T prefix0, prefix1..." for the leaves of folds and scans.
Names leaf_names(const Kernel& kernel, std::string_view prefix);
void declare(ScalarCode& code, const std::vector<Value>& like, const Names& names);
void assign(ScalarCode& code, const Names& to, const Names& from);
/// acc = left f right.
void combine(ScalarCode& code, const Names& left, const Names& right, const Names& to);
/// acc = acc f x, or x where acc is empty (`some` tells).
void accumulate(ScalarCode& code, const Names& acc, const Names& x);
/// An element that leaves every x unchanged; one per leaf is that of an operator of the table.
std::string identity_element(ScalarCode& code, ScalarOp op, ScalarType type);
Names identity_elements(ScalarCode& code);
/// Whether a few copies of the code of an element are acceptable: few statements, no loop.
bool is_light(const Kernel& kernel);
/// Places from `from`, in steps of `step`, below `end`.
struct Places {
  const char* type;
  std::string name, from, step, end;
};
/// A loop over them; `body` emits the code for one place. Light code is emitted for several places
/// at once, so that their loads are in flight together; other code would only grow.
void for_places(ScalarCode& code, const Places& places, const std::function<void()>& body);
/// The same where `find` defines `values`, and `use` uses them, place by place, under the names it
/// receives. The values of several places are kept until all are loaded: otherwise compilers that
/// save registers would wait for each load.
void for_values(ScalarCode& code, const Places& places, std::span<const Value> values,
                const std::function<void()>& find, const std::function<void(const Names&)>& use);
/// Constants: the `values` of another lane of the warp, which the dialect's function `shuffle`
/// selects by `step`. All lanes have to take part.
Names shuffled(ScalarCode& code, std::string_view shuffle, const Names& values,
               std::string_view prefix);
/// One array in local memory per leaf, with one element per item of the group.
void declare_local(ScalarCode& code, const Names& names);
/// names[i][index]
Names elements(const Names& names, const std::string& index);
/// Leaves in scratch memory: "GLOBAL u8* prefix0, ...", and as values.
std::string scratch_parameters(const Kernel& kernel, std::string_view prefix);
Names from_scratch(ScalarCode& code, std::string_view prefix, const std::string& index);
void to_scratch(ScalarCode& code, std::string_view prefix, const std::string& index,
                const Names& values);
/// For a group that runs beside others: half of what every device has.
inline constexpr std::size_t local_bytes_max = 16384;
/// Whether the items of a group join their values in local memory: it holds the leaves of each
/// item, and the operator need not be applied in order.
bool joins_items(const Kernel& kernel);
/// For a scatter with atomics: the most elements of outputs that a group can copy; else 0.
std::int64_t private_targets(const Kernel& kernel);
/// The elements of a scan's row that each item takes in a tile of a group.
std::int64_t scan_items(const Kernel& kernel, const Dialect& dialect);
/// Whether items may take a row of a scan each: not for a kernel of one row.
bool scans_by_item(const Kernel& kernel);

/// Whether a map has CUDA's hasten_flat. In OpenCL all maps have their own.
bool has_flat_map(const Kernel& kernel);

void emit_map(ScalarCode& code, Functions& functions);
void emit_segment_elements(ScalarCode& code, Functions& functions);
/// For a map that folds its rows before their elements.
void emit_row_map(ScalarCode& code);
void emit_fold(ScalarCode& code, Functions& functions);
/// For a contraction, by rectangles.
void emit_contraction(ScalarCode& code, const kernels::GroupTile& tile);
void emit_scan(ScalarCode& code, Functions& functions);
void emit_scatter(ScalarCode& code, Functions& functions);
/// The only function of a scatter of several loops.
void emit_loops(ScalarCode& code);
void emit_compact(ScalarCode& code, Functions& functions);

}  // namespace hasten::backends::c_like
