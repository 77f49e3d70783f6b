// Step by step in double precision. scratch: as many points as the grid has. change: the largest of the last step.
extern "C" void jacobi2d_reference(const float* input, double* output, double* scratch, double* change, int height,
                                   int width, int steps) {
  const long long size = static_cast<long long>(height) * width;
  for (long long i = 0; i < size; ++i) output[i] = input[i];
  for (int step = 0; step < steps; ++step) {
    *change = 0;
    for (long long i = 0; i < size; ++i) scratch[i] = output[i];
    for (int row = 1; row < height - 1; ++row) {
      for (int column = 1; column < width - 1; ++column) {
        const double* point = scratch + static_cast<long long>(row) * width + column;
        const double mean = 0.25 * ((point[-width] + point[width]) + (point[-1] + point[1]));
        output[point - scratch] = mean;
        const double difference = mean > *point ? mean - *point : *point - mean;
        *change = difference > *change ? difference : *change;
      }
    }
  }
}
