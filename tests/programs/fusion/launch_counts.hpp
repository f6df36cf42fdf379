// Counts the launches of a call and the stored arrays, and compares results with the interpreter's.
#pragma once

#include "tests/programs/support.hpp"

#include <sstream>
#include <tuple>
#include <utility>

namespace hasten_test {

// Small integers, so that sums of floats are exact in any order.
template <class T = float>
hs::Vector<T> some_vector(std::int64_t n) {
  return hs::Vector<T>::from_function(
      n, [](hs::Ix<1> ix) { return static_cast<T>((7 * ix[0] + 3) % 19); });
}
template <class T = float>
hs::Matrix<T> some_matrix(std::int64_t rows, std::int64_t columns) {
  return hs::Matrix<T>::from_function(hs::ix(rows, columns), [](hs::Ix<2> ix) {
    return static_cast<T>((5 * ix[0] + 3 * ix[1] + 1) % 17);
  });
}

// Numbers of both signs without a pattern along rows.
inline hs::Vector<int> signed_vector(std::int64_t n) {
  return hs::Vector<int>::from_function(
      n, [](hs::Ix<1> ix) { return static_cast<int>((ix[0] * 37 + 11) % 23) - 7; });
}
inline hs::Matrix<int> signed_matrix(std::int64_t rows, std::int64_t columns) {
  return hs::Matrix<int>::from_function(hs::ix(rows, columns), [](hs::Ix<2> ix) {
    return static_cast<int>((ix[0] * 101 + ix[1] * 37 + 11) % 23) - 7;
  });
}

/// The arrays other than results that explain() lists as stored: "sum at f.cpp:3, ...".
inline std::vector<std::string> intermediate_arrays(const std::string& explained) {
  std::vector<std::string> result;
  std::istringstream lines(explained);
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    const bool is_note = line.starts_with("  ") && !line.ends_with(": a result of the program");
    if (inside && is_note) result.push_back(line.substr(2));
    if (!line.starts_with(" ")) inside = line == "arrays that reach memory";
  }
  return result;
}

/// Compares elements: floating ones may differ slightly.
struct Nearly {
  double tolerance = 0;

  template <class T, std::size_t N>
  bool operator()(const hs::Array<T, N>& a, const hs::Array<T, N>& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (a.shape() != b.shape()) return false;
      const std::vector<T> x = a.to_vector(), y = b.to_vector();
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x[i] - y[i]) <= tolerance * (1 + std::abs(y[i])))) return false;
      return true;
    } else {
      return a == b;
    }
  }
  template <class... As>
  bool operator()(const std::tuple<As...>& a, const std::tuple<As...>& b) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((*this)(std::get<I>(a), std::get<I>(b)) && ...);
    }(std::index_sequence_for<As...>{});
  }
};

class LaunchCounts : public OnEveryDevice {
 protected:
  hs::Checks checks = hs::Checks::none;  // for all programs of a test

  [[nodiscard]] hs::Options options() const {
    hs::Options result = GetParam();
    result.checks = checks;
    return result;
  }
  static bool is_interpreted() { return GetParam().target.name() == "interpreter"; }

  /// Runs f on every list of arguments; `launches` is the number for one call with the last list.
  /// Results must equal the interpreter's, or be as near as the tolerance allows.
  template <class F, class... Arguments>
  void expect(std::int64_t launches, F f, const std::vector<std::tuple<Arguments...>>& calls,
              double tolerance = 0) {
    const auto compiled = hs::compile(f, options());
    const auto defined = hs::compile(f, {.target = hs::interpreter(), .checks = checks});
    for (const auto& call : calls) {
      const auto result = std::apply(compiled, call), expected = std::apply(defined, call);
      if (tolerance == 0)
        EXPECT_EQ(result, expected) << compiled.explain();
      else
        EXPECT_TRUE(Nearly{tolerance}(result, expected)) << compiled.explain();
    }
    if (is_interpreted()) return;
    const auto before = hs::statistics();
    std::apply(compiled, calls.back());
    EXPECT_EQ((hs::statistics() - before).launches, launches) << compiled.explain();
  }

  /// The same for one call.
  template <class F, class... Args>
  void agrees(std::int64_t launches, const F& f, const Args&... args) {
    expect(launches, f, std::vector{std::tuple{args...}});
  }
  /// Sizes around the tiles of rows, with this many launches for each.
  template <class F>
  void agrees_on_vectors(std::int64_t launches, const F& f) {
    for (const std::int64_t n :
         {1, 2, 7, 255, 256, 1009, 2047, 2048, 2049, 32'768, 32'769, 70'001, 200'003})
      agrees(launches, f, signed_vector(n));
  }
  /// Rows that suit lanes, groups, and one thread.
  template <class F>
  void agrees_on_matrices(std::int64_t launches, const F& f) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                        {3, 1},
                                        {1, 70},
                                        {33, 65},
                                        {3000, 5},
                                        {5, 4099},
                                        {2, 70'001},
                                        {257, 40}})
      agrees(launches, f, signed_matrix(rows, columns));
  }

  /// The operations whose arrays are stored, other than the results.
  template <class F>
  void expect_stored(const std::vector<std::string>& operations, F f) {
    if (is_interpreted()) return;
    const auto compiled = hs::compile(f, options());
    std::vector<std::string> stored;
    for (const std::string& note : intermediate_arrays(compiled.explain().str()))
      stored.push_back(note.substr(0, note.find(" at ")));
    EXPECT_EQ(stored, operations) << compiled.explain();
  }

  template <class F>
  void expect_on_vectors(std::int64_t launches, F f) {
    std::vector<std::tuple<hs::Vector<float>>> calls;
    for (const std::int64_t n : {1, 2, 17, 1000, 40'009}) calls.emplace_back(some_vector(n));
    expect(launches, f, calls);
  }
  template <class F>
  void expect_on_matrices(std::int64_t launches, F f) {
    std::vector<std::tuple<hs::Matrix<float>>> calls;
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 1}, {1, 70}, {33, 65}, {257, 40}})
      calls.emplace_back(some_matrix(rows, columns));
    expect(launches, f, calls);
  }
};

}  // namespace hasten_test
