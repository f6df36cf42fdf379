/* Moves the bodies of the library nbody and writes them as an animated PNG:
 *
 *   nbody_movie bodies.png [BODIES] [FRAMES]
 *
 * It needs C11 only, since the programs were compiled ahead of time. */
#include "movie.h"
#include "nbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { side = 320, steps_of_frame = 4 };

static void need(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "nbody_movie: %s: %s\n", what, nbody_last_error());
  exit(1);
}

/* Bodies: x, y, z, mass; velocities: x, y, z. A disc that turns around a heavy body. */
static void begin(int64_t n, float* bodies[4], float* velocities[3]) {
  uint32_t random = 1;
  for (int64_t i = 0; i < n; ++i) {
    float number[3];
    for (int k = 0; k < 3; ++k) {
      random = random * 1664525U + 1013904223U;
      number[k] = (float)(random >> 8) / 16777216.0F;
    }
    const float radius = 0.3F + 0.9F * number[0], angle = 6.2831853F * number[1];
    const float speed = sqrtf(1 / radius);
    bodies[0][i] = radius * cosf(angle), bodies[1][i] = radius * sinf(angle);
    bodies[2][i] = 0.05F * number[2], bodies[3][i] = 0.2F / (float)n;
    velocities[0][i] = -speed * sinf(angle), velocities[1][i] = speed * cosf(angle);
    velocities[2][i] = 0;
  }
  for (int k = 0; k < 3; ++k) bodies[k][0] = velocities[k][0] = 0;
  bodies[3][0] = 1;
}

static void draw(const nbody_array* bodies, uint8_t* dots) {
  const float *x = bodies->data[0], *y = bodies->data[1];
  memset(dots, 0, (size_t)side * side);
  for (int64_t i = 0; i < bodies->extents[0]; ++i) {
    const float column = (x[i] / 3 + 0.5F) * side, row = (y[i] / 3 + 0.5F) * side;
    if (!(column >= 0 && column < side && row >= 0 && row < side)) continue;
    uint8_t* dot = &dots[(int)row * side + (int)column];
    *dot = (uint8_t)(*dot > 175 ? 255 : *dot + 80);
  }
}

/* One step: the results replace the arguments. */
static void advance(nbody_context* context, nbody_array* bodies, nbody_array* velocities) {
  nbody_array moved = {0}, next = {0};
  need(nbody_step(context, bodies, velocities, 0.005F, &moved, &next) == NBODY_OK, "step");
  if (bodies->owner) nbody_free_array(bodies);
  if (velocities->owner) nbody_free_array(velocities);
  *bodies = moved;
  *velocities = next;
}

int main(int argc, char** argv) {
  const int64_t n = argc > 2 ? atoll(argv[2]) : 2000;
  const uint32_t frames = argc > 3 ? (uint32_t)atoi(argv[3]) : 150;
  if (argc < 2 || n < 1 || frames < 1)
    return fprintf(stderr, "nbody_movie FILE.png [BODIES] [FRAMES]\n"), 2;
  float* first[7];
  for (int k = 0; k < 7; ++k) first[k] = malloc((size_t)n * sizeof(float));
  uint8_t* dots = malloc((size_t)side * side);
  for (int k = 0; k < 7; ++k) need(first[k] && dots, "there is no memory");
  begin(n, first, first + 4);
  nbody_array bodies = nbody_f32x4_1(first[0], first[1], first[2], first[3], n);
  nbody_array velocities = nbody_f32x3_1(first[4], first[5], first[6], n);
  nbody_context* context = NULL;
  need(nbody_create_context(&context, NULL) == NBODY_OK, "context");
  struct movie movie;
  need(movie_begin(&movie, argv[1], side, side, frames), argv[1]);
  for (uint32_t frame = 0; frame < frames; ++frame) {
    for (int i = 0; i < steps_of_frame; ++i) advance(context, &bodies, &velocities);
    draw(&bodies, dots);
    need(movie_add(&movie, dots), argv[1]);
  }
  float energy = 0;
  need(nbody_kinetic_energy(context, &bodies, &velocities, &energy) == NBODY_OK, "energy");
  need(movie_end(&movie), argv[1]);
  printf("%lld bodies, %u pictures, kinetic energy %g\n", (long long)n, frames, energy);
  nbody_free_array(&bodies);
  nbody_free_array(&velocities);
  nbody_free_context(context);
  for (int k = 0; k < 7; ++k) free(first[k]);
  free(dots);
  return 0;
}
