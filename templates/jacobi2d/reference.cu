// Step by step in double precision, a thread per point, between two grids that take turns: the last step writes the
// output. scratch: as many points as the grid has.
extern "C" __global__ void jacobi2d_step(const float* input, double* output, double* scratch, double* change,
                                         int height, int width, int steps, int pass_number) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const bool to_output = (steps - 1 - pass_number) % 2 == 0;
  double* to = to_output ? output : scratch;
  const double* from = to_output ? scratch : output;
  const auto at = [&](int y, int x) {
    const long long i = static_cast<long long>(y) * width + x;
    return pass_number == 0 ? static_cast<double>(input[i]) : from[i];
  };
  const double before = at(row, column);
  double after = before;  // the border stays
  if (row > 0 && row < height - 1 && column > 0 && column < width - 1)
    after = 0.25 * ((at(row - 1, column) + at(row + 1, column)) + (at(row, column - 1) + at(row, column + 1)));
  to[static_cast<long long>(row) * width + column] = after;
  if (pass_number < steps - 1) return;
  // The bits of numbers that are not negative are in the numbers' order.
  const double difference = after > before ? after - before : before - after;
  if (difference > *static_cast<volatile double*>(change))
    atomicMax(reinterpret_cast<unsigned long long*>(change),
              static_cast<unsigned long long>(__double_as_longlong(difference)));
}

// Before all steps.
extern "C" __global__ void jacobi2d_begin(double* change) {
  *change = 0;
}
