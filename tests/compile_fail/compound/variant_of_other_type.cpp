// expect: hint::make_a_variant_of_one_of_its_types_cast_or_variant_of
#include <hasten/hasten.hpp>

namespace hs = hasten;

using Either = std::variant<float, double>;

void g(hs::Exp<Either>);
void f(hs::Exp<int32_t> n) { g(n); }
