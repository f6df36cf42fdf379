// The functions of a kernel's text. Every one takes the kernel's inputs, outputs, scalars and the
// extents of its space, in this order, then what is named where it is emitted.
#pragma once

#include "backends/c_like/text/scalar_code.hpp"
#include "backends/c_like/text/source.hpp"
#include "kernels/schedule.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace hasten::backends::c_like {

/// Which functions of a kernel become text: those of a module.
class Functions {
 public:
  explicit Functions(std::string_view module) : module_(module) {}
  /// Asked of each function that the kernel has.
  [[nodiscard]] bool has(std::string_view function) {
    all_.push_back(function);
    return module_ == main_module || module_ == function;
  }
  /// Those that it was asked of.
  [[nodiscard]] const std::vector<std::string_view>& all() const { return all_; }

 private:
  std::string_view module_;
  std::vector<std::string_view> all_;
};

/// "(inputs, outputs, scalars, extents e0..., extra)"
std::string parameters(const ScalarCode& code, std::string_view extra);
/// Scalars that need it as values: `const bool v7 = m7 != 0;`, and what is narrower than given.
void begin_function(ScalarCode& code);
/// The ix `row` as indices of `axes` axes, the outer ones or those from `first` on: their
/// expressions.
Names split_row(ScalarCode& code, const std::string& row, std::size_t axes, std::size_t first = 0);

/// One write of a scatter whose elements do not meet: asks only where it is not known to be one.
void store_write(ScalarCode& code, const Region& element, std::span<const Value> written);

/// Statements of an operator of which there may be several copies in one loop.
inline constexpr std::size_t copied_statements_max = 8;

/// "T prefix0, prefix1..." for the leaves of folds and scans.
Names leaf_names(const Kernel& kernel, std::string_view prefix);
void declare(ScalarCode& code, const std::vector<Value>& like, const Names& names);
void assign(ScalarCode& code, const Names& to, const Names& from);
/// acc = left f right.
void combine(ScalarCode& code, const Names& left, const Names& right, const Names& to);
/// acc = acc f x, or x where there is nothing yet (`some` says whether).
void accumulate(ScalarCode& code, const Names& acc, const Names& x);
/// What leaves every x as it is, and so for all leaves of an operator of the table.
std::string identity_element(ScalarCode& code, ScalarOp op, ScalarType type);
Names identity_elements(ScalarCode& code);
/// Whether a few copies of what computes an element are no great matter: few statements, no loop.
bool is_light(const Kernel& kernel);
/// Places from `from`, each `step` after the one before, that are less than `end`.
struct Places {
  const char* type;
  std::string name, from, step, end;
};
/// A loop over them, `body` being what is done with one. Where the code is light several are done
/// at once, so that their reads are under way together; elsewhere the code would only grow.
void for_places(ScalarCode& code, const Places& places, const std::function<void()>& body);
/// The same where `find` defines `values`, and `use` does something with them, place by place,
/// under the names that it is given. What is found at several places is kept until all of it is
/// asked for: compilers that save registers would else wait for each read.
void for_values(ScalarCode& code, const Places& places, std::span<const Value> values,
                const std::function<void()>& find, const std::function<void(const Names&)>& use);
/// Constants: what another lane of the warp has of `values`, as `shuffle`, a function of the
/// dialect's, finds it by `step`. All lanes have to come by.
Names shuffled(ScalarCode& code, std::string_view shuffle, const Names& values,
               std::string_view prefix);
/// One array in local memory for each leaf, with an element for each item of the group.
void declare_local(ScalarCode& code, const Names& names);
/// names[i][index]
Names elements(const Names& names, const std::string& index);
/// Leaves in scratch memory: "GLOBAL u8* prefix0, ...", and as values.
std::string scratch_parameters(const Kernel& kernel, std::string_view prefix);
Names from_scratch(ScalarCode& code, std::string_view prefix, const std::string& index);
void to_scratch(ScalarCode& code, std::string_view prefix, const std::string& index,
                const Names& values);
/// Of a group that runs beside others: half of what every device has.
inline constexpr std::size_t local_bytes_max = 16384;
/// Whether what the items of a group have is joined in local memory: there is enough for each one's
/// leaves, and the operator need not be applied in order.
bool joins_items(const Kernel& kernel);
/// Of a scatter with atomics: outputs of how many elements a group can have a copy of; else 0.
std::int64_t private_targets(const Kernel& kernel);
/// Elements of a scan's row that are an item's in a tile of a group.
std::int64_t scan_items(const Kernel& kernel, const Dialect& dialect);
/// Whether rows of a scan may be an item's each: a kernel of one row is not for that.
bool scans_by_item(const Kernel& kernel);

/// Whether a map has CUDA's hasten_flat. In OpenCL all have one of their own.
bool has_flat_map(const Kernel& kernel);

void emit_map(ScalarCode& code, Functions& functions);
/// Of a map that folds its rows before their elements.
void emit_row_map(ScalarCode& code);
void emit_fold(ScalarCode& code, Functions& functions);
/// Of a contraction, by rectangles.
void emit_contraction(ScalarCode& code, const kernels::GroupTile& tile);
void emit_scan(ScalarCode& code, Functions& functions);
void emit_scatter(ScalarCode& code, Functions& functions);
/// The one function of a scatter of several loops.
void emit_loops(ScalarCode& code);
void emit_compact(ScalarCode& code, Functions& functions);

}  // namespace hasten::backends::c_like
