/* Animated grey PNGs, compressed with zlib. */
#ifndef MOVIE_H
#define MOVIE_H

#include <stdint.h>
#include <stdio.h>

struct movie {
  FILE* file;
  uint32_t width, height, frames, chunks;
};

/* Begins a movie of this many pictures of this size, 25 a second. 0: the file cannot be written. */
int movie_begin(struct movie* movie, const char* path, uint32_t width, uint32_t height,
                uint32_t frames);
/* One byte per pixel, row by row. 0: the file cannot be written. */
int movie_add(struct movie* movie, const uint8_t* dots);
int movie_end(struct movie* movie);

#endif
