// Hasten's side of the cases with arrays of structs.
#include "../../examples/programs/black_scholes.hpp"
#include "../../examples/programs/nbody.hpp"
#include "ours/common.hpp"
#include "ours/ours.hpp"

namespace bench {

std::vector<Contender> our_black_scholes(contenders::OptionColumns in, int64_t n) {
  const auto options = hs::Vector<programs::Option>::from_function(n, [=](hs::Ix<1> i) {
    return programs::Option{in.price[i[0]], in.strike[i[0]], in.years[i[0]]};
  });
  return with_each_setting(
      [&](const hs::Options& settings) {
        return [f = hs::compile(programs::black_scholes, settings), options] { return f(options); };
      },
      [](const hs::Vector<programs::Quote>& quotes) {
        std::vector<float> all;
        append(all, quotes.component<0>());
        append(all, quotes.component<1>());
        return all;
      });
}

std::vector<Contender> our_nbody(contenders::BodyColumns in, int64_t n) {
  const auto bodies = hs::Vector<programs::Body>::from_function(n, [=](hs::Ix<1> i) {
    return programs::Body{{in.x[i[0]], in.y[i[0]], in.z[i[0]]}, in.mass[i[0]]};
  });
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(programs::accelerations, options), bodies] { return f(bodies); };
      },
      [](const hs::Vector<programs::Vec3>& result) {
        std::vector<float> all;
        append(all, result.component<0>());
        append(all, result.component<1>());
        append(all, result.component<2>());
        return all;
      });
}

}  // namespace bench
