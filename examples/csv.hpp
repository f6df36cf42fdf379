// Tables in CSV files: a first line of names, then rows; fields may be quoted (RFC 4180).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <hasten/hasten.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace demo {
namespace detail {

// The field at the beginning of the text, which then begins with what follows the field.
inline std::string next_field(std::string_view& text) {
  std::string field;
  bool is_quoted = false;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '"' && is_quoted && text.size() > 1 && text[1] == '"') {
      field += '"';  // a doubled quote is one
      text.remove_prefix(1);
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (c == ',' || c == '\n')) {
      break;
    } else if (is_quoted || c != '\r') {
      field += c;
    }
    text.remove_prefix(1);
  }
  return field;
}

inline std::vector<std::string> next_row(std::string_view& text) {
  std::vector<std::string> row{next_field(text)};
  while (!text.empty() && text.front() == ',') {
    text.remove_prefix(1);
    row.push_back(next_field(text));
  }
  if (!text.empty()) text.remove_prefix(1);  // the end of the line
  return row;
}

}  // namespace detail

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;  // all of one length

  // The column of this name; throws std::runtime_error where there is none.
  const std::vector<std::string>& operator[](std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw std::runtime_error("the table has no column '" + std::string(name) + "'");
    return columns[static_cast<std::size_t>(found - names.begin())];
  }
};

// Throws std::runtime_error where a row has not as many fields as names.
inline Table parse_csv(std::string_view text) {
  Table table{detail::next_row(text), {}};
  table.columns.resize(table.names.size());
  for (std::size_t line = 2; !text.empty(); ++line) {
    std::vector<std::string> row = detail::next_row(text);
    if (row.size() != table.names.size())
      throw std::runtime_error("row " + std::to_string(line) + " has " +
                               std::to_string(row.size()) + " fields, the first row " +
                               std::to_string(table.names.size()));
    for (std::size_t k = 0; k < row.size(); ++k) table.columns[k].push_back(std::move(row[k]));
  }
  return table;
}

// Also where a file is not there.
inline Table read_csv(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_csv(text.str());
}

// A column as numbers; a field that is none is a std::runtime_error.
inline hasten::Vector<float> numbers(const std::vector<std::string>& column) {
  std::vector<float> values;
  for (const std::string& field : column) {
    float value = 0;
    const char* const end = field.data() + field.size();
    if (const auto read = std::from_chars(field.data(), end, value);
        read.ec != std::errc{} || read.ptr != end)
      throw std::runtime_error("'" + field + "' is no number");
    values.push_back(value);
  }
  return hasten::Vector<float>(values);
}

// A column as numbers of categories, in the order in which they first occur.
struct Categories {
  std::vector<std::string> names;
  hasten::Vector<std::int32_t> of_rows;
};
inline Categories categories(const std::vector<std::string>& column) {
  std::unordered_map<std::string, std::int32_t> known;
  Categories all;
  std::vector<std::int32_t> of_rows;
  for (const std::string& field : column) {
    const auto [found, is_new] =
        known.try_emplace(field, static_cast<std::int32_t>(all.names.size()));
    if (is_new) all.names.push_back(field);
    of_rows.push_back(found->second);
  }
  all.of_rows = hasten::Vector<std::int32_t>(of_rows);
  return all;
}

}  // namespace demo
