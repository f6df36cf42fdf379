// A recursive-descent parser: regions nest at most as deep as branches and loops do.
#include "core/text/parse.hpp"

#include "core/fields.hpp"
#include "core/foreign.hpp"
#include "core/scalar_ops.hpp"
#include "support/overloaded.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <limits>
#include <string>

namespace hasten::core {
namespace {

using Kind = Token::Kind;

// The largest number of a value, array, slot...: tables are as long as the largest number.
constexpr std::uint32_t number_max = 1U << 24;
constexpr int depth_max = 1000;

template <class Float>
Float float_of(const Token& token) {
  Float x{};
  const char* const end = token.text.data() + token.text.size();
  if (std::from_chars(token.text.data(), end, x).ptr != end) fail_parse(token, "a number");
  return x;
}

template <class Int>
Int integer_of(const Token& token) {
  Int x{};
  const char* const end = token.text.data() + token.text.size();
  const auto [read, error] = std::from_chars(token.text.data(), end, x);
  if (error != std::errc() || read != end) fail_parse(token, "an integer");
  return x;
}

std::uint64_t float_bits(ScalarType type, const Token& token) {
  if (token.text.starts_with("nan:0x")) {
    std::uint64_t bits = 0;
    std::from_chars(token.text.data() + 6, token.text.data() + token.text.size(), bits, 16);
    return bits;
  }
  if (type == ScalarType::f32 || type == ScalarType::c64)
    return std::bit_cast<std::uint32_t>(float_of<float>(token));
  const auto wide = std::bit_cast<std::uint64_t>(float_of<double>(token));
  if (type == ScalarType::f64 || type == ScalarType::c128) return wide;
  const ScalarType from[] = {ScalarType::f64};
  const Bits bits[] = {{wide, 0}};
  return evaluate(ScalarOp::cast, type, from, bits).lo;  // exact: it was printed from this type
}

class Parser {
 public:
  Parser(Lexer& lexer, Program& program) : lexer_(lexer), program_(program) {}

  // -- scalar code ----------------------------------------------------------------------------

  Region region() {
    const Nest nest(*this);
    Region result;
    if (accept(lexer_, "(")) result.params = typed_values();
    expect(lexer_, "{");
    skip_separators(lexer_);
    while (!accept(lexer_, "->")) {
      result.body.push_back(statement());
      skip_separators(lexer_);
    }
    result.results = values_until_end();
    skip_separators(lexer_);
    expect(lexer_, "}");
    return result;
  }

  Stmt statement() {
    Stmt stmt;
    do stmt.results.push_back(value_name());
    while (accept(lexer_, ","));
    expect(lexer_, "=");
    operation(stmt);
    return stmt;
  }

  void program() {
    skip_separators(lexer_);
    expect(lexer_, "program");
    expect(lexer_, "(");
    program_.scalar_inputs = typed_values();
    expect(lexer_, "{");
    block_body(program_.body, program_.scalar_results);
  }

  // "x0: f32, x1: i64)"
  std::vector<Value> typed_values() {
    std::vector<Value> result;
    while (!accept(lexer_, ")")) {
      accept(lexer_, ",");
      result.push_back(value_name());
      expect(lexer_, ":");
      define(result.back(), parse_type(lexer_));
    }
    return result;
  }

 private:
  [[nodiscard]] bool at(Kind kind) const { return lexer_.peek().kind == kind; }

  std::uint32_t named(Kind kind, const char* what) {
    if (!at(kind)) fail_parse(lexer_.peek(), what);
    if (lexer_.peek().number >= number_max) fail_parse(lexer_.peek(), "a smaller number");
    return lexer_.take().number;
  }
  Value value_name() { return named(Kind::value, "a value"); }
  ArrayId array_name() { return named(Kind::array, "an array"); }
  std::uint32_t number() { return parse_number(lexer_); }

  // Held while a region or block inside another is read.
  class Nest {
   public:
    explicit Nest(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > depth_max) {
        --depth_;
        fail_parse(parser.lexer_.peek(), "a nest of at most 1000 regions");
      }
    }
    ~Nest() { --depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    int& depth_;
  };

  void define(Value v, ScalarType type) {
    auto& types = program_.value_types;
    if (types.size() <= v) types.resize(std::size_t{v} + 1, ScalarType::boolean);
    types[v] = type;
  }
  ScalarType type_of(Value v) const {
    if (v >= program_.value_types.size()) fail_parse(lexer_.peek(), "a value that is defined");
    return program_.value_types[v];
  }
  std::vector<ScalarType> types_of(const std::vector<Value>& values) const {
    std::vector<ScalarType> result;
    for (Value v : values) result.push_back(type_of(v));
    return result;
  }

  std::vector<Value> values_until_end() {
    std::vector<Value> result;
    while (at(Kind::value)) {
      result.push_back(value_name());
      accept(lexer_, ",");
    }
    return result;
  }

  // "x1 x2": operands.
  std::vector<Value> operands() {
    std::vector<Value> result;
    while (at(Kind::value)) result.push_back(value_name());
    return result;
  }

  // "[x1, _, x2]"
  std::vector<Value> bracketed() {
    std::vector<Value> result;
    expect(lexer_, "[");
    while (!accept(lexer_, "]")) {
      accept(lexer_, ",");
      result.push_back(accept(lexer_, "_") ? none : value_name());
    }
    return result;
  }

  void define_all(const std::vector<Value>& values, const std::vector<ScalarType>& types) {
    if (values.size() != types.size()) fail_parse(lexer_.peek(), "as many results as there are");
    for (std::size_t i = 0; i < values.size(); ++i) define(values[i], types[i]);
  }

  // -- fields ---------------------------------------------------------------------------------

  // Reads a node without a form of its own if the word names one, and returns whether it does.
  template <class... Nodes>
  bool named_fields(std::variant<Nodes...>& op, std::string_view word) {
    return (node_named<Nodes>(op, word) || ...);
  }

  template <class Node>
  bool node_named(auto& op, std::string_view word) {
    if constexpr (has_own_form<Node>) {
      return false;
    } else {
      const std::string_view name = Declaration<Node>::name;
      if (!word.starts_with(name)) return false;
      const std::string_view rest = word.substr(name.size());
      Node node{};
      bool is_known = rest.empty();
      for_each_field(node, [&](auto kind, auto& member) {
        if constexpr (std::is_same_v<decltype(kind), field::Seed>)
          is_known |= rest == "1";
        else if constexpr (std::is_same_v<decltype(kind), field::Mode>)
          is_known |= mode_of(rest, member);
      });
      if (!is_known) return false;
      for_each_field(node, [&](auto kind, auto& member) {
        if constexpr (std::is_same_v<decltype(kind), field::Seed>) {
          if (rest.empty()) member = bracketed();
        } else {
          one(kind, member);
        }
      });
      op = std::move(node);
      return true;
    }
  }

  static bool mode_of(std::string_view suffix, detail::PermuteMode& mode) {
    const auto* const found = std::ranges::find(mode_suffixes, suffix);
    if (found == std::end(mode_suffixes)) return false;
    mode = static_cast<detail::PermuteMode>(found - std::begin(mode_suffixes));
    return true;
  }

  void one(field::Operand, Value& v) { v = value_name(); }
  void one(field::Operands, std::vector<Value>& list) { list = operands(); }
  void one(field::List, std::vector<Value>& list) { list = bracketed(); }
  void one(field::Source, ArrayId& a) { a = array_name(); }
  void one(field::Sources, std::vector<ArrayId>& list) { list = array_operands(); }
  void one(field::Loops, std::vector<PermuteLoop>& loops) {
    do {
      PermuteLoop& loop = loops.emplace_back();
      loop.targets = array_name();
      loop.source = array_name();
      one(field::Count{"writes"}, loop.writes);
      one(field::Flag{"inside"}, loop.inside);
    } while (accept(lexer_, "and"));
  }
  void one(field::Number, std::uint32_t& x) { x = number(); }
  void one(field::Count count, std::uint32_t& x) {
    x = accept(lexer_, count.word) ? number() : count.usual;
  }
  void one(field::Axes axes, AxisSet& set) {
    if (!accept(lexer_, axes.word)) return;
    do {
      const Token token = lexer_.peek();
      const std::uint32_t axis = number();
      if (axis >= 32) fail_parse(token, "an axis below 32");
      set |= AxisSet{1} << axis;
    } while (at_number());
  }
  void one(field::Component, std::uint32_t& leaf) {
    expect(lexer_, ".");
    leaf = number();
  }
  void one(field::Mode, detail::PermuteMode&) {}  // part of the name
  void one(field::Message, const char*& message) {
    message = interned(quoted("a message in quotes"));
  }
  void one(field::Flag flag, bool& holds) { holds = accept(lexer_, flag.word); }
  void one(field::Limit limit, Value& v) {
    if (accept(lexer_, limit.word)) v = value_name();
  }
  void one(field::Places places, std::vector<Value>& list) {
    if (accept(lexer_, places.word)) list = bracketed();
  }
  // "[cpu "sort" 0]"; the functions themselves are not part of a text.
  void one(field::Functions, std::vector<ForeignImplementation>& functions) {
    expect(lexer_, "[");
    while (!accept(lexer_, "]")) {
      accept(lexer_, ",");
      const detail::ForeignTarget target = foreign_target();
      const char* const name = interned(foreign_name());
      functions.push_back({target, name, number()});
    }
  }
  void one(field::Function, Region& fn) { fn = region(); }
  void one(field::Code code, Region& r) {
    if (*code.word) expect(lexer_, code.word);
    r = region();
  }
  void one(field::Nested nested, Block& b) {
    if (*nested.word) expect(lexer_, nested.word);
    b = block();
  }
  void one(field::Fallback, Block& b) {
    if (at_region()) b = block();
  }

  [[nodiscard]] bool at_number() const {
    const Token& token = lexer_.peek();
    return token.kind == Token::Kind::word && token.text[0] >= '0' && token.text[0] <= '9';
  }
  [[nodiscard]] bool at_region() const {
    return lexer_.peek().text == "(" || lexer_.peek().text == "{";
  }

  // -- statements -----------------------------------------------------------------------------

  void operation(Stmt& stmt) {
    const Token name = lexer_.take();
    if (name.text == Declaration<Constant>::name) return constant(stmt);
    if (name.text == Declaration<ForeignCall>::name) return foreign(stmt);
    if (const auto op = scalar_op_named(name.text)) return prim(stmt, *op);
    if (!named_fields(stmt.op, name.text)) fail_parse(name, "an operation");
    define_all(stmt.results, result_types(stmt));
  }

  // The result types of statements without forms of their own.
  [[nodiscard]] std::vector<ScalarType> result_types(const Stmt& stmt) const {
    using Types = std::vector<ScalarType>;
    return match(
        stmt.op, [&](const If& op) { return types_of(op.then_.results); },
        [&](const While& op) { return types_of(op.init); },
        [&](const Load& op) { return Types{component_type(op.array, op.leaf)}; },
        [&](const LoadLinear& op) { return Types{component_type(op.array, op.leaf)}; },
        [&](const Extent&) { return Types{ScalarType::i64}; },
        [&](const Reduce& op) { return types_of(op.element.results); },
        [&](const Extract& op) { return Types{type_of(first_of(op.elements))}; },
        [&](const Insert& op) { return types_of(op.elements); },
        [&](const auto& op) {
          static_assert(has_own_form<std::remove_cvref_t<decltype(op)>>);
          return Types{};
        });
  }

  Value first_of(const std::vector<Value>& elements) const {
    if (elements.empty()) fail_parse(lexer_.peek(), "elements");
    return elements[0];
  }

  [[nodiscard]] ScalarType component_type(ArrayId array, std::uint32_t leaf) const {
    const auto& types = program_.array_types;
    if (array >= types.size() || leaf >= types[array].leaves.size())
      fail_parse(lexer_.peek(), "a component of an array that is defined");
    return types[array].leaves[leaf];
  }

  void prim(Stmt& stmt, ScalarOp op) {
    std::vector<Value> args = operands();
    if (args.size() != row(op).arity) fail_parse(lexer_.peek(), "another number of operands");
    const bool says_type = row(op).signature == Signature::convert;
    if (says_type) expect(lexer_, ":");
    define_all(stmt.results, {says_type ? parse_type(lexer_) : result_type(op, types_of(args))});
    stmt.op = Prim{op, std::move(args)};
  }

  // "2.5 : f32 #0 auto"; the type follows the number whose format it determines.
  void constant(Stmt& stmt) {
    Token parts[2];
    const bool is_pair = accept(lexer_, "(");
    parts[0] = lexer_.take();
    if (is_pair) {
      expect(lexer_, ",");
      parts[1] = lexer_.take();
      expect(lexer_, ")");
    }
    expect(lexer_, ":");
    const ScalarType type = parse_type(lexer_);
    Constant c{{literal(type, parts[0]), is_pair ? literal(type, parts[1]) : 0}, none};
    if (accept(lexer_, "#")) literal_slot(c, type);
    stmt.op = c;
    define_all(stmt.results, {type});
  }

  static std::uint64_t literal(ScalarType type, const Token& token) {
    if (detail::is_bool(type)) return token.text == "true" ? 1 : 0;
    if (detail::is_signed_int(type))
      return static_cast<std::uint64_t>(integer_of<std::int64_t>(token));
    if (detail::is_unsigned_int(type)) return integer_of<std::uint64_t>(token);
    return float_bits(type, token);
  }

  void literal_slot(Constant& c, ScalarType type) {
    c.slot = number();
    const bool is_parameter = lexer_.take().text == "param";
    auto& literals = program_.literals;
    if (literals.size() <= c.slot) literals.resize(std::size_t{c.slot} + 1, {type, c.bits});
    literals[c.slot] = {type, c.bits,
                        is_parameter ? LiteralKind::parameter : LiteralKind::automatic};
  }

  detail::ForeignTarget foreign_target() {
    for (std::size_t i = 0; i < detail::foreign_target_count; ++i)
      if (accept(lexer_, name_of(static_cast<detail::ForeignTarget>(i))))
        return static_cast<detail::ForeignTarget>(i);
    fail_parse(lexer_.peek(), "a kind of target");
  }

  // A text on one line, as every printed text is.
  std::string_view quoted(const char* what) {
    if (!at(Kind::text) || lexer_.peek().text.find('\n') != std::string_view::npos)
      fail_parse(lexer_.peek(), what);
    return lexer_.take().text;
  }
  std::string_view foreign_name() {
    const char* const what = "a name in quotes, of letters, digits and _ . : -";
    if (!is_foreign_name(lexer_.peek().text)) fail_parse(lexer_.peek(), what);
    return quoted(what);
  }

  // "[cpu "twice"] x1 x2 : f32 (x3: f32) { ... }"
  void foreign(Stmt& stmt) {
    std::vector<std::pair<detail::ForeignTarget, std::string_view>> names;
    expect(lexer_, "[");
    while (!accept(lexer_, "]")) {
      accept(lexer_, ",");
      const detail::ForeignTarget target = foreign_target();
      names.emplace_back(target, foreign_name());
    }
    ForeignCall call;
    call.args = operands();
    expect(lexer_, ":");
    const ScalarType type = parse_type(lexer_);
    for (const auto& [target, name] : names)
      call.functions.push_back(foreign_named(target, name, types_of(call.args), type));
    if (at_region()) call.fallback = region();
    stmt.op = std::move(call);
    define_all(stmt.results, {type});
  }

  // -- arrays ---------------------------------------------------------------------------------

  // "[(f32, i64); 2]"
  ArrayType array_type() {
    ArrayType type;
    expect(lexer_, "[");
    if (accept(lexer_, "(")) {
      while (!accept(lexer_, ")")) {
        accept(lexer_, ",");
        type.leaves.push_back(parse_type(lexer_));
      }
    } else {
      type.leaves.push_back(parse_type(lexer_));
    }
    if (!at(Kind::separator)) fail_parse(lexer_.peek(), ";");
    lexer_.take();
    type.rank = number();
    expect(lexer_, "]");
    return type;
  }

  ArrayId typed_array() {
    const ArrayId a = array_name();
    expect(lexer_, ":");
    auto& types = program_.array_types;
    if (types.size() <= a) types.resize(std::size_t{a} + 1);
    types[a] = array_type();
    return a;
  }

  std::vector<ArrayId> array_operands() {
    std::vector<ArrayId> result;
    while (at(Kind::array)) result.push_back(array_name());
    return result;
  }

  Block block() {
    const Nest nest(*this);
    Block b;
    if (accept(lexer_, "(")) {
      while (!accept(lexer_, ")")) {
        accept(lexer_, ",");
        b.params.push_back(typed_array());
      }
    }
    expect(lexer_, "{");
    std::vector<Value> scalars;
    block_body(b, scalars);
    if (!scalars.empty()) b.value = scalars[0];
    return b;
  }

  void block_body(Block& b, std::vector<Value>& scalars) {
    skip_separators(lexer_);
    while (!accept(lexer_, "->")) {
      b.bindings.push_back(binding());
      skip_separators(lexer_);
    }
    while (at(Kind::array)) {
      b.results.push_back(array_name());
      accept(lexer_, ",");
    }
    scalars = values_until_end();
    skip_separators(lexer_);
    expect(lexer_, "}");
  }

  Binding binding() {
    Binding b;
    lexer_.forget_comment();
    if (!at(Kind::array)) {
      b.op = HostScalar{statement()};
      return b;
    }
    do b.results.push_back(typed_array());
    while (accept(lexer_, ","));
    if (accept(lexer_, "manifest")) b.storage = Storage::manifest;
    if (accept(lexer_, "delayed")) b.storage = Storage::delayed;
    if (accept(lexer_, "group")) b.group = number();
    if (accept(lexer_, "on")) b.device = accept(lexer_, "host") ? on_host : number();
    expect(lexer_, "=");
    array_operation(b);
    name_operation(b);
    return b;
  }

  // "// dotp.cpp:12 sum"; the lines of nested blocks have comments of their own.
  void name_operation(Binding& b) {
    if (std::holds_alternative<ArrayIf>(b.op)) return void(b.operation = "acond");
    if (std::holds_alternative<ArrayWhile>(b.op)) return void(b.operation = "awhile");
    if (std::holds_alternative<ForeignArrays>(b.op)) return void(b.operation = "foreign_acc");
    const std::string_view comment = lexer_.comment();
    const std::size_t blank = comment.find(' ', 1);
    b.operation = blank == std::string_view::npos ? "" : interned(comment.substr(blank + 1));
  }

  void array_operation(Binding& b) {
    const Token name = lexer_.take();
    if (!named_fields(b.op, name.text)) fail_parse(name, "an array operation");
    if (const auto* input = std::get_if<Input>(&b.op)) define_input(*input, b.results[0]);
  }

  void define_input(const Input& input, ArrayId array) {
    auto& types = program_.inputs;
    if (types.size() <= input.index) types.resize(std::size_t{input.index} + 1);
    types[input.index] = program_.array_types[array];
  }

  Lexer& lexer_;
  Program& program_;
  int depth_ = 0;
};

}  // namespace

ScalarType parse_type(Lexer& lexer) {
  for (std::size_t i = 0; i < detail::scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (accept(lexer, detail::name_of(type))) return type;
  }
  fail_parse(lexer.peek(), "a scalar type");
}

std::uint32_t parse_number(Lexer& lexer) {
  const Token token = lexer.take();
  const auto x = integer_of<std::uint32_t>(token);
  if (x >= number_max) fail_parse(token, "a smaller number");
  return x;
}

Value parse_value(Lexer& lexer) {
  const Token token = lexer.take();
  if (token.kind != Kind::value || token.number >= number_max) fail_parse(token, "a value");
  return token.number;
}

Region parse_region(Lexer& lexer, Program& program) { return Parser(lexer, program).region(); }

std::vector<Value> parse_typed_values(Lexer& lexer, Program& program) {
  return Parser(lexer, program).typed_values();
}

Program parse_program(std::string_view text) {
  Lexer lexer(text);
  Program result;
  Parser(lexer, result).program();
  skip_separators(lexer);
  if (lexer.peek().kind != Kind::end) fail_parse(lexer.peek(), "the end of the text");
  return result;
}

}  // namespace hasten::core
