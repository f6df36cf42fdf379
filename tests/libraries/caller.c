/* Calls a library as a C11 program without Hasten does. Prints the differences. */
#include "test_programs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int mistakes = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("caller: %s: %s\n", what, test_programs_last_error());
  ++mistakes;
}

static double milliseconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void results(test_programs_context* context) {
  const float x[] = {1, -2, 3}, y[] = {4, 5, 6};
  const test_programs_array xs = test_programs_f32_1(x, 3), ys = test_programs_f32_1(y, 3);
  test_programs_array sum = {0}, kept = {0};
  expect(test_programs_dot(context, &xs, &ys, &sum) == TEST_PROGRAMS_OK, "dot");
  expect(sum.rank == 0 && *(float*)sum.data[0] == 12, "the dot product");
  expect(test_programs_positive(context, &xs, &kept) == TEST_PROGRAMS_OK, "positive");
  expect(kept.extents[0] == 2 && ((float*)kept.data[0])[1] == 3, "what is positive");
  expect(test_programs_free_array(&sum) == TEST_PROGRAMS_OK && !sum.data[0], "free");
  expect(test_programs_free_array(&kept) == TEST_PROGRAMS_OK, "free");
  int64_t size = 0;
  float total = 0;
  expect(test_programs_relaxed(context, &xs, 1, true, &kept, &size, &total) == TEST_PROGRAMS_OK,
         "relaxed");
  expect(size == 3 && total > 0, "numbers among results");
  test_programs_free_array(&kept);
}

/* One call for each kind of misuse. */
static void errors(test_programs_context* context) {
  const float x[] = {1, 2, 3};
  const int64_t at[] = {0, 7};
  const int32_t numbers[] = {4, 5};
  const test_programs_array xs = test_programs_f32_1(x, 3), ats = test_programs_i64_1(at, 2),
                            some = test_programs_i32_1(numbers, 2);
  test_programs_array result = {0}, wrong = xs;
  expect(test_programs_sorted(NULL, &xs, &result) == TEST_PROGRAMS_INVALID_ARGUMENT, "no context");
  expect(test_programs_sorted(context, NULL, &result) == TEST_PROGRAMS_INVALID_ARGUMENT, "null");
  expect(test_programs_sorted(context, &xs, NULL) == TEST_PROGRAMS_INVALID_ARGUMENT, "no place");
  wrong.types[0] = TEST_PROGRAMS_F64;
  expect(test_programs_sorted(context, &wrong, &result) == TEST_PROGRAMS_INVALID_ARGUMENT, "type");
  expect(!strcmp(test_programs_last_error(),
                 "sorted: argument a0: component 0 must be of type f32, and is of type f64"),
         "the text of a wrong type");
  wrong = xs;
  wrong.rank = 2;
  expect(test_programs_sorted(context, &wrong, &result) == TEST_PROGRAMS_INVALID_ARGUMENT, "rank");
  expect(!strcmp(test_programs_last_error(), "sorted: argument a0 must have rank 1, and has 2"),
         "the text of a wrong rank");
  wrong = xs;
  wrong.extents[0] = -1;
  expect(test_programs_sorted(context, &wrong, &result) == TEST_PROGRAMS_INVALID_ARGUMENT,
         "negative");
  expect(test_programs_gathered(context, &xs, &ats, &result) == TEST_PROGRAMS_INDEX_ERROR, "index");
  expect(test_programs_divided(context, &some, 0, &result) == TEST_PROGRAMS_ARITHMETIC_ERROR,
         "divisor");
  expect(test_programs_as_rows(context, &xs, 2, &result) == TEST_PROGRAMS_SHAPE_ERROR, "shape");
  expect(strstr(test_programs_last_error(), "programs.hpp:") != NULL, "the place of an error");
  expect(test_programs_filled(context, INT64_C(1) << 45, &result) == TEST_PROGRAMS_MEMORY_ERROR,
         "memory");
  expect(test_programs_sorted(context, &xs, &result) == TEST_PROGRAMS_OK, "sorted");
  test_programs_array copy = result;
  expect(test_programs_sorted(context, &xs, &result) == TEST_PROGRAMS_INVALID_ARGUMENT, "in use");
  expect(test_programs_free_array(&result) == TEST_PROGRAMS_OK, "free");
  expect(test_programs_free_array(&copy) == TEST_PROGRAMS_INVALID_ARGUMENT, "freed twice");
}

/* Structs that say that the library owns their memory. */
static void owners(test_programs_context* context) {
  const float x[] = {3, 1, 2};
  const test_programs_array xs = test_programs_f32_1(x, 3);
  test_programs_array own = {0}, result = {0};
  expect(test_programs_sorted(context, &xs, &own) == TEST_PROGRAMS_OK, "an array of the library");
  test_programs_array other = own;
  other.data[0] = (float*)own.data[0] + 1;
  other.extents[0] = 2;
  expect(test_programs_sorted(context, &other, &result) == TEST_PROGRAMS_OK, "its end");
  expect(((float*)result.data[0])[0] == 2, "the end's elements");
  test_programs_free_array(&result);
  other.extents[0] = 3;
  expect(test_programs_sorted(context, &other, &result) == TEST_PROGRAMS_INVALID_ARGUMENT,
         "beyond the end");
  other.data[0] = own.data[0];
  other.extents[0] = 4;
  expect(test_programs_sorted(context, &other, &result) == TEST_PROGRAMS_INVALID_ARGUMENT,
         "an element more");
  expect(!strcmp(test_programs_last_error(),
                 "sorted: argument a0: component 0 of 4 elements is not in the memory of the "
                 "struct's owner, an array of 3"),
         "the text of an element more");
  other.extents[0] = 3;
  other.owner ^= 0x10000;
  expect(test_programs_sorted(context, &other, &result) == TEST_PROGRAMS_INVALID_ARGUMENT,
         "nobody's array");
  other = own;
  expect(test_programs_sorted(context, &other, &result) == TEST_PROGRAMS_OK, "a copy");
  test_programs_free_array(&result);
  expect(test_programs_free_array(&own) == TEST_PROGRAMS_OK, "free");
  expect(test_programs_sorted(context, &other, &result) == TEST_PROGRAMS_INVALID_ARGUMENT,
         "a freed array");
}

int main(void) {
  const double before = milliseconds();
  test_programs_context* context = NULL;
  expect(test_programs_create_context(&context, NULL) == TEST_PROGRAMS_OK, "context");
  const double made = milliseconds();
  const float x[] = {1, 2, 3};
  const test_programs_array xs = test_programs_f32_1(x, 3);
  test_programs_array sum = {0};
  expect(test_programs_dot(context, &xs, &xs, &sum) == TEST_PROGRAMS_OK, "first call");
  printf("caller: context in %.3f ms, first call in %.3f ms\n", made - before,
         milliseconds() - made);
  test_programs_free_array(&sum);
  results(context);
  errors(context);
  owners(context);
  expect(test_programs_free_context(context) == TEST_PROGRAMS_OK, "free");
  expect(test_programs_free_context(context) == TEST_PROGRAMS_INVALID_ARGUMENT, "freed twice");
  expect(test_programs_sorted(context, &xs, &sum) == TEST_PROGRAMS_INVALID_ARGUMENT, "freed");
  if (mistakes == 0) printf("caller: all as expected\n");
  return mistakes != 0;
}
