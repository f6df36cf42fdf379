// Programs that violate conditions on whole arrays although their results need little or nothing of
// these arrays: an error on every target, however they are split.
#pragma once

#include <hasten/hasten.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hasten::test {

struct WrongShapes {
  using Ints = Vector<std::int32_t>;
  using Program = std::function<Acc<Ints>(Acc<Ints>, Acc<Ints>)>;

  std::string name;
  Program program;
  std::int64_t left, right;  // extents of the arguments
};

namespace wrong_shapes {

using Ints = WrongShapes::Ints;

inline const auto one = [](const auto&) { return Exp<std::int32_t>(1); };
inline const auto first = [](const auto& x, const auto&) { return x; };
inline const auto none_is = [](const auto& x) { return x > 1'000'000; };

inline Acc<Ints> rows_of_five(const Acc<Ints>& a) { return flatten(reshape(ix(3, 5), a)); }

/// Operators on arrays of different extents.
inline void add_unequal(std::vector<WrongShapes>& all, std::int64_t left, std::int64_t right) {
  const auto add = [&](const char* name, WrongShapes::Program program) {
    all.push_back({std::string("unequal, ") + name, std::move(program), left, right});
  };
  add("all", [](auto a, auto b) { return a + b; });
  add("first rows", [](auto a, auto b) { return take(2, a + b); });
  add("no rows", [](auto a, auto b) { return take(0, a + b); });
  add("last rows", [](auto a, auto b) { return drop(5, a + b); });
  add("size", [](auto a, auto b) { return generate(size(a + b), one); });
  add("constants", [](auto a, auto b) { return map(one, a + b); });
  add("one side", [](auto a, auto b) { return zip_with(first, a, a + b); });
  add("elements never read", [](auto a, auto b) {
    const auto sum = a + b;
    return generate(4, [=](auto i) { return select(i > 100, sum[i], 1); });
  });
  add("scanned", [](auto a, auto b) { return take(1, scanl1(std::plus<>{}, a + b)); });
  add("sorted", [](auto a, auto b) { return take(1, sort(a + b)); });
  add("filtered", [](auto a, auto b) { return filter(none_is, a + b); });
  add("neighbours", [](auto a, auto b) {
    return take(3, stencil([](auto at) { return at(-1) + at(1); }, boundary::clamp, a + b));
  });
  add("in rounds", [](auto a, auto b) {
    return aiterate(3, [=](auto s) { return zip_with(first, s, s + b); }, a);
  });
  add("in a branch", [](auto a, auto b) { return acond(size(a) > 3, take(2, a + b), take(1, a)); });
}

/// Reshapes to shapes with another number of elements.
inline void add_reshapes(std::vector<WrongShapes>& all, std::int64_t elements) {
  const auto add = [&](const char* name, std::function<Acc<Ints>(Acc<Ints>)> program) {
    all.push_back(
        {std::string("reshape, ") + name, [=](auto a, auto) { return program(a); }, elements, 1});
  };
  add("there and back", rows_of_five);
  add("first rows", [](auto a) { return take(1, rows_of_five(a + 1)); });
  add("no rows", [](auto a) { return take(0, rows_of_five(a + 1)); });
  add("sums", [](auto a) { return take(1, sum(reshape(ix(3, 5), a))); });
  add("constants", [](auto a) { return map(one, rows_of_five(a)); });
  add("size", [](auto a) { return generate(size(reshape(ix(3, 5), a)), one); });
}

/// Folds of empty axes without a seed.
inline void add_empty(std::vector<WrongShapes>& all) {
  const auto add = [&](const char* name, std::int64_t elements,
                       std::function<Acc<Ints>(Acc<Ints>)> program) {
    all.push_back(
        {std::string("empty, ") + name, [=](auto a, auto) { return program(a); }, elements, 1});
  };
  const auto greatest = [](const auto& a) { return maximum(a); };
  add("vector", 0,
      [=](auto a) { return generate(4, [m = greatest(a + 1)](auto) { return the(m); }); });
  add("what is filtered", 70'001, [=](auto a) {
    return map([m = greatest(filter(none_is, a))](auto x) { return x + the(m); }, a);
  });
  add("read by nobody", 70'001, [=](auto a) {
    const auto m = greatest(filter(none_is, a));
    return map([=](auto x) { return select(none_is(x), the(m), x); }, a);
  });
  add("rows", 0, [=](auto a) { return take(1, greatest(reshape(ix(7, 0), a))); });
  add("no rows of", 0, [=](auto a) { return take(0, greatest(reshape(ix(7, 0), a))); });
  add("columns", 0, [=](auto a) { return greatest(transpose(reshape(ix(0, 7), a))); });
  add("without an identity", 0,
      [](auto a) { return generate(4, [m = fold1(std::minus<>{}, a)](auto) { return the(m); }); });
}

/// Segments whose lengths do not add up, are negative, or are zero for a fold without a seed.
inline void add_segments(std::vector<WrongShapes>& all) {
  const auto lengths = [](const auto& a, std::int32_t less) {
    return map(
        [=](auto i) { return cast<std::int32_t>(select(i == 0, 0, 2) - select(i == 1, less, 0)); },
        generate(size(a) / 2 + 1, [](auto i) { return i; }));
  };
  const auto add = [&](const char* name, WrongShapes::Program program, std::int64_t elements) {
    all.push_back({std::string("segments, ") + name, std::move(program), elements, 1});
  };
  for (const std::int64_t n : {14, 100'000}) {
    add("sums", [=](auto a, auto) { return fold_seg(std::plus<>{}, 0, a, lengths(a, 1)); }, n);
    add(
        "first sum",
        [=](auto a, auto) { return take(1, fold_seg(std::plus<>{}, 0, a, lengths(a, 1))); }, n);
    add(
        "constants",
        [=](auto a, auto) { return map(one, fold_seg(std::plus<>{}, 0, a, lengths(a, 5))); }, n);
    add(
        "empty",
        [=](auto a, auto) { return take(1, drop(3, fold1_seg(std::plus<>{}, a, lengths(a, 0)))); },
        n);
  }
}

}  // namespace wrong_shapes

inline std::vector<WrongShapes> programs_of_wrong_shapes() {
  std::vector<WrongShapes> all;
  wrong_shapes::add_unequal(all, 14, 13);
  wrong_shapes::add_unequal(all, 70'001, 70'002);
  wrong_shapes::add_reshapes(all, 14);
  wrong_shapes::add_reshapes(all, 16);
  wrong_shapes::add_empty(all);
  wrong_shapes::add_segments(all);
  return all;
}

}  // namespace hasten::test
