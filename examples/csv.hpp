// Tables in CSV files: a first line of column names, then rows. Fields may be quoted (RFC 4180).
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

// Returns the first field of the text and removes the field from the text.
inline std::string next_field(std::string_view& text) {
  std::string field;
  bool is_quoted = false;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '"' && is_quoted && text.size() > 1 && text[1] == '"') {
      field += '"';  // a doubled quote is one quote
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
  std::vector<std::vector<std::string>> columns;  // all of equal length

  // The column of this name; throws std::runtime_error if there is none.
  const std::vector<std::string>& operator[](std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw std::runtime_error("the table has no column '" + std::string(name) + "'");
    return columns[static_cast<std::size_t>(found - names.begin())];
  }
};

// Throws std::runtime_error if a row has more or fewer fields than there are names.
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

// Also throws if the file cannot be read.
inline Table read_csv(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_csv(text.str());
}

// A column as numbers; throws std::runtime_error if a field is not a number.
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

// A column as numbered categories, in order of first occurrence.
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
