// Sums along rows in double precision, from the elements as they are stored; a warp per row, 32 elements at a time.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

template <NumberFormat format>
__device__ void cumsum_in_double(const typename StoredNumber<format>::type* x, double* y, int rows, int columns) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  y += static_cast<long long>(row) * columns;
  double before = 0.0;
  for (int first = 0; first < columns; first += 32) {
    double sum = first + lane < columns ? to_float<format>(x[first + lane]) : 0.0f;
    for (int distance = 1; distance < 32; distance *= 2) {
      const double left = __shfl_up_sync(0xffffffffu, sum, distance);
      if (lane >= distance) sum += left;
    }
    if (first + lane < columns) y[first + lane] = before + sum;
    before += __shfl_sync(0xffffffffu, sum, 31);
  }
}

extern "C" __global__ void reference_of_floats(const float* x, double* y, int rows, int columns) {
  cumsum_in_double<NumberFormat::float32>(x, y, rows, columns);
}

extern "C" __global__ void reference_of_halves(const unsigned short* x, double* y, int rows, int columns) {
  cumsum_in_double<NumberFormat::half>(x, y, rows, columns);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* x, double* y, int rows, int columns) {
  cumsum_in_double<NumberFormat::bfloat16>(x, y, rows, columns);
}
