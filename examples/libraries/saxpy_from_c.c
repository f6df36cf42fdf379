/* Calls an exported program from C. */
#include "saxpy.h"

#include <stdio.h>

int main(void) {
  const float x[] = {1, 2, 3}, y[] = {4, 5, 6};
  const saxpy_array xs = saxpy_f32_1(x, 3), ys = saxpy_f32_1(y, 3);
  saxpy_array result = {0};
  saxpy_context* context = NULL;
  if (saxpy_create_context(&context, NULL) || saxpy_run(context, 2, &xs, &ys, &result))
    return puts(saxpy_last_error()), 1;
  for (int i = 0; i < 3; ++i) printf("%g ", ((const float*)result.data[0])[i]); /* 6 9 12 */
  puts("");
  saxpy_free_array(&result);
  saxpy_free_context(context);
  return 0;
}
