// SAXPY from C++, by the header that frees things by itself.
#ifdef TINY_STATIC
#include "tiny_static.hpp"
namespace library = tiny_static;
constexpr auto vector_of = tiny_static_f32_1;
#else
#include "tiny.hpp"
namespace library = tiny;
constexpr auto vector_of = tiny_f32_1;
#endif

int main() {
  const float x[] = {1, 2, 3}, y[] = {4, 5, 6};
  const library::context context;
  const library::array result = context.saxpy(2, vector_of(x, 3), vector_of(y, 3));
  return result.data<float>()[2] == 12 ? 0 : 2;
}
