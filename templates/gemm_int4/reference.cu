// D = A * dequantised(B) in double precision, from the operands as they are stored; a thread per element of D.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::to_float;

enum class ZeroPoints { symmetric, groups };

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr bool has_zeros = ZeroPoints::ZERO_POINTS == ZeroPoints::groups;

extern "C" __global__ void reference_product(const unsigned short* a, const unsigned* weights,
                                             const unsigned short* scales, const unsigned* zeros, double* d, int m,
                                             int n, int k) {
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<long long>(m) * n) return;
  const long long row = index / n, column = index % n;
  double sum = 0.0;
  for (int first = 0; first < k; first += 8) {
    const long long group = first / GROUP_SIZE;
    const unsigned word = weights[first / 8 * static_cast<long long>(n) + column];
    const int zero =
        has_zeros ? static_cast<int>(zeros[group * ((n - 1) / 8 + 1) + column / 8] >> column % 8 * 4 & 15u) : 8;
    const double scale = to_float<format>(scales[group * n + column]);
    double products = 0.0;
    for (int i = 0; i < 8 && first + i < k; ++i) {
      products +=
          to_float<format>(a[row * k + first + i]) * static_cast<double>(static_cast<int>(word >> 4 * i & 15u) - zero);
    }
    sum += scale * products;
  }
  d[index] = sum;
}
