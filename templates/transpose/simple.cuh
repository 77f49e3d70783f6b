// The transpose without tiles: one thread for everything, or one per row. The parameters are described in kernel.cu.
#pragma once

// One thread moves the whole matrix, element after element.
__device__ inline void transpose_serially(const float* input, float* output, int height, int width) {
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      output[static_cast<long long>(column) * height + row] = input[static_cast<long long>(row) * width + column];
    }
  }
}

// A thread writes one row of the output. Neighbouring threads read neighbouring elements, and write a row apart.
__device__ inline void transpose_row(const float* input, float* output, int height, int width) {
  const int column = static_cast<int>(blockIdx.x) * block_threads + static_cast<int>(threadIdx.x);
  if (column >= width) return;
  for (int row = 0; row < height; ++row) {
    output[static_cast<long long>(column) * height + row] = input[static_cast<long long>(row) * width + column];
  }
}

// Each row of the input is a structure of `width` fields, each row of the output the array of one field. A thread reads
// a structure, Width fields at once, and writes each to its array: neighbouring threads write neighbouring elements.
template <int Width>
__device__ inline void scatter_fields(const float* input, float* output, int height, int width) {
  const int row = static_cast<int>(blockIdx.x) * block_threads + static_cast<int>(threadIdx.x);
  if (row >= height) return;
  for (int field = 0; field < width; field += Width) {
    const Pack<Width> fields =
        *reinterpret_cast<const Pack<Width>*>(input + static_cast<long long>(row) * width + field);
#pragma unroll
    for (int i = 0; i < Width; ++i) output[static_cast<long long>(field + i) * height + row] = fields.at[i];
  }
}

// Vectors where every structure starts aligned.
__device__ inline void structures_to_arrays(const float* input, float* output, int height, int width) {
  if (width % VECTOR_WIDTH_LOAD == 0) {
    scatter_fields<VECTOR_WIDTH_LOAD>(input, output, height, width);
  } else {
    scatter_fields<1>(input, output, height, width);
  }
}
