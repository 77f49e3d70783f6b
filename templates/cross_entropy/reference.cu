// Cross-entropy of each row and its gradient in double precision, from the logits as they are stored; a warp per row.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

template <NumberFormat format>
__device__ void cross_entropy_in_double(const typename StoredNumber<format>::type* logits, const int* targets,
                                        double* losses, double* gradient, int rows, int columns, float scale) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  const int target = targets[row];
  const bool ignored = target < 0 || target >= columns;
  logits += static_cast<long long>(row) * columns;
  float maximum = to_float<format>(logits[0]);
  for (int column = lane; column < columns; column += 32) maximum = fmaxf(maximum, to_float<format>(logits[column]));
  for (int distance = 16; distance > 0; distance /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, distance));
  double sum = 0.0;
  for (int column = lane; column < columns; column += 32)
    sum += exp(static_cast<double>(to_float<format>(logits[column])) - maximum);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (lane == 0) losses[row] = ignored ? 0.0 : log(sum) + maximum - to_float<format>(logits[target]);
  if (!GRADIENT) return;
  gradient += static_cast<long long>(row) * columns;
  for (int column = lane; column < columns; column += 32) {
    const double probability = exp(static_cast<double>(to_float<format>(logits[column])) - maximum) / sum;
    gradient[column] = ignored ? 0.0 : (probability - (column == target ? 1.0 : 0.0)) * scale;
  }
}

extern "C" __global__ void reference_of_floats(const float* logits, const int* targets, double* losses,
                                               double* gradient, int rows, int columns, float scale) {
  cross_entropy_in_double<NumberFormat::float32>(logits, targets, losses, gradient, rows, columns, scale);
}

extern "C" __global__ void reference_of_halves(const unsigned short* logits, const int* targets, double* losses,
                                               double* gradient, int rows, int columns, float scale) {
  cross_entropy_in_double<NumberFormat::half>(logits, targets, losses, gradient, rows, columns, scale);
}

extern "C" __global__ void reference_of_bfloats(const unsigned short* logits, const int* targets, double* losses,
                                                double* gradient, int rows, int columns, float scale) {
  cross_entropy_in_double<NumberFormat::bfloat16>(logits, targets, losses, gradient, rows, columns, scale);
}
