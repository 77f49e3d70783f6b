// A pipeline of kernels tuned as one: smoothing an image several times, rows then columns, with scratch memory between.
// What is timed is all of it, so a block shape that helps one pass and hurts the other is judged by the sum. Shows a
// launcher with a loop, a lambda as constraint, a metric of one's own, an observer, and a store in a file.
//
//   example_pipeline [DEVICE [STORE]]
#include <warptune/tuner.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

constexpr char source[] = R"(
// Each output is the mean of three neighbours; beyond the edge the edge is repeated.
extern "C" __global__ void smooth_rows(const float* from, float* to, int width, int height) {
  const int x = blockIdx.x * ROW_X + threadIdx.x, y = blockIdx.y * ROW_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* row = from + y * width;
  to[y * width + x] = (row[max(x - 1, 0)] + row[x] + row[min(x + 1, width - 1)]) / 3.0f;
}
extern "C" __global__ void smooth_columns(const float* from, float* to, int width, int height) {
  const int x = blockIdx.x * COLUMN_X + threadIdx.x, y = blockIdx.y * COLUMN_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  to[y * width + x] =
      (from[max(y - 1, 0) * width + x] + from[y * width + x] + from[min(y + 1, height - 1) * width + x]) / 3.0f;
}
)";

namespace {

constexpr int width = 200, height = 150, passes = 3;

void queue_pass(const warptune::Run& run, const char* kernel, const char* shape_x, const char* shape_y,
                const char* from, const char* to) {
  const warptune::Dim3 block{run[shape_x], run[shape_y]};
  const warptune::Dim3 grid{(width + block.x - 1) / block.x, (height + block.y - 1) / block.y};
  run.launch(kernel, {grid, block}, run.array(from), run.array(to), width, height);
}

void smooth(const warptune::Run& run) {
  for (int pass = 0; pass < passes; ++pass) {
    queue_pass(run, "smooth_rows", "ROW_X", "ROW_Y", pass == 0 ? "image" : "result", "rows");
    queue_pass(run, "smooth_columns", "COLUMN_X", "COLUMN_Y", "rows", "result");
  }
}

void smooth_on_the_host(warptune::HostArrays& arrays) {
  const auto image = arrays.get<float>("image");
  const auto result = arrays.get<float>("result");
  std::vector<float> from(image.begin(), image.end()), rows(from.size());
  const auto at = [](std::vector<float>& data, int x, int y) -> float& {
    return data[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1))];
  };
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        at(rows, x, y) = (at(from, x - 1, y) + at(from, x, y) + at(from, x + 1, y)) / 3.0f;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        at(from, x, y) = (at(rows, x, y - 1) + at(rows, x, y) + at(rows, x, y + 1)) / 3.0f;
  }
  std::copy(from.begin(), from.end(), result.begin());
}

// Says whenever something better was found.
class Improvements : public warptune::SessionObserver {
 public:
  void on_trial(const warptune::Trial& trial, const warptune::SessionProgress& progress) override {
    if (progress.best == &trial)
      std::printf("after %zu trials: %.4f ms, %.0f Mpixel/s\n", progress.done, trial.measurement->median_ms,
                  trial.metrics.at("Mpixel/s"));
  }
};

int tune(const char* device, const char* store) {
  std::vector<float> image(width * height);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i * 7919 % 256);
  warptune::Tuner tuner("smooth");
  tuner.device(device).store(store, "1").source(source, {"smooth_rows", "smooth_columns"});
  tuner.parameter("ROW_X", {32, 64, 128, 256}).parameter("ROW_Y", {1, 2, 4});
  tuner.parameter("COLUMN_X", {32, 64, 128}).parameter("COLUMN_Y", {1, 2, 4, 8});
  tuner.constraint({"ROW_X", "ROW_Y"},
                   [](const warptune::Values& v) { return v.integer("ROW_X") * v.integer("ROW_Y") <= 512; });
  tuner.constraint({"COLUMN_X", "COLUMN_Y"}, [](const warptune::Values& v) {
    const auto threads = v.integer("COLUMN_X") * v.integer("COLUMN_Y");
    return threads >= 64 && threads <= 512;
  });
  tuner.input("image", image).scratch<float>("rows", image.size());
  tuner.output<float>("result", image.size(), {.absolute = 1e-3});
  tuner.launcher(smooth).reference(smooth_on_the_host);
  tuner.metric("Mpixel/s", [](const warptune::Values& v) { return passes * width * height / v.number("time") / 1e6; });
  tuner.objective("Mpixel/s").strategy("random").seed(1);
  Improvements improvements;
  tuner.observer(improvements);

  const warptune::TunerResult result = tuner.run({.seconds = 20, .trials = 8});
  if (!result.best) return 1;
  std::printf("%s: %s\n", result.device.c_str(), warptune::to_text(*result.best).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return tune(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : ":memory:");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
