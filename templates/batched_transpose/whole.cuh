// Small matrices, several by one block: their elements come to shared memory as they lie, and leave in the order of the
// turned matrices, so that both sides of global memory are read and written from one end to the other.
#pragma once

#include "words.cuh"

constexpr int tile_elements = TILE_ROWS * TILE_COLUMNS;
constexpr int matrices_per_block = matrix_elements <= tile_elements ? tile_elements / matrix_elements : 1;
constexpr int whole_width = ALIGNED_WHOLE;  // all blocks' first matrices begin aligned for it

// The place among a block's elements of what has the place `i` when all are turned.
__device__ inline int place_before(int i) {
  const int of_matrix = i % matrix_elements;
  return i - of_matrix + of_matrix % MATRIX_ROWS * MATRIX_COLUMNS + of_matrix / MATRIX_ROWS;
}

__device__ inline void turn_whole_matrices(const Element* input, Element* output, int batch) {
  __shared__ uint4 storage[(tile_elements * ELEMENT_BYTES + 15) / 16];
  Element* elements = reinterpret_cast<Element*>(storage);
  const long long matrix = static_cast<long long>(blockIdx.x) * matrices_per_block;
  const long long rest = batch - matrix;
  const int count = static_cast<int>(rest < matrices_per_block ? rest : matrices_per_block) * matrix_elements;
  const int vectors_end = count / whole_width * whole_width;
  input += matrix * matrix_elements;
  output += matrix * matrix_elements;
  for (int i = static_cast<int>(threadIdx.x) * whole_width; i < vectors_end; i += BLOCK_SIZE * whole_width)
    *reinterpret_cast<Pack<Element, whole_width>*>(elements + i) = load_pack<whole_width, load_hint>(input + i);
  for (int i = vectors_end + static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE) elements[i] = input[i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x) * whole_width; i < vectors_end; i += BLOCK_SIZE * whole_width) {
    Pack<Element, whole_width> turned;
#pragma unroll
    for (int j = 0; j < whole_width; ++j) turned.at[j] = elements[place_before(i + j)];
    store_pack<store_hint>(output + i, turned);
  }
  for (int i = vectors_end + static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE)
    output[i] = elements[place_before(i)];
}
