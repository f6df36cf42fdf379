// Names of arrays: they appear beside operations in errors and reports, and nowhere else.
#include "../programs/support.hpp"

#include <functional>
#include <string>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;

namespace {

class Names : public hasten_test::OnEveryTarget {
 protected:
  static hs::Options checked(hs::Checks checks) {
    hs::Options options = GetParam();
    options.checks = checks;
    return options;
  }
  template <class F>
  static std::string explained(F f) {
    return hs::compile(f, GetParam()).explain().str();
  }
};

bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// The message of the error that running this throws.
template <class E, class P>
std::string message(const P& program, const hs::Options& options) {
  try {
    hs::run(program, options);
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST_P(Names, StandBeforeTheOperationInErrors) {
  const auto empty = hs::use(Vector<float>{});
  const auto text = message<hs::ShapeError>(hs::named("layer 1", hs::minimum(empty)), GetParam());
  EXPECT_TRUE(says(text, ": layer 1 (minimum): ")) << text;
}

Acc<Vector<float>> added(const Acc<Vector<float>>& a, const Acc<Vector<float>>& b) {
  return hs::named("the helper's", a + b);
}
constexpr unsigned line_of_added = __LINE__ - 2;

TEST_P(Names, GiveOperatorsAPlace) {
  const auto three = hs::use(Vector<float>{1, 2, 3}), two = hs::use(Vector<float>{1, 2});
  const auto program = hs::map([](auto x) { return x * 2.0f; }, added(three, two));
  const unsigned line = __LINE__ - 1;
  const auto text = message<hs::ShapeError>(program, GetParam());
  EXPECT_TRUE(says(text, "names_test.cpp:" + std::to_string(line_of_added) + ": the helper's (+)"))
      << text;
  EXPECT_TRUE(says(text, "is used in TestBody() at names_test.cpp:" + std::to_string(line)))
      << text;
  // An array that has a place keeps it.
  const auto sum = hs::sum(three);
  const auto empty = hs::minimum(hs::use(Vector<float>{}));
  const unsigned here = __LINE__ - 1;
  const auto other = message<hs::ShapeError>(hs::named("least", empty) + sum, GetParam());
  EXPECT_TRUE(says(other, "names_test.cpp:" + std::to_string(here) + ": least (minimum)")) << other;
}

TEST_P(Names, AreThoseOfWhatIsInlined) {
  const auto xs = hs::use(Vector<int>{1, 0, 3});
  const auto quotients = hs::map([](Exp<int> x) { return 12 / x; }, xs);
  const auto text = message<hs::ArithmeticError>(hs::named("loss", hs::sum(quotients)),
                                                 checked(hs::Checks::arithmetic));
  EXPECT_TRUE(says(text, ": loss (map): division by zero")) << text;
}

// Only the named array uses the program's scalar argument, as it alone uses its map. Once, the
// scalar was named as if it were an array.
TEST_P(Names, AreNotThoseOfNumbers) {
  const auto scaled =
      hs::compile([](Acc<Vector<float>> xs, Exp<float> a, Exp<float> b,
                     Exp<float> c) { return hs::named("scaled", hs::sum(xs * a * b * c + 1.5F)); },
                  GetParam());
  EXPECT_EQ(scaled(Vector<float>{1, 2}, 2.0F, 1.0F, 3.0F).item(), 21.0F);
  EXPECT_FALSE(says(scaled.explain().str(), "argument 1"));
}

TEST_P(Names, AreNotThoseOfWhatOthersUseToo) {
  const auto xs = hs::use(Vector<int>{1, 0, 3});
  const auto quotients = hs::map([](Exp<int> x) { return 12 / x; }, xs);
  const std::tuple both{hs::named("loss", hs::sum(quotients)), hs::maximum(quotients)};
  const auto text = message<hs::ArithmeticError>(both, checked(hs::Checks::arithmetic));
  EXPECT_TRUE(says(text, ": map: division by zero")) << text;
}

TEST_P(Names, OfArraysThatAreRead) {
  const auto table = hs::named("table", hs::use(Vector<int>{1, 2, 3}));
  const auto past = hs::backpermute(3, [](Exp<std::int64_t> i) { return i + 1; }, table);
  const auto text =
      message<hs::IndexError>(hs::named("shifted", past), checked(hs::Checks::bounds));
  EXPECT_TRUE(says(text, ": shifted (backpermute): index (3)")) << text;
  EXPECT_TRUE(says(text, "the result of table (use), of shape (3)")) << text;
}

TEST_P(Names, StandInExplain) {
  const auto text = explained([](Acc<Matrix<float>> image) {
    const auto squares = hs::map([](auto x) { return x * x; }, hs::named("image", image));
    return hs::named("energy", hs::sum(squares));
  });
  EXPECT_TRUE(says(text, "  energy (sum) at names_test.cpp:")) << text;
  EXPECT_TRUE(says(text, "with energy (map) at names_test.cpp:")) << text;
  EXPECT_TRUE(says(text, "size(image (argument 0))")) << text;
}

TEST_P(Names, InsideLoops) {
  const auto text = explained([](Acc<Vector<float>> x) {
    return hs::aiterate(
        3,
        [](const Acc<Vector<float>>& v) { return hs::named("step", hs::scanl1(std::plus<>{}, v)); },
        x);
  });
  EXPECT_TRUE(says(text, "step (scanl1) at names_test.cpp:")) << text;
}

TEST_P(Names, OfSomeResultsAreTheOperations) {
  const auto text = explained([](Acc<Vector<int>> x) {
    return hs::named("positive", hs::filter([](auto e) { return e > 0; }, x));
  });
  EXPECT_TRUE(says(text, "positive (filter) at names_test.cpp:")) << text;
}

TEST_P(Names, ChangeNeitherResultsNorKernels) {
  const auto program = [](bool is_named) {
    return [=](const Acc<Matrix<float>>& x) {
      const auto name = [&](const char* text, const auto& a) {
        return is_named ? hs::named(text, a) : a;
      };
      const auto bright = name("bright", hs::map([](auto e) { return e + 1.0f; }, x));
      const auto rows = name("rows", hs::sum(bright));
      return std::tuple{name("scaled", hs::map([](auto e) { return e * 2.0f; }, bright)),
                        name("total", hs::sum(rows)), rows};
    };
  };
  const auto plain =
      hs::compile<std::tuple<Acc<Matrix<float>>, Acc<Scalar<float>>, Acc<Vector<float>>>(
          Acc<Matrix<float>>)>(program(false), GetParam());
  const auto named =
      hs::compile<std::tuple<Acc<Matrix<float>>, Acc<Scalar<float>>, Acc<Vector<float>>>(
          Acc<Matrix<float>>)>(program(true), GetParam());
  const Matrix<float> x{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(plain(x), named(x));
  EXPECT_EQ(plain.kernel_count(), named.kernel_count());
  EXPECT_EQ(plain.launch_count(), named.launch_count());
  EXPECT_TRUE(says(named.explain().str(), "total (sum)")) << named.explain();
}

TEST_P(Names, OfEqualArraysTheFirstStands) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x) {
        const auto total = hs::sum(x);
        return std::tuple{hs::named("first", total), hs::named("second", total), total};
      },
      GetParam());
  const std::string text = f.explain().str();
  EXPECT_EQ(f.kernel_count(), 1) << text;
  EXPECT_TRUE(says(text, "first (sum)")) << text;
  EXPECT_FALSE(says(text, "second")) << text;
}

TEST_P(Names, TheLastNameOfAnArrayIsItsName) {
  const auto text = explained([](const Acc<Vector<float>>& x) {
    return hs::named("outer", hs::named("inner", hs::sum(x)));
  });
  EXPECT_TRUE(says(text, "outer (sum)")) << text;
  EXPECT_FALSE(says(text, "inner")) << text;
}

TEST_P(Names, MayBeAnyText) {
  const auto xs = hs::use(Vector<float>{1, 2, 3});
  for (const char* name : {"", "two\nlines", "a \"b\" {c} // d", "\xc3\xa4(", ")", "%1 = use 0"}) {
    EXPECT_EQ(run(hs::named(name, hs::sum(xs))).item(), 6);
    EXPECT_EQ(run(hs::named(name, Acc<Scalar<float>>{})).item(), 0);
  }
}

HASTEN_ON_EVERY_TARGET(Names);

}  // namespace
