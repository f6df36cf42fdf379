// Prints into one string; a region stays on one line where it fits.
#include "core/print.hpp"

#include "core/fields.hpp"
#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>

namespace hasten::core {
namespace {

constexpr std::size_t columns_max = 100;
constexpr std::size_t inline_statements_max = 6;
constexpr int indented_levels_max = 40;  // deeper code is not moved further right

template <class Float>
std::string float_text(Float x, std::uint64_t bits, std::uint64_t usual_nan) {
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  if (std::isnan(x) && bits == usual_nan) return "nan";
  char text[64];
  char* const end = std::isnan(x) ? std::to_chars(text, std::end(text), bits, 16).ptr
                                  : std::to_chars(text, std::end(text), x).ptr;
  return (std::isnan(x) ? "nan:0x" : "") + std::string(text, end);
}

std::string float_text(ScalarType type, std::uint64_t bits) {
  switch (type) {
    case ScalarType::f32: {
      const auto word = static_cast<std::uint32_t>(bits);
      return float_text(std::bit_cast<float>(word), word, 0x7fc00000U);
    }
    case ScalarType::f16: return float_text(to_double(type, {bits, 0}), bits, 0x7e00U);
    case ScalarType::bf16: return float_text(to_double(type, {bits, 0}), bits, 0x7fc0U);
    default: return float_text(std::bit_cast<double>(bits), bits, 0x7ff8ULL << 48);
  }
}

bool is_short(const Region& region) {
  bool has_regions = false;
  for (const Stmt& stmt : region.body)
    visit_regions(stmt, [&](const Region&) { has_regions = true; });
  return !has_regions && region.body.size() <= inline_statements_max;
}

class Printer {
 public:
  Printer(std::span<const ScalarType> value_types, const Program* program, int indent)
      : value_types_(value_types),
        program_(program),
        indent_(indent) {}

  void program(const Program& p) {
    out_ += "program ";
    typed_values(p.scalar_inputs);
    out_ += " {";
    ++depth_;
    block_body(p.body, p.scalar_results);
    --depth_;
    line();
    out_ += "}\n";
  }

  void region(const Region& r) {
    if (!r.params.empty()) typed_values(r.params), out_ += ' ';
    if (is_short(r)) {
      const std::size_t mark = out_.size();
      inline_body(r);
      if (column() <= columns_max) return;
      out_.resize(mark);
    }
    out_ += '{';
    ++depth_;
    for (const Stmt& stmt : r.body) line(), statement(stmt);
    line();
    out_ += "->";
    values(r.results);
    --depth_;
    line();
    out_ += '}';
  }

  void statement(const Stmt& stmt) {
    for (std::size_t i = 0; i < stmt.results.size(); ++i) {
      if (i > 0) out_ += ", ";
      value(stmt.results[i]);
    }
    out_ += stmt.results.empty() ? "= " : " = ";
    scalar_operation(stmt);
  }

  void block(const Block& b) {
    if (!b.params.empty()) typed_arrays(b.params), out_ += ' ';
    out_ += '{';
    ++depth_;
    block_body(b, b.value == none ? std::vector<Value>{} : std::vector<Value>{b.value});
    --depth_;
    line();
    out_ += '}';
  }

  void binding(const Binding& b) {
    const std::size_t start = out_.size();
    match(
        b.op, [&](const HostScalar& scalar) { statement(scalar.stmt); },
        [&](const auto& node) { binding_head(b), named_fields(node); });
    // The location in the user's program ends the first line.
    std::string origin = "  // " + print(b.where);
    if (*b.operation) origin += std::string(" ") + b.operation;
    out_.insert(std::min(out_.find('\n', start), out_.size()), origin);
  }

  std::string take() { return std::move(out_); }

 private:
  void line() {
    const int columns = indent_ + 2 * std::min(depth_, indented_levels_max);
    out_ += '\n' + std::string(static_cast<std::size_t>(columns), ' ');
  }

  [[nodiscard]] std::size_t column() const {
    const std::size_t start = out_.rfind('\n');
    return out_.size() - (start == std::string::npos ? 0 : start + 1);
  }

  // -- names ----------------------------------------------------------------------------------

  void value(Value v) { out_ += v == none ? "_" : "x" + std::to_string(v); }
  void array(ArrayId a) { out_ += "%" + std::to_string(a); }

  void values(const std::vector<Value>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) out_ += i ? ", " : " ", value(list[i]);
  }

  void operands(const std::vector<Value>& list) {
    for (Value v : list) out_ += ' ', value(v);
  }

  void bracketed(const std::vector<Value>& list) {
    out_ += " [";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      value(list[i]);
    }
    out_ += ']';
  }

  void arrays(const std::vector<ArrayId>& list) {
    for (ArrayId a : list) out_ += ' ', array(a);
  }

  const char* type_name(Value v) const {
    return v < value_types_.size() ? detail::name_of(value_types_[v]) : "?";
  }

  void typed_values(const std::vector<Value>& list) {
    out_ += '(';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      value(list[i]);
      out_ += std::string(": ") + type_name(list[i]);
    }
    out_ += ')';
  }

  std::string array_type(ArrayId a) const {
    return program_ && a < program_->array_types.size() ? print(program_->array_types[a]) : "[?]";
  }

  void typed_arrays(const std::vector<ArrayId>& list) {
    out_ += '(';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      array(list[i]);
      out_ += ": " + array_type(list[i]);
    }
    out_ += ')';
  }

  // -- scalar code ----------------------------------------------------------------------------

  void inline_body(const Region& r) {
    out_ += "{ ";
    for (const Stmt& stmt : r.body) statement(stmt), out_ += "; ";
    out_ += "->";
    values(r.results);
    out_ += " }";
  }

  void scalar_operation(const Stmt& stmt) {
    match(
        stmt.op, [&](const Constant& c) { constant(c, stmt.results); },
        [&](const Prim& p) { prim(p, stmt.results); },
        [&](const ForeignCall& call) { foreign(call, stmt.results); },
        [&](const auto& node) { named_fields(node); });
  }

  // -- fields ---------------------------------------------------------------------------------

  template <class Node>
  void named_fields(const Node& node) {
    static_assert(!has_own_form<Node>);
    out_ += Declaration<Node>::name;
    for_each_field(node, [&](auto kind, const auto& member) { one(kind, member); });
  }

  void one(field::Operand, Value v) { out_ += ' ', value(v); }
  void one(field::Operands, const std::vector<Value>& list) { operands(list); }
  void one(field::List, const std::vector<Value>& list) { bracketed(list); }
  void one(field::Seed, const std::vector<Value>& list) {
    if (list.empty())
      out_ += '1';
    else
      bracketed(list);
  }
  void one(field::Source, ArrayId a) { out_ += ' ', array(a); }
  void one(field::Sources, const std::vector<ArrayId>& list) { arrays(list); }
  void one(field::Loops, const std::vector<PermuteLoop>& loops) {
    for (const PermuteLoop& loop : loops) {
      if (&loop != loops.data()) word("and");
      arrays({loop.targets, loop.source});
      one(field::Count{"writes"}, loop.writes);
      one(field::Flag{"inside"}, loop.inside);
    }
  }
  void one(field::Number, std::uint32_t number) { out_ += ' ' + std::to_string(number); }
  void one(field::Count count, std::uint32_t number) {
    if (number == count.usual) return;
    word(count.word);
    out_ += ' ' + std::to_string(number);
  }
  void one(field::Axes axes, AxisSet set) {
    if (set == 0) return;
    word(axes.word);
    for (std::size_t axis = 0; axis < 32; ++axis)
      if (contains(set, axis)) out_ += ' ' + std::to_string(axis);
  }
  void one(field::Component, std::uint32_t leaf) { out_ += '.' + std::to_string(leaf); }
  void one(field::Mode, detail::PermuteMode mode) {
    out_ += mode_suffixes[static_cast<std::size_t>(mode)];
  }
  void one(field::Message, const char* message) { out_ += std::string(" \"") + message + '"'; }
  void one(field::Flag flag, bool holds) {
    if (holds) word(flag.word);
  }
  void one(field::Limit limit, Value v) {
    if (v != none) word(limit.word), one(field::Operand{}, v);
  }
  void one(field::Places places, const std::vector<Value>& list) {
    if (!list.empty()) word(places.word), bracketed(list);
  }
  void one(field::Functions, const std::vector<const detail::ForeignFunction*>& functions) {
    out_ += " [";
    for (std::size_t i = 0; i < functions.size(); ++i)
      out_ += std::string(i ? ", " : "") + implementation(*functions[i]);
    out_ += ']';
  }
  void one(field::Functions, const std::vector<ForeignImplementation>& functions) {
    out_ += " [";
    for (std::size_t i = 0; i < functions.size(); ++i)
      out_ += std::string(i ? ", " : "") + implementation(functions[i]) + ' ' +
              std::to_string(functions[i].index);
    out_ += ']';
  }
  void one(field::Function, const Region& fn) {
    out_ += fn.params.empty() ? " () " : " ";
    region(fn);
  }
  void one(field::Code code, const Region& r) { word(code.word), out_ += ' ', region(r); }
  void one(field::Nested nested, const Block& b) { word(nested.word), out_ += ' ', block(b); }
  void one(field::Fallback, const Region& r) {
    if (!r.results.empty()) out_ += ' ', region(r);
  }
  void one(field::Fallback, const Block& b) {
    if (!b.results.empty()) out_ += ' ', block(b);
  }

  void word(const char* text) {
    if (*text) out_ += std::string(" ") + text;
  }

  static std::string implementation(const auto& function) {
    return std::string(name_of(function.target)) + " \"" + function.name + '"';
  }

  // -- nodes with forms of their own ----------------------------------------------------------

  // "foreign [cpu "twice"] x1 x2 : f32 (x3: f32) { ... }"
  void foreign(const ForeignCall& call, const std::vector<Value>& results) {
    out_ += Declaration<ForeignCall>::name;
    one(field::Functions{}, call.functions);
    operands(call.args);
    result_type(results);
    one(field::Fallback{}, call.fallback);
  }

  void result_type(const std::vector<Value>& results) {
    out_ += " : ";
    out_ += results.empty() ? "?" : type_name(results[0]);
  }

  void constant(const Constant& c, const std::vector<Value>& results) {
    out_ += std::string(Declaration<Constant>::name) + ' ';
    const bool typed = !results.empty() && results[0] < value_types_.size();
    out_ += print(typed ? value_types_[results[0]] : ScalarType::u64, c.bits);
    result_type(results);
    if (c.slot == none) return;
    out_ += " #" + std::to_string(c.slot);
    if (program_ && c.slot < program_->literals.size())
      out_ += program_->literals[c.slot].kind == LiteralKind::parameter ? " param" : " auto";
  }

  void prim(const Prim& p, const std::vector<Value>& results) {
    out_ += row(p.op).name;
    operands(p.args);
    if (row(p.op).signature == Signature::convert) result_type(results);
  }

  // -- arrays ---------------------------------------------------------------------------------

  void binding_head(const Binding& b) {
    for (std::size_t i = 0; i < b.results.size(); ++i) {
      if (i > 0) out_ += ", ";
      array(b.results[i]);
      out_ += " : " + array_type(b.results[i]);
    }
    if (b.storage == Storage::manifest) out_ += " manifest";
    if (b.storage == Storage::delayed) out_ += " delayed";
    if (b.group != none) out_ += " group " + std::to_string(b.group);
    if (b.device == on_host)
      out_ += " on host";
    else if (b.device != none)
      out_ += " on " + std::to_string(b.device);
    out_ += " = ";
  }

  void block_body(const Block& b, const std::vector<Value>& scalar_results) {
    for (const Binding& inner : b.bindings) line(), binding(inner);
    line();
    out_ += "->";
    for (std::size_t i = 0; i < b.results.size(); ++i) out_ += i ? ", " : " ", array(b.results[i]);
    if (!b.results.empty() && !scalar_results.empty()) out_ += ',';
    values(scalar_results);
  }

  std::span<const ScalarType> value_types_;
  const Program* program_;
  int indent_;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const Program& program) {
  Printer printer(program.value_types, &program, 0);
  printer.program(program);
  return printer.take();
}

std::string print(const Block& block, const Program& program) {
  Printer printer(program.value_types, &program, 0);
  printer.block(block);
  return printer.take();
}

std::string print(const Binding& binding, const Program& program) {
  Printer printer(program.value_types, &program, 0);
  printer.binding(binding);
  return printer.take();
}

std::string print(const Region& region, std::span<const ScalarType> value_types, int indent) {
  Printer printer(value_types, nullptr, indent);
  printer.region(region);
  return printer.take();
}

std::string print(const Stmt& stmt, std::span<const ScalarType> value_types) {
  Printer printer(value_types, nullptr, 0);
  printer.statement(stmt);
  return printer.take();
}

std::string print(const ArrayType& type) {
  std::string leaves;
  for (std::size_t i = 0; i < type.leaves.size(); ++i) {
    if (i > 0) leaves += ", ";
    leaves += detail::name_of(type.leaves[i]);
  }
  if (type.leaves.size() != 1) leaves = "(" + leaves + ")";
  return "[" + leaves + "; " + std::to_string(type.rank) + "]";
}

std::string print(ScalarType type, const Bits& bits) {
  if (detail::is_bool(type)) return bits.lo ? "true" : "false";
  if (detail::is_signed_int(type)) return std::to_string(as_i64(bits));
  if (detail::is_unsigned_int(type)) return std::to_string(bits.lo);
  if (type == ScalarType::c64)
    return "(" + float_text(ScalarType::f32, bits.lo) + ", " +
           float_text(ScalarType::f32, bits.hi) + ")";
  if (type == ScalarType::c128)
    return "(" + float_text(ScalarType::f64, bits.lo) + ", " +
           float_text(ScalarType::f64, bits.hi) + ")";
  return float_text(type, bits.lo);
}

std::string print(const std::source_location& where) {
  const std::string file = where.file_name();
  const std::size_t slash = file.find_last_of("/\\");
  return (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" +
         std::to_string(where.line());
}

}  // namespace hasten::core
