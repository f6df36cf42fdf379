// expect: functions_and_numbers_come_first_arrays_last
#include <hasten/hasten.hpp>

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

auto f() {
  return hs::generate([](Exp<std::int64_t> i) { return i; }, 3);
}
