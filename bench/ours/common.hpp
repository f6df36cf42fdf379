// Turns Hasten programs into contenders.
#pragma once

#include <cstdint>
#include <functional>
#include <hasten/hasten.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace bench {

namespace hs = hasten;

template <class T>
hs::Vector<T> vector_of(const T* data, int64_t n) {
  return {n, std::span<const T>(data, static_cast<std::size_t>(n))};
}
inline hs::Matrix<float> matrix_of(const float* data, int64_t height, int64_t width) {
  return {hs::ix(height, width),
          std::span<const float>(data, static_cast<std::size_t>(height * width))};
}

// The contenders' own memory, which outlives the case: where a large last cache holds a part of the
// inputs, programs that read copies would find less of theirs there than contenders do.
template <class T>
hs::Vector<T> lent_vector(const T* data, int64_t n) {
  return hs::Vector<T>::borrow(std::span<const T>(data, static_cast<std::size_t>(n)), [] {});
}
inline hs::Matrix<float> lent_matrix(const float* data, int64_t height, int64_t width) {
  return hs::Matrix<float>::borrow(hs::ix(height, width), data, [] {});
}

// The elements of a vector that are kept for the comparison, as floats.
template <class T>
auto sampled(std::vector<float> (*sample)(const T* data, int64_t n)) {
  return [sample](const auto& result) { return sample(result.span().data(), result.size()); };
}

// Appends one component of a result, as floats.
template <class Span>
void append(std::vector<float>& all, const Span& component) {
  for (const auto x : component) all.push_back(static_cast<float>(x));
}

// The options that Hasten may use.
struct Setting {
  const char* name;
  Rules rules;
  hs::FastMath fast_math;
};

inline constexpr Setting as_written{"", Rules::strict, hs::FastMath::none};

inline std::string name_of(const Setting& setting) {
  return *setting.name == '\0' ? "hasten" : std::string("hasten-") + setting.name;
}

// A contender from a function that calls the compiled program and one that flattens its result. The
// old result is destroyed before the call, so that its memory can be reused.
template <class Call, class Flatten>
Contender our_contender(const Setting& setting, Call call, Flatten flatten) {
  using Result = decltype(call());
  auto result = std::make_shared<Result>();
  return {name_of(setting),
          setting.rules,
          true,
          [=] {
            *result = Result{};
            *result = call();
          },
          [=] { return flatten(*result); },
          setting.name};
}

// The program as written, then with contraction and with everything that fast math allows.
// `make(options)` compiles and returns the call; a setting whose compilation fails reports this at
// its first run.
template <class Make, class Flatten>
std::vector<Contender> with_each_setting(const Make& make, const Flatten& flatten) {
  std::vector<Contender> all;
  for (const Setting s : {as_written, Setting{"contract", Rules::contract, hs::FastMath::contract},
                          Setting{"fast-math", Rules::any, hs::FastMath::all}}) {
    hs::Options options;
    options.fast_math = s.fast_math;
    try {
      all.push_back(our_contender(s, make(options), flatten));
    } catch (const std::exception& e) {
      const std::string what = e.what();
      all.push_back({name_of(s), s.rules, true, [what] { throw std::runtime_error(what); },
                     [] { return std::vector<float>{}; }, s.name});
    }
  }
  return all;
}

}  // namespace bench
