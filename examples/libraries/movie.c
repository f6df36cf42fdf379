/* Writes the chunks of the format one by one: https://www.w3.org/TR/png-3/. */
#include "movie.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put32(uint8_t* to, uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = (uint8_t)(number >> (24 - 8 * i));
}

static int put_chunk(FILE* file, const char* name, const uint8_t* data, uint32_t size) {
  uint8_t word[4];
  uLong sum = crc32(0, (const Bytef*)name, 4);
  if (size > 0) sum = crc32(sum, data, size); /* crc32 of null would start over */
  put32(word, size);
  int well = fwrite(word, 1, 4, file) == 4 && fwrite(name, 1, 4, file) == 4;
  well = well && (size == 0 || fwrite(data, 1, size, file) == size);
  put32(word, (uint32_t)sum);
  return well && fwrite(word, 1, 4, file) == 4;
}

int movie_begin(struct movie* movie, const char* path, uint32_t width, uint32_t height,
                uint32_t frames) {
  const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  uint8_t header[13] = {0}, animation[8] = {0};
  *movie = (struct movie){fopen(path, "wb"), width, height, 0, 0};
  if (!movie->file) return 0;
  put32(header, width);
  put32(header + 4, height);
  header[8] = 8; /* bits per grey pixel */
  put32(animation, frames);
  return fwrite(signature, 1, 8, movie->file) == 8 && put_chunk(movie->file, "IHDR", header, 13) &&
         put_chunk(movie->file, "acTL", animation, 8);
}

/* Each row begins with a byte that names its filter, here none. */
static uint8_t* compressed(const struct movie* movie, const uint8_t* dots, uLongf* size) {
  const size_t row = movie->width + 1, all = row * movie->height;
  uint8_t* rows = calloc(all, 1);
  *size = compressBound(all);
  uint8_t* made = malloc(*size + 4); /* space for a sequence number in front */
  if (rows && made) {
    for (uint32_t y = 0; y < movie->height; ++y)
      memcpy(rows + y * row + 1, dots + (size_t)y * movie->width, movie->width);
    if (compress2(made + 4, size, rows, all, 6) == Z_OK) {
      free(rows);
      return made;
    }
  }
  free(rows);
  free(made);
  return NULL;
}

int movie_add(struct movie* movie, const uint8_t* dots) {
  uint8_t control[26] = {0};
  put32(control, movie->chunks++);
  put32(control + 4, movie->width);
  put32(control + 8, movie->height);
  control[21] = 1; /* a 25th of a second */
  control[23] = 25;
  uLongf size = 0;
  uint8_t* made = compressed(movie, dots, &size);
  int well = made && put_chunk(movie->file, "fcTL", control, 26);
  if (well && movie->frames++ == 0) {
    well = put_chunk(movie->file, "IDAT", made + 4, (uint32_t)size);
  } else if (well) {
    put32(made, movie->chunks++);
    well = put_chunk(movie->file, "fdAT", made, (uint32_t)size + 4);
  }
  free(made);
  return well;
}

int movie_end(struct movie* movie) {
  const int well = put_chunk(movie->file, "IEND", NULL, 0);
  return fclose(movie->file) == 0 && well;
}
