// Sections of rows of similar length, each in ELL (sections.cpp): the launches take a section each. Threads of a warp
// end together, they read neighbours, and no row is padded to twice its length.
#pragma once

#include "nonzeros.cuh"

struct Sections {
  const int* rows;    // the first place of each section among the sorted rows, and the end
  const int* widths;  // stored nonzeros of a row
  const int* starts;  // of its columns and values
};

// A thread per row of the section.
__device__ inline void multiply_section(const Nonzeros& a, const Sections& sections, const int* sorted_rows, float* y,
                                        int section) {
  const int first = sections.rows[section];
  const int rows = sections.rows[section + 1] - first;
  const int row = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  if (row >= rows) return;
  const int width = sections.widths[section];
  const int start = sections.starts[section] + row;
  float sum = 0.0f;
#pragma unroll coarsening
  for (int k = 0; k < width; ++k) sum += a.product(start + k * rows);
  y[sorted_rows[first + row]] = sum;
}
