// Hasten's side of the benchmarks of its own overhead.
#include "../../examples/programs/dotp.hpp"
#include "ours/common.hpp"
#include "ours/ours.hpp"

namespace bench {

Contender our_small_call() {
  const std::vector<float> ones(1000, 1.0f);
  const auto xs = vector_of(ones.data(), 1000);
  return our_contender(
      {"", Rules::strict, hs::FastMath::none},
      [f = hs::compile(programs::dotp), xs] { return f(xs, xs); },
      [](const hs::Scalar<float>& result) { return std::vector<float>{result.item()}; });
}

double our_front_end_ms(int64_t length) {
  const auto chain = [length](hs::Acc<hs::Vector<float>> xs) {
    for (int64_t i = 0; i < length; ++i) {
      // Neighbours differ, so that sharing recovery cannot merge them.
      const float term = static_cast<float>(i % 7);
      xs = hs::map([=](hs::Exp<float> x) { return x * 0.5f + term; }, xs);
    }
    return xs;
  };
  hs::Options options;
  options.target = hs::interpreter();
  return contenders::milliseconds([&] { (void)hs::compile(chain, options); });
}

}  // namespace bench
