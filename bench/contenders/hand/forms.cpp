// Puts the programs with explicit vectors into tables; compiled twice, as the programs are.
#include "hand/hand.hpp"

#if CONTENDER_STRICT
#define CONTENDER_NAMED(name) name "-strict"
#define CONTENDER_TABLE hand_strict_forms
#else
#define CONTENDER_NAMED(name) name
#define CONTENDER_TABLE hand_forms
#endif

namespace contenders {
namespace {

namespace programs = CONTENDER_HAND;

constexpr Rules rules = CONTENDER_STRICT ? Rules::strict : Rules::contract;

const Form plain{.name = CONTENDER_NAMED("hand"),
                 .rules = rules,
                 .sum = programs::sum,
                 .dot = programs::dot,
                 .saxpy = programs::saxpy,
                 .black_scholes = programs::black_scholes,
                 .nbody = programs::nbody,
                 .mandelbrot = programs::mandelbrot,
                 .sobel = programs::sobel};

// Software prefetch, and stores that bypass the cache for large results.
const Form streams{.name = CONTENDER_NAMED("hand-stream"),
                   .rules = rules,
                   .dot = programs::dot_prefetch,
                   .saxpy = programs::saxpy_stream,
                   .black_scholes = programs::black_scholes_stream,
                   .sobel = programs::sobel_stream};

const Form prefetches{
    .name = CONTENDER_NAMED("hand-prefetch"), .rules = rules, .sobel = programs::sobel_prefetch};

const Form estimates{
    .name = CONTENDER_NAMED("hand-estimate"), .rules = rules, .nbody = programs::nbody_estimate};

#ifdef CONTENDER_SLEEF
const Form sleef{.name = CONTENDER_NAMED("hand-sleef"),
                 .rules = rules,
                 .black_scholes = programs::black_scholes_sleef};
#else
const Form sleef{.name = CONTENDER_NAMED("hand-sleef"), .rules = rules};
#endif

// With approximate divisions, there is no reason not to contract.
#if CONTENDER_STRICT
const Form approximate{.name = "", .rules = Rules::any}, approximate_stream = approximate;
#else
const Form approximate{.name = "hand-approximate",
                       .rules = Rules::any,
                       .black_scholes = programs::black_scholes_approximate};

const Form approximate_stream{.name = "hand-approximate-stream",
                              .rules = Rules::any,
                              .black_scholes = programs::black_scholes_approximate_stream};
#endif

}  // namespace

const std::vector<const Form*>& CONTENDER_TABLE() {
  static const std::vector<const Form*> all{&plain, &streams,     &prefetches,        &estimates,
                                            &sleef, &approximate, &approximate_stream};
  return all;
}

}  // namespace contenders
