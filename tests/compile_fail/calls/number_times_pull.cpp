// expect: pull_arrays_have_no_operators_zip_with_or_map
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const hs::Pull<float, 1>& p) { return 2.0f * p; }
