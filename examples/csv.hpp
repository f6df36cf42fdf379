// Tables in CSV files: a first line of names, then rows; fields may be quoted (RFC 4180).
#pragma once

#include <cstdint>
#include <hasten/hasten.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;  // all of one length

  // The column of this name; throws std::runtime_error where there is none.
  const std::vector<std::string>& operator[](std::string_view name) const;
};

// Throws std::runtime_error where a file is not there, or a row has not as many fields as names.
Table read_csv(const std::string& path);
Table parse_csv(std::string_view text);

// A column as numbers; a field that is none is a std::runtime_error.
hasten::Vector<float> numbers(const std::vector<std::string>& column);

// A column as numbers of categories, in the order in which they first occur.
struct Categories {
  std::vector<std::string> names;
  hasten::Vector<std::int32_t> of_rows;
};
Categories categories(const std::vector<std::string>& column);

}  // namespace demo
