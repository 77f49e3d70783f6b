// The polynomial by Horner's scheme in double precision, one thread per element, all data at once.
extern "C" __global__ void evaluate_reference(const float* x, double* y, const float* coefficients, int degree,
                                              long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  double sum = coefficients[degree];
  for (int k = degree - 1; k >= 0; --k) sum = sum * x[i] + coefficients[k];
  y[i] = sum;
}
