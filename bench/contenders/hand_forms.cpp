// Sorts the programs with explicit vectors into tables.
#include "hand.hpp"

namespace contenders {

const Form form_hand{.name = "hand",
                     .ieee = true,
                     .sum = hand::sum,
                     .dot = hand::dot,
                     .saxpy = hand::saxpy,
                     .black_scholes = hand::black_scholes,
                     .nbody = hand::nbody,
                     .mandelbrot = hand::mandelbrot,
                     .sobel = hand::sobel};

// Software prefetch, and stores around the cache where there are large results.
const Form form_hand_stream{.name = "hand-stream",
                            .ieee = true,
                            .dot = hand::dot_prefetch,
                            .saxpy = hand::saxpy_stream,
                            .sobel = hand::sobel_stream};

const Form form_hand_approximate{.name = "hand-approximate",
                                 .ieee = false,
                                 .black_scholes = hand::black_scholes_approximate,
                                 .nbody = hand::nbody_approximate};

const Form form_hand_prefetch{.name = "hand-prefetch", .ieee = true, .sobel = hand::sobel_prefetch};

const Form form_hand_approximate_stream{
    .name = "hand-approximate-stream", .ieee = false, .black_scholes = hand::black_scholes_stream};

#ifdef CONTENDER_SLEEF
const Form form_hand_sleef{
    .name = "hand-sleef", .ieee = true, .black_scholes = hand::black_scholes_sleef};
#else
const Form form_hand_sleef{.name = "hand-sleef", .ieee = true};
#endif

}  // namespace contenders
