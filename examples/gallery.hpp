// The programs of the gallery on the user's own files.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

// A picture with its grey levels spread. All throw std::runtime_error or hasten::Error.
void equalize_picture(const std::string& in, const std::string& out);
// A picture without what changes slower than `cutoff` cycles over its height or width.
void high_pass_picture(const std::string& in, const std::string& out, float cutoff);
// Smoke in a box: frames as <prefix>-000.png and so on.
void animate_fluid(const std::string& prefix, std::int64_t size, int frames);
// How many primes there are below a number, and the largest ones.
void list_primes(std::int64_t below);
// Solves m x = m 1 for a symmetric matrix in a Matrix Market file.
void solve_system(const std::string& matrix);

}  // namespace demo
