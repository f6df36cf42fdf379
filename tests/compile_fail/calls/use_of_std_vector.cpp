// expect: make_an_array_of_it_by_copy_or_with_borrow
#include <hasten/hasten.hpp>

#include <vector>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f(const std::vector<float>& a) { return hs::use(a); }
