// y = exp(x) / sum of exp(x) along each row in double precision, from the elements as they are stored; a warp per row.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

template <NumberFormat format>
__device__ void softmax_in_double(const typename StoredNumber<format>::type* x, double* y, int rows, int columns) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  float maximum = to_float<format>(x[0]);
  for (int column = lane; column < columns; column += 32) maximum = fmaxf(maximum, to_float<format>(x[column]));
  for (int distance = 16; distance > 0; distance /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, distance));
  double sum = 0.0;
  for (int column = lane; column < columns; column += 32) {
    y[column] = exp(static_cast<double>(to_float<format>(x[column])) - maximum);
    sum += y[column];
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  for (int column = lane; column < columns; column += 32) y[column] /= sum;
}

extern "C" __global__ void reference_of_floats(const float* x, double* y, int rows, int columns) {
  softmax_in_double<NumberFormat::float32>(x, y, rows, columns);
}

extern "C" __global__ void reference_of_halves(const unsigned short* x, double* y, int rows, int columns) {
  softmax_in_double<NumberFormat::half>(x, y, rows, columns);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* x, double* y, int rows, int columns) {
  softmax_in_double<NumberFormat::bfloat16>(x, y, rows, columns);
}
