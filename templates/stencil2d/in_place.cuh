// The step in place: the grid is read and overwritten, so that nobody may overwrite a point that another thread still
// has to read. A block owns a band of rows. It first saves the rows just above and below its band; a barrier of the
// whole grid follows, after which nobody reads outside its own band; then the block goes through its band tile by
// tile. What the next tiles need of this one's old values it keeps: the last column, and the last row.
//
// The barrier needs all blocks to run at once. There is one block per multiprocessor, which every device holds.
#pragma once

#include "tile.cuh"

// Returns when all blocks of the grid have come here. `arrived` counts them; it is zero before the launch.
__device__ inline void grid_barrier(unsigned* arrived) {
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) __nanosleep(100);
    __threadfence();
  }
  __syncthreads();
}

// The rows of a block, and the old rows around them, of `width` floats each.
struct Band {
  int first;
  int end;
  float* above;
  float* below;
};

__device__ inline Band band_of_block(const Grid& grid, float* saved) {
  const int rows = (grid.height - 1) / static_cast<int>(gridDim.x) + 1;
  const int first = min(static_cast<int>(blockIdx.x) * rows, grid.height);
  float* above = saved + 2LL * blockIdx.x * grid.width;
  return {first, min(first + rows, grid.height), above, above + grid.width};
}

__device__ inline void save_rows_around(const Grid& grid, const Band& band) {
  const int thread = static_cast<int>(threadIdx.y) * BLOCK_DIM_X + static_cast<int>(threadIdx.x);
  for (int column = thread; column < grid.width; column += BLOCK_DIM_X * BLOCK_DIM_Y) {
    band.above[column] = grid.at(band.first - 1, column);
    band.below[column] = grid.at(band.end, column);
  }
}

// The left column is what the tile before has left there. Rows behind the band are another block's.
__device__ inline void load_tile_of_band(Tile& tile, const Grid& grid, const Band& band, int row, int column) {
  const TilePlace at = place_in_tile();
  if (row >= band.end) return;
  tile[at.row][at.column] = grid.at(row, column);
  if (threadIdx.x == BLOCK_DIM_X - 1) tile[at.row][BLOCK_DIM_X + 1] = grid.at(row, column + 1);
  if (column >= grid.width) return;
  if (threadIdx.y == 0) tile[0][at.column] = band.above[column];
  if (row == band.end - 1) {
    tile[at.row + 1][at.column] = band.below[column];
  } else if (threadIdx.y == BLOCK_DIM_Y - 1) {
    tile[BLOCK_DIM_Y + 1][at.column] = grid.at(row + 1, column);
  }
}

__device__ inline void step_tile_of_band(Tile& tile, const Grid& grid, const Band& band, float* points, Weights weights,
                                         int row, int column) {
  const TilePlace at = place_in_tile();
  const bool inside = row < band.end && column < grid.width;
  const float point = inside ? tile[at.row][at.column] : 0.0f;
  const float result = inside ? step_in_tile(tile, grid, weights, row, column) : 0.0f;
  if (inside && threadIdx.y == BLOCK_DIM_Y - 1) band.above[column] = point;
  __syncthreads();  // the tile has been read
  if (inside && threadIdx.x == BLOCK_DIM_X - 1) tile[at.row][0] = point;
  if (inside) points[static_cast<long long>(row) * grid.width + column] = result;
}

// saved: two rows for each block.
__device__ inline void step_in_place(const Grid& grid, float* points, float* saved, unsigned* arrived,
                                     Weights weights) {
  __shared__ Tile tile;
  const Band band = band_of_block(grid, saved);
  save_rows_around(grid, band);
  grid_barrier(arrived);
  for (int first_row = band.first; first_row < band.end; first_row += BLOCK_DIM_Y) {
    for (int first_column = 0; first_column < grid.width; first_column += BLOCK_DIM_X) {
      const int row = first_row + static_cast<int>(threadIdx.y);
      const int column = first_column + static_cast<int>(threadIdx.x);
      load_tile_of_band(tile, grid, band, row, column);
      __syncthreads();
      step_tile_of_band(tile, grid, band, points, weights, row, column);
    }
  }
}
