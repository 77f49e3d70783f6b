// The parts of A and B as warpgroups multiply them. A chunk, TILE_K deep, of a panel of TILE_M rows of A or TILE_N
// columns of B becomes an image, consecutive bytes in shared memory:
//
//   image[part][piece][row]    a piece is 16 bytes along K; zeros for what lies outside of the matrix
//
// Eight rows of one piece are a core matrix of the PTX ISA manual, 128 consecutive bytes: no bank conflicts, and no
// swizzle.
#pragma once

#include <warptune/device/vectors.cuh>

#include "places.cuh"

constexpr int pieces = TILE_K / per_piece;  // of a row, in one part

template <int Rows>
struct Image {
  static constexpr int piece_bytes = Rows * 16;
  static constexpr int part_bytes = pieces * piece_bytes;
  static constexpr int bytes = parts * part_bytes;
};
using ImageOfA = Image<TILE_M>;
using ImageOfB = Image<TILE_N>;

using Piece = warptune::device::Pack<unsigned, 4>;
using FourFloats = warptune::device::Pack<float, 4>;

__device__ inline void put_piece(unsigned char* image, int part_bytes, const float (&values)[per_piece]) {
  Piece result[parts];
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    float of_word[per_word];
    unsigned words[parts];
    for (int i = 0; i < per_word; ++i) of_word[i] = values[word * per_word + i];
    split(of_word, words);
    for (int part = 0; part < parts; ++part) result[part].at[word] = words[part];
  }
#pragma unroll
  for (int part = 0; part < parts; ++part) *reinterpret_cast<Piece*>(image + part * part_bytes) = result[part];
}

// One of several threads' pieces of an image, between memory and image; Threads of them share it.
template <int Rows, int Threads>
struct Pieces {
  static constexpr int count = (Rows * pieces - 1) / Threads + 1;
  static constexpr bool whole = Rows * pieces % Threads == 0;

  float values[count][per_piece];

  __device__ static bool has(int index) { return whole || index < Rows * pieces; }
};

// Eight lanes have eight rows, four groups of them neighbouring pieces: whole sectors are read.
template <int Threads>
struct PiecesOfA : Pieces<TILE_M, Threads> {
  using Base = Pieces<TILE_M, Threads>;

  __device__ static int row(int index) { return index / (8 * pieces) * 8 + index % 8; }
  __device__ static int piece(int index) { return index / 8 % pieces; }

  __device__ void read(const float* a, const Problem& problem, Place first, int thread) {
#pragma unroll
    for (int i = 0; i < Base::count; ++i) {
      const int index = thread + i * Threads;
      const int k = first.column + piece(index) * per_piece;
      const bool inside = Base::has(index) && first.row + row(index) < problem.m;
      const float* from = a + static_cast<long long>(first.row + row(index)) * problem.k + k;
#pragma unroll
      for (int four = 0; four < per_piece; four += 4)
        read_four(this->values[i] + four, from + four, inside, problem.k - k - four);
    }
  }
  __device__ void put(unsigned char* image, int thread) const {
#pragma unroll
    for (int i = 0; i < Base::count; ++i) {
      const int index = thread + i * Threads;
      if (!Base::has(index)) continue;
      put_piece(image + piece(index) * ImageOfA::piece_bytes + row(index) * 16, ImageOfA::part_bytes, this->values[i]);
    }
  }

 private:
  __device__ static void read_four(float* to, const float* from, bool inside, int left) {
    if constexpr (A_ALIGNED == 4) {
      FourFloats four{};
      if (inside && left > 0) four = *reinterpret_cast<const FourFloats*>(from);
      for (int j = 0; j < 4; ++j) to[j] = four.at[j];
    } else {
      for (int j = 0; j < 4; ++j) to[j] = inside && j < left ? from[j] : 0.0f;
    }
  }
};

// Lanes read neighbours in each row of B and write neighbouring pieces: the panel is transposed on its way.
template <int Threads>
struct PiecesOfB : Pieces<TILE_N, Threads> {
  using Base = Pieces<TILE_N, Threads>;

  __device__ void read(const float* b, const Problem& problem, Place first, int thread) {
#pragma unroll
    for (int i = 0; i < Base::count; ++i) {
      const int index = thread + i * Threads;
      const int column = first.column + index % TILE_N;
      const int k = first.row + index / TILE_N * per_piece;
      const float* from = b + static_cast<long long>(k) * problem.n + column;
#pragma unroll
      for (int j = 0; j < per_piece; ++j) {
        const bool inside = Base::has(index) && column < problem.n && k + j < problem.k;
        this->values[i][j] = inside ? from[static_cast<long long>(j) * problem.n] : 0.0f;
      }
    }
  }
  __device__ void put(unsigned char* image, int thread) const {
#pragma unroll
    for (int i = 0; i < Base::count; ++i) {
      const int index = thread + i * Threads;
      if (Base::has(index)) put_piece(image + index * 16, ImageOfB::part_bytes, this->values[i]);
    }
  }
};
