// Both polynomials in double precision, a thread per element.
enum class Trips { equal, divergent };

extern "C" __global__ void even_odd_reference(const float* input, double* output, long long size, int degree) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int trips = Trips::TRIPS == Trips::divergent ? degree * (1 + static_cast<int>(i % 16)) / 16 : degree;
  const double x = i % 2 == 0 ? static_cast<double>(input[i]) : 0.5 * static_cast<double>(input[i]);
  const double constant = i % 2 == 0 ? 0.5 : 0.75;
  double result = i % 2 == 0 ? 0.5 : -0.25;
  for (int step = 0; step < trips; ++step) result = result * x + constant;
  output[i] = result;
}
