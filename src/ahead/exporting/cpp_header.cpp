// A thin layer: results of the C functions become exceptions and values.
#include "ahead/exporting/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace hasten::ahead {
namespace {

using detail::LibraryEntry;
using detail::LibraryKind;
using detail::LibraryValue;

constexpr const char* cpp_beginning =
    R"(// {0}.hpp: {0}.h for C++17, with contexts and arrays that free themselves. Generated; do not edit.
#pragma once

#include "{0}.h"

#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace {0} {{

/// What a function of {0}.h returned, with its text.
class error : public std::runtime_error {{
 public:
  explicit error({0}_status status) : std::runtime_error({0}_last_error()), status_(status) {{}}
  {0}_status status() const noexcept {{ return status_; }}

 private:
  {0}_status status_;
}};

inline void check({0}_status status) {{
  if (status != {1}_OK) throw error(status);
}}

/// A result, in memory of the library's. Moves only.
class array {{
 public:
  array() = default;
  array(array&& other) noexcept : array_(std::exchange(other.array_, {0}_array{{}})) {{}}
  array& operator=(array&& other) noexcept {{
    std::swap(array_, other.array_);
    return *this;
  }}
  ~array() {{
    if (array_.owner) {0}_free_array(&array_);
  }}

  std::int64_t extent(int axis) const {{ return array_.extents[axis]; }}
  int rank() const {{ return array_.rank; }}
  std::int64_t size() const {{
    std::int64_t elements = 1;
    for (int axis = 0; axis < array_.rank; ++axis) elements *= array_.extents[axis];
    return elements;
  }}
  /// The elements of a component, whose type is T.
  template <class T>
  T* data(int component = 0) {{ return static_cast<T*>(array_.data[component]); }}
  template <class T>
  const T* data(int component = 0) const {{ return static_cast<const T*>(array_.data[component]); }}
  /// For functions of {0}.h.
  const {0}_array& c() const {{ return array_; }}
  operator const {0}_array&() const {{ return array_; }}

 private:
  friend class context;
  {0}_array array_{{}};
}};

/// As {0}_context. Functions throw `error`. Several threads may share one.
class context {{
 public:
  explicit context(const {0}_options& options = {{}}) {{
    check({0}_create_context(&context_, &options));
  }}
  ~context() {{ {0}_free_context(context_); }}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
)";

constexpr const char* cpp_ending = R"(
 private:
  {0}_context* context_ = nullptr;
}};

}}  // namespace {0}
)";

std::string value_type(const Library& library, const LibraryValue& value) {
  return value.kind == LibraryKind::array ? "array" : c_type(library, value.leaves[0]);
}

std::string method(const Library& library, const LibraryEntry& entry) {
  std::vector<std::string> parameters, arguments{"context_"}, types, results;
  for (const LibraryValue& value : entry.interface.parameters) {
    const bool is_array = value.kind == LibraryKind::array;
    parameters.push_back(is_array
                             ? fmt::format("const {}_array& {}", library.name(), value.name)
                             : fmt::format("{} {}", c_type(library, value.leaves[0]), value.name));
    arguments.push_back((is_array ? "&" : "") + value.name);
  }
  std::string declarations;
  for (const LibraryValue& value : entry.interface.results) {
    types.push_back(value_type(library, value));
    declarations += fmt::format("    {} {}{{}};\n", types.back(), value.name);
    arguments.push_back("&" + value.name + (value.kind == LibraryKind::array ? ".array_" : ""));
    results.push_back(types.size() == 1 && entry.interface.results.size() == 1
                          ? value.name
                          : fmt::format("std::move({})", value.name));
  }
  const bool is_one = types.size() == 1;
  const std::string type = is_one ? types[0] : fmt::format("std::tuple<{}>", joined(types, ", "));
  const std::string result =
      is_one ? results[0] : fmt::format("{}({})", type, joined(results, ", "));
  return fmt::format("\n  {} {}({}) const {{\n{}    check({}_{}({}));\n    return {};\n  }}\n",
                     type, entry.name, joined(parameters, ", "), declarations, library.name(),
                     entry.name, joined(arguments, ", "), result);
}

// The same with structs for its results, which hold the caller's memory.
std::string method_into(const Library& library, const LibraryEntry& entry) {
  std::vector<std::string> parameters, arguments{"context_"};
  const auto add = [&](const LibraryValue& value, const char* array, const char* number) {
    const bool is_array = value.kind == LibraryKind::array;
    const std::string type =
        is_array ? library.name() + "_array" : c_type(library, value.leaves[0]);
    const std::string passed = is_array ? array : number;
    parameters.push_back((passed == "const &" ? "const " : "") + type +
                         (passed.ends_with('&') ? "& " : " ") + value.name);
    arguments.push_back((passed.empty() ? "" : "&") + value.name);
  };
  for (const LibraryValue& value : entry.interface.parameters) add(value, "const &", "");
  for (const LibraryValue& value : entry.interface.results) add(value, "&", "&");
  return fmt::format(
      "  /// To memory of the caller's, of the results' types and extents.\n"
      "  void {}_into({}) const {{\n    check({}_{}({}));\n  }}\n",
      entry.name, joined(parameters, ", "), library.name(), entry.name, joined(arguments, ", "));
}

bool gives_arrays(const LibraryEntry& entry) {
  return std::ranges::any_of(entry.interface.results, [](const LibraryValue& value) {
    return value.kind == LibraryKind::array;
  });
}

bool has_entry(const Library& library, const std::string& name) {
  return std::ranges::any_of(library.entries(),
                             [&](const LibraryEntry& entry) { return entry.name == name; });
}

}  // namespace

std::string cpp_header(const Library& library) {
  std::string text = fmt::format(cpp_beginning, library.name(), upper_case(library.name()));
  for (const LibraryEntry& entry : library.entries()) {
    text += method(library, entry);
    if (gives_arrays(entry) && !has_entry(library, entry.name + "_into"))
      text += method_into(library, entry);
  }
  return text + fmt::format(cpp_ending, library.name());
}

}  // namespace hasten::ahead
