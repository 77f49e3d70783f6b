// The convolution by Fourier transforms of overlapping tiles (overlap-save): a tile of 8 x 8 inputs gives 9 - taps
// outputs along each axis. A convolution is a product at each frequency, and its sum over channels a matrix product at
// each frequency: Winograd's launches, with other transforms between. Inputs are real, so that 8 x 5 frequencies are
// all. A complex product is written as a real one of twice as many channels and filters: rows and columns 2i are real
// parts, 2i + 1 imaginary ones.
#pragma once

#include "winograd_products.cuh"

constexpr int fft_tile = 8;
constexpr int fft_half = fft_tile / 2 + 1;  // frequencies along x
constexpr int frequencies = fft_tile * fft_half;
constexpr int fft_outputs_y = max_of(fft_tile + 1 - taps_y, 1);
constexpr int fft_outputs_x = max_of(fft_tile + 1 - taps_x, 1);
constexpr int fft_threads = 128;

struct Complex {
  float re;
  float im;
};

__device__ inline Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
__device__ inline Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}

// a * exp(-2 pi i * eighths / 8), or its conjugate's if Inverse.
template <bool Inverse>
__device__ inline Complex turned(Complex a, int eighths) {
  constexpr float root = 0.70710678f;
  constexpr float sign = Inverse ? 1.0f : -1.0f;
  if (eighths == 0) return a;
  if (eighths == 2) return {-sign * a.im, sign * a.re};
  const float c = eighths == 1 ? root : -root;
  const float s = sign * root;
  return {c * a.re - s * a.im, c * a.im + s * a.re};
}

// The transform of eight values, not scaled: decimation in time, three stages of butterflies.
template <bool Inverse>
__device__ inline void transform_eight(Complex (&v)[fft_tile]) {
  const Complex from[fft_tile] = {v[0], v[4], v[2], v[6], v[1], v[5], v[3], v[7]};
#pragma unroll
  for (int i = 0; i < fft_tile; ++i) v[i] = from[i];
#pragma unroll
  for (int half = 1; half < fft_tile; half *= 2) {
#pragma unroll
    for (int i = 0; i < fft_tile / 2; ++i) {
      const int within = i % half;
      const int upper = i / half * 2 * half + within;
      const Complex lower = turned<Inverse>(v[upper + half], within * (fft_tile / 2 / half));
      v[upper + half] = v[upper] - lower;
      v[upper] = v[upper] + lower;
    }
  }
}

using Spectrum = Complex[fft_tile][fft_half];

// The columns of a spectrum, forth or back.
template <bool Inverse>
__device__ inline void transform_columns(Spectrum& spectrum) {
#pragma unroll
  for (int x = 0; x < fft_half; ++x) {
    Complex column[fft_tile];
#pragma unroll
    for (int y = 0; y < fft_tile; ++y) column[y] = spectrum[y][x];
    transform_eight<Inverse>(column);
#pragma unroll
    for (int y = 0; y < fft_tile; ++y) spectrum[y][x] = column[y];
  }
}

// read(y, x): a real value of the tile.
template <class Read>
__device__ inline void transform_tile(Spectrum& spectrum, const Read& read) {
#pragma unroll
  for (int y = 0; y < fft_tile; ++y) {
    Complex row[fft_tile];
#pragma unroll
    for (int x = 0; x < fft_tile; ++x) row[x] = {read(y, x), 0.0f};
    transform_eight<false>(row);
#pragma unroll
    for (int x = 0; x < fft_half; ++x) spectrum[y][x] = row[x];
  }
  transform_columns<false>(spectrum);
}

// What belongs to a thread's number: one of `pitch` places in one of the rows.
struct RowAndPlace {
  int row;
  int place;
};

__device__ inline RowAndPlace row_and_place(int pitch) {
  const long long thread = static_cast<long long>(blockIdx.x) * fft_threads + threadIdx.x;
  return {static_cast<int>(thread / pitch), static_cast<int>(thread % pitch)};
}

// A thread per channel of a filter. Correlation takes the filters' conjugates: (re, im) of an input times those. What
// the pitch has beyond the last filter becomes zeros.
__device__ inline void transform_filters_by_fft(const Layer& layer, const float* filters, float* transformed) {
  const int pitch = round_up(2 * layer.filters, 4);
  const auto [channel, filter] = row_and_place(pitch / 2);
  if (channel >= layer.channels) return;
  const bool exists = filter < layer.filters;
  const float* weights = filters + (static_cast<long long>(filter) * layer.channels + channel) * taps;
  Spectrum spectrum;
  transform_tile(spectrum, [&](int y, int x) {
    return exists && y < taps_y && x < taps_x ? __ldg(weights + y * taps_x + x) : 0.0f;
  });
#pragma unroll
  for (int i = 0; i < frequencies; ++i) {
    const Complex value = spectrum[i / fft_half][i % fft_half];
    float* target = transformed + (static_cast<long long>(i) * 2 * layer.channels + 2 * channel) * pitch + 2 * filter;
    target[0] = value.re;
    target[1] = -value.im;
    target[pitch] = value.im;
    target[pitch + 1] = value.re;
  }
}

// The tiles of outputs, counted through all images of a pass.
struct FftTile {
  int image;
  int y;
  int x;
};

__device__ inline FftTile fft_tile_of(const Layer& layer, int number) {
  const int across = (layer.out_width() - 1) / fft_outputs_x + 1;
  const int down = (layer.out_height() - 1) / fft_outputs_y + 1;
  return {number / (across * down), number / across % down * fft_outputs_y, number % across * fft_outputs_x};
}

// A thread per channel of a tile; tiles past the last one see zeros.
__device__ inline void transform_input_by_fft(const Layer& layer, float* transformed, int pitch) {
  const auto [channel, number] = row_and_place(pitch);
  if (channel >= layer.channels) return;
  const FftTile tile = fft_tile_of(layer, number);
  const float* plane = layer.input + (static_cast<long long>(tile.image) * layer.channels + channel) * layer.plane();
  const int first_y = tile.y - layer.pad_y;
  const int first_x = tile.x - layer.pad_x;
  Spectrum spectrum;
  transform_tile(spectrum, [&](int dy, int dx) {
    const int y = first_y + dy;
    const int x = first_x + dx;
    const bool inside = tile.image < layer.images && y >= 0 && y < layer.height && x >= 0 && x < layer.width;
    return inside ? __ldg(plane + y * layer.width + x) : 0.0f;
  });
#pragma unroll
  for (int i = 0; i < frequencies; ++i) {
    const Complex value = spectrum[i / fft_half][i % fft_half];
    float* target = transformed + (static_cast<long long>(i) * 2 * layer.channels + 2 * channel) * pitch + number;
    target[0] = value.re;
    target[pitch] = value.im;
  }
}

// A thread per filter of a tile: the products back to outputs. The frequencies along x that are missing are conjugates
// of those that are there.
__device__ inline void transform_output_by_fft(const Layer& layer, const float* products, float* output, int pitch) {
  const auto [filter, number] = row_and_place(pitch);
  const FftTile tile = fft_tile_of(layer, number);
  if (filter >= layer.filters || tile.image >= layer.images) return;
  Spectrum spectrum;
#pragma unroll
  for (int i = 0; i < frequencies; ++i) {
    const float* source = products + (static_cast<long long>(i) * 2 * layer.filters + 2 * filter) * pitch + number;
    spectrum[i / fft_half][i % fft_half] = {__ldg(source), __ldg(source + pitch)};
  }
  transform_columns<true>(spectrum);
  float* plane = output + (static_cast<long long>(tile.image) * layer.filters + filter) * layer.out_plane();
#pragma unroll
  for (int y = 0; y < fft_outputs_y; ++y) {
    Complex row[fft_tile];
#pragma unroll
    for (int x = 0; x < fft_half; ++x) row[x] = spectrum[y][x];
#pragma unroll
    for (int x = fft_half; x < fft_tile; ++x) row[x] = {spectrum[y][fft_tile - x].re, -spectrum[y][fft_tile - x].im};
    transform_eight<true>(row);
#pragma unroll
    for (int x = 0; x < fft_outputs_x; ++x) {
      if (tile.y + y < layer.out_height() && tile.x + x < layer.out_width())
        plane[static_cast<long long>(tile.y + y) * layer.out_width() + tile.x + x] = row[x].re * (1.0f / 64);
    }
  }
}
