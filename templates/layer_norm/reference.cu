// Layer norm of each row in double precision, from the elements as they are stored, in two passes; a warp per row.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

__device__ double sum_over_warp(double value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

template <NumberFormat format>
__device__ void layer_norm_in_double(const typename StoredNumber<format>::type* x,
                                     const typename StoredNumber<format>::type* weight,
                                     const typename StoredNumber<format>::type* bias, double* y, int rows, int columns,
                                     float epsilon) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  double sum = 0.0, squares = 0.0;
  for (int column = lane; column < columns; column += 32) sum += to_float<format>(x[column]);
  const double mean = sum_over_warp(sum) / columns;
  for (int column = lane; column < columns; column += 32) {
    const double deviation = to_float<format>(x[column]) - mean;
    squares += deviation * deviation;
  }
  const double scale = 1.0 / sqrt(sum_over_warp(squares) / columns + static_cast<double>(epsilon));
  for (int column = lane; column < columns; column += 32)
    y[column] = (to_float<format>(x[column]) - mean) * scale * to_float<format>(weight[column]) +
                static_cast<double>(to_float<format>(bias[column]));
}

extern "C" __global__ void reference_of_floats(const float* x, const float* weight, const float* bias, double* y,
                                               int rows, int columns, float epsilon) {
  layer_norm_in_double<NumberFormat::float32>(x, weight, bias, y, rows, columns, epsilon);
}

extern "C" __global__ void reference_of_halves(const unsigned short* x, const unsigned short* weight,
                                               const unsigned short* bias, double* y, int rows, int columns,
                                               float epsilon) {
  layer_norm_in_double<NumberFormat::half>(x, weight, bias, y, rows, columns, epsilon);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* x, const unsigned short* weight,
                                                const unsigned short* bias, double* y, int rows, int columns,
                                                float epsilon) {
  layer_norm_in_double<NumberFormat::bfloat16>(x, weight, bias, y, rows, columns, epsilon);
}
