static double weight(long i) {
  double w = static_cast<double>(i % 17) * 0.05;
  for (int k = 0; k < 64; ++k) w = w * 0.5 + 0.25;
  return w;
}

extern "C" void steps(const float* x, double* y, int n) {
  for (long i = 0; i < n; ++i) {
    double sum = 0;
    for (long j = i < 4 ? 0 : i - 4; j <= i + 4 && j < n; ++j) sum += static_cast<double>(x[j]) * x[j] * weight(j);
    y[i] = sum * weight(i);
  }
}
