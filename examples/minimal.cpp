// The least there is to tuning a kernel from a program: a source, a parameter, data, a launcher, a reference.
//
//   example_minimal [DEVICE]
#include <warptune/tuner.h>

#include <cstdio>
#include <exception>
#include <vector>

constexpr char source[] = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
  for (int i = first; i < first + ITEMS && i < n; ++i) y[i] = a * x[i] + 1.0f;
}
)";

constexpr int n = 1 << 18;

static int tune(const char* device) {
  warptune::Tuner tuner("saxpy");
  tuner.device(device).source(source, {"saxpy"});
  tuner.parameter("BLOCK", {64, 128, 256, 512}).parameter("ITEMS", {1, 2, 4, 8}).size("n", n);
  tuner.constraint("BLOCK * ITEMS <= 2048");
  tuner.input("x", std::vector<float>(n, 0.5f)).output<float>("y", n);
  tuner.launcher([](const warptune::Run& run) {
    const std::int64_t per_block = run["BLOCK"] * run["ITEMS"];
    run.launch("saxpy", {{(n + per_block - 1) / per_block}, {run["BLOCK"]}}, 3.0f, run.array("x"), run.array("y"), n);
  });
  tuner.reference([](warptune::HostArrays& arrays) {
    const auto x = arrays.get<float>("x");
    const auto y = arrays.get<float>("y");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 3.0f * x[i] + 1.0f;
  });

  const warptune::TunerResult result = tuner.run({.seconds = 10, .trials = 8});
  if (!result.best) {
    std::fprintf(stderr, "nothing is right: %s\n", result.session.trials.front().message.c_str());
    return 1;
  }
  std::printf("%s: %s takes %.4f ms, %s\n", result.device.c_str(), warptune::to_text(*result.best).c_str(),
              result.best_ms, result.session.reason.c_str());
  return 0;
}

int main(int argc, char** argv) {
  try {
    return tune(argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
