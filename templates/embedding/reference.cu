// Sums of table rows in double precision, from the elements as they are stored; a thread per element of the output.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

template <NumberFormat format>
__device__ void embedding_in_double(const typename StoredNumber<format>::type* table, const int* indices,
                                    double* output, int rows, int length, int table_rows, int columns) {
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= static_cast<long long>(rows) * columns) return;
  const long long row = element / columns, column = element % columns;
  double sum = 0.0;
  for (int i = 0; i < length; ++i) {
    const int index = indices[row * length + i];
    if (index >= 0 && index < table_rows)
      sum += to_float<format>(table[static_cast<long long>(index) * columns + column]);
  }
  output[element] = sum;
}

extern "C" __global__ void reference_of_floats(const float* table, const int* indices, double* output, int rows,
                                               int length, int table_rows, int columns) {
  embedding_in_double<NumberFormat::float32>(table, indices, output, rows, length, table_rows, columns);
}

extern "C" __global__ void reference_of_halves(const unsigned short* table, const int* indices, double* output,
                                               int rows, int length, int table_rows, int columns) {
  embedding_in_double<NumberFormat::half>(table, indices, output, rows, length, table_rows, columns);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* table, const int* indices, double* output,
                                                int rows, int length, int table_rows, int columns) {
  embedding_in_double<NumberFormat::bfloat16>(table, indices, output, rows, length, table_rows, columns);
}
