// How a Hasten program becomes a contender.
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

inline hs::Vector<float> vector_of(const float* data, int64_t n) {
  return {n, std::span<const float>(data, static_cast<std::size_t>(n))};
}
inline hs::Matrix<float> matrix_of(const float* data, int64_t height, int64_t width) {
  return {hs::ix(height, width),
          std::span<const float>(data, static_cast<std::size_t>(height * width))};
}

// Appends one component of a result, as floats.
template <class Span>
void append(std::vector<float>& all, const Span& component) {
  for (const auto x : component) all.push_back(static_cast<float>(x));
}

// A contender from a function that calls the compiled program and one that flattens its result.
// The old result is dropped before the call, so that its memory can be used again.
template <class Call, class Flatten>
Contender our_contender(std::string name, bool ieee, Call call, Flatten flatten) {
  using Result = decltype(call());
  auto result = std::make_shared<Result>();
  return {std::move(name), ieee, true,
          [=] {
            *result = Result{};
            *result = call();
          },
          [=] { return flatten(*result); }};
}

// The program as written, then with contraction and with everything fast math allows.
// `make(options)` compiles and gives the call; a setting whose compilation fails says so when it is
// first run.
template <class Make, class Flatten>
std::vector<Contender> with_each_setting(const Make& make, const Flatten& flatten) {
  struct Setting {
    const char* name;
    bool ieee;
    hs::FastMath fast_math;
  };
  std::vector<Contender> all;
  for (const Setting s : {Setting{"hasten", true, hs::FastMath::none},
                          Setting{"hasten-contract", true, hs::FastMath::contract},
                          Setting{"hasten-fast-math", false, hs::FastMath::all}}) {
    hs::Options options;
    options.fast_math = s.fast_math;
    try {
      all.push_back(our_contender(s.name, s.ieee, make(options), flatten));
    } catch (const std::exception& e) {
      const std::string what = e.what();
      all.push_back({s.name, s.ieee, true, [what] { throw std::runtime_error(what); },
                     [] { return std::vector<float>{}; }});
    }
  }
  return all;
}

}  // namespace bench
