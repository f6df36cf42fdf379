// Writes records for people (a table) and for programs (one JSON object per line).
#pragma once

#include <cstdio>
#include <string>

#include "harness.hpp"

namespace bench {

std::string to_json(const Record& record);
void print_heading();
void print_row(const Record& record);

}  // namespace bench
