// Runs the everyday programs on the user's own files, or draws them as pictures.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "csv.hpp"
#include "gallery.hpp"
#include "image.hpp"
#include "programs/everyday/group_by.hpp"
#include "programs/everyday/heat.hpp"
#include "programs/everyday/lattice.hpp"
#include "programs/everyday/word_count.hpp"
#include "programs/pixel.hpp"

namespace demo {
namespace {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;
using programs::Pixel;

constexpr std::int64_t how_many = 10;

Exp<Pixel> pixel(const Exp<float>& red, const Exp<float>& green, const Exp<float>& blue) {
  const auto level = [](const Exp<float>& x) {
    return hs::cast<std::uint8_t>(hs::round(255.0f * hs::clamp(x, 0.0f, 1.0f)));
  };
  return Exp<Pixel>{level(red), level(green), level(blue)};
}

// Maps 0 to 1 to the colours of glowing metal: black, red, yellow, white.
Acc<Matrix<Pixel>> glowing(const Acc<Matrix<float>>& field) {
  return hs::map([](auto x) { return pixel(3.0f * x, 3.0f * x - 1.0f, 3.0f * x - 2.0f); }, field);
}

// The fluid's rotation: blue one way, red the other. `strongest` is the rotation of full colour.
Acc<Matrix<Pixel>> turning(const Exp<float>& strongest,
                           const Acc<Matrix<programs::Populations>>& cells) {
  const auto flow = [](const int(&way)[9]) {
    return [&way](Exp<programs::Populations> cell) {
      Exp<float> sum = 0.0f, density = 0.0f;
      for (int k = 0; k < 9; ++k) {
        density += cell[k];
        sum += static_cast<float>(way[k]) * cell[k];
      }
      return sum / density;
    };
  };
  const auto down = hs::map(flow(programs::goes_down), cells);
  const auto right = hs::map(flow(programs::goes_right), cells);
  return hs::stencil2(
      [=](auto d, auto r) {
        const auto turn = (d(0, 1) - d(0, -1) - r(1, 0) + r(-1, 0)) / strongest;
        return pixel(1.0f + hs::min(turn, 0.0f) * 1.5f, 1.0f - hs::abs(turn),
                     1.0f - hs::max(turn, 0.0f) * 1.5f);
      },
      hs::boundary::wrap, down, hs::boundary::wrap, right);
}

// Two layers that slide along each other, with a small disturbance.
Acc<Matrix<programs::Populations>> sliding_layers(Exp<std::int64_t> n, Exp<float> speed) {
  return hs::generate(hs::ix(n, n), [=](Exp<hs::Ix<2>> ix) {
    const auto y = hs::cast<float>(ix[0]) / hs::cast<float>(n);
    const auto x = hs::cast<float>(ix[1]) / hs::cast<float>(n);
    const auto across = [](auto z) { return 2.0f / (1.0f + hs::exp(-160.0f * z)) - 1.0f; };
    const auto right = hs::select(y <= 0.5f, across(y - 0.25f), across(0.75f - y));
    return programs::at_rest(Exp<float>(1), 0.05f * speed * hs::sin(6.2831853f * (x + 0.25f)),
                             speed * right);
  });
}

std::string word_at(const std::string& text, std::int64_t start) {
  const auto begin = text.begin() + start;
  std::string word(
      begin, std::find_if(begin, text.end(), [](unsigned char c) { return std::isalpha(c) == 0; }));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

}  // namespace

void list_top(const std::string& path, const std::string& group, const std::string& amount) {
  const Table table = read_csv(path);
  const Categories groups = categories(table[group]);
  const auto [places, totals] = hs::compile(programs::top_categories)(
      how_many, std::ssize(groups.names), groups.of_rows, numbers(table[amount]));
  for (std::int64_t i = 0; i < places.size(); ++i)
    std::printf("%14.2f  %s\n", static_cast<double>(totals(i)),
                groups.names[static_cast<std::size_t>(places(i))].c_str());
}

void count_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const auto [words, places, counts] =
      hs::compile(programs::word_count)(how_many, Vector<char>(std::span<const char>(text)));
  std::printf("%lld words; most often\n", static_cast<long long>(words));
  for (std::int64_t i = 0; i < places.size(); ++i)
    std::printf("%10lld  %s\n", static_cast<long long>(counts(i)),
                word_at(text, places(i)).c_str());
}

void draw_heat(const std::string& out, std::int64_t pixels) {
  const auto program = hs::compile([](Exp<std::int64_t> n) {
    const auto start = hs::generate(hs::ix(n, n), [=](Exp<hs::Ix<2>> ix) {  // a hot cross
      const auto is_near = [=](auto i) { return hs::abs(i - n / 2) < n / 12; };
      return hs::select(is_near(ix[0]) || is_near(ix[1]), 0.9f, 0.0f);
    });
    return glowing(
        programs::heat(n * n / 120, Exp<float>(0.2f), Exp<float>(1), Exp<float>(0), start));
  });
  write_png(out, program(pixels));
}

void draw_flow(const std::string& out, std::int64_t pixels) {
  const auto program = hs::compile([](Exp<std::int64_t> n) {
    constexpr float speed = 0.1F;
    const auto cells = hs::aiterate(
        11 * n, [](auto now) { return programs::lattice_step(Exp<float>(1.9f), now); },
        sliding_layers(n, Exp<float>(speed)));
    return turning(Exp<float>(0.05f), cells);
  });
  write_png(out, program(pixels));
}

}  // namespace demo
