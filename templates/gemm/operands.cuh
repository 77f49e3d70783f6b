// Gemm's operands: where they lie, and their tiles' way to the ring. The parameters are described in kernel.cu.
#pragma once

#include "product.cuh"
#include "ring.cuh"

// What is left of a matrix to the right of and below a thread's access 0 to the next tile.
struct Window {
  const Element* data;
  int rows;
  int columns;
  int stride;

  __device__ bool holds(int down, int across) const { return down < rows && across < columns; }
  __device__ const Element* at(int down, int across) const {
    return data + static_cast<long long>(down) * stride + across;
  }
  template <class Part, int Width>
  __device__ void fetch(Element* staged) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      Pack<Width> pack{};
      if (holds(Part::down(i), Part::across(i))) pack = load<Width>(at(Part::down(i), Part::across(i)));
#pragma unroll
      for (int j = 0; j < Width; ++j) staged[i * Width + j] = pack.at[j];
    }
  }
  __device__ void move_down(int distance) {
    data += static_cast<long long>(distance) * stride;
    rows -= distance;
  }
  __device__ void move_across(int distance) {
    data += distance;
    columns -= distance;
  }
};

template <typename Share>
__device__ inline Window window_on(const Element* data, int rows, int columns, int stride, int row, int column) {
  Window window{data, rows, columns, stride};
  window.move_down(row + Share::row());
  window.move_across(column + Share::column());
  return window;
}

// The two tiles in shared memory, of extent x depth: where they keep the element `offset` beyond (k, x).
struct TileOfA {
  static constexpr int extent = TILE_M;
  static constexpr bool transposed = a_layout == Layout::column;
  __device__ static Element* at(Element* tile, int k, int x, int offset) { return tile + place_of_a(x + offset, k); }
};

struct TileOfB {
  static constexpr int extent = TILE_N;
  static constexpr bool transposed = true;
  __device__ static Element* at(Element* tile, int k, int x, int offset) { return in_tile_of_b(tile, k, x, offset); }
};

// Tiles out of a matrix whose rows lie along K. An asynchronous copy cannot turn a row into a column: a k-major tile is
// then copied element by element.
template <class Tile, int Width>
struct FromRowsAlongK {
  static constexpr int width = copy == Copy::async && Tile::transposed ? 1 : Width;
  using Part = Share<Tile::extent, TILE_K, width>;
  static constexpr int registers = max_of(1, Tile::extent* TILE_K / threads);

  Window window;

  __device__ static Element* place(Element* tile, int i, int step) {
    return Tile::at(tile, Part::column() + Part::across(i) + step, Part::row(), Part::down(i));
  }
  __device__ void fetch(Element* staged) const { window.fetch<Part, width>(staged); }
  __device__ void put(Element* tile, const Element* staged) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      if constexpr (Tile::transposed) {
#pragma unroll
        for (int j = 0; j < width; ++j) *place(tile, i, j) = staged[i * width + j];
      } else {
        *reinterpret_cast<Pack<width>*>(place(tile, i, 0)) = pack_of<width>(staged + i * width);
      }
    }
  }
  __device__ void copy_to(Element* tile) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      const int down = Part::down(i);
      const int across = Part::across(i);
      copy_async<width>(place(tile, i, 0), window.at(down, across), window.holds(down, across));
    }
  }
  __device__ void advance() {
    window.move_across(TILE_K);
  }
};

// Tiles out of a matrix whose rows lie across K: they keep their order.
template <class Tile, int Width>
struct FromRowsAcrossK {
  using Part = Share<TILE_K, Tile::extent, Width>;
  static constexpr int registers = max_of(1, TILE_K* Tile::extent / threads);

  Window window;

  __device__ static Element* place(Element* tile, int i) {
    return Tile::at(tile, Part::row() + Part::down(i), Part::column(), Part::across(i));
  }
  __device__ void fetch(Element* staged) const { window.fetch<Part, Width>(staged); }
  __device__ void put(Element* tile, const Element* staged) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      *reinterpret_cast<Pack<Width>*>(place(tile, i)) = pack_of<Width>(staged + i * Width);
    }
  }
  __device__ void copy_to(Element* tile) const {
#pragma unroll
    for (int i = 0; i < Part::count; ++i) {
      const int down = Part::down(i);
      const int across = Part::across(i);
      copy_async<Width>(place(tile, i), window.at(down, across), window.holds(down, across));
    }
  }
  __device__ void advance() {
    window.move_down(TILE_K);
  }
};

// The product's operands, the first element of C that the block computes, and the range of K that it sums over.
struct Operands {
  const Element* a;  // m x k, or k x m if transposed
  const Element* b;  // k x n, or n x k if transposed
  int m;
  int n;
  int k;
  Place at;
  int first_k;
  int last_k;  // exclusive, at most k
};

template <bool Yes, class A, class B>
struct Choice {
  using type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
  using type = B;
};

template <int Width>
using TilesOfA = typename Choice<A_TRANSPOSED, FromRowsAcrossK<TileOfA, Width>, FromRowsAlongK<TileOfA, Width>>::type;
template <int Width>
using TilesOfB = typename Choice<B_TRANSPOSED, FromRowsAlongK<TileOfB, Width>, FromRowsAcrossK<TileOfB, Width>>::type;

template <class Part>
__device__ inline Window window_on_a(const Operands& from) {
  if constexpr (A_TRANSPOSED) return window_on<Part>(from.a, from.last_k, from.m, from.m, from.first_k, from.at.row);
  return window_on<Part>(from.a, from.m, from.last_k, from.k, from.at.row, from.first_k);
}

template <class Part>
__device__ inline Window window_on_b(const Operands& from) {
  if constexpr (B_TRANSPOSED) return window_on<Part>(from.b, from.n, from.last_k, from.k, from.at.column, from.first_k);
  return window_on<Part>(from.b, from.last_k, from.n, from.n, from.first_k, from.at.column);
}

template <int Width>
__device__ inline void multiply_tiles(Accumulator& sums, const Operands& from, Place mine) {
  extern __shared__ float4 shared_storage[];
  using A = TilesOfA<Width>;
  using B = TilesOfB<Width>;
  Ring<A, B> ring{reinterpret_cast<Element*>(shared_storage),
                  {window_on_a<typename A::Part>(from)},
                  {window_on_b<typename B::Part>(from)}};
  multiply_all(sums, ring, mine, from.last_k - from.first_k);
}

// Vectors where the rows of A and B start aligned. A size that is known when this is compiled (ROWS_ALIGNED, 0 or 1)
// leaves one of the two to compile, in half the time.
__device__ inline void multiply_tiled(Accumulator& sums, const Operands& from, Place mine) {
#ifdef ROWS_ALIGNED
  multiply_tiles<ROWS_ALIGNED ? VECTOR_WIDTH : 1>(sums, from, mine);
#else
  const int a_row = A_TRANSPOSED ? from.m : from.k;
  const int b_row = B_TRANSPOSED ? from.k : from.n;
  if (a_row % VECTOR_WIDTH == 0 && b_row % VECTOR_WIDTH == 0) {
    multiply_tiles<VECTOR_WIDTH>(sums, from, mine);
  } else {
    multiply_tiles<1>(sums, from, mine);
  }
#endif
}
