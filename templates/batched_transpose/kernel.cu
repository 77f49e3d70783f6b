// output[b][column][row] = input[b][row][column] for a batch of matrices, elements of 1, 2 or 4 bytes: also NCHW to
// NHWC (rows are channels, columns are pixels) and back.
//
//   ALGORITHM          tiled: a block turns a tile of a matrix in shared memory; whole: a block takes several small
//                      matrices at once, which lie one behind the other on both sides
//   TILE_ROWS, TILE_COLUMNS  the part of a matrix that a block moves; of whole matrices, their elements together
//   BLOCK_SIZE         threads per block
//   VECTOR_WIDTH_LOAD, VECTOR_WIDTH_STORE  elements moved by one access to global memory (rows must begin aligned for it,
//                      on their side: otherwise fewer)
//   PADDING            words added to each row of the turned tile, against bank conflicts; vectors are then read word by
//                      word
//   SWIZZLE            instead of padding: groups of four words trade places by an XOR with the column
//   RASTER_ORDER       of a matrix' tiles: along rows, along columns, or diagonal
//   CACHE_HINT_LOAD, CACHE_HINT_STORE
//
// Shared memory is read and written in words of four bytes. A thread reads as many rows as a word has elements, turns
// blocks of 4 x 4 bytes or 2 x 2 halves in registers by byte permutations, and stores words that are already turned: so
// a tile of bytes costs no more accesses than one of floats. A warp's threads lie over four words of 8 columns each,
// which the XOR sends to 32 different banks.
//
// Sources: Ruetsch & Micikevicius, "Optimizing Matrix Transpose in CUDA" (NVIDIA, 2009) for the tile; CUTLASS for the
// swizzle; Warren, "Hacker's Delight", 7-3, for a transpose by halves; PTX ISA, "prmt".

#include "whole.cuh"
#include "words.cuh"

enum class Algorithm { tiled, whole };
enum class RasterOrder { rows, columns, diagonal };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr RasterOrder raster_order = RasterOrder::RASTER_ORDER;
constexpr int pitch = TILE_ROWS / word_elements + PADDING;  // words of a column
constexpr int tiles_down = (MATRIX_ROWS - 1) / TILE_ROWS + 1;
constexpr int tiles_across = (MATRIX_COLUMNS - 1) / TILE_COLUMNS + 1;

// A thread's piece of the tile: a word of rows and `read_columns` columns, or a column and `write_rows` rows.
constexpr int read_columns = load_width > word_elements ? load_width : word_elements;
constexpr int write_rows = store_width > word_elements ? store_width : word_elements;
constexpr int pieces = TILE_ROWS / word_elements * (TILE_COLUMNS / read_columns);
constexpr int pieces_per_thread = (pieces - 1) / BLOCK_SIZE + 1;

struct Tile {
  int row;
  int column;
};

__device__ inline Tile tile_of(int number) {
  if constexpr (raster_order == RasterOrder::rows)
    return {number / tiles_across * TILE_ROWS, number % tiles_across * TILE_COLUMNS};
  const int down = number % tiles_down, across = number / tiles_down;
  if constexpr (raster_order == RasterOrder::columns) return {down * TILE_ROWS, across * TILE_COLUMNS};
  return {down * TILE_ROWS, (across + down) % tiles_across * TILE_COLUMNS};
}

// Where the turned tile keeps the word of `column` that has the rows from word * word_elements on.
__device__ inline int place(int column, int word) {
  constexpr int groups = TILE_ROWS / word_elements / 4 < 8 ? TILE_ROWS / word_elements / 4 : 8;
  if constexpr (SWIZZLE && groups > 1) word ^= column / read_columns % groups * 4;
  return column * pitch + word;
}

// Lanes go 8 pieces along columns and 4 along rows.
struct Place {
  int word;
  int column;
};
__device__ inline Place place_of_piece(int piece) {
  constexpr int across = TILE_COLUMNS / read_columns;
  constexpr int lanes_across = across < 8 ? across : 8;
  const int rest = piece / lanes_across;
  return {rest % 4 + rest / 4 / (across / lanes_across) * 4,
          (piece % lanes_across + rest / 4 % (across / lanes_across) * lanes_across) * read_columns};
}

using Rows = Pack<Element, read_columns>[word_elements];

__device__ inline void read_piece(Rows& rows, const Element* input, Tile at, Place place) {
#pragma unroll
  for (int i = 0; i < word_elements; ++i) {
    const int row = at.row + place.word * word_elements + i;
#pragma unroll
    for (int j = 0; j < read_columns; j += load_width) {
      const int column = at.column + place.column + j;
      if (row < MATRIX_ROWS && column < MATRIX_COLUMNS)
        copy_pack(rows[i].at + j, load_pack<load_width, load_hint>(input + row * MATRIX_COLUMNS + column));
    }
  }
}

__device__ inline void read_tile(unsigned* tile, const Element* input, Tile at) {
  Rows rows[pieces_per_thread];
#pragma unroll
  for (int i = 0; i < pieces_per_thread; ++i) {
    const int piece = i * BLOCK_SIZE + static_cast<int>(threadIdx.x);
    if (pieces % BLOCK_SIZE == 0 || piece < pieces) read_piece(rows[i], input, at, place_of_piece(piece));
  }
#pragma unroll
  for (int i = 0; i < pieces_per_thread; ++i) {
    const int piece = i * BLOCK_SIZE + static_cast<int>(threadIdx.x);
    if (pieces % BLOCK_SIZE != 0 && piece >= pieces) break;
    const Place at_piece = place_of_piece(piece);
#pragma unroll
    for (int block = 0; block < read_columns; block += word_elements) {
      unsigned words[word_elements];
      turn(words, rows[i], block);
#pragma unroll
      for (int j = 0; j < word_elements; ++j) tile[place(at_piece.column + block + j, at_piece.word)] = words[j];
    }
  }
}

__device__ inline void write_piece(Element* output, const unsigned* tile, Tile at, int column, int row) {
  constexpr int words = write_rows / word_elements;
  Pack<unsigned, words> turned;
  const unsigned* source = tile + place(column, row / word_elements);
  if constexpr (PADDING == 0) {
    turned = *reinterpret_cast<const Pack<unsigned, words>*>(source);
  } else {
#pragma unroll
    for (int i = 0; i < words; ++i) turned.at[i] = source[i];
  }
  const auto& elements = reinterpret_cast<const Pack<Element, write_rows>&>(turned);
#pragma unroll
  for (int i = 0; i < write_rows; i += store_width) {
    if (at.row + row + i < MATRIX_ROWS && at.column + column < MATRIX_COLUMNS)
      store_pack<store_hint>(output + (at.column + column) * MATRIX_ROWS + at.row + row + i,
                             reinterpret_cast<const Pack<Element, store_width>&>(elements.at[i]));
  }
}

__device__ inline void write_tile(Element* output, const unsigned* tile, Tile at) {
  constexpr int per_column = TILE_ROWS / write_rows;
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < TILE_COLUMNS * per_column; i += BLOCK_SIZE)
    write_piece(output, tile, at, i / per_column, i % per_column * write_rows);
}

// input, output: batch matrices, aligned to 16 bytes. A block for each tile, or for matrices_per_block matrices.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    batched_transpose(const Element* __restrict__ input, Element* __restrict__ output, int batch) {
  if constexpr (algorithm == Algorithm::tiled) {
    __shared__ uint4 storage[(TILE_COLUMNS * pitch + 3) / 4];
    unsigned* tile = reinterpret_cast<unsigned*>(storage);
    const long long matrix = blockIdx.x / (tiles_down * tiles_across);
    const Tile at = tile_of(static_cast<int>(blockIdx.x % (tiles_down * tiles_across)));
    const long long offset = matrix * matrix_elements;
    read_tile(tile, input + offset, at);
    __syncthreads();
    write_tile(output + offset, tile, at);
  } else {
    turn_whole_matrices(input, output, batch);
  }
}
