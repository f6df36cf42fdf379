// The parts of each statement and array operation, declared once: its name in the text form, and
// its fields in the order of that form. Printing, parsing, hashing and every traversal follow from
// the declaration; a node without one does not compile.
#pragma once

#include "core/program.hpp"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace hasten::core {

/// The kinds of fields. A visitor of fields has a function for each.
namespace field {

struct Operand {};   // Value: "x1"
struct Operands {};  // of Values: "x1 x2"
struct List {};      // of Values, `none` where an axis is kept: "[x1, _]"
struct Seed {};      // of Values: a list, or "1" after the name if it is empty
struct Source {};    // ArrayId: "%1"
struct Sources {};   // of ArrayIds: "%1 %2"
struct Loops {};     // of PermuteLoops: "%1 %2 writes 2 inside and %3 %4"
struct Number {};    // std::uint32_t: "2"
/// std::uint32_t after the word, omitted if it has its usual value: "axes 2".
struct Count {
  const char* word;
  std::uint32_t usual = 1;
};
/// AxisSet after the word, omitted if it is empty: "inside 0 2".
struct Axes {
  const char* word;
};
struct Component {};  // std::uint32_t, of the array before: ".0"
struct Mode {};       // detail::PermuteMode: "_unique" after the name
struct Message {};    // a string literal: "\"...\""
/// bool: the word is printed if it is true.
struct Flag {
  const char* word;
};
/// Value after the word, omitted if it is `none`: "first x1".
struct Limit {
  const char* word;
};
/// Values after the word, omitted if there are none: "at [x1, x2]".
struct Places {
  const char* word;
};
/// What implements a foreign operation: "[cpu "name"]".
struct Functions {};
/// The function of an array operation: a Region.
struct Function {};
/// A Region of a statement, after a word.
struct Code {
  const char* word = "";
};
/// A Block, after a word.
struct Nested {
  const char* word = "";
};
/// A Region or Block, omitted when it has no results.
struct Fallback {};

}  // namespace field

/// The suffix of the name, by detail::PermuteMode.
inline constexpr const char* mode_suffixes[] = {"", "_unique", "_covering"};

template <class Kind, class Node, class Member>
struct Field {
  Kind kind;
  Member Node::* member;
};

/// `name` and `fields`; `own_form` if the text form is more than the name and the fields.
template <class Node>
struct Declaration;

template <>
struct Declaration<Constant> {
  static constexpr const char* name = "const";
  static constexpr bool own_form = true;  // a type says how it is spelled
  static constexpr std::tuple<> fields{};
};
template <>
struct Declaration<Prim> {
  static constexpr const char* name = "";
  static constexpr bool own_form = true;  // named by its operation
  static constexpr auto fields = std::tuple{Field{field::Operands{}, &Prim::args}};
};
template <>
struct Declaration<If> {
  static constexpr const char* name = "if";
  static constexpr auto fields =
      std::tuple{Field{field::Operand{}, &If::condition}, Field{field::Code{}, &If::then_},
                 Field{field::Code{"else"}, &If::else_}};
};
template <>
struct Declaration<While> {
  static constexpr const char* name = "while";
  static constexpr auto fields =
      std::tuple{Field{field::Operands{}, &While::init}, Field{field::Code{}, &While::condition},
                 Field{field::Code{"do"}, &While::body}};
};
template <>
struct Declaration<Load> {
  static constexpr const char* name = "load";
  static constexpr auto fields =
      std::tuple{Field{field::Source{}, &Load::array}, Field{field::Component{}, &Load::leaf},
                 Field{field::List{}, &Load::index}, Field{field::Axes{"inside"}, &Load::inside},
                 Field{field::Flag{"some"}, &Load::some}};
};
template <>
struct Declaration<LoadLinear> {
  static constexpr const char* name = "load_linear";
  static constexpr auto fields = std::tuple{Field{field::Source{}, &LoadLinear::array},
                                            Field{field::Component{}, &LoadLinear::leaf},
                                            Field{field::Operand{}, &LoadLinear::index},
                                            Field{field::Flag{"inside"}, &LoadLinear::inside}};
};
template <>
struct Declaration<Extent> {
  static constexpr const char* name = "extent";
  static constexpr auto fields =
      std::tuple{Field{field::Source{}, &Extent::array}, Field{field::Number{}, &Extent::axis}};
};
template <>
struct Declaration<ForeignCall> {
  static constexpr const char* name = "foreign";
  static constexpr bool own_form = true;  // the result's type decides which functions are meant
  static constexpr auto fields = std::tuple{Field{field::Functions{}, &ForeignCall::functions},
                                            Field{field::Operands{}, &ForeignCall::args},
                                            Field{field::Fallback{}, &ForeignCall::fallback}};
};
template <>
struct Declaration<Reduce> {
  static constexpr const char* name = "reduce";
  static constexpr auto fields =
      std::tuple{Field{field::Seed{}, &Reduce::seed}, Field{field::Operand{}, &Reduce::begin},
                 Field{field::Operand{}, &Reduce::end}, Field{field::Code{}, &Reduce::element},
                 Field{field::Code{"combine"}, &Reduce::combine}};
};

template <>
struct Declaration<Extract> {
  static constexpr const char* name = "extract";
  static constexpr auto fields = std::tuple{Field{field::Operand{}, &Extract::index},
                                            Field{field::Operands{}, &Extract::elements}};
};
template <>
struct Declaration<Insert> {
  static constexpr const char* name = "insert";
  static constexpr auto fields =
      std::tuple{Field{field::Operand{}, &Insert::index}, Field{field::Operand{}, &Insert::element},
                 Field{field::Operands{}, &Insert::elements}};
};

template <>
struct Declaration<HostScalar> {
  static constexpr const char* name = "";
  static constexpr bool own_form = true;  // its statement's
  static constexpr std::tuple<> fields{};
};
template <>
struct Declaration<Use> {
  static constexpr const char* name = "use";
  static constexpr auto fields = std::tuple{Field{field::Number{}, &Use::index}};
};
template <>
struct Declaration<Input> {
  static constexpr const char* name = "input";
  static constexpr auto fields = std::tuple{Field{field::Number{}, &Input::index}};
};
template <>
struct Declaration<Unit> {
  static constexpr const char* name = "unit";
  static constexpr auto fields = std::tuple{Field{field::Operands{}, &Unit::values}};
};
template <>
struct Declaration<Generate> {
  static constexpr const char* name = "generate";
  static constexpr auto fields =
      std::tuple{Field{field::List{}, &Generate::extent}, Field{field::Function{}, &Generate::fn}};
};
template <>
struct Declaration<GenerateSegments> {
  static constexpr const char* name = "generate_segments";
  static constexpr auto fields = std::tuple{Field{field::Operand{}, &GenerateSegments::extent},
                                            Field{field::Source{}, &GenerateSegments::offsets},
                                            Field{field::Function{}, &GenerateSegments::fn}};
};
template <>
struct Declaration<Map> {
  static constexpr const char* name = "map";
  static constexpr auto fields =
      std::tuple{Field{field::Source{}, &Map::source}, Field{field::Function{}, &Map::fn}};
};
template <>
struct Declaration<ZipWith> {
  static constexpr const char* name = "zip_with";
  static constexpr auto fields = std::tuple{Field{field::Flag{"equal"}, &ZipWith::equal},
                                            Field{field::Sources{}, &ZipWith::sources},
                                            Field{field::Function{}, &ZipWith::fn}};
};
template <>
struct Declaration<Reshape> {
  static constexpr const char* name = "reshape";
  static constexpr auto fields =
      std::tuple{Field{field::List{}, &Reshape::extent}, Field{field::Source{}, &Reshape::source}};
};
template <>
struct Declaration<Replicate> {
  static constexpr const char* name = "replicate";
  static constexpr auto fields = std::tuple{Field{field::List{}, &Replicate::axes},
                                            Field{field::Source{}, &Replicate::source}};
};
template <>
struct Declaration<Slice> {
  static constexpr const char* name = "slice";
  static constexpr auto fields = std::tuple{
      Field{field::List{}, &Slice::axes}, Field{field::Source{}, &Slice::source},
      Field{field::Axes{"inside"}, &Slice::inside}, Field{field::Flag{"some"}, &Slice::some}};
};
template <>
struct Declaration<Rows> {
  static constexpr const char* name = "rows";
  static constexpr auto fields =
      std::tuple{Field{field::Source{}, &Rows::source}, Field{field::Operand{}, &Rows::begin},
                 Field{field::Operand{}, &Rows::end}};
};
template <>
struct Declaration<Backpermute> {
  static constexpr const char* name = "backpermute";
  static constexpr auto fields = std::tuple{
      Field{field::List{}, &Backpermute::extent}, Field{field::Source{}, &Backpermute::source},
      Field{field::Axes{"inside"}, &Backpermute::inside},
      Field{field::Flag{"some"}, &Backpermute::some}, Field{field::Function{}, &Backpermute::fn}};
};
template <>
struct Declaration<Fold> {
  static constexpr const char* name = "fold";
  static constexpr auto fields = std::tuple{
      Field{field::Seed{}, &Fold::seed}, Field{field::Source{}, &Fold::source},
      Field{field::Count{"axes"}, &Fold::axes}, Field{field::Flag{"in_order"}, &Fold::in_order},
      Field{field::Function{}, &Fold::fn}};
};
template <>
struct Declaration<FoldSegments> {
  static constexpr const char* name = "fold_segments";
  static constexpr auto fields = std::tuple{Field{field::Seed{}, &FoldSegments::seed},
                                            Field{field::Source{}, &FoldSegments::source},
                                            Field{field::Source{}, &FoldSegments::offsets},
                                            Field{field::Flag{"in_order"}, &FoldSegments::in_order},
                                            Field{field::Function{}, &FoldSegments::fn}};
};
template <>
struct Declaration<Scan> {
  static constexpr const char* name = "scan";
  static constexpr auto fields = std::tuple{
      Field{field::Seed{}, &Scan::seed}, Field{field::Source{}, &Scan::source},
      Field{field::Count{"inner_axes", 0}, &Scan::inner_axes},
      Field{field::Flag{"in_order"}, &Scan::in_order}, Field{field::Function{}, &Scan::fn}};
};
template <>
struct Declaration<Permute> {
  static constexpr const char* name = "permute";
  static constexpr auto fields = std::tuple{
      Field{field::Mode{}, &Permute::mode}, Field{field::Source{}, &Permute::defaults},
      Field{field::Loops{}, &Permute::loops}, Field{field::Flag{"in_order"}, &Permute::in_order},
      Field{field::Function{}, &Permute::fn}};
};
template <>
struct Declaration<Concat> {
  static constexpr const char* name = "concat";
  static constexpr auto fields = std::tuple{
      Field{field::Number{}, &Concat::axis}, Field{field::Flag{"joins"}, &Concat::joins},
      Field{field::Sources{}, &Concat::sources}, Field{field::Places{"at"}, &Concat::at}};
};
template <>
struct Declaration<Compact> {
  static constexpr const char* name = "compact";
  static constexpr auto fields =
      std::tuple{Field{field::Source{}, &Compact::mask}, Field{field::Source{}, &Compact::source}};
};
template <>
struct Declaration<SortPositions> {
  static constexpr const char* name = "sort_positions";
  static constexpr auto fields =
      std::tuple{Field{field::Source{}, &SortPositions::source},
                 Field{field::Sources{}, &SortPositions::carried},
                 Field{field::Flag{"at_heads"}, &SortPositions::at_heads},
                 Field{field::Limit{"first"}, &SortPositions::first},
                 Field{field::Flag{"only_carried"}, &SortPositions::only_carried}};
};
template <>
struct Declaration<Demand> {
  static constexpr const char* name = "demand";
  static constexpr auto fields = std::tuple{Field{field::Operand{}, &Demand::condition},
                                            Field{field::List{}, &Demand::shown},
                                            Field{field::Source{}, &Demand::source},
                                            Field{field::Message{}, &Demand::message},
                                            Field{field::Flag{"of_elements"}, &Demand::of_elements},
                                            Field{field::Flag{"of_count"}, &Demand::of_count}};
};
template <>
struct Declaration<Compute> {
  static constexpr const char* name = "compute";
  static constexpr auto fields = std::tuple{Field{field::Source{}, &Compute::source}};
};
template <>
struct Declaration<ArrayIf> {
  static constexpr const char* name = "if";
  static constexpr auto fields = std::tuple{Field{field::Operand{}, &ArrayIf::condition},
                                            Field{field::Nested{}, &ArrayIf::then_},
                                            Field{field::Nested{"else"}, &ArrayIf::else_}};
};
template <>
struct Declaration<ArrayWhile> {
  static constexpr const char* name = "while";
  static constexpr auto fields = std::tuple{Field{field::Sources{}, &ArrayWhile::init},
                                            Field{field::Nested{}, &ArrayWhile::condition},
                                            Field{field::Nested{"do"}, &ArrayWhile::body}};
};
template <>
struct Declaration<ForeignArrays> {
  static constexpr const char* name = "foreign";
  static constexpr auto fields = std::tuple{Field{field::Functions{}, &ForeignArrays::functions},
                                            Field{field::Sources{}, &ForeignArrays::args},
                                            Field{field::Fallback{}, &ForeignArrays::fallback}};
};

template <class Node>
inline constexpr bool has_own_form = requires { Declaration<Node>::own_form; };

namespace field {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): converts to any member
};

/// How many members an aggregate has.
template <class Node, class... Given>
consteval std::size_t member_count() {
  if constexpr (requires { Node{Given{}..., Anything{}}; })
    return member_count<Node, Given..., Anything>();
  else
    return sizeof...(Given);
}

}  // namespace field

/// Calls f(kind, member) for each field, const if the node is.
template <class Node, class F>
void for_each_field(Node& node, F&& f) {
  using Plain = std::remove_const_t<Node>;
  using Fields = std::remove_const_t<decltype(Declaration<Plain>::fields)>;
  static_assert(has_own_form<Plain> || std::tuple_size_v<Fields> == field::member_count<Plain>(),
                "a member of this node is not declared");
  std::apply([&](const auto&... each) { (f(each.kind, node.*each.member), ...); },
             Declaration<Plain>::fields);
}

}  // namespace hasten::core
