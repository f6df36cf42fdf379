// Properties of control flow over arrays, and of scalar loops and reads.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class Control : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Control);

using N = Exp<std::int64_t>;

TEST_P(Control, Acond) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(),
          program("acond" + name,
                  [](A a, A b, N n) {
                    return acond(n > size(a), map(twisted, a), zip_with(joined, a, b));
                  }),
          {.numbers = {0, 10, 1000}});
  });
  const auto groups = [](Acc<Vector<float>> a, Acc<Vector<float>> b) {
    const auto [x, y] = acond(size(a) < size(b), std::tuple{a, b}, std::tuple{b, map(twisted, a)});
    return std::tuple{x + y, x, y};
  };
  sweep(GetParam(), program("acond of groups", groups));
}

TEST_P(Control, AcondRunsOneBranchOnly) {
  const auto f = [](Acc<Vector<std::int32_t>> a) {
    return acond(size(a) > 0, fold1(std::plus<>{}, a), unit(std::int32_t{7}));
  };
  sweep(GetParam(), program("a partial branch", f));
}

TEST_P(Control, Aiterate) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(),
          program(
              "aiterate" + name,
              [](A a, N n) { return aiterate(n, [](const A& x) { return map(twisted, x); }, a); }),
          {.numbers = {-1, 0, 1, 2, 5}});
  });
}

TEST_P(Control, AwhileWithExtentsThatChange) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    using V = Acc<Vector<T>>;
    const auto halved = [](V a) {
      return awhile([](const V& x) { return size(x) > 4; },
                    [](const V& x) {
                      const auto half = size(x) / 2;
                      return zip_with(joined, take(half, x), drop(half, x));
                    },
                    a);
    };
    sweep(GetParam(), program("halving until 4 of " + type_name<T>(), halved), {.large = true});
  });
}

TEST_P(Control, AwhileOfGroups) {
  using V = Acc<Vector<std::int64_t>>;
  using S = Acc<Scalar<std::int32_t>>;
  const auto f = [](V a, N n) {
    return awhile([&](const V&, const V&, const S& k) { return the(k) < cast<std::int32_t>(n); },
                  [](const V& x, const V& y, const S& k) {
                    return std::tuple{y, zip_with(std::plus<>{}, x, y), k + 1};
                  },
                  std::tuple{a, map(twisted, a), unit(std::int32_t{0})});
  };
  sweep(GetParam(), program("a loop over a group", f), {.numbers = {0, 1, 5, 20}});
  const auto swapped = [](V a, N n) {
    return aiterate(
        n, [](const V& x, const V& y) { return std::pair{y, x}; }, std::pair{a, map(twisted, a)});
  };
  sweep(GetParam(), program("swapping", swapped), {.numbers = {0, 1, 2, 7}});
}

TEST_P(Control, Compute) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(), program("compute" + name, [](A a) {
            const auto b = compute(map(twisted, a));
            return zip_with(joined, b, map(twisted, b));
          }));
  });
}

TEST_P(Control, ScalarLoops) {
  const auto collatz = [](Acc<Vector<std::int64_t>> a) {
    return map(
        [](const N& x) {
          const auto [y, steps] =
              while_loop([](const auto& v, const auto& k) { return v > 1 && k < 200; },
                         [](const auto& v, const auto& k) {
                           return std::tuple{select(v % 2 == 0, v / 2, v * 3 + 1), k + 1};
                         },
                         std::tuple{x, 0});
          return steps;
        },
        a);
  };
  sweep(GetParam(), program("a loop of its own length per element", collatz), {.large = true});
  const auto powers = [](Acc<Matrix<float>> a) {
    return imap(
        [](const auto& at, const auto& x) {
          return iterate(at[1] % 5, [](const auto& s) { return s * 0.5F + 1.0F; }, x);
        },
        a);
  };
  sweep(GetParam(), program("iterate", powers));
  const auto nested = [](Acc<Vector<std::uint32_t>> a) {
    return map(
        [](const auto& x) {
          return iterate(
              cast<std::int64_t>(x % 4U),
              [&](const auto& s) {
                return iterate(
                    cast<std::int64_t>(s % 3U), [](const auto& t) { return t * 5U + 1U; }, s + x);
              },
              x);
        },
        a);
  };
  sweep(GetParam(), program("nested loops", nested));
}

TEST_P(Control, LazyBranches) {
  const auto guarded = [](Acc<Vector<std::int32_t>> a, Acc<Vector<std::int64_t>> at) {
    return map(
        [=](const auto& i) { return select(i >= 0 && i < size(a), a[i] * 2, std::int32_t{-1}); },
        at);
  };
  sweep(GetParam(), program("guarded reads", guarded), {.checks = Checks::bounds});
  const auto divisions = [](Acc<Vector<std::int32_t>> a, Acc<Vector<std::int32_t>> b) {
    return zip_with([](const auto& x, const auto& y) { return select(y != 0, x / y + x % y, x); },
                    a, b);
  };
  sweep(GetParam(), program("guarded divisions", divisions), {.checks = Checks::arithmetic});
  const auto unguarded = [](Acc<Vector<std::int32_t>> a, Acc<Vector<std::int32_t>> b) {
    return zip_with([](const auto& x, const auto& y) { return x / y; }, a, b);
  };
  sweep(GetParam(), program("divisions", unguarded));
  sweep(GetParam(), program("checked divisions", unguarded), {.checks = Checks::arithmetic});
}

// Independent of the grouping: one zero makes a product zero, and one number beyond the end decides
// a maximum. The divisions and reads have no effect, which no simplifier sees.
TEST_P(Control, CheckedOperators) {
  using V = Acc<Vector<std::int32_t>>;
  const auto product = [](const auto& x, const auto& y) { return x * y + 1 / (x * y) / 2; };
  const auto of_products = [=](V a, Acc<Matrix<std::int32_t>> m) {
    const auto odd = map([](const auto& x) { return x | 1; }, a);
    const auto columns = transpose(map([](const auto& x) { return x | 1; }, m));
    return std::tuple{fold(product, 1, a), scanl(product, 3, odd), fold(product, 1, columns)};
  };
  sweep(GetParam(), program("operators that divide", of_products), {.checks = Checks::arithmetic});
  const auto of_tables = [](V a, Acc<Vector<std::int64_t>> table, N n) {
    const auto largest = [=](const auto& x, const auto& y) {
      const auto most = max(x, y);
      return max(most, table[most] >> 63);
    };
    const auto places = map([=](const auto& x) { return cast<std::int64_t>(x & 31) % (n + 1); }, a);
    const auto scattered =
        permute(largest, fill(5, std::int64_t{0}), [](const auto& i) { return i % 5; }, places);
    return std::tuple{fold1(largest, replicate(over(2, keep), places)), scanl1(largest, places),
                      scattered};
  };
  sweep(GetParam(), program("operators that read", of_tables),
        {.numbers = {0, 1, 5}, .checks = Checks::bounds});
}

TEST_P(Control, PartialTermsInSeveralBranches) {
  // Each branch has its own copy of a loop, and of the code that depends on the loop's state.
  using V = Acc<Vector<std::int32_t>>;
  const auto loops = [](V a) {
    return map(
        [](const auto& x) {
          const auto below = [](const auto& s) { return s < 50; };
          const auto next = [&](const auto& s) { return s * 2 + 1 + (x & 3); };
          const auto end = while_loop(below, next, x & 7);
          return select(x > 5, end, 0) + select(x % 2 == 0, 1, end + 1);
        },
        a);
  };
  sweep(GetParam(), program("a loop in two branches", loops));
  const auto folds = [](V a, N n) {
    const auto rows = replicate(over(n, keep), a);
    const auto tops = fold1([](const auto& x, const auto& y) { return max(x, y); }, rows);
    const auto other = map(twisted, take(n, a));
    return std::pair{acond(size(a) > 0, tops, other), acond(size(a) > 5, other, tops)};
  };
  sweep(GetParam(), program("a fold1 in two branches", folds), {.numbers = {0, 1, 3}});
}

TEST_P(Control, ExtentsAreDemandedEqualWhenChecked) {
  const auto f = [](Acc<Matrix<float>> a, Acc<Matrix<float>> b) { return a + map(twisted, b); };
  sweep(GetParam(), program("extents", f), {.checks = Checks::extents});
}

TEST_P(Control, ReadsOfOtherArrays) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    const auto f = [](A a, A b) {
      return imap([=](const auto& at,
                      const auto& x) { return select(in_range(shape(b), at), join(x, b[at]), x); },
                  a);
    };
    sweep(GetParam(), program("reads beside" + name, f), {.checks = Checks::bounds});
    const auto linear = [](A a) {
      return generate(size(a), [=](const auto& i) { return a.linear(size(a) - 1 - i); });
    };
    sweep(GetParam(), program("linear reads" + name, linear), {.checks = Checks::bounds});
  });
}

TEST_P(Control, ScalarsOfArrays) {
  const auto f = [](Acc<Matrix<std::int32_t>> a, N n) {
    const auto total = the(sum_all(a));
    return std::tuple{map([=](const auto& x) { return x * total; }, a), unit(total + 1),
                      fill(size(a) + n, total), shape(a)};
  };
  sweep(GetParam(), program("a scalar used everywhere", f), {.numbers = {0, 3}});
}

}  // namespace
}  // namespace hasten::conformance
