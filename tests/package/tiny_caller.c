/* SAXPY from C. */
#ifdef TINY_STATIC
#include "tiny_static.h"
#define tiny(name) tiny_static_##name
#else
#include "tiny.h"
#define tiny(name) tiny_##name
#endif

#include <stdio.h>

int main(void) {
  const float x[] = {1, 2, 3}, y[] = {4, 5, 6};
  tiny(context)* context = NULL;
  if (tiny(create_context)(&context, NULL)) return puts(tiny(last_error)()), 1;
  const tiny(array) xs = tiny(f32_1)(x, 3), ys = tiny(f32_1)(y, 3);
  tiny(array) result = {0};
  if (tiny(saxpy)(context, 2, &xs, &ys, &result)) return puts(tiny(last_error)()), 1;
  const float last = ((const float*)result.data[0])[2];
  tiny(free_array)(&result);
  tiny(free_context)(context);
  return last == 12 ? 0 : 2;
}
