// Launches `steps` as its exported header says, in a stream, checks the result on random data, and times it. Built by
// run.sh.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "steps/kernel.cu"
#include "steps_tuned.h"

extern "C" void steps(const float* x, double* y, int n);

namespace tuned = warptune_tuned::steps;

namespace {

constexpr int n = 100000, rounds = 10, runs = 200;

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Buffers {
  float *x, *squares, *y;
};

Buffers make_buffers(const std::vector<float>& x) {
  Buffers buffers{};
  for (float** buffer : {&buffers.x, &buffers.squares, &buffers.y})
    require(cudaMalloc(reinterpret_cast<void**>(buffer), n * sizeof(float)), "allocating");
  require(cudaMemcpy(buffers.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice), "copying");
  return buffers;
}

// As a run is measured: its first launch overlaps with nothing.
void queue_run(int entry, int block, const Buffers& buffers) {
  const auto square_as = tuned::launch_attributes(entry, "square"),
             window_as = tuned::launch_attributes(entry, "window");
  const dim3 threads(block), blocks((n + block - 1) / block);
  for (int i = 0; i < rounds; ++i) {
    auto begin = square_as;
    if (i == 0) begin.programmatic = false;
    require(tuned::launch(begin, square, blocks, threads, 0, nullptr, buffers.x, buffers.squares, n), "square");
    require(tuned::launch(window_as, window, blocks, threads, 0, nullptr, buffers.squares, buffers.y, n), "window");
  }
}

float ms_per_run(int entry, int block, const Buffers& buffers) {
  cudaEvent_t begin{}, end{};
  require(cudaEventCreate(&begin), "an event");
  require(cudaEventCreate(&end), "an event");
  float ms = 0;
  for (int time = 0; time < 2; ++time) {  // the first warms up
    require(cudaEventRecord(begin), "recording");
    for (int i = 0; i < runs; ++i) queue_run(entry, block, buffers);
    require(cudaEventRecord(end), "recording");
    require(cudaEventSynchronize(end), "running");
    require(cudaEventElapsedTime(&ms, begin, end), "timing");
  }
  return ms / runs;
}

double largest_error(const std::vector<float>& x, const Buffers& buffers) {
  std::vector<float> y(n);
  std::vector<double> expected(n);
  require(cudaMemcpy(y.data(), buffers.y, n * sizeof(float), cudaMemcpyDeviceToHost), "copying");
  steps(x.data(), expected.data(), n);
  double worst = 0;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(y[i] - expected[i]));
  return worst;
}

}  // namespace

int main() {
  cudaDeviceProp device{};
  require(cudaGetDeviceProperties(&device, 0), "asking for the device");
  const int entry = tuned::find(device.name, device.major * 10 + device.minor, {n, rounds});
  const auto configuration = tuned::configuration_for(device, {n, rounds});
  const auto attributes = tuned::launch_attributes(entry, "window");
  std::vector<float> x(n);
  for (float& value : x) value = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX) * 2 - 1;
  const Buffers buffers = make_buffers(x);
  const float ms = ms_per_run(entry, static_cast<int>(configuration.BLOCK_SIZE), buffers);
  const double error = largest_error(x, buffers);
  std::printf("carve-out %d %%, programmatic %d: %.2f us a run of %d launches in a stream, largest error %.2g\n",
              attributes.carveout, attributes.programmatic, ms * 1e3, 2 * rounds, error);
  return error < 1e-4 ? 0 : 1;
}
