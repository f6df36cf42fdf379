// Updates of many rows of one to five elements: histograms of channels, sums of points by key, and
// others whose targets are partly out of range, against the interpreter.
#include "../rows/against_interpreter.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>

using hasten_test::numbers_of;
using hs::Exp, hs::Ix;

namespace {

class UpdatesOfShortRows : public hasten_test::AgainstInterpreter {};

// Few rows go as others do.
template <class Check>
void of_all_sizes(Check check) {
  for (const std::int64_t rows : {1, 1023, 1024, 1025, 30'001})
    for (const std::int64_t width : {1, 2, 3, 4, 5})
      check(rows, width, std::to_string(rows) + " rows of " + std::to_string(width));
}

TEST_P(UpdatesOfShortRows, HistogramsOfChannels) {
  of_all_sizes([](std::int64_t rows, std::int64_t width, const std::string& what) {
    const auto x = numbers_of<std::uint8_t>(hs::ix(rows, width));
    const auto ones = hs::map([](auto) { return hs::constant(std::int32_t{1}); }, x);
    const auto bins = hs::fill(hs::ix(width, 200), hs::constant(std::int32_t{0}));
    expect_same(hs::permute(
                    std::plus<>{}, bins,
                    [=](auto i) { return hs::ix(i[1], hs::cast<std::int64_t>(x[i])); }, ones),
                what);
    // One channel less.
    const auto fewer = hs::fill(hs::ix(width - 1, 256), hs::constant(std::int32_t{0}));
    expect_same(hs::permute(
                    std::plus<>{}, fewer,
                    [=](auto i) { return hs::ix(i[1], hs::cast<std::int64_t>(x[i])); }, ones),
                what);
  });
}

TEST_P(UpdatesOfShortRows, SumsOfPointsByKey) {
  of_all_sizes([](std::int64_t rows, std::int64_t width, const std::string& what) {
    const auto points = numbers_of<float>(hs::ix(rows, width));
    const auto keys = numbers_of<std::int32_t>(hs::ix(rows));
    const auto sums = hs::fill(hs::ix(90, width), hs::constant(0.0F));
    expect_same(
        hs::permute(
            std::plus<>{}, sums,
            [=](auto i) { return hs::ix(hs::cast<std::int64_t>(keys[i[0]]), i[1]); }, points),
        what);
  });
}

// An operator that does not commute keeps the order of elements; several leaves.
TEST_P(UpdatesOfShortRows, OtherOperators) {
  of_all_sizes([](std::int64_t rows, std::int64_t width, const std::string& what) {
    const auto x = numbers_of<std::int32_t>(hs::ix(rows, width));
    const auto target = [=](auto i) { return (x[i] & 15) + hs::cast<std::int32_t>(i[1]); };
    expect_same(
        hs::permute([](auto a, auto) { return a; }, hs::fill(17, hs::constant(7)), target, x),
        what);
    const auto both =
        hs::imap([](auto i, auto v) { return std::tuple{v, hs::cast<std::int64_t>(i[0])}; }, x);
    const std::tuple<std::int32_t, std::int64_t> none{1000, -1};
    expect_same(hs::permute([](auto a, auto b) { return hs::min(a, b); },
                            hs::fill(17, hs::constant(none)), target, both),
                what);
  });
}

HASTEN_ON_EVERY_DEVICE(UpdatesOfShortRows);

}  // namespace
