// Foreign functions: the target's function on the CPU, the fallback on the interpreter and wherever
// no function is given.
#include "../../../examples/programs/c_library.hpp"
#include "../support.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace foreign_test {

struct Pair {
  float value;
  std::int32_t place;
};
HASTEN_STRUCT(Pair, value, place);

template <template <class> class In>
struct Columns {
  In<Vector<float>> values;
  In<Matrix<std::int32_t>> counts;
};
HASTEN_GROUP(Columns, values, counts);

}  // namespace foreign_test

namespace {

using foreign_test::Columns, foreign_test::Pair;

class Foreign : public hasten_test::OnEveryTarget {
 protected:
  // Targets that compile call the function.
  static bool calls() { return GetParam().target.name() != "interpreter"; }
};

// Functions and their fallbacks differ by one, which shows which of them has run.
float half_plus_one(float x) noexcept { return x / 2 + 1; }

Exp<float> half(const Exp<float>& x) {
  return hs::foreign_exp(
      hs::on_cpu("test::half_plus_one", &half_plus_one),
      [](const Exp<float>& a) { return a / 2.0F; }, x);
}

TEST_P(Foreign, IsCalledForEveryElement) {
  for (const std::int64_t n : {0, 1, 7, 16, 63, 64, 65, 1000, 20011}) {
    const auto input = hasten_test::vector_of(hasten_test::numbers<float>(n));
    const auto result = run(hs::map(half, hs::use(input)));
    ASSERT_EQ(result.size(), n);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(result(i), input(i) / 2 + (calls() ? 1 : 0)) << "element " << i << " of " << n;
  }
}

TEST_P(Foreign, IsCalledByHostScalars) {
  EXPECT_EQ(run(half(hs::parameter(3.0F))), calls() ? 2.5F : 1.5F);
  const auto extent = hs::cast<std::int64_t>(half(hs::parameter(6.0F)));
  EXPECT_EQ(run(hs::iota(extent)).size(), calls() ? 4 : 3);
  EXPECT_EQ(run(hs::sum(hs::fill(3, half(hs::parameter(2.0F))))).item(), calls() ? 6.0F : 3.0F);
}

std::atomic<int> negative_calls{0}, all_calls{0};
double counted_root(double x) noexcept {
  ++all_calls;
  if (x < 0) ++negative_calls;
  return std::sqrt(x);
}

// A branch that is not taken does not call, whatever vectors do; nor do lanes beyond the end.
TEST_P(Foreign, IsNotCalledWhereTheProgramDoesNotGo) {
  const auto root = [](const Exp<double>& x) {
    return hs::foreign_exp(
        hs::on_cpu("test::counted_root", &counted_root),
        [](const Exp<double>& a) { return hs::sqrt(a); }, x);
  };
  for (const std::int64_t n : {1, 5, 37, 64, 101}) {
    const auto input = Vector<double>::from_function(
        {n}, [](hs::Ix<1> i) { return static_cast<double>(i[0] % 3 == 0 ? -i[0] - 1 : i[0]); });
    const auto wanted = std::count_if(input.begin(), input.end(), [](double x) { return x >= 0; });
    negative_calls = all_calls = 0;
    const auto guarded = run(hs::map(
        [&](const Exp<double>& x) { return hs::select(x >= 0.0, root(x), -1.0); }, hs::use(input)));
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_EQ(guarded(i), input(i) < 0 ? -1.0 : std::sqrt(input(i)));
    EXPECT_EQ(negative_calls, 0);
    EXPECT_EQ(all_calls, calls() ? wanted : 0);
    // Newton's rounds end at different times in different lanes.
    const auto looped = run(hs::map(
        [&](const Exp<double>& x) {
          return hs::while_loop([](const Exp<double>& y) { return y > 1.5; }, root, x);
        },
        hs::use(input)));
    for (std::int64_t i = 0; i < n; ++i) {
      double y = input(i);
      while (y > 1.5) y = std::sqrt(y);
      EXPECT_EQ(looped(i), y);
    }
    EXPECT_EQ(negative_calls, 0);
  }
}

template <class A, class R>
R narrow(A a, bool b) noexcept {
  return static_cast<R>(b ? a + 1 : a - 1);
}
bool is_odd(std::uint8_t x) noexcept { return x % 2 == 1; }
std::uint64_t mixed(std::int8_t a, std::uint16_t b, std::int64_t c, float d, double e,
                    bool f) noexcept {
  return static_cast<std::uint64_t>(a * 3 + b) ^ static_cast<std::uint64_t>(c) ^
         static_cast<std::uint64_t>(d * 16) ^ static_cast<std::uint64_t>(e * 256) ^
         (f ? 1U << 20 : 0U);
}

// Narrow types as C passes them; arguments of every kind beside one another, including uniform
// ones.
TEST_P(Foreign, TakesEveryPlainType) {
  const auto check = [&]<class T>(T, const char* name) {
    const auto values = Vector<T>::from_function(
        {131}, [](hs::Ix<1> i) { return static_cast<T>(i[0] * 77 - 4000); });
    const auto result = run(hs::map(
        [&](const Exp<T>& x) {
          return hs::foreign_exp(
              hs::on_cpu(name, &narrow<T, T>),
              [](const Exp<T>& a, const Exp<bool>& b) { return hs::select(b, a + T(1), a - T(1)); },
              x, x > T(7));
        },
        hs::use(values)));
    for (std::int64_t i = 0; i < 131; ++i)
      EXPECT_EQ(result(i), (narrow<T, T>(values(i), values(i) > T(7)))) << name;
  };
  check(std::int8_t{}, "test::narrow_i8");
  check(std::uint8_t{}, "test::narrow_u8");
  check(std::int16_t{}, "test::narrow_i16");
  check(std::uint16_t{}, "test::narrow_u16");
  check(std::int32_t{}, "test::narrow_i32");
  check(std::uint64_t{}, "test::narrow_u64");
  check(float{}, "test::narrow_f32");
  check(double{}, "test::narrow_f64");

  const auto bytes = Vector<std::uint8_t>::from_function(
      {77}, [](hs::Ix<1> i) { return static_cast<std::uint8_t>(i[0] * 5); });
  const auto odd = run(hs::map(
      [](const Exp<std::uint8_t>& x) {
        return hs::foreign_exp(
            hs::on_cpu("test::is_odd", &is_odd),
            [](const Exp<std::uint8_t>& a) { return a % 2 == 1; }, x);
      },
      hs::use(bytes)));
  for (std::int64_t i = 0; i < 77; ++i) EXPECT_EQ(odd(i), bytes(i) % 2 == 1);

  if (!calls()) return;
  const auto all = run(hs::generate(100, [](const Exp<std::int64_t>& i) {
    return hs::foreign_exp(
        hs::on_cpu("test::mixed", &mixed),
        [](const auto& a, const auto&...) { return hs::cast<std::uint64_t>(a); },
        hs::cast<std::int8_t>(i - 50), hs::cast<std::uint16_t>(i * 600), i * -7, hs::cast<float>(i),
        2.5, i % 2 == 0);
  }));
  for (std::int64_t i = 0; i < 100; ++i)
    EXPECT_EQ(all(i), mixed(static_cast<std::int8_t>(i - 50), static_cast<std::uint16_t>(i * 600),
                            i * -7, static_cast<float>(i), 2.5, i % 2 == 0));
}

// An operator: associative, and not commutative.
std::int32_t later_if_set(std::int32_t a, std::int32_t b) noexcept { return b != 0 ? b : a; }

TEST_P(Foreign, ServesAsAnOperator) {
  const auto latest = [](const Exp<std::int32_t>& a, const Exp<std::int32_t>& b) {
    return hs::foreign_exp(
        hs::on_cpu("test::later_if_set", &later_if_set),
        [](const auto& x, const auto& y) { return hs::select(y != 0, y, x); }, a, b);
  };
  for (const std::int64_t n : {1, 13, 64, 5003}) {
    const auto input = Matrix<std::int32_t>::from_function({3, n}, [](hs::Ix<2> i) {
      return static_cast<std::int32_t>((i[0] + i[1]) % 5 == 0 ? i[0] * 10000 + i[1] : 0);
    });
    const auto folded = run(hs::fold(latest, 7, hs::use(input)));
    const auto scanned = run(hs::scanl1(latest, hs::use(input)));
    for (std::int64_t row = 0; row < 3; ++row) {
      std::int32_t last = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        last = later_if_set(last, input(row, i));
        ASSERT_EQ(scanned(row, i), last);
      }
      EXPECT_EQ(folded(row), later_if_set(7, last));
    }
  }
}

// Of two equal calls, one is made; a call is fused like any scalar code.
TEST_P(Foreign, IsFusedAndShared) {
  const auto input = hs::use(hasten_test::vector_of(hasten_test::numbers<double>(1000)));
  const auto twice = hs::compile(
      [](Acc<Vector<double>> a) {
        return hs::sum(hs::map(
            [](const Exp<double>& x) {
              const auto call = [&] {
                return hs::foreign_exp(
                    hs::on_cpu("test::counted_root", &counted_root),
                    [](const Exp<double>& y) { return hs::sqrt(y); }, x);
              };
              return call() + call();
            },
            hs::map([](const Exp<double>& x) { return x + 1.0; }, a)));
      },
      GetParam());
  EXPECT_EQ(twice.kernel_count(), 1);
  all_calls = 0;
  const double result = twice(hasten_test::vector_of(hasten_test::numbers<double>(1000))).item();
  EXPECT_EQ(all_calls, calls() ? 1000 : 0);
  EXPECT_GT(result, 0);
}

TEST_P(Foreign, CascadesToWhatThereIs) {
  const auto fallback = [](const Exp<float>& a) { return a * 3.0F; };
  const auto text = hs::opencl_source("triple", "float triple(float x) { return x * 3; }");
  const auto cuda = hs::cuda_source("triple", "__device__ float triple(float x) { return x * 3; }");
  EXPECT_EQ(run(hs::foreign_exp(text, fallback, hs::parameter(2.0F))), 6.0F);
  EXPECT_EQ(run(hs::foreign_exp(std::tuple{cuda, text}, fallback, hs::parameter(2.0F))), 6.0F);
  EXPECT_EQ(
      run(hs::foreign_exp(std::tuple{cuda, hs::on_cpu("test::half_plus_one", &half_plus_one), text},
                          fallback, hs::parameter(2.0F))),
      calls() ? 2.0F : 6.0F);
  EXPECT_EQ(run(hs::foreign_exp(std::tuple{}, fallback, hs::parameter(2.0F))), 6.0F);
  // A fallback with a call, reads of arrays from outside, and a loop.
  const auto around = hs::use(Vector<float>{1, 2, 3, 4});
  const auto nested = [&](const Exp<float>& x) {
    return hs::foreign_exp(
        text,
        [&](const Exp<float>& a) {
          return hs::iterate(3, [&](const Exp<float>& s) { return s + around[1]; }, half(a));
        },
        x);
  };
  EXPECT_EQ(run(hs::map(nested, around)).to_vector(), calls()
                                                          ? (std::vector{7.5F, 8.0F, 8.5F, 9.0F})
                                                          : (std::vector{6.5F, 7.0F, 7.5F, 8.0F}));
}

// -- arrays ---------------------------------------------------------------------------------------

template <class T>
Vector<T> sorted_on_host(const Vector<T>& a) {
  std::vector<T> values = a.to_vector();
  std::sort(values.begin(), values.end());
  return hasten_test::vector_of(values);
}

auto sorted(const Acc<Vector<float>>& a) {
  return hs::foreign_acc(
      hs::on_cpu("test::sort", sorted_on_host<float>),
      [](const Acc<Vector<float>>& b) { return hs::sort(b); }, a);
}

TEST_P(Foreign, TakesAndGivesArrays) {
  for (const std::int64_t n : {0, 1, 2, 97, 1000}) {
    const auto input = Vector<float>::from_function(
        {n}, [](hs::Ix<1> i) { return static_cast<float>(i[0] * 37 % 101); });
    const auto doubled = hs::map([](const Exp<float>& x) { return x * 2.0F; }, hs::use(input));
    const auto result = run(hs::map([](const Exp<float>& x) { return x + 1.0F; }, sorted(doubled)));
    const auto expected = sorted_on_host(input);
    ASSERT_EQ(result.size(), n);
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(result(i), expected(i) * 2 + 1);
  }
}

// Kernels precede and follow the function, and the call is between them.
TEST_P(Foreign, IsNoKernelAndIsNotFusedThrough) {
  const auto f = hs::compile(
      [](Acc<Vector<float>> a) {
        const auto before = hs::map([](const Exp<float>& x) { return x * 2.0F; }, a);
        return hs::sum(hs::map([](const Exp<float>& x) { return x + 1.0F; }, sorted(before)));
      },
      GetParam());
  EXPECT_EQ(f.kernel_count(), 2);
  EXPECT_EQ(f(Vector<float>{3, 1, 2}).item(), 15.0F);
  std::ostringstream text;
  text << f.explain();
  EXPECT_NE(text.str().find("foreign code: test::sort"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("handed to foreign code"), std::string::npos) << text.str();
}

// Only the function knows the extents: of a group, of structs of arrays, beside other ranks.
TEST_P(Foreign, GivesGroupsOfAnyExtents) {
  const auto on_host = [](const Vector<Pair>& pairs, const Columns<hs::Host>& columns) {
    std::vector<float> kept;
    for (const Pair p : pairs)
      if (p.value > 2) kept.push_back(p.value * static_cast<float>(p.place));
    const std::int64_t rows = pairs.size(), sum = columns.counts(0, 0);
    return std::pair{
        Columns<hs::Host>{
            hasten_test::vector_of(kept),
            Matrix<std::int32_t>::from_function(
                {rows, 2},
                [&](hs::Ix<2> ix) { return static_cast<std::int32_t>(sum + ix[0] * 2 + ix[1]); })},
        Scalar<std::complex<float>>(std::complex<float>(columns.values(1), 2))};
  };
  const auto fallback = [](const Acc<Vector<Pair>>& pairs, const Columns<Acc>& columns) {
    const auto kept = hs::filter([](const Exp<Pair>& p) { return p.value > 2.0F; }, pairs);
    const auto sum = columns.counts(0, 0);
    return std::pair{
        Columns<Acc>{
            hs::map([](const Exp<Pair>& p) { return p.value * hs::cast<float>(p.place); }, kept),
            hs::generate(
                hs::ix(hs::size(pairs), 2),
                [=](const auto& ix) { return sum + hs::cast<std::int32_t>(ix[0] * 2 + ix[1]); })},
        hs::unit(Exp<std::complex<float>>{columns.values[1], Exp<float>(2.0F)})};
  };
  const auto pairs = Vector<Pair>::from_function({9}, [](hs::Ix<1> i) {
    return Pair{static_cast<float>(i[0] % 4), static_cast<std::int32_t>(i[0])};
  });
  const Columns<hs::Host> columns{Vector<float>{5, 6}, Matrix<std::int32_t>{{8, 9}}};
  const auto program =
      hs::foreign_acc(hs::on_cpu("test::groups", on_host), fallback, hs::use(pairs),
                      Columns<Acc>{hs::use(columns.values), hs::use(columns.counts)});
  const auto [given, number] = run(program);
  const auto [expected, other] = on_host(pairs, columns);
  EXPECT_EQ(given.values, expected.values);
  EXPECT_EQ(given.counts, expected.counts);
  EXPECT_EQ(number.item(), other.item());
  // One of several results is used, in a kernel of another shape.
  EXPECT_EQ(run(hs::sum_all(program.first.counts)).item(),
            std::accumulate(expected.counts.span().begin(), expected.counts.span().end(), 0));
}

TEST_P(Foreign, StandsInLoopsAndBranches) {
  const auto input = Vector<float>{4, 2, 8, 6};
  const auto longer = [](const Acc<Vector<float>>& a) {
    return hs::foreign_acc(
        hs::on_cpu("test::longer",
                   [](const Vector<float>& v) {
                     auto values = v.to_vector();
                     values.push_back(values.back() + 1);
                     return hasten_test::vector_of(values);
                   }),
        [](const Acc<Vector<float>>& b) {
          return hs::concat(b, hs::fill(1, b[hs::size(b) - 1] + 1.0F));
        },
        a);
  };
  const auto looped = hs::awhile([](const Acc<Vector<float>>& a) { return hs::size(a) < 9; },
                                 longer, hs::use(input));
  EXPECT_EQ(run(looped).to_vector(), (std::vector<float>{4, 2, 8, 6, 7, 8, 9, 10, 11}));
  for (const bool taken : {false, true}) {
    const auto branched =
        hs::acond(hs::parameter(taken), sorted(longer(hs::use(input))), hs::use(input));
    EXPECT_EQ(run(branched).to_vector(),
              taken ? (std::vector<float>{2, 4, 6, 7, 8}) : input.to_vector());
  }
  const auto counted = hs::aiterate(3, longer, hs::use(input));
  EXPECT_EQ(run(hs::sum(counted)).item(), 20.0F + 7 + 8 + 9);
}

// The values that a program captures are fixed; functions with the same name or with a state do not
// mix.
TEST_P(Foreign, KeepsFunctionsApart) {
  const auto scaled = [](float by) {
    return hs::foreign_acc(
        hs::on_cpu("test::scaled",
                   [by](const Vector<float>& a) {
                     auto values = a.to_vector();
                     for (float& x : values) x *= by;
                     return hasten_test::vector_of(values);
                   }),
        [by](const Acc<Vector<float>>& a) {
          return hs::map([by](const Exp<float>& x) { return x * by; }, a);
        },
        hs::use(Vector<float>{1, 2}));
  };
  EXPECT_EQ(run(scaled(2)).to_vector(), (std::vector<float>{2, 4}));
  EXPECT_EQ(run(scaled(3)).to_vector(), (std::vector<float>{3, 6}));
  EXPECT_EQ(run(hs::concat(scaled(4), scaled(5))).to_vector(), (std::vector<float>{4, 8, 5, 10}));
}

// No arguments; several implementations; one that returns its argument; an unused result.
TEST_P(Foreign, EdgesOfArrays) {
  const auto constant = hs::foreign_acc(hs::on_cpu("test::nothing", [] { return Vector<int>{7}; }),
                                        [] { return hs::fill(1, 7); });
  EXPECT_EQ(run(constant).to_vector(), std::vector<int>{7});
  const auto same = [](const Vector<int>& a) { return a; };
  const auto passed = hs::foreign_acc(
      std::tuple{hs::on_cpu("test::same", same), hs::on_cpu("test::other", same)},
      [](const Acc<Vector<int>>& a) { return a; }, constant);
  EXPECT_EQ(run(std::pair{passed, passed}).second.to_vector(), std::vector<int>{7});
  const auto none = hs::foreign_acc(
      std::tuple{}, [](const Acc<Vector<int>>& a) { return a; }, hs::use(Vector<int>{1, 2}));
  EXPECT_EQ(run(none).to_vector(), (std::vector<int>{1, 2}));
  const auto empty = hs::foreign_acc(
      hs::on_cpu("test::empty", [](const Vector<int>&) { return Vector<int>(); }),
      [](const Acc<Vector<int>>& a) { return hs::take(0, a); }, constant);
  EXPECT_EQ(run(hs::sum(empty)).item(), 0);
  EXPECT_EQ(run(hs::size(empty)), 0);
}

// The user's exception arrives unchanged: synchronously, asynchronously, repeatedly; the program
// remains usable.
struct Refused {
  std::int64_t size;
};

TEST_P(Foreign, PassesExceptionsOn) {
  if (!calls()) return;  // the fallback runs instead
  const auto f = hs::compile(
      [](Acc<Vector<float>> a) {
        return hs::map([](const Exp<float>& x) { return x + 1.0F; },
                       hs::foreign_acc(
                           hs::on_cpu("test::refuses",
                                      [](const Vector<float>& v) {
                                        if (v.size() > 2) throw Refused{v.size()};
                                        return v;
                                      }),
                           [](const Acc<Vector<float>>& b) { return b; },
                           hs::map([](const Exp<float>& x) { return x * 2.0F; }, a)));
      },
      GetParam());
  EXPECT_EQ(f(Vector<float>{1, 2}).to_vector(), (std::vector<float>{3, 5}));
  try {
    (void)f(Vector<float>{1, 2, 3});
    FAIL() << "nothing was thrown";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.size, 3);
  }
  const auto pending = f.async(Vector<float>{1, 2, 3, 4});
  EXPECT_THROW((void)pending.get(), Refused);
  EXPECT_THROW((void)pending.get(), Refused);
  EXPECT_EQ(f(Vector<float>{5}).to_vector(), std::vector<float>{11});
}

// With checks, the kernels around the call are checked, and a failure is found in the same program.
TEST_P(Foreign, IsChecked) {
  hs::Options options = GetParam();
  options.checks = hs::Checks::all;
  const auto ends = [](const Acc<Vector<float>>& a) {
    return hs::foreign_acc(
        hs::on_cpu("test::sort", sorted_on_host<float>),
        [](const Acc<Vector<float>>& b) { return hs::sort(b); }, a);
  };
  const auto table = hs::use(Vector<float>{10, 20, 30});
  const auto read = [&](const Acc<Vector<float>>& a) {
    return hs::map([&](const Exp<float>& x) { return table[hs::cast<std::int64_t>(half(x))]; },
                   ends(a));
  };
  EXPECT_EQ(hs::run(read(hs::use(Vector<float>{2, 0})), options).to_vector(),
            calls() ? (std::vector<float>{20, 30}) : (std::vector<float>{10, 20}));
  EXPECT_THROW((void)hs::run(read(hs::use(Vector<float>{8, 0})), options), hs::IndexError);
  // In range for the fallback, out of range for the called function.
  if (!calls()) return;
  EXPECT_THROW((void)hs::run(read(hs::use(Vector<float>{4, 0})), options), hs::IndexError);
}

// All targets have the bits of the fallbacks.
TEST_P(Foreign, IsNotCalledWhereBitsAreTheSameEverywhere) {
  hs::Options options = GetParam();
  options.determinism = hs::Determinism::everywhere;
  const auto input = hs::use(Vector<float>{2, 4});
  EXPECT_EQ(hs::run(hs::map(half, input), options).to_vector(), (std::vector<float>{1, 2}));
  const auto doubled = hs::foreign_acc(
      hs::on_cpu("test::wrong", [](const Vector<float>&) { return Vector<float>{7}; }),
      [](const Acc<Vector<float>>& a) { return a; }, input);
  EXPECT_EQ(hs::run(doubled, options).to_vector(), (std::vector<float>{2, 4}));
}

// Arguments that a fallback does not use are not computed, so they cannot fail, on any target; a
// function receives all arguments. Conditions on whole arguments are checked whether the function
// or its fallback is called, and whatever that one reads.
TEST_P(Foreign, ArgumentsAreCheckedWhateverIsUsed) {
  const auto second_of = [](const Vector<std::int64_t>& lengths) {
    const auto sums = hs::fold_seg([](auto a, auto b) { return a + b; }, 0.0F,
                                   hs::use(Vector<float>{1, 2, 3}), hs::use(lengths));
    return hs::foreign_acc(
        hs::on_cpu("test::second", [](const Vector<float>&, const Vector<float>& b) { return b; }),
        [](const Acc<Vector<float>>&, const Acc<Vector<float>>& b) { return b; }, sums,
        hs::use(Vector<float>{4, 5}));
  };
  hs::Options options = GetParam();
  options.determinism = hs::Determinism::everywhere;  // fallbacks
  EXPECT_EQ(hs::run(second_of({2, 1}), options).to_vector(), (std::vector<float>{4, 5}));
  EXPECT_EQ(run(second_of({2, 1})).to_vector(), (std::vector<float>{4, 5}));
  EXPECT_THROW((void)hs::run(second_of({2, 2}), options), hs::ShapeError);
  EXPECT_THROW((void)run(second_of({2, 2})), hs::ShapeError);
}

TEST_P(Foreign, CLibrary) {
  const auto gammas = run(hs::map(programs::gamma, hs::use(Vector<double>{0.5, 1, 4.5, 10})));
  const double expected[] = {std::tgamma(0.5), 1, std::tgamma(4.5), 362880};
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(gammas(i), expected[i], 1e-12 * expected[i]);
  const auto words = Vector<std::int32_t>{5, -3, 8, 0, -3, 7};
  EXPECT_EQ(run(programs::descending(hs::use(words))).to_vector(),
            (std::vector<std::int32_t>{8, 7, 5, 0, -3, -3}));
}

HASTEN_ON_EVERY_TARGET(Foreign);

}  // namespace
