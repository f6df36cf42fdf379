/* Animated PNGs of grey pictures, by zlib. */
#ifndef MOVIE_H
#define MOVIE_H

#include <stdint.h>
#include <stdio.h>

struct movie {
  FILE* file;
  uint32_t width, height, frames, chunks;
};

/* Pictures of these sizes, so many of them, 25 each second. 0: the file cannot be written. */
int movie_begin(struct movie* movie, const char* path, uint32_t width, uint32_t height,
                uint32_t frames);
/* One byte for each dot, row by row. 0: it cannot be written. */
int movie_add(struct movie* movie, const uint8_t* dots);
int movie_end(struct movie* movie);

#endif
