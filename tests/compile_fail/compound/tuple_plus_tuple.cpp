// expect: hint::groups_have_no_arithmetic_use_their_members
#include <hasten/hasten.hpp>

namespace hs = hasten;

using Pair = hs::Exp<std::tuple<float, int32_t>>;

auto f(Pair a, Pair b) { return a + b; }
