// The programs of the gallery, for the user's own files.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

// Spreads the grey levels of a picture. All functions throw std::runtime_error or hasten::Error.
void equalize_picture(const std::string& in, const std::string& out);
// Removes what changes slower than `cutoff` cycles over the picture's height or width.
void high_pass_picture(const std::string& in, const std::string& out, float cutoff);
// Blurs a picture, as many rounds as asked.
void blur_picture(const std::string& in, const std::string& out, std::int64_t rounds);
// Draws how often each brightness occurs in a picture, as bars.
void draw_histogram(const std::string& in, const std::string& out);

struct AnimationSize {
  std::int64_t pixels = 256;  // of each side; a power of two
  int frames = 150;
};
// Animated PNGs of smoke that rises in a box, and of SmoothLife from random spots.
void animate_fluid(const std::string& out, const AnimationSize& size);
void animate_life(const std::string& out, const AnimationSize& size);
// Counts the primes below a number and prints the largest ones.
void list_primes(std::int64_t below);
// Solves m x = m 1 for a symmetric matrix in a Matrix Market file.
void solve_system(const std::string& matrix);
// The ten groups of a CSV file's rows that have the largest totals of a column.
void list_top(const std::string& table, const std::string& group, const std::string& amount);
// Counts the words of a text and prints the ten most frequent.
void count_words(const std::string& text);
// Heat in a plate, and a fluid whose layers roll up, as square pictures of the given side.
void draw_heat(const std::string& out, std::int64_t pixels);
void draw_flow(const std::string& out, std::int64_t pixels);

}  // namespace demo
