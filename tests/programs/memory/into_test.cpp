// Results in the caller's memory: f.into(out, args...).
#include "../support.hpp"
#include "view.hpp"

#include "tests/support/places.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Out, hs::Scalar, hs::Vector;

namespace into {
struct Body {
  float x = 0;
  double mass = 0;
  friend bool operator==(const Body&, const Body&) = default;
};
HASTEN_STRUCT(Body, x, mass);

template <template <class> class In>
struct Halves {
  In<Vector<float>> low;
  In<Scalar<float>> total;
};
HASTEN_GROUP(Halves, low, total);
}  // namespace into
using into::Body;

namespace {

std::vector<float> counted(std::size_t n) {
  std::vector<float> list(n);
  std::iota(list.begin(), list.end(), 0.0F);
  return list;
}

class Into : public hasten_test::OnEveryDevice {
 protected:
  template <class F>
  static auto compile(F f) {
    return hs::compile(f, GetParam());
  }
  static bool in_host_memory() { return hs::test::kind_of(GetParam().target.name()) == "cpu"; }
};

const auto doubled = [](const Acc<Vector<float>>& a) {
  return hs::map([](auto x) { return x + x; }, a);
};

TEST_P(Into, AVector) {
  const auto f = compile(doubled);
  const std::vector<float> list = counted(1000);
  const auto given = hasten_test::vector_of(list);
  std::vector<float> to(1000);
  f.into(to, given);
  EXPECT_EQ(to, f(given).to_vector());
  const std::span<float> part(to.data() + 1, 999);  // aligned to 4 bytes only
  f.into(part, hs::Vector<float>(std::span(list).first(999)));
  EXPECT_EQ(to[0], 0);
  EXPECT_EQ(to[1], 0);
  EXPECT_EQ(to[999], 2 * 998);
  std::array<float, 2> small{};
  f.into(small, {3, 4});
  EXPECT_EQ(small, (std::array<float, 2>{6, 8}));
  std::vector<float> nothing;
  f.into(nothing, Vector<float>{});
}

// In host memory, launches write directly into the caller's memory and allocate nothing; a device
// computes the result in its memory and copies it once.
TEST_P(Into, CopiesNoMoreThanItMust) {
  const std::string kind = hs::test::kind_of(GetParam().target.name());
  if (kind == "interpreter") return;  // the interpreter copies
  constexpr std::int64_t n = 100'000;
  const auto given = hasten_test::vector_of(counted(n));
  std::vector<float> to(2 * n), more(n);
  const auto allocated = [&](const auto& call) {
    call();
    const hs::Statistics before = hs::statistics();
    call();
    const hs::Statistics took = hs::statistics() - before;
    if (kind != "cpu") {
      EXPECT_EQ(took.bytes_from_devices, took.bytes_allocated);
    }
    return took.bytes_allocated;
  };
  const auto expected = [&](std::int64_t floats) { return kind == "cpu" ? 0 : 4 * floats; };
  using A = Acc<Vector<float>>;
  const auto first = [&](std::int64_t size) { return Out<float, 1>(size, to.data()); };
  const auto twice = compile(doubled);
  EXPECT_EQ(allocated([&] { twice.into(first(n), given); }), expected(n));
  EXPECT_EQ(to[n - 1], 2 * (n - 1));
  const auto joined = compile([](const A& a) { return hs::concat(a, hs::reverse(a)); });
  EXPECT_EQ(allocated([&] { joined.into(first(2 * n), given); }), expected(2 * n));
  EXPECT_EQ(to[n], n - 1);
  const auto chosen = compile([](const A& a) {
    return hs::acond(hs::size(a) > 5, hs::scanl1(std::plus<>{}, a), hs::reverse(a));
  });
  EXPECT_EQ(allocated([&] { chosen.into(first(n), given); }), expected(n));
  const auto both = compile([](const A& a) {
    return hs::unzip(hs::map([](auto x) { return std::tuple{x + 1, x * 2}; }, a));
  });
  EXPECT_EQ(allocated([&] { both.into({more, first(n)}, given); }), expected(2 * n));
  EXPECT_EQ(more[n - 1], n);
  EXPECT_EQ(to[n - 1], 2 * (n - 1));
  // One launch for each array: their shapes are known before the first launch.
  const auto apart = compile([](const A& a) {
    return std::tuple{hs::scanl1(std::plus<>{}, a), hs::reverse(a), hs::sum(a)};
  });
  float total = 0;
  EXPECT_EQ(allocated([&] { apart.into({more, first(n), total}, given); }), expected(2 * n + 1));
  EXPECT_EQ(more[2], 3);
  EXPECT_EQ(to[1], n - 2);
  EXPECT_GT(total, 0);
  if (kind != "cpu") return;
  const auto in_order = compile([](const A& a) { return hs::sort(a); });
  const std::int64_t keys = 4 * n;  // integers in the order of the floats
  EXPECT_EQ(allocated([&] { in_order.into(first(n), given); }), keys);
  EXPECT_EQ(to[n - 1], n - 1);
}

TEST_P(Into, AMatrix) {
  const auto f = compile([](const Acc<Matrix<float>>& a) { return hs::transpose(a); });
  std::vector<float> to(6);
  f.into({hs::ix(3, 2), to.data()}, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(to, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  f.into({hs::ix(3, 2), to}, {{7, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(to[0], 7);
}

TEST_P(Into, Numbers) {
  float total = 0;
  compile([](const Acc<Vector<float>>& a) { return hs::sum(a); }).into(total, {1, 2, 3});
  EXPECT_EQ(total, 6);
  compile([](Exp<float> x) { return x + 1.0F; }).into(total, 4);
  EXPECT_EQ(total, 5);
  Body body;
  compile([](Exp<float> x) { return Exp<Body>(x, 2.0); }).into(body, 4);
  EXPECT_EQ(body, (Body{4, 2}));
}

TEST_P(Into, SeveralResults) {
  const auto f = compile([](const Acc<Vector<float>>& a) {
    return std::tuple{hs::map([](auto x) { return x + 1; }, a),
                      hs::map([](auto x) { return x * x; }, a), hs::sum(a), hs::size(a)};
  });
  std::vector<float> more(3), squares(3);
  float total = 0;
  std::int64_t size = 0;
  f.into({more, squares, total, size}, {1, 2, 3});
  EXPECT_EQ(more, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(squares, (std::vector<float>{1, 4, 9}));
  EXPECT_EQ(total, 6);
  EXPECT_EQ(size, 3);
  const std::tuple all{Out<float, 1>(squares), Out<float, 1>(more), Out<float, 0>(total),
                       Out<std::int64_t, 0>(size)};
  f.into(all, {1, 2, 3});
  EXPECT_EQ(squares, (std::vector<float>{2, 3, 4}));
}

TEST_P(Into, AnArrayTwice) {
  const auto f = compile([](const Acc<Vector<float>>& a) {
    auto b = hs::map([](auto x) { return x + 1; }, a);
    return std::pair{b, b};
  });
  std::vector<float> one(3), two(3);
  f.into({one, two}, {1, 2, 3});
  EXPECT_EQ(one, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(two, one);
}

TEST_P(Into, AGroup) {
  const auto f = compile(
      [](const Acc<Vector<float>>& a) { return into::Halves<Acc>{hs::take(2, a), hs::sum(a)}; });
  std::vector<float> low(2);
  float total = 0;
  f.into({low, total}, {1, 2, 3});
  EXPECT_EQ(low, (std::vector<float>{1, 2}));
  EXPECT_EQ(total, 6);
}

TEST_P(Into, StructsWholeOrByComponent) {
  const auto f = compile([](const Acc<Vector<float>>& a) {
    return hs::map([](auto x) { return std::tuple{x, hs::cast<double>(x) * 2}; }, a);
  });
  std::vector<std::tuple<float, double>> whole(3);
  f.into(whole, {1, 2, 3});
  EXPECT_EQ(whole[2], (std::tuple{3.0F, 6.0}));
  std::vector<float> x(3);
  std::vector<double> mass(3);
  f.into({3, {x.data(), mass.data()}}, {1, 2, 3});
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(mass, (std::vector<double>{2, 4, 6}));
  const auto heavier = compile([](const Acc<Vector<Body>>& bodies) {
    return hs::map(
        [](Exp<Body> b) {
          auto [at, m] = b;
          return Exp<Body>(at, m + 1.0);
        },
        bodies);
  });
  std::vector<Body> bodies(2);
  heavier.into(bodies, Vector<Body>{{1, 2}, {3, 4}});
  EXPECT_EQ(bodies, (std::vector<Body>{{1, 3}, {3, 5}}));
}

// Padded rows, columns, and rows from the bottom up; the bytes between elements stay unchanged.
TEST_P(Into, WithStrides) {
  const auto f = compile([](const Acc<Matrix<int>>& a) { return a + 1; });
  const Matrix<int> given{{1, 2, 3}, {4, 5, 6}};
  std::vector<int> to(8);
  f.into({{2, 3}, to.data(), {4, 1}}, given);
  EXPECT_EQ(to, (std::vector<int>{2, 3, 4, 0, 5, 6, 7, 0}));
  to.assign(8, 0);
  f.into({{2, 3}, to.data(), {1, 2}}, given);
  EXPECT_EQ(to, (std::vector<int>{2, 5, 3, 6, 4, 7, 0, 0}));
  to.assign(8, 0);
  f.into({{2, 3}, to.data() + 4, {-4, 1}}, given);
  EXPECT_EQ(to, (std::vector<int>{5, 6, 7, 0, 2, 3, 4, 0}));
  f.into(hasten_test::View<int, 2>(to.data(), {2, 3}, {4, 1}), given);
  EXPECT_EQ(to, (std::vector<int>{2, 3, 4, 0, 5, 6, 7, 0}));
  // The result is written into memory of an argument.
  f.into({{2, 3}, to.data() + 1, {4, 1}}, Matrix<int>::borrow({2, 3}, to.data(), [] {}));
  EXPECT_EQ(to, (std::vector<int>{2, 3, 4, 5, 5, 1, 6, 7}));
  const auto both = compile([](const Acc<Vector<int>>& a) { return std::pair{a, a * 10}; });
  both.into({{3, to.data(), 2}, {3, to.data() + 1, 2}}, {1, 2, 3});
  EXPECT_EQ(to, (std::vector<int>{1, 10, 2, 20, 3, 30, 6, 7}));
  std::vector<Body> bodies(8);
  compile([](const Acc<Matrix<Body>>& a) {
    return hs::transpose(a);
  }).into({{2, 2}, bodies.data() + 7, {-4, -2}}, Matrix<Body>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  EXPECT_EQ(bodies, (std::vector<Body>{{}, {7, 8}, {}, {3, 4}, {}, {5, 6}, {}, {1, 2}}));
}

// Elements are not overwritten before they are read.
TEST_P(Into, MemoryOfArguments) {
  const auto turned = compile([](const Acc<Vector<float>>& a) { return hs::reverse(a); });
  for (const std::size_t n : {5, 70'000}) {
    std::vector<float> list = counted(n), expected(list.rbegin(), list.rend());
    const auto size = static_cast<std::int64_t>(n);
    turned.into(list, Vector<float>::borrow(size, list.data(), [] {}));
    EXPECT_EQ(list, expected);
    list = counted(n + 1);
    turned.into({size, list.data() + 1}, Vector<float>::borrow(size, list.data(), [] {}));
    EXPECT_EQ(std::vector(list.begin() + 1, list.end()), expected);
  }
}

// The results are the arguments, each in the place of the other.
TEST_P(Into, ArgumentsThatChangePlaces) {
  const auto f = compile(
      [](const Acc<Vector<float>>& a, const Acc<Vector<float>>& b) { return std::pair{b, a}; });
  std::vector<float> a{1, 2, 3}, b{4, 5, 6};
  const auto lend = [](std::vector<float>& v) {
    return Vector<float>::borrow(std::ssize(v), v.data(), [] {});
  };
  f.into({a, b}, lend(a), lend(b));
  EXPECT_EQ(a, (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(b, (std::vector<float>{1, 2, 3}));
  f.into({a, b}, lend(b), lend(a));  // each stays where it is
  EXPECT_EQ(a, (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(b, (std::vector<float>{1, 2, 3}));
}

TEST_P(Into, WhatIsUsedByTheProgramItself) {
  std::vector<float> list{1, 2, 3};
  const auto used = Vector<float>::borrow(3, list.data(), [] {});
  const auto f =
      compile([&](const Acc<Vector<float>>& a) { return hs::reverse(hs::use(used)) + a; });
  f.into(list, {10, 10, 10});
  EXPECT_EQ(list, (std::vector<float>{13, 12, 11}));
}

// Branches, loops, joins, sorts, scatters, kept elements.
TEST_P(Into, AnyOperation) {
  constexpr std::ptrdiff_t around = 33;  // more than a vector, and not a multiple of its alignment
  const auto same = [](const auto& f, const Vector<float>& given) {
    const std::vector<float> expected = f(given).to_vector();
    std::vector<float> to(expected.size() + 2 * around, -1.0F);
    f.into({std::ssize(expected), to.data() + around}, given);
    EXPECT_EQ(std::vector(to.begin() + around, to.end() - around), expected);
    EXPECT_EQ(std::vector(to.begin(), to.begin() + around), std::vector<float>(around, -1.0F));
    EXPECT_EQ(std::vector(to.end() - around, to.end()), std::vector<float>(around, -1.0F));
  };
  for (const std::int64_t n : {0, 1, 3, 100, 40'000}) {
    const auto given = hasten_test::vector_of(hasten_test::numbers<float>(n, 3));
    using A = Acc<Vector<float>>;
    same(compile([](const A& a) { return hs::concat(a, hs::reverse(a)); }), given);
    same(compile([](const A& a) { return hs::sort(a); }), given);
    same(compile([](const A& a) { return hs::scanl(std::plus<>{}, 1.0F, a); }), given);
    same(compile([](const A& a) { return hs::filter([](auto x) { return x > 10; }, a); }), given);
    same(compile([](const A& a) {
           return hs::acond(hs::size(a) > 50, hs::map([](auto x) { return x + 1; }, a), a);
         }),
         given);
    same(compile([](const A& a) {
           return hs::aiterate(
               5, [](const A& s) { return hs::map([](auto x) { return x + 1; }, s); }, a);
         }),
         given);
    same(compile([](const A& a) {
           return hs::permute(std::plus<>{}, a, [](auto i) { return i / 2; }, a);
         }),
         given);
    same(compile([](const A& a) { return hs::flatten(hs::replicate(hs::over(3, hs::keep), a)); }),
         given);
    same(compile([](const A& a) { return a; }), given);
  }
}

// One branch returns the array that the other one reads.
TEST_P(Into, WhatBranchesHandOn) {
  const auto f = compile([](const Acc<Vector<float>>& a, Exp<bool> turns) {
    auto [more, twice] =
        hs::unzip(hs::compute(hs::map([](auto x) { return std::tuple{x + 1, x * 2}; }, a)));
    return hs::acond(turns, hs::compute(hs::reverse(more)) + twice, more);
  });
  const auto given = hasten_test::vector_of(counted(1000));
  for (const bool turns : {true, false}) {
    std::vector<float> to(1000);
    f.into(to, given, turns);
    for (std::size_t i = 0; i < 1000; ++i) {
      const auto x = static_cast<float>(i);
      ASSERT_EQ(to[i], turns ? (1000 - x) + 2 * x : x + 1) << i;
    }
  }
}

TEST_P(Into, OtherShapesAreErrors) {
  const auto f = compile(doubled);
  std::vector<float> to(4, -1.0F);
  const unsigned line = __LINE__ + 2;
  try {
    f.into(to, {1, 2, 3});
    ADD_FAILURE() << "no error";
  } catch (const hs::ShapeError& error) {
    EXPECT_TRUE(hs::test::begins_with_its_place(error));
    EXPECT_EQ(error.where().line(), line);
    EXPECT_STREQ(error.where().file_name(), __FILE__);
    EXPECT_NE(std::string(error.what()).find("shape (3), "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("shape (4); "), std::string::npos) << error.what();
  }
  EXPECT_EQ(to, std::vector<float>(4, -1.0F));
}

// Independently of which result is computed first.
TEST_P(Into, OtherShapesAreErrorsBeforeAnythingIsWritten) {
  const auto f = compile([](const Acc<Vector<float>>& a) {
    return std::tuple{hs::map([](auto x) { return x + 1; }, a), hs::scanl(std::plus<>{}, 0.0F, a),
                      hs::concat(a, a)};
  });
  const Vector<float> given{1, 2, 3};
  for (int wrong = 0; wrong < 3; ++wrong) {
    std::vector<float> x(wrong == 0 ? 2 : 3, -1.0F), y(wrong == 1 ? 3 : 4, -1.0F),
        z(wrong == 2 ? 5 : 6, -1.0F);
    EXPECT_THROW(f.into({x, y, z}, given), hs::ShapeError);
    for (const auto& each : {x, y, z}) EXPECT_EQ(each, std::vector<float>(each.size(), -1.0F));
  }
}

// -- in flight ------------------------------------------------------------------------------------

TEST_P(Into, InFlight) {
  const auto f = compile(doubled);
  constexpr int calls = 6;
  std::vector<std::vector<float>> to(calls, std::vector<float>(1000));
  const auto given = hasten_test::vector_of(counted(1000));
  std::vector<hs::Pending<void>> pending;
  for (auto& each : to) pending.push_back(f.into_async(each, given));
  const std::vector<float> expected = f(given).to_vector();
  for (int i = 0; i < calls; ++i) {
    pending[static_cast<std::size_t>(i)].get();
    EXPECT_TRUE(pending[static_cast<std::size_t>(i)].ready());
    EXPECT_EQ(to[static_cast<std::size_t>(i)], expected);
  }
  const auto total = compile([](const Acc<Vector<float>>& a) { return hs::the(hs::sum(a)); });
  float sum = 0;
  total.into_async(sum, given).get();
  EXPECT_EQ(sum, total(given));
}

TEST_P(Into, InFlightThrowsWhatTheCallThrows) {
  const auto f = compile(doubled);
  std::vector<float> small(3, -1);
  const auto pending = f.into_async(small, {1, 2, 3, 4});
  EXPECT_THROW(pending.get(), hs::ShapeError);
  EXPECT_THROW(pending.get(), hs::ShapeError);
  EXPECT_EQ(small, (std::vector<float>(3, -1)));
}

// Nothing is written once no copy of the Pending is left.
TEST_P(Into, InFlightEndsWithItsLastCopy) {
  const auto f = compile(doubled);
  const auto given = hasten_test::vector_of(counted(100'000));
  for (int round = 0; round < 20; ++round) {
    std::vector<float> to(100'000);
    auto pending = f.into_async(to, given);
    const hs::Pending<void> copy = pending;
    if (round % 2 == 0) pending.cancel();
  }
}

HASTEN_ON_EVERY_DEVICE(Into);

TEST(IntoNowhere, IsAnError) {
  const auto f = hs::compile(doubled);
  EXPECT_THROW(f.into({3, static_cast<float*>(nullptr)}, {1, 2, 3}), hs::ShapeError);
  std::vector<float> to(3);
  EXPECT_THROW(f.into({4, to}, {1, 2, 3, 4}), hs::ShapeError);
  EXPECT_THROW(f.into({-1, to.data()}, {1}), hs::ShapeError);
  EXPECT_THROW(f.into({3, to.data(), 0}, {1, 2, 3}), hs::ShapeError);
  EXPECT_THROW(f.into({3, to.data(), std::int64_t{1} << 61}, {1, 2, 3}), hs::ShapeError);
  EXPECT_THROW((Out<float, 2>({3, 4}, to.data(), {3, 1})), hs::ShapeError);  // rows overlap
}

TEST(IntoTheSameMemory, IsAnError) {
  const auto f = hs::compile([](const Acc<Vector<float>>& a) {
    return std::pair{a, hs::map([](auto x) { return x + 1; }, a)};
  });
  std::vector<float> to(5);
  EXPECT_THROW(f.into({{3, to.data()}, {3, to.data() + 2}}, {1, 2, 3}), hs::Error);
  EXPECT_THROW((void)f.into_async({{3, to.data()}, {3, to.data() + 2}}, {1, 2, 3}), hs::Error);
  f.into({{2, to.data()}, {2, to.data() + 2}}, {1, 2});
  EXPECT_EQ(to, (std::vector<float>{1, 2, 2, 3, 0}));
}

}  // namespace
