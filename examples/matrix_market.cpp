// The format: https://math.nist.gov/MatrixMarket/formats.html
#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace demo {
namespace {

[[noreturn]] void fail(const std::string& path, std::size_t line, const std::string& what) {
  throw std::runtime_error(path + ":" + std::to_string(line) + ": " + what);
}

struct Header {
  bool has_values, is_symmetric;
};

Header parse_header(const std::string& path, std::string line) {
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream words(line);
  std::string banner, object, format, field, symmetry;
  words >> banner >> object >> format >> field >> symmetry;
  if (banner != "%%matrixmarket" || object != "matrix" || format != "coordinate")
    fail(path, 1, "this is no sparse matrix (%%MatrixMarket matrix coordinate ...)");
  if (field != "real" && field != "integer" && field != "pattern")
    fail(path, 1, "elements of kind '" + field + "' are not read");
  if (symmetry != "general" && symmetry != "symmetric")
    fail(path, 1, "matrices of kind '" + symmetry + "' are not read");
  return {field != "pattern", symmetry == "symmetric"};
}

}  // namespace

SparseMatrix read_matrix_market(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  const Header header = parse_header(path, line);
  std::size_t number = 1;
  while (std::getline(file, line) && (line.empty() || line[0] == '%')) ++number;
  ++number;
  SparseMatrix matrix;
  std::int64_t count = 0;
  if (!(std::istringstream(line) >> matrix.rows >> matrix.columns >> count) || count < 0)
    fail(path, number, "expected the numbers of rows, columns and elements");
  std::vector<programs::Entry> entries;
  for (std::int64_t i = 0; i < count; ++i) {
    ++number;
    if (!std::getline(file, line)) fail(path, number, "the file ends before its last element");
    std::istringstream words(line);
    programs::Entry e{0, 0, 1.0};
    if (!(words >> e.row >> e.column) || (header.has_values && !(words >> e.value)))
      fail(path, number, "expected an element");
    if (e.row < 1 || e.row > matrix.rows || e.column < 1 || e.column > matrix.columns)
      fail(path, number, "an element outside the matrix");
    --e.row, --e.column;
    entries.push_back(e);
    if (header.is_symmetric && e.row != e.column) entries.push_back({e.column, e.row, e.value});
  }
  matrix.entries = hasten::Vector<programs::Entry>(static_cast<std::int64_t>(entries.size()),
                                                   std::span<const programs::Entry>(entries));
  return matrix;
}

}  // namespace demo
