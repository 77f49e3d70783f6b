// Step by step in double precision, between two grids that take turns: the last step writes the output. scratch: as
// many points as the grid has. change: the largest of the last step. Rows are shared by all cores, and no sum depends
// on how.
#include <utility>

extern "C" void jacobi2d_reference(const float* input, double* output, double* scratch, double* change, int height,
                                   int width, int steps) {
  double* from = steps % 2 == 0 ? output : scratch;
  double* to = steps % 2 == 0 ? scratch : output;
#pragma omp parallel for
  for (long long row = 0; row < height; ++row)
    for (long long i = row * width; i < (row + 1) * width; ++i) from[i] = to[i] = input[i];  // the border stays
  *change = 0;
  for (int step = 0; step < steps; ++step) {
    double largest = 0;
#pragma omp parallel for reduction(max : largest)
    for (int row = 1; row < height - 1; ++row) {
      for (int column = 1; column < width - 1; ++column) {
        const double* point = from + static_cast<long long>(row) * width + column;
        const double mean = 0.25 * ((point[-width] + point[width]) + (point[-1] + point[1]));
        to[point - from] = mean;
        const double difference = mean > *point ? mean - *point : *point - mean;
        largest = difference > largest ? difference : largest;
      }
    }
    *change = largest;
    std::swap(from, to);
  }
}
