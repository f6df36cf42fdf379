// Implements include/hasten/run/library.hpp, except for export_main.
#include <hasten/run/error.hpp>
#include <hasten/run/library.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

namespace hasten {
namespace detail {
namespace {

// Keywords of C11 and C++20, in alphabetical order.
constexpr std::array keywords = {"alignas",     "alignof",      "and",          "and_eq",
                                 "asm",         "auto",         "bitand",       "bitor",
                                 "bool",        "break",        "case",         "catch",
                                 "char",        "char16_t",     "char32_t",     "char8_t",
                                 "class",       "co_await",     "co_return",    "co_yield",
                                 "compl",       "concept",      "const",        "const_cast",
                                 "consteval",   "constexpr",    "constinit",    "continue",
                                 "context",     "decltype",     "default",      "delete",
                                 "do",          "double",       "dynamic_cast", "else",
                                 "enum",        "explicit",     "export",       "extern",
                                 "false",       "float",        "for",          "friend",
                                 "goto",        "if",           "inline",       "int",
                                 "long",        "mutable",      "namespace",    "new",
                                 "noexcept",    "not",          "not_eq",       "nullptr",
                                 "operator",    "or",           "or_eq",        "private",
                                 "protected",   "public",       "register",     "reinterpret_cast",
                                 "requires",    "restrict",     "return",       "short",
                                 "signed",      "sizeof",       "static",       "static_assert",
                                 "static_cast", "struct",       "switch",       "template",
                                 "this",        "thread_local", "throw",        "true",
                                 "try",         "typedef",      "typeid",       "typename",
                                 "union",       "unsigned",     "using",        "virtual",
                                 "void",        "volatile",     "wchar_t",      "while",
                                 "xor",         "xor_eq"};

// Names that the headers define themselves.
constexpr std::array taken = {
    "array",          "arguments", "check",      "context",      "context_",   "std",
    "create_context", "error",     "free_array", "free_context", "last_error", "level",
    "library",        "options",   "results",    "status",       "target",     "type"};

// Names of functions in the headers that make arrays: f32_1, f32x3_i32_2, c64.
bool begins_with_type(std::string_view name) {
  const std::string_view word = name.substr(0, name.find_first_of("_x"));
  for (std::size_t i = 0; i < scalar_type_count; ++i)
    if (word == name_of(static_cast<ScalarType>(i))) return true;
  return false;
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto goes_on = [&](char c) {
    return is_letter(c) || c == '_' || std::isdigit(static_cast<unsigned char>(c)) != 0;
  };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, goes_on) &&
         name.size() <= 200 && name.find("__") == std::string_view::npos &&
         !std::ranges::binary_search(keywords, name);
}

void check_name(const std::string& name, const char* what, const Where& where) {
  const bool is_free = std::ranges::find(taken, std::string_view(name)) == taken.end();
  if (is_identifier(name) && is_free && !begins_with_type(name)) return;
  throw BuildError(
      std::string("hasten::library: \"") + name + "\" cannot be the name of " + what +
          "; it begins with a letter, has letters, digits and single _, and is no "
          "keyword of C or C++, no name that the headers have themselves, and does not "
          "begin with an element type (f32_...)",
      where);
}

}  // namespace

void append_numbers(Type type, const std::string& name, std::vector<LibraryValue>& out) {
  const bool is_one = type->leaves.size() == 1;
  for (std::size_t i = 0; i < type->leaves.size(); ++i)
    out.push_back({LibraryKind::number,
                   is_one ? name : name + "_" + std::to_string(i),
                   0,
                   {type->leaves[i]}});
}

LibraryValue library_array(Type type, unsigned rank, std::string name) {
  return {LibraryKind::array, std::move(name), rank, type->leaves};
}

void check_entry(const std::vector<LibraryEntry>& entries, const LibraryEntry& entry,
                 std::size_t names_left, const Where& where) {
  check_name(entry.name, "an entry", where);
  if (std::ranges::find(entries, entry.name, &LibraryEntry::name) != entries.end())
    throw BuildError("hasten::library: there are two entries \"" + entry.name + "\"", where);
  if (names_left > 0)
    throw BuildError("hasten::library: \"" + entry.name + "\" has fewer parameters than names",
                     where);
  std::set<std::string_view> names;
  for (const auto* values : {&entry.interface.parameters, &entry.interface.results})
    for (const LibraryValue& value : *values) {
      check_name(value.name, "a parameter", where);
      if (!names.insert(value.name).second)
        throw BuildError("hasten::library: \"" + entry.name +
                             "\" has two parameters or results \"" + value.name + "\"",
                         where);
    }
}

}  // namespace detail

Library::Library(std::string name, detail::Where where) : name_(std::move(name)) {
  detail::check_name(name_, "a library", where);
}

Library& Library::add(detail::LibraryEntry entry, detail::Where where) {
  detail::check_entry(entries_, entry, 0, where);
  entries_.push_back(std::move(entry));
  return *this;
}

}  // namespace hasten
