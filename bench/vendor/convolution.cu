// cuDNN: forward convolutions shaped as in ResNet-50 (He et al. 2016), and of a single-channel image; NCHW, FP32
// without tensor cores, the fastest of cuDNN's algorithms. The extent of the image is kept: what conv_layer calls
// PAD=same.
#include <cudnn.h>

#include <limits>

#include "harness.h"

namespace vendor {

namespace {

struct Layer {
  const char* name;
  int batch, channels, height, width, filters, size;
};

constexpr const char* algorithm_names[] = {"implicit_gemm", "precomputed_gemm", "gemm",     "direct",
                                           "fft",           "fft_tiling",       "winograd", "winograd_nonfused"};
static_assert(std::size(algorithm_names) == CUDNN_CONVOLUTION_FWD_ALGO_COUNT);

// The layer as cuDNN describes it.
class Convolution {
 public:
  explicit Convolution(const Layer& layer) {
    const auto [name, batch, channels, height, width, filters, size] = layer;
    check(cudnnCreate(&handle_), "cudnnCreate");
    check(cudnnSetStream(handle_, stream()), "cudnnSetStream");
    cudnnCreateTensorDescriptor(&in_);
    cudnnCreateTensorDescriptor(&out_);
    cudnnCreateFilterDescriptor(&filter_);
    cudnnCreateConvolutionDescriptor(&convolution_);
    check(cudnnSetTensor4dDescriptor(in_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, channels, height, width), name);
    check(cudnnSetTensor4dDescriptor(out_, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, batch, filters, height, width), name);
    check(cudnnSetFilter4dDescriptor(filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, filters, channels, size, size),
          name);
    check(cudnnSetConvolution2dDescriptor(convolution_, size / 2, size / 2, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT),
          name);
    forbid_tensor_cores();
  }
  ~Convolution() {
    cudnnDestroyTensorDescriptor(in_);
    cudnnDestroyTensorDescriptor(out_);
    cudnnDestroyFilterDescriptor(filter_);
    cudnnDestroyConvolutionDescriptor(convolution_);
    cudnnDestroy(handle_);
  }
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  // Infinite where cuDNN has no such algorithm for the layer.
  double ms(cudnnConvolutionFwdAlgo_t algorithm, const Array<float>& x, const Array<float>& w, Array<float>& y) {
    constexpr double none = std::numeric_limits<double>::infinity();
    std::size_t bytes = 0;
    if (cudnnGetConvolutionForwardWorkspaceSize(handle_, in_, filter_, convolution_, out_, algorithm, &bytes) !=
        CUDNN_STATUS_SUCCESS)
      return none;
    Array<unsigned char> scratch(bytes);
    const float alpha = 1, beta = 0;
    const auto run = [&] {
      return cudnnConvolutionForward(handle_, &alpha, in_, x.get(), filter_, w.get(), convolution_, algorithm,
                                     scratch.get(), bytes, &beta, out_, y.get());
    };
    if (run() != CUDNN_STATUS_SUCCESS) return none;
    return median_ms([&] { check(run(), "cudnnConvolutionForward"); }, {y.output()});
  }

 private:
  // And makes sure: a later cuDNN may take the wish for advice.
  void forbid_tensor_cores() {
    cudnnMathType_t math = CUDNN_DEFAULT_MATH;
    check(cudnnSetConvolutionMathType(convolution_, CUDNN_FMA_MATH), "cudnnSetConvolutionMathType");
    check(cudnnGetConvolutionMathType(convolution_, &math), "cudnnGetConvolutionMathType");
    check(math != CUDNN_FMA_MATH, "asking cuDNN for FP32 without tensor cores");
  }

  cudnnHandle_t handle_ = nullptr;
  cudnnTensorDescriptor_t in_ = nullptr, out_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t convolution_ = nullptr;
};

// Operations are counted as the definition has them, whatever the algorithm saves.
Figure forward(const Layer& layer) {
  const std::size_t pixels = std::size_t(layer.batch) * layer.height * layer.width;
  const double depth = double(layer.channels) * layer.size * layer.size;
  Array<float> x(pixels * layer.channels), y(pixels * layer.filters), w(std::size_t(depth) * layer.filters);
  fill_uniform(x, 1), fill_uniform(w, 2);
  Convolution convolution(layer);
  double best_ms = std::numeric_limits<double>::infinity();
  std::string best = "none";
  for (int i = 0; i < CUDNN_CONVOLUTION_FWD_ALGO_COUNT; ++i) {
    const double ms = convolution.ms(static_cast<cudnnConvolutionFwdAlgo_t>(i), x, w, y);
    if (ms < best_ms) best_ms = ms, best = algorithm_names[i];
  }
  return {2.0 * pixels * layer.filters * depth / best_ms / 1e6, "GFLOP/s", best};
}

}  // namespace

void add_convolution(Cases& cases) {
  for (const Layer& layer : {Layer{"conv_64x56", 32, 64, 56, 56, 64, 3}, Layer{"conv_128x28", 32, 128, 28, 28, 128, 3},
                             Layer{"conv_256x14", 32, 256, 14, 14, 256, 3}, Layer{"image_3", 1, 1, 4096, 4096, 1, 3},
                             Layer{"image_7", 1, 1, 4096, 4096, 1, 7}, Layer{"image_17", 1, 1, 4096, 4096, 1, 17}})
    cases.push_back({std::string("cudnn_") + layer.name, [=] { return forward(layer); }});
}

}  // namespace vendor
