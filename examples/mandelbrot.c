/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The Mandelbrot set, one loop over all pixels. A pixel outside of the set is done after a few steps, one
 * inside takes all of them, a thousand times as long, and where those are is not known beforehand.
 *
 *   clang -O2 -fopenmp mandelbrot.c -lm -o mandelbrot
 *   OMP_SCHEDULE=guided ./mandelbrot -o picture.png
 */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  double left, bottom, right, top; /* in the complex plane */
} Window;

typedef struct {
  int width, height, limit;
  Window window;
} View;

static const char usage[] =
    "usage: mandelbrot [-w WINDOW] [-l LIMIT] [-r REPEATS] [-o PICTURE] [WIDTH [HEIGHT]]\n"
    "  -w   near (the whole set), far (the set as a speck in a large plane), shore (a detail, the work\n"
    "       in one corner), or LEFT,BOTTOM,RIGHT,TOP; default near\n"
    "  -l   steps after which a point counts as inside; default 500\n"
    "  -r   computes the picture so many times and reports the median time; default 1\n"
    "  -o   writes the picture, as PPM if the name ends in .ppm, else as PNG\n"
    "WIDTH is 700 pixels; HEIGHT follows from the window.\n";

/* ------------------------------------------------------------------------------------------- the computation
 */

/* Steps that the pixel's orbit stays bounded, at least 1. */
static uint32_t steps(const View* view, int pixel) {
  const Window* w = &view->window;
  double cx = w->left + (w->right - w->left) * (pixel % view->width + 0.5) / view->width;
  double cy = w->top - (w->top - w->bottom) * (pixel / view->width + 0.5) / view->height;
  double x = 0, y = 0, xx = 0, yy = 0;
  uint32_t n = 0;
  while (n < (uint32_t)view->limit && xx + yy <= 4.0) {
    y = 2 * x * y + cy;
    x = xx - yy + cx;
    xx = x * x;
    yy = y * y;
    ++n;
  }
  return n;
}

static void compute(const View* view, uint32_t* counts) {
  int pixels = view->width * view->height;
#pragma omp parallel for schedule(runtime)
  for (int pixel = 0; pixel < pixels; ++pixel) {
    counts[pixel] += steps(view, pixel);
  }
}

/* ---------------------------------------------------------------------------------------------- the picture
 */

enum { k_colours = 256 };

/* Equal numbers of pixels for every colour, whatever their counts are; colour 0 is the inside of the set. */
static void colour(const View* view, const uint32_t* counts, uint8_t* indices) {
  size_t pixels = (size_t)view->width * (size_t)view->height;
  size_t limit = (size_t)view->limit;
  size_t* below = calloc(limit + 2, sizeof *below);
  if (below == NULL) abort();
  for (size_t i = 0; i < pixels; ++i) ++below[counts[i] + 1];
  size_t outside = pixels - below[limit + 1];
  for (size_t n = 1; n <= limit; ++n) below[n] += below[n - 1];
  for (size_t i = 0; i < pixels; ++i) {
    uint32_t n = counts[i];
    indices[i] = n == limit ? 0 : (uint8_t)(1 + below[n] * (k_colours - 1) / (outside + 1));
  }
  free(below);
}

static void make_palette(uint8_t palette[3 * k_colours]) {
  static const double stops[][3] = {{6, 10, 40},    {20, 60, 130}, {70, 150, 200}, {235, 245, 240},
                                    {250, 200, 80}, {190, 70, 20}, {60, 10, 20}};
  const int last = (int)(sizeof stops / sizeof stops[0]) - 1;
  memset(palette, 0, 3);
  for (int i = 1; i < k_colours; ++i) {
    double at = (double)(i - 1) / (k_colours - 1) * last;
    int stop = (int)at;
    for (int c = 0; c < 3; ++c) {
      palette[3 * i + c] = (uint8_t)(stops[stop][c] + (at - stop) * (stops[stop + 1][c] - stops[stop][c]));
    }
  }
}

static uint8_t* put_u32(uint8_t* to, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = (uint8_t)(value >> shift);
  return to;
}

static void write_chunk(FILE* file, const char* type, const uint8_t* data, size_t size) {
  uint8_t number[4];
  uint32_t crc = 0xffffffffu;
  put_u32(number, (uint32_t)size);
  fwrite(number, 1, 4, file);
  fwrite(type, 1, 4, file);
  fwrite(data, 1, size, file);
  for (size_t i = 0; i < size + 4; ++i) {
    crc ^= i < 4 ? (uint8_t)type[i] : data[i - 4];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  put_u32(number, ~crc);
  fwrite(number, 1, 4, file);
}

/* A PNG with a palette, its data in stored (uncompressed) blocks, so that no library is needed. */
static int write_png(FILE* file, const View* view, const uint8_t* indices, const uint8_t* palette) {
  size_t width = (size_t)view->width, height = (size_t)view->height, size = (width + 1) * height;
  uint8_t* raw = malloc(size);
  uint8_t* data = malloc(2 + size + 5 * (size / 65535 + 1) + 4);
  if (raw == NULL || data == NULL) abort();
  for (size_t y = 0; y < height; ++y) {
    raw[y * (width + 1)] = 0; /* this row has no filter */
    memcpy(raw + y * (width + 1) + 1, indices + y * width, width);
  }
  uint8_t* end = data;
  *end++ = 0x78;
  *end++ = 0x01;
  for (size_t at = 0; at < size;) {
    size_t block = size - at < 65535 ? size - at : 65535;
    *end++ = at + block == size;
    *end++ = (uint8_t)block;
    *end++ = (uint8_t)(block >> 8);
    *end++ = (uint8_t)~block;
    *end++ = (uint8_t)(~block >> 8);
    memcpy(end, raw + at, block);
    end += block;
    at += block;
  }
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < size; ++i) {
    a = (a + raw[i]) % 65521;
    b = (b + a) % 65521;
  }
  end = put_u32(end, b << 16 | a);

  uint8_t header[13];
  uint8_t* rest = put_u32(put_u32(header, (uint32_t)width), (uint32_t)height);
  memcpy(rest, "\x08\x03\0\0", 5); /* 8 bits, palette, no interlacing */
  fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
  write_chunk(file, "IHDR", header, sizeof header);
  write_chunk(file, "PLTE", palette, 3 * k_colours);
  write_chunk(file, "IDAT", data, (size_t)(end - data));
  write_chunk(file, "IEND", header, 0);
  free(raw);
  free(data);
  return ferror(file);
}

static int write_ppm(FILE* file, const View* view, const uint8_t* indices, const uint8_t* palette) {
  size_t pixels = (size_t)view->width * (size_t)view->height;
  fprintf(file, "P6\n%d %d\n255\n", view->width, view->height);
  for (size_t i = 0; i < pixels; ++i) fwrite(palette + 3 * indices[i], 1, 3, file);
  return ferror(file);
}

static int write_picture(const char* path, const View* view, const uint32_t* counts) {
  uint8_t palette[3 * k_colours];
  uint8_t* indices = malloc((size_t)view->width * (size_t)view->height);
  const char* ending = strrchr(path, '.');
  FILE* file = fopen(path, "wb");
  int failed = file == NULL;
  if (indices == NULL) abort();
  if (!failed) {
    colour(view, counts, indices);
    make_palette(palette);
    failed = ending != NULL && strcmp(ending, ".ppm") == 0 ? write_ppm(file, view, indices, palette)
                                                           : write_png(file, view, indices, palette);
    failed |= fclose(file) != 0;
  }
  if (failed) fprintf(stderr, "mandelbrot: cannot write %s: %s\n", path, strerror(errno));
  free(indices);
  return failed;
}

/* --------------------------------------------------------------------------------------------------- the
 * rest */

static int parse_window(const char* text, Window* window) {
  static const struct {
    const char* name;
    Window window;
  } known[] = {{"near", {-2.5, -1, 1, 1}}, {"far", {-2, -2, 32, 32}}, {"shore", {0.1, -0.75, 0.55, -0.45}}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (strcmp(text, known[i].name) == 0) {
      *window = known[i].window;
      return 1;
    }
  }
  return sscanf(text, "%lf,%lf,%lf,%lf", &window->left, &window->bottom, &window->right, &window->top) == 4;
}

static int compare_doubles(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  View view = {700, 0, 500, {-2.5, -1, 1, 1}};
  const char* picture = NULL;
  int repeats = 1, option, ok = 1;
  while ((option = getopt(argc, argv, "w:l:r:o:")) != -1) {
    switch (option) {
    case 'w':
      ok &= parse_window(optarg, &view.window);
      break;
    case 'l':
      view.limit = atoi(optarg);
      break;
    case 'r':
      repeats = atoi(optarg);
      break;
    case 'o':
      picture = optarg;
      break;
    default:
      ok = 0;
    }
  }
  if (optind < argc) view.width = atoi(argv[optind++]);
  const Window* w = &view.window;
  view.height = optind < argc ? atoi(argv[optind++])
                              : (int)(view.width * (w->top - w->bottom) / (w->right - w->left) + 0.5);
  ok &= optind == argc && view.width > 0 && view.height > 0 && view.limit > 0 && repeats > 0;
  ok = ok && (long long)view.width * view.height <= 100000000;
  if (!ok) {
    fputs(usage, stderr);
    return 2;
  }

  size_t pixels = (size_t)view.width * (size_t)view.height;
  uint32_t* counts = malloc(pixels * sizeof *counts);
  double* times = malloc((size_t)repeats * sizeof *times);
  if (counts == NULL || times == NULL) abort();
  for (int i = 0; i < repeats; ++i) {
    memset(counts, 0, pixels * sizeof *counts);
    double start = omp_get_wtime();
    compute(&view, counts);
    times[i] = omp_get_wtime() - start;
  }
  qsort(times, (size_t)repeats, sizeof *times, compare_doubles);

  unsigned long long total = 0, wrong = 0;
  for (size_t i = 0; i < pixels; ++i) {
    total += counts[i];
    wrong += counts[i] != steps(&view, (int)i);
  }
  printf("mandelbrot %dx%d: %llu steps; %d threads, %.6f s\n", view.width, view.height, total,
         omp_get_max_threads(), times[repeats / 2]);
  if (wrong != 0) fprintf(stderr, "mandelbrot: %llu pixels are wrong\n", wrong);
  int failed = wrong != 0 || (picture != NULL && write_picture(picture, &view, counts));
  free(times);
  free(counts);
  return failed;
}
