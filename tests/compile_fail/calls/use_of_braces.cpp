// expect: make_an_array_of_it_by_copy_or_with_borrow
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f() { return hs::use({1.0f, 2.0f}); }
