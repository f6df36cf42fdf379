// Recursive descent: nests of regions are at most as deep as nests of branches and loops.
#include "core/parse.hpp"

#include "core/foreign.hpp"
#include "core/scalar_ops.hpp"

#include <hasten/error.hpp>

#include <bit>
#include <charconv>
#include <limits>
#include <string>

namespace hasten::core {
namespace {

using Kind = Token::Kind;

// Numbers of values, arrays, slots...: tables are as long as the largest.
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

  void operation(Stmt& stmt) {
    const Token name = lexer_.take();
    if (name.text == "const") return constant(stmt);
    if (name.text == "if") return branch(stmt);
    if (name.text == "while") return loop(stmt);
    if (name.text == "load" || name.text == "load_linear") return load(stmt, name.text == "load");
    if (name.text == "extent") {
      const ArrayId array = array_name();
      stmt.op = Extent{array, number()};
      return define_all(stmt.results, {ScalarType::i64});
    }
    if (name.text == "foreign") return foreign(stmt);
    if (name.text == "reduce" || name.text == "reduce1") return reduce(stmt, name.text == "reduce");
    const auto op = scalar_op_named(name.text);
    if (!op) fail_parse(name, "an operation");
    prim(stmt, *op);
  }

  void prim(Stmt& stmt, ScalarOp op) {
    std::vector<Value> args = operands();
    if (args.size() != row(op).arity) fail_parse(lexer_.peek(), "another number of operands");
    const bool says_type = row(op).signature == Signature::convert;
    if (says_type) expect(lexer_, ":");
    define_all(stmt.results, {says_type ? parse_type(lexer_) : result_type(op, types_of(args))});
    stmt.op = Prim{op, std::move(args)};
  }

  // "2.5 : f32 #0 auto"; the type comes after the number it decides about.
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

  void branch(Stmt& stmt) {
    If op;
    op.condition = value_name();
    op.then_ = region();
    expect(lexer_, "else");
    op.else_ = region();
    define_all(stmt.results, types_of(op.then_.results));
    stmt.op = std::move(op);
  }

  void loop(Stmt& stmt) {
    While op;
    op.init = operands();
    op.condition = region();
    expect(lexer_, "do");
    op.body = region();
    define_all(stmt.results, types_of(op.init));
    stmt.op = std::move(op);
  }

  // "[x0] x1 x2 (x3: i64) { ... } combine (x4: f32, x5: f32) { ... }"
  void reduce(Stmt& stmt, bool seeded) {
    Reduce op;
    if (seeded) op.seed = bracketed();
    op.begin = value_name();
    op.end = value_name();
    op.element = region();
    expect(lexer_, "combine");
    op.combine = region();
    define_all(stmt.results, types_of(op.element.results));
    stmt.op = std::move(op);
  }

  detail::ForeignTarget foreign_target() {
    for (std::size_t i = 0; i < detail::foreign_target_count; ++i)
      if (accept(lexer_, name_of(static_cast<detail::ForeignTarget>(i))))
        return static_cast<detail::ForeignTarget>(i);
    fail_parse(lexer_.peek(), "a kind of target");
  }

  std::string_view quoted(const char* what) {
    if (!at(Kind::text)) fail_parse(lexer_.peek(), what);
    return lexer_.take().text;
  }

  // "[cpu "twice"] x1 x2 : f32 (x3: f32) { ... }"
  void foreign(Stmt& stmt) {
    std::vector<std::pair<detail::ForeignTarget, std::string_view>> names;
    expect(lexer_, "[");
    while (!accept(lexer_, "]")) {
      accept(lexer_, ",");
      const detail::ForeignTarget target = foreign_target();
      names.emplace_back(target, quoted("a name in quotes"));
    }
    ForeignCall call;
    call.args = operands();
    expect(lexer_, ":");
    const ScalarType type = parse_type(lexer_);
    for (const auto& [target, name] : names)
      call.functions.push_back(foreign_named(target, name, types_of(call.args), type));
    if (lexer_.peek().text == "(" || lexer_.peek().text == "{") call.fallback = region();
    stmt.op = std::move(call);
    define_all(stmt.results, {type});
  }

  void load(Stmt& stmt, bool by_index) {
    const ArrayId array = array_name();
    expect(lexer_, ".");
    const std::uint32_t leaf = number();
    const auto& types = program_.array_types;
    if (array >= types.size() || leaf >= types[array].leaves.size())
      fail_parse(lexer_.peek(), "a component of an array that is defined");
    if (by_index)
      stmt.op = Load{array, leaf, bracketed()};
    else
      stmt.op = LoadLinear{array, leaf, value_name()};
    define_all(stmt.results, {types[array].leaves[leaf]});
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
    const std::string_view op = name.text;
    if (op == "use") {
      b.op = Use{number()};
    } else if (op == "input") {
      input(b);
    } else if (op == "unit") {
      b.op = Unit{operands()};
    } else if (op == "generate") {
      std::vector<Value> extent = bracketed();
      b.op = Generate{std::move(extent), region()};
    } else if (op == "map") {
      const ArrayId source = array_name();
      b.op = Map{region(), source};
    } else if (op == "zip_with") {
      const bool equal = accept(lexer_, "equal");
      std::vector<ArrayId> sources = array_operands();
      b.op = ZipWith{region(), std::move(sources), equal};
    } else if (op == "reshape") {
      std::vector<Value> extent = bracketed();
      b.op = Reshape{std::move(extent), array_name()};
    } else if (op == "replicate") {
      std::vector<Value> axes = bracketed();
      b.op = Replicate{std::move(axes), array_name()};
    } else if (op == "slice") {
      std::vector<Value> axes = bracketed();
      b.op = Slice{std::move(axes), array_name()};
    } else if (op == "backpermute") {
      std::vector<Value> extent = bracketed();
      const ArrayId source = array_name();
      b.op = Backpermute{std::move(extent), region(), source};
    } else {
      ordered_operation(b, name);
    }
  }

  void ordered_operation(Binding& b, const Token& name) {
    const std::string_view op = name.text;
    if (op == "fold" || op == "fold1") {
      along_axis<Fold>(b, op == "fold");
    } else if (op == "fold_segments" || op == "fold_segments1") {
      fold_segments(b, op == "fold_segments");
    } else if (op == "scan" || op == "scan1") {
      along_axis<Scan>(b, op == "scan");
    } else if (op == "permute" || op == "permute_unique" || op == "permute_covering") {
      permute(b, op == "permute"          ? detail::PermuteMode::combine
                 : op == "permute_unique" ? detail::PermuteMode::unique
                                          : detail::PermuteMode::covering);
    } else if (op == "concat") {
      b.op = Concat{number(), array_operands()};  // braces: in this order
    } else if (op == "compact") {
      const ArrayId mask = array_name();
      b.op = Compact{mask, array_name()};
    } else if (op == "demand") {
      demand(b);
    } else if (op == "sort_positions") {
      b.op = SortPositions{array_name()};
    } else if (op == "compute") {
      b.op = Compute{array_name()};
    } else if (op == "if") {
      array_branch(b);
    } else if (op == "while") {
      array_loop(b);
    } else if (op == "foreign") {
      foreign(b);
    } else {
      fail_parse(name, "an array operation");
    }
  }

  void input(Binding& b) {
    const std::uint32_t index = number();
    if (program_.inputs.size() <= index) program_.inputs.resize(std::size_t{index} + 1);
    program_.inputs[index] = program_.array_types[b.results[0]];
    b.op = Input{index};
  }

  template <class Op>
  void along_axis(Binding& b, bool seeded) {
    std::vector<Value> seed;
    if (seeded) seed = bracketed();
    const ArrayId source = array_name();
    b.op = Op{region(), std::move(seed), source};
  }

  void fold_segments(Binding& b, bool seeded) {
    std::vector<Value> seed;
    if (seeded) seed = bracketed();
    const ArrayId source = array_name(), offsets = array_name();
    b.op = FoldSegments{region(), std::move(seed), source, offsets};
  }

  void permute(Binding& b, detail::PermuteMode mode) {
    const ArrayId defaults = array_name(), targets = array_name(), source = array_name();
    b.op = Permute{region(), defaults, targets, source, mode};
  }

  void demand(Binding& b) {
    const Value condition = value_name();
    std::vector<Value> shown = bracketed();
    const ArrayId source = array_name();
    b.op = Demand{condition, interned(quoted("a message in quotes")), std::move(shown), source};
  }

  void array_branch(Binding& b) {
    ArrayIf op;
    op.condition = value_name();
    op.then_ = block();
    expect(lexer_, "else");
    op.else_ = block();
    b.op = std::move(op);
  }

  void array_loop(Binding& b) {
    ArrayWhile op;
    op.init = array_operands();
    op.condition = block();
    expect(lexer_, "do");
    op.body = block();
    b.op = std::move(op);
  }

  // "[cpu "sort" 0] %1 (%2: [f32; 1]) { ... }"; the functions themselves are not part of a text.
  void foreign(Binding& b) {
    ForeignArrays op;
    expect(lexer_, "[");
    while (!accept(lexer_, "]")) {
      accept(lexer_, ",");
      const detail::ForeignTarget target = foreign_target();
      const char* const name = interned(quoted("a name in quotes"));
      op.functions.push_back({target, name, number()});
    }
    op.args = array_operands();
    if (lexer_.peek().text == "(" || lexer_.peek().text == "{") op.fallback = block();
    b.op = std::move(op);
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
