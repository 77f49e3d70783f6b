// y = A * x row by row in double precision.
extern "C" void spmv_reference(const int* starts, const int* columns, const float* values, const float* x, double* y,
                               int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
    y[row] = sum;
  }
}
