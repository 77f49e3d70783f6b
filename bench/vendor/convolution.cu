// cuDNN: forward convolution of three layers shaped as in ResNet-50 (He et al. 2016), FP32 without tensor cores, NCHW;
// the fastest of its algorithms. And a single-channel image convolution.
#include <cudnn.h>

#include "harness.h"

namespace vendor {

namespace {

struct Layer {
  const char* name;
  int batch, channels, height, width, filters, size;
};

void forward(const Layer& layer) {
  const int pad = layer.size / 2;
  cudnnHandle_t handle;
  check(cudnnCreate(&handle), "cudnnCreate");
  cudnnTensorDescriptor_t in, out;
  cudnnFilterDescriptor_t filter;
  cudnnConvolutionDescriptor_t convolution;
  cudnnCreateTensorDescriptor(&in);
  cudnnCreateTensorDescriptor(&out);
  cudnnCreateFilterDescriptor(&filter);
  cudnnCreateConvolutionDescriptor(&convolution);
  cudnnSetTensor4dDescriptor(in, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, layer.batch, layer.channels, layer.height,
                             layer.width);
  cudnnSetTensor4dDescriptor(out, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, layer.batch, layer.filters, layer.height,
                             layer.width);
  cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, layer.filters, layer.channels, layer.size,
                             layer.size);
  cudnnSetConvolution2dDescriptor(convolution, pad, pad, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH);

  const std::size_t pixels = std::size_t(layer.batch) * layer.height * layer.width;
  Array<float> x(pixels * layer.channels), y(pixels * layer.filters);
  Array<float> w(std::size_t(layer.filters) * layer.channels * layer.size * layer.size);
  fill_uniform(x, 1), fill_uniform(w, 2);
  const float alpha = 1, beta = 0;
  double best_ms = 1e30;
  for (int algorithm = 0; algorithm < CUDNN_CONVOLUTION_FWD_ALGO_COUNT; ++algorithm) {
    const auto algo = static_cast<cudnnConvolutionFwdAlgo_t>(algorithm);
    std::size_t bytes = 0;
    if (cudnnGetConvolutionForwardWorkspaceSize(handle, in, filter, convolution, out, algo, &bytes) !=
        CUDNN_STATUS_SUCCESS)
      continue;
    Array<unsigned char> scratch(bytes);
    const auto run = [&] {
      return cudnnConvolutionForward(handle, &alpha, in, x.get(), filter, w.get(), convolution, algo, scratch.get(),
                                     bytes, &beta, out, y.get());
    };
    if (run() != CUDNN_STATUS_SUCCESS) continue;
    best_ms = std::min(best_ms, median_ms([&] { check(run(), "cudnnConvolutionForward"); }));
  }
  report(std::string("cudnn_") + layer.name,
         2.0 * pixels * layer.filters * layer.channels * layer.size * layer.size / best_ms / 1e6, "GFLOP/s");
  cudnnDestroyTensorDescriptor(in);
  cudnnDestroyTensorDescriptor(out);
  cudnnDestroyFilterDescriptor(filter);
  cudnnDestroyConvolutionDescriptor(convolution);
  cudnnDestroy(handle);
}

}  // namespace

void run_convolution() {
  forward({"conv_64x56", 32, 64, 56, 56, 64, 3});
  forward({"conv_128x28", 32, 128, 28, 28, 128, 3});
  forward({"conv_256x14", 32, 256, 14, 14, 256, 3});
  forward({"image_17", 1, 1, 4096, 4096, 1, 17});
}

}  // namespace vendor
