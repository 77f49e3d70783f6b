// D and the scales that it depends on. The parameters are described in kernel.cu.
#pragma once

#include "instructions.cuh"
#include "quads.cuh"

enum class Scales { tensor, blockwise };

constexpr Scales scales = Scales::SCALES;
constexpr bool promoted = scales == Scales::blockwise || !FAST_ACCUMULATION;
constexpr int scale_block = 128;
constexpr int line_bytes = 128;

static_assert(TILE_K == scale_block && TILE_K == line_bytes, "a pair of tiles has one scale, and rows of one line");

// Scales of A: ceil(k / 128) rows of m; of B: ceil(n / 128) rows of ceil(k / 128). Or one number each.
struct Result {
  unsigned short* d;
  const float* of_a;
  const float* of_b;
  int m;
  int n;
  int k;

  __device__ float scale_of_a(int row, int block) const {
    return row < m ? __ldg(of_a + static_cast<long long>(block) * m + row) : 0.0f;
  }
  // Of the tile that begins at this column.
  __device__ float scale_of_b(int column, int block) const {
    return __ldg(of_b + static_cast<long long>(column / scale_block) * ((k - 1) / scale_block + 1) + block);
  }
  // What is left to be multiplied by when all is summed up.
  __device__ float scale() const { return scales == Scales::tensor ? __ldg(of_a) * __ldg(of_b) : 1.0f; }
};

// The scales of a lane's rows, lane / 4 and eight below of each tile of 16, in one block along K. They are read a pair
// of tiles ahead and multiplied when they are needed, or everybody would wait for them.
template <int Down>
struct RowScales {
  float of_a[Down][2];
  float of_b;

  __device__ void read(const Result& from, Place tile, int first_row, int apart, int block) {
    if (scales == Scales::tensor || block * scale_block >= from.k) return;
    of_b = from.scale_of_b(tile.column, block);
#pragma unroll
    for (int i = 0; i < 2 * Down; ++i)
      of_a[i / 2][i % 2] = from.scale_of_a(first_row + i / 2 * apart + i % 2 * 8 + lane_of_warp() / 4, block);
  }
  // Adds a part of a lane's sums, the upper (half 0) or lower (1) row's.
  __device__ void promote(float& sum, float part, int i, int half) const {
    sum = scales == Scales::tensor ? sum + part : sum + part * (of_a[i][half] * of_b);
  }
};

// Sums of Down tiles of 16 x 8 * Across below each other, `apart` rows from one to the next: `sum(i, j, l)` is number l
// of the lane's four in tile i, eight columns j. at: the first tile's first element. A quad's lanes exchange pairs, so
// that each writes eight neighbours.
template <int Down, int Across, class SumOf>
__device__ inline void write_sums(const Result& to, Place at, int apart, const SumOf& sum) {
  static_assert(Across % 4 == 0, "lanes exchange four tiles of eight columns");
  const float scale = to.scale();
#pragma unroll
  for (int first = 0; first < Across; first += 4) {
    const int column = at.column + first * 8 + lane_of_warp() % 4 * 8;
#pragma unroll
    for (int line = 0; line < 2 * Down; ++line) {
      const int row = at.row + line / 2 * apart + line % 2 * 8 + lane_of_warp() / 4;
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        words[i] = packed<Format::bfloat16>(scale * sum(line / 2, first + i, line % 2 * 2),
                                            scale * sum(line / 2, first + i, line % 2 * 2 + 1));
      exchange_in_quad(words);
      Run<unsigned short, 4, D_ALIGNED>::write(to.d + static_cast<long long>(row) * to.n + column, words,
                                               row < to.m ? to.n - column : 0);
    }
  }
}
