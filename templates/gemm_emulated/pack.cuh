// The first launch of ALGORITHM=wgmma: it splits A and B and leaves their parts as the multiplications want them. A
// chunk, TILE_K deep, of a panel of TILE_M rows of A or TILE_N columns of B becomes one image of consecutive bytes,
// which a single bulk copy moves to shared memory:
//
//   image[part][piece][row]    a piece is 16 bytes along K; zeros for what lies outside of the matrix
//
// Eight rows of one piece are a core matrix of the PTX ISA manual, 128 consecutive bytes: no bank conflicts, and no
// swizzle. CPU libraries call this packing (Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
// 2008).
#pragma once

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

struct alignas(16) Piece {
  unsigned words[4];
};

__device__ inline void put_piece(unsigned char* image, int part_bytes, const float (&values)[per_piece]) {
  Piece result[parts];
#pragma unroll
  for (int word = 0; word < 4; ++word) {
    float of_word[per_word];
    unsigned words[parts];
    for (int i = 0; i < per_word; ++i) of_word[i] = values[word * per_word + i];
    split(of_word, words);
    for (int part = 0; part < parts; ++part) result[part].words[word] = words[part];
  }
#pragma unroll
  for (int part = 0; part < parts; ++part) *reinterpret_cast<Piece*>(image + part * part_bytes) = result[part];
}

struct alignas(16) FourFloats {
  float at[4];
};

// Eight lanes read eight rows, four groups of them neighbouring pieces: whole sectors.
__device__ inline void pack_image_of_a(const float* a, unsigned char* image, const Problem& problem, Place first) {
  for (int i = static_cast<int>(threadIdx.x); i < TILE_M * pieces; i += static_cast<int>(blockDim.x)) {
    const int row = i / (8 * pieces) * 8 + i % 8;
    const int piece = i / 8 % pieces;
    const int k = first.column + piece * per_piece;
    const float* from = a + static_cast<long long>(first.row + row) * problem.k + k;
    const bool inside = first.row + row < problem.m;
    float values[per_piece] = {};
#pragma unroll
    for (int four = 0; four < per_piece; four += 4) {
      if constexpr (A_ALIGNED == 4) {
        if (!inside || k + four >= problem.k) continue;
        const FourFloats read = *reinterpret_cast<const FourFloats*>(from + four);
        for (int j = 0; j < 4; ++j) values[four + j] = read.at[j];
      } else {
        for (int j = four; j < four + 4; ++j) values[j] = inside && k + j < problem.k ? from[j] : 0.0f;
      }
    }
    put_piece(image + piece * ImageOfA::piece_bytes + row * 16, ImageOfA::part_bytes, values);
  }
}

// Lanes read neighbours in each row of B and write neighbouring pieces: the panel is transposed on its way.
__device__ inline void pack_image_of_b(const float* b, unsigned char* image, const Problem& problem, Place first) {
  for (int i = static_cast<int>(threadIdx.x); i < TILE_N * pieces; i += static_cast<int>(blockDim.x)) {
    const int column = first.column + i % TILE_N;
    const int k = first.row + i / TILE_N * per_piece;
    const float* from = b + static_cast<long long>(k) * problem.n + column;
    float values[per_piece];
#pragma unroll
    for (int j = 0; j < per_piece; ++j) {
      const bool inside = column < problem.n && k + j < problem.k;
      values[j] = inside ? from[static_cast<long long>(j) * problem.n] : 0.0f;
    }
    put_piece(image + i * 16, ImageOfB::part_bytes, values);
  }
}

// Images lie panel after panel, chunk after chunk.
template <class OneImage, class Byte>
__device__ inline Byte* image_at(Byte* packed, int panel, int chunk, int chunks) {
  return packed + (static_cast<long long>(panel) * chunks + chunk) * OneImage::bytes;
}

// A block for each image, those of A first.
extern "C" __global__ void __launch_bounds__(256)
    split_and_pack(const float* __restrict__ a, const float* __restrict__ b, unsigned char* __restrict__ packed_a,
                   unsigned char* __restrict__ packed_b, int m, int n, int k) {
  const Problem problem{m, n, k};
  const int chunks = problem.chunks();
  const int of_a = divided_up(m, TILE_M) * chunks;
  const int index = static_cast<int>(blockIdx.x);
  if (index < of_a) {
    const int panel = index / chunks;
    const int chunk = index % chunks;
    pack_image_of_a(a, image_at<ImageOfA>(packed_a, panel, chunk, chunks), problem, {panel * TILE_M, chunk * TILE_K});
  } else {
    const int panels = divided_up(n, TILE_N);  // neighbours in number read the same rows of B
    const int panel = (index - of_a) % panels;
    const int chunk = (index - of_a) / panels;
    pack_image_of_b(b, image_at<ImageOfB>(packed_b, panel, chunk, chunks), problem, {chunk * TILE_K, panel * TILE_N});
  }
}
