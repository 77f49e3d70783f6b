// RMS norm of each row in double precision, from the elements as they are stored; a warp per row. The sum with a
// residual is rounded to the elements' format before it is normalised, as the kernel's is; the residual itself is not
// rounded.
#include <warptune/device/numbers16.cuh>

using warptune::device::from_float;
using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

template <NumberFormat format>
__device__ void rms_norm_in_double(const typename StoredNumber<format>::type* x, double* residual,
                                   const typename StoredNumber<format>::type* weight, double* y, int rows, int columns,
                                   float epsilon) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  const long long begin = static_cast<long long>(row) * columns;
  double squares = 0.0;
  for (int column = lane; column < columns; column += 32) {
    double value = to_float<format>(x[begin + column]);
    if (RESIDUAL) {
      residual[begin + column] += value;
      value = to_float<format>(from_float<format>(static_cast<float>(residual[begin + column])));
    }
    y[begin + column] = value;
    squares += value * value;
  }
  for (int distance = 16; distance > 0; distance /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, distance);
  const double scale = 1.0 / sqrt(squares / columns + static_cast<double>(epsilon));
  for (int column = lane; column < columns; column += 32) y[begin + column] *= scale * to_float<format>(weight[column]);
}

extern "C" __global__ void reference_of_floats(const float* x, double* residual, const float* weight, double* y,
                                               int rows, int columns, float epsilon) {
  rms_norm_in_double<NumberFormat::float32>(x, residual, weight, y, rows, columns, epsilon);
}

extern "C" __global__ void reference_of_halves(const unsigned short* x, double* residual, const unsigned short* weight,
                                               double* y, int rows, int columns, float epsilon) {
  rms_norm_in_double<NumberFormat::half>(x, residual, weight, y, rows, columns, epsilon);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* x, double* residual, const unsigned short* weight,
                                                double* y, int rows, int columns, float epsilon) {
  rms_norm_in_double<NumberFormat::bfloat16>(x, residual, weight, y, rows, columns, epsilon);
}
