// Emits statements of C for the scalar code of a kernel: one variable per value, in scopes.
#pragma once

#include "backends/c_like/text/expressions.hpp"
#include "kernels/analysis/indices/index_width.hpp"
#include "kernels/analysis/loops/long_loops.hpp"
#include "kernels/analysis/private_arrays.hpp"
#include "kernels/kernel.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::backends::c_like {

using kernels::Kernel;
using kernels::Region;
using kernels::Value;

using Names = std::vector<std::string>;

/// Arrays that loops change are arrays of C from this many elements on.
inline constexpr std::size_t private_array_least = 5;

class ScalarCode {
 public:
  /// `polls`: long loops test the stop word, an additional parameter.
  ScalarCode(const Kernel& kernel, const Dialect& dialect, IndexWidths widths, bool polls = false)
      : kernel_(kernel),
        widths_(std::move(widths)),
        long_loops_(kernel),
        arrays_(kernel, private_array_least),
        polls_(polls && long_loops_.any()),
        expressions(dialect) {}

  // -- text ---------------------------------------------------------------------------------------

  void line(std::string_view text);
  /// Opens a block after `head`; the object's destructor closes it.
  class [[nodiscard]] Scope {
   public:
    Scope(ScalarCode& code, std::string_view head) : code_(code) {
      code.line(std::string(head) + (head.empty() ? "{" : " {"));
      ++code.depth_;
    }
    ~Scope() {
      --code_.depth_;
      code_.line("}");
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ScalarCode& code_;
  };

  // -- values -------------------------------------------------------------------------------------

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] ScalarType type(Value v) const { return kernel_.value_types[v]; }
  /// The type of its variable: an i64 for which 32 bits suffice is an i32.
  [[nodiscard]] ScalarType held_type(Value v) const {
    return widths_.is_narrow[v] ? ScalarType::i32 : type(v);
  }
  [[nodiscard]] Range range(Value v) const { return widths_.ranges[v]; }
  [[nodiscard]] bool polls() const { return polls_; }
  [[nodiscard]] bool is_narrow() const { return widths_.width == IndexWidth::narrow; }
  static std::string name(Value v) { return "v" + std::to_string(v); }
  static Names names(std::span<const Value> values);
  /// const type v = expression;
  void define(Value v, const std::string& expression);
  void define(std::span<const Value> values, std::span<const std::string> texts);

  // -- statements ---------------------------------------------------------------------------------

  /// The statements of a region whose parameters are defined.
  void run(const Region& region);
  void run(const core::Stmt& stmt);
  /// The same for a region that is not part of the kernel, but was made from its element: it has
  /// loops of its own, whose small arrays are placed elsewhere.
  void run_apart(Region element);
  /// In a scope: defines `params` as `given`, runs the region, and stores its results in the
  /// variables `to`.
  void run_into(const Region& region, std::span<const std::string> given,
                std::span<const std::string> to);

  /// The place of element `index` of an output, or of its part: one array holds both parts.
  [[nodiscard]] std::string place_in(std::size_t output, const std::string& index) const;
  /// out[index] = value, converted to the form in memory.
  void store(std::size_t output, const std::string& index, const std::string& value);
  /// The element of an output as a value.
  std::string stored(std::size_t output, const std::string& index);

  /// Functions that the text calls, and that precede it.
  std::string functions;
  std::string text;

 private:
  std::string prim(const core::Prim& op, Value result);
  /// The operation in 32 bits, although its type is i64; empty where 64 are necessary.
  std::string narrow_prim(const core::Prim& op, Value result);
  /// The operation on variables of these types.
  std::string apply(const core::Prim& op, ScalarType result, std::span<const ScalarType> types);
  void branch(const core::If& op, const core::Stmt& stmt);
  /// Emits the region as a separate function, which stores its results in the variables of `to`.
  void call(const Region& region, const std::vector<Value>& to);
  void loop(const core::While& op, const core::Stmt& stmt);
  void load(const core::LoadLinear& op, Value result);
  void extract(const core::Extract& op, const core::Stmt& stmt);
  void insert(const core::Insert& op, const core::Stmt& stmt);
  [[nodiscard]] bool is_in_memory(Value v) const { return arrays_[v].array != core::none; }
  [[nodiscard]] std::string place_among(Value index, std::size_t elements) const;
  /// Stores the passed values that arrays do not hold yet.
  void store_passed(const std::vector<Value>& passed);
  /// Loads the elements of arrays that are used as values of their own.
  void load_versions(const std::vector<Value>& values);
  /// to = from, except for values in arrays.
  void pass(const std::vector<Value>& from, const std::vector<Value>& to);
  void define_state(const std::vector<Value>& params, const std::vector<Value>& state);
  void reduce(const core::Reduce& op, const core::Stmt& stmt);
  void poll(const core::Stmt& stmt);

  const Kernel& kernel_;
  IndexWidths widths_;
  kernels::LongLoops long_loops_;
  kernels::PrivateArrays arrays_;
  bool polls_;
  std::size_t depth_ = 0;
  std::size_t parts_ = 0;
  std::set<Value> zeros_;  // constants

 public:
  ExpressionEmitter expressions;
};

}  // namespace hasten::backends::c_like
