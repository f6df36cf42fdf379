// The programs of the gallery on the user's own files.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

// A picture with its grey levels spread. All throw std::runtime_error or hasten::Error.
void equalize_picture(const std::string& in, const std::string& out);
// A picture without what changes slower than `cutoff` cycles over its height or width.
void high_pass_picture(const std::string& in, const std::string& out, float cutoff);
// A picture made softer, as often as asked.
void blur_picture(const std::string& in, const std::string& out, std::int64_t rounds);
// How often each brightness occurs in a picture, as bars.
void draw_histogram(const std::string& in, const std::string& out);

struct AnimationSize {
  std::int64_t pixels = 256;  // of each side; a power of two
  int frames = 150;
};
// Smoke that rises in a box, and SmoothLife from random spots: as animated PNGs.
void animate_fluid(const std::string& out, const AnimationSize& size);
void animate_life(const std::string& out, const AnimationSize& size);
// How many primes there are below a number, and the largest ones.
void list_primes(std::int64_t below);
// Solves m x = m 1 for a symmetric matrix in a Matrix Market file.
void solve_system(const std::string& matrix);
// The ten groups of a CSV file's rows with the largest totals of a column.
void list_top(const std::string& table, const std::string& group, const std::string& amount);
// How many words a text has, and the ten most frequent.
void count_words(const std::string& text);
// Heat in a plate, and a fluid whose layers roll up, as pictures of so many pixels a side.
void draw_heat(const std::string& out, std::int64_t pixels);
void draw_flow(const std::string& out, std::int64_t pixels);

}  // namespace demo
