// expect: (element)
#include <hasten/hasten.hpp>
#include <string>

namespace hs = hasten;

hs::Vector<std::string> v;
