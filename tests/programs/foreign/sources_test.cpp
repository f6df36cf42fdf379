// Devices call scalar functions that are given as text. The texts here differ from their fallbacks,
// so that a call shows.
#include "devices.hpp"

#include <string>
#include <tuple>
#include <type_traits>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class ForeignSources : public hasten_test::OnEveryDevice {
 protected:
  // Whether the target calls the functions that texts define.
  static bool calls() {
    const std::string kind = hs::test::kind_of(GetParam().target.name());
    return kind == "opencl" || kind == "cuda";
  }
};

// Properties of targets that compile texts only.
class ForeignTexts : public ForeignSources {};

// The definition of `name` for both kinds of device; `signature` and `body` are C.
auto texts(const std::string& name, const std::string& signature, const std::string& body) {
  return std::tuple{hs::opencl_source(name, signature + " { " + body + " }"),
                    hs::cuda_source(name, "__device__ " + signature + " { " + body + " }")};
}

// 3 x by its fallback, 3 x + 1 by its texts.
Exp<float> triple(const Exp<float>& x) {
  return hs::foreign_exp(
      texts("three_times", "float three_times(float x)", "return x * 3 + 1;"),
      [](const Exp<float>& a) { return a * 3.0F; }, x);
}

TEST_P(ForeignSources, AreCalledForEveryElement) {
  for (const std::int64_t n : {0, 1, 7, 64, 257, 20011}) {
    const auto input = hasten_test::vector_of(hasten_test::numbers<float>(n));
    const auto result = run(hs::map(triple, hs::use(input)));
    ASSERT_EQ(result.size(), n);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(result(i), input(i) * 3 + (calls() ? 1 : 0)) << "element " << i << " of " << n;
  }
}

template <class T>
std::string opencl_type() {
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  const char* const names[] = {"char", "short", "int", "long"};
  const int place = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return (std::is_signed_v<T> ? "" : "u") + std::string(names[place]);
}
template <class T>
std::string cuda_type() {
  if constexpr (std::is_floating_point_v<T>) return opencl_type<T>();
  const char* const names[] = {"char", "short", "int", "long long"};
  const int place = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return (std::is_signed_v<T> ? "signed " : "unsigned ") + std::string(names[place]);
}

template <class T>
void check_type(const hs::Options& options, const std::string& name, bool calls) {
  const auto text = [&](const std::string& type) {
    return type + " " + name + "(" + type + " x, bool up) { return (" + type +
           ")(up ? x + 2 : x - 1); }";
  };
  const std::tuple both{hs::opencl_source(name, text(opencl_type<T>())),
                        hs::cuda_source(name, "__device__ " + text(cuda_type<T>()))};
  const auto values =
      Vector<T>::from_function({131}, [](hs::Ix<1> i) { return static_cast<T>(i[0] * 77 - 4000); });
  const auto result = hs::run(hs::map(
                                  [&](const Exp<T>& x) {
                                    return hs::foreign_exp(
                                        both,
                                        [](const Exp<T>& a, const Exp<bool>& up) {
                                          return hs::select(up, a + T(1), a - T(1));
                                        },
                                        x, x > T(7));
                                  },
                                  hs::use(values)),
                              options);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    const T x = values(i);
    EXPECT_EQ(result(i), static_cast<T>(x > T(7) ? x + (calls ? 2 : 1) : x - 1)) << name << i;
  }
}

TEST_P(ForeignSources, TakeEveryPlainType) {
  check_type<std::int8_t>(GetParam(), "step_i8", calls());
  check_type<std::uint8_t>(GetParam(), "step_u8", calls());
  check_type<std::int16_t>(GetParam(), "step_i16", calls());
  check_type<std::uint16_t>(GetParam(), "step_u16", calls());
  check_type<std::int32_t>(GetParam(), "step_i32", calls());
  check_type<std::uint32_t>(GetParam(), "step_u32", calls());
  check_type<std::int64_t>(GetParam(), "step_i64", calls());
  check_type<std::uint64_t>(GetParam(), "step_u64", calls());
  check_type<float>(GetParam(), "step_f32", calls());
  check_type<double>(GetParam(), "step_f64", calls());
}

// In operators of folds and scans, in stencils and tiles, and in branches that are not taken.
TEST_P(ForeignSources, StandAnywhereInKernels) {
  // The later of two numbers, unless it is 0: associative, not commutative.
  const auto later = [](const Exp<std::int32_t>& x, const Exp<std::int32_t>& y) {
    return hs::foreign_exp(
        texts("later_if_set", "int later_if_set(int a, int b)", "return b != 0 ? b : a;"),
        [](const auto& a, const auto& b) { return hs::select(b != 0, b, a); }, x, y);
  };
  const auto rare = Vector<std::int32_t>::from_function(
      {3001}, [](hs::Ix<1> i) { return static_cast<std::int32_t>(i[0] % 7 == 3 ? i[0] : 0); });
  const auto scanned = run(hs::scanl1(later, hs::use(rare)));
  for (std::int64_t i = 0; i < rare.size(); ++i)
    ASSERT_EQ(scanned(i), i < 3 ? 0 : i - (i - 3) % 7) << i;
  EXPECT_EQ(run(hs::fold(later, 0, hs::use(rare))).item(), 3000 - (3000 - 3) % 7);

  const auto picture = Matrix<float>::from_function(
      {67, 131}, [](hs::Ix<2> i) { return static_cast<float>(i[0] * 3 + i[1]); });
  const auto sums = run(
      hs::stencil([](const auto& near) { return triple(near(-1, 0) + near(1, 0) + near(0, 1)); },
                  hs::boundary::clamp, hs::use(picture)));
  EXPECT_EQ(sums(5, 5), (4 * 3 + 5 + 6 * 3 + 5 + 5 * 3 + 6) * 3 + (calls() ? 1 : 0));

  const auto guarded =
      run(hs::map([](const Exp<float>& x) { return hs::if_(x > 2.0F, triple(x), x); },
                  hs::use(Vector<float>{1, 2, 3})));
  EXPECT_EQ(guarded.to_vector(), (std::vector<float>{1, 2, calls() ? 10.0F : 9.0F}));
}

// Texts may define other names, and may use names that our generated text uses, too.
TEST_P(ForeignSources, MayHaveWordsOfTheirOwn) {
  const auto with_helper = [](const Exp<float>& x) {
    return hs::foreign_exp(
        std::tuple{
            hs::opencl_source("of_helper",
                              "#define PLUS(x) ((x) + 2)\nstatic float ITEM(float NEXT) { return "
                              "PLUS(NEXT); }\nfloat of_helper(float x) { return ITEM(x); }"),
            hs::cuda_source("of_helper",
                            "#define PLUS(x) ((x) + 2)\nstatic __device__ float ITEM(float NEXT) "
                            "{ return PLUS(NEXT); }\n__device__ float of_helper(float x) { "
                            "return ITEM(x); }")},
        [](const Exp<float>& a) { return a; }, x);
  };
  const auto result = run(hs::map([&](const Exp<float>& x) { return with_helper(x) + triple(x); },
                                  hs::use(Vector<float>{1, 5})));
  EXPECT_EQ(result.to_vector(),
            calls() ? (std::vector<float>{7, 23}) : (std::vector<float>{4, 20}));
}

// A text that defines two functions appears once.
TEST_P(ForeignSources, MayDefineSeveralFunctions) {
  const auto both = [](const std::string& qualifier) {
    return qualifier + "float one_up(float x) { return x + 1; }\n" + qualifier +
           "float two_up(float x) { return one_up(one_up(x)); }";
  };
  const auto call = [&](const char* name, const Exp<float>& x) {
    return hs::foreign_exp(
        std::tuple{hs::opencl_source(name, both("")),
                   hs::cuda_source(name, both("static __device__ "))},
        [](const Exp<float>& a) { return a; }, x);
  };
  const auto result = run(
      hs::map([&](const Exp<float>& x) { return call("one_up", x) * 10.0F + call("two_up", x); },
              hs::use(Vector<float>{1, 2})));
  EXPECT_EQ(result.to_vector(),
            calls() ? (std::vector<float>{23, 34}) : (std::vector<float>{11, 22}));
}

// Numbers that the host computes before any kernel runs come from the fallback.
TEST_P(ForeignSources, HostScalarsAreTheFallbacks) {
  EXPECT_EQ(run(triple(hs::parameter(2.0F))), 6.0F);
}

// Under checks, the interpreter finds the failure; it runs the fallbacks.
TEST_P(ForeignSources, AreCheckedByTheirFallbacks) {
  hs::Options options = GetParam();
  options.checks = hs::Checks::all;
  const auto table = hs::use(hasten_test::vector_of(hasten_test::numbers<float>(11)));
  const auto read = [&](const Vector<float>& at) {
    return hs::run(
        hs::map([&](const Exp<float>& x) { return table[hs::cast<std::int64_t>(triple(x))]; },
                hs::use(at)),
        options);
  };
  EXPECT_EQ(read({1, 2}).to_vector(),
            calls() ? (std::vector<float>{4, 7}) : (std::vector<float>{3, 6}));
  EXPECT_THROW((void)read({1, 40}), hs::IndexError);
}

TEST_P(ForeignSources, AreNotCalledWhereBitsAreTheSameEverywhere) {
  hs::Options options = GetParam();
  options.determinism = hs::Determinism::everywhere;
  EXPECT_EQ(hs::run(hs::map(triple, hs::use(Vector<float>{1, 2})), options).to_vector(),
            (std::vector<float>{3, 6}));
}

// The error has the compiler's message and the function's name; nothing else is affected.
TEST_P(ForeignTexts, ThatDoNotCompileAreErrors) {
  const auto wrong = hs::map(
      [](const Exp<float>& x) {
        return hs::foreign_exp(
            texts("no_text", "float no_text(float x)", "return x + missing;"),
            [](const Exp<float>& a) { return a; }, x);
      },
      hs::use(Vector<float>{1, 2}));
  try {
    (void)hs::run(wrong, GetParam());
    FAIL() << "it compiled";
  } catch (const hs::TargetError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("no_text"), std::string::npos) << what;
    EXPECT_NE(what.find("missing"), std::string::npos) << what;
    EXPECT_NE(what.find("sources_test.cpp:"), std::string::npos) << what;
  }
  EXPECT_EQ(run(hs::map(triple, hs::use(Vector<float>{1})))(0), 4.0F);
}

HASTEN_ON_EVERY_DEVICE(ForeignSources);
HASTEN_ON_DEVICES(ForeignTexts);

// Names and texts that no compiler could accept.
TEST(ForeignSourceNames, AreNamesOfC) {
  const auto call = [](const std::string& name, const std::string& text) {
    return hs::map(
        [&](const Exp<float>& x) {
          return hs::foreign_exp(
              hs::opencl_source(name, text), [](const Exp<float>& a) { return a; }, x);
        },
        hs::use(Vector<float>{1}));
  };
  EXPECT_THROW((void)call("my::name", "float my(float x) { return x; }"), hs::BuildError);
  EXPECT_THROW((void)call("2nd", "float f2nd(float x) { return x; }"), hs::BuildError);
  EXPECT_THROW((void)call("not_there", "float other(float x) { return x; }"), hs::BuildError);
  EXPECT_THROW((void)call("empty", ""), hs::BuildError);
  EXPECT_NO_THROW((void)call("is_there", "float is_there(float x) { return x; }"));
}

}  // namespace
