// Sparse matrices from Matrix Market files.
#pragma once

#include <cstdint>
#include <hasten/hasten.hpp>
#include <string>

#include "programs/sparse.hpp"

namespace demo {

struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  hasten::Vector<programs::Entry> entries;
};

// Reads "coordinate real|integer|pattern general|symmetric"; throws std::runtime_error that names
// the line.
SparseMatrix read_matrix_market(const std::string& path);

}  // namespace demo
