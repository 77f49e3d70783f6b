// A layer of a convolutional network, forward: output[n][k][p][q] is the sum over channels c and taps (r, s) of
// filters[k][c][r][s] * input[n][c][p * stride - pad + r][q * stride - pad + s], zeros beyond the image (NCHW). In the
// product's words M counts filters, N pixels of all images, and K the depth: channels times taps.
//
//   ALGORITHM      direct: every operand through the caches; tiled: the block's part of the image, halo included, and
//                  the filters in shared memory; im2col: a kernel writes the patches as a matrix, the next multiplies
//                  the filters by it; implicit_gemm: the same product, whose tiles of patches are gathered as they are
//                  needed; winograd: filters, patches and outputs through transforms between which each of 36 points
//                  has a product of its own, for 3 x 3 taps without stride; fft: the same with Fourier transforms of
//                  8 x 8 inputs, for up to 7 x 7 taps without stride
//   OUTPUT_TILE    winograd: a tile of outputs is so wide and high; 4 saves three of four multiplications, 2 rounds
//                  less
//   PASSES         im2col, winograd, fft: parts of the images, one after the other, which use the same buffers: less
//                  memory, and what is unrolled or transformed stays in the L2 cache
//   DEPTH_ORDER    the order of the sum: channels: all taps of a channel, as filters lie in memory; taps: all channels
//                  of a tap, whose addresses follow each other without a division, but which end in a part of a tile
//   FILTER_LAYOUT  given: as they are (KCRS); reordered: a kernel before turns them to depth x filters, so that tiles
//                  keep their order: vectors without a transposition, and asynchronous copies of whole vectors
//   OFFSETS        where a step along the channels' taps finds its address: computed by divisions by constants, or in a
//                  table that a kernel before has written
//   TILE_X         tiled: pixels along x of the part of the image that a block computes; there are TILE_N in it
//   SPLIT_K        parts of the depth, each summed up by blocks of their own and added up by a kernel afterwards: for
//                  late layers, whose few pixels make too few tiles to fill the device
//   TILE_M, TILE_N, TILE_K, COARSENING_M, COARSENING_N, SLICED_K, LANES_M, LANE_ORDER, PADDING_A, SWIZZLE_A,
//   VECTOR_WIDTH, COPY, STAGES, FRAGMENTS, TRAVERSAL, RASTER_GROUP, MIN_BLOCKS_PER_SM
//                  as in gemm (../gemm/kernel.cu), whose ring and product this uses; tiled takes TILE_K channels with
//                  all their taps at once, winograd's products sum over channels. Vectors of pixels need 1 x 1 filters
//                  without stride: others' patches begin anywhere
//
// Sources: Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning" (2014) for the product whose second matrix
// never exists; the CUTLASS documentation, "CUTLASS Convolution", for walking taps and for masks of what lies inside;
// Lavin & Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016) for Winograd's filtering and its
// products at each point; Mathieu, Henaff & LeCun, "Fast Training of Convolutional Networks through FFTs" (2014); Kirk
// & Hwu, "Programming Massively Parallel Processors", ch. 16, for the direct and tiled layers and for im2col; van
// Werkhoven et al. (FGCS 2014) for windows in registers.

// A tile's steps are unrolled whole.
#define LAYOUT_A column
#define UNROLL (TILE_K / SLICED_K)

#include "direct.cuh"
#include "fft.cuh"
#include "im2col.cuh"
#include "tiled.cuh"

// input: images * channels * height * width floats; output: images * filters * out_height * out_width, or SPLIT_K times
// as many, one layer per part; filters: as FILTER_LAYOUT says, pitch a multiple of four if reordered; all aligned to 16
// bytes. table: one entry for each step if OFFSETS says so. Blocks: x counts tiles, y parts.
__device__ inline void convolve(const Layer& layer, const float* filters, const int2* table, float* output) {
  if constexpr (algorithm == Algorithm::direct) {
    convolve_directly(layer, filters, output);
  } else if constexpr (algorithm == Algorithm::tiled) {
    convolve_tiled(layer, filters, output);
  } else if constexpr (algorithm == Algorithm::implicit_gemm) {
    convolve_as_product(layer, filters, table, output);
  }
}

// given, reordered: the filters, of which one is read; output, parts: of which one is written.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    conv_layer(const float* __restrict__ input, const float* __restrict__ given, const float* __restrict__ reordered,
               const int2* __restrict__ table, float* __restrict__ output, float* __restrict__ parts, int images,
               int channels, int height, int width, int filter_count, int pad_y, int pad_x) {
  const Layer layer{input, images, channels, height, width, filter_count, pad_y, pad_x};
  convolve(layer, filter_layout == FilterLayout::given ? given : reordered, table, SPLIT_K == 1 ? output : parts);
}

extern "C" __global__ void __launch_bounds__(256)
    add_parts(const float* __restrict__ parts, float* __restrict__ output, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= size) return;
  float sum = 0.0f;
#pragma unroll
  for (int part = 0; part < SPLIT_K; ++part) sum += parts[part * size + i];
  output[i] = sum;
}

// Turns filters x depth to depth x filters, through a padded tile in shared memory. x counts tiles along the depth, y
// tiles of filters; what the pitch has beyond the last filter becomes zeros.
extern "C" __global__ void __launch_bounds__(256)
    reorder_filters(const float* __restrict__ filters, float* __restrict__ reordered, int channels, int filter_count) {
  __shared__ float tile[32][33];
  const int depth = channels * taps;
  const int pitch = round_up(filter_count, 4);
  const int first = static_cast<int>(blockIdx.x) * 32;
  const int first_filter = static_cast<int>(blockIdx.y) * 32;
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8) {
    const bool inside = first + x < depth && first_filter + y < filter_count;
    tile[y][x] = inside ? filters[static_cast<long long>(first_filter + y) * depth + first + x] : 0.0f;
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8) {
    const int step = first + y;
    if (step >= depth || first_filter + x >= pitch) continue;
    const int row = depth_order == DepthOrder::taps ? step % taps * channels + step / taps : step;
    reordered[static_cast<long long>(row) * pitch + first_filter + x] = tile[x][y];
  }
}

extern "C" __global__ void __launch_bounds__(256) write_table(int2* table, int channels, int height, int width) {
  const Layer layer{nullptr, 1, channels, height, width, 1, 0, 0};
  const int d = static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x);
  if (d < layer.depth()) table[d] = table_entry(step_by_channels(layer, d));
}

// im2col, first kernel: the patches of `images` images from first_image on, as a matrix of depth x pitch.
extern "C" __global__ void __launch_bounds__(unroll_threads)
    unroll_patches(const float* __restrict__ input, float* __restrict__ unrolled, int first_image, int images,
                   int channels, int height, int width, int filter_count, int pad_y, int pad_x, int pitch) {
  if constexpr (algorithm == Algorithm::im2col) {
    const long long passed = static_cast<long long>(first_image) * channels * height * width;
    unroll_patch({input + passed, images, channels, height, width, filter_count, pad_y, pad_x}, unrolled, pitch);
  }
}

// im2col, second kernel: the filters times that matrix. given, reordered: as conv_layer's.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    multiply_unrolled_patches(const float* __restrict__ given, const float* __restrict__ reordered,
                              const float* __restrict__ unrolled, float* __restrict__ output, int first_image,
                              int images, int channels, int height, int width, int filter_count, int pad_y, int pad_x,
                              int pitch) {
  if constexpr (algorithm == Algorithm::im2col) {
    const Layer layer{nullptr, images, channels, height, width, filter_count, pad_y, pad_x};
    const long long passed = static_cast<long long>(first_image) * filter_count * layer.out_plane();
    convolve_unrolled(layer, filter_layout == FilterLayout::given ? given : reordered, unrolled, output + passed,
                      pitch);
  }
}

// Winograd's transforms before the products, of one pass: the first filter_blocks blocks take the filters, the others
// the images from first_image on.
extern "C" __global__ void __launch_bounds__(transform_threads)
    transform_operands(const float* __restrict__ input, const float* __restrict__ filters,
                       float* __restrict__ transformed_filters, float* __restrict__ transformed_input, int first_image,
                       int images, int channels, int height, int width, int filter_count, int pad_y, int pad_x,
                       int tile_pitch, int filter_blocks) {
  if constexpr (algorithm == Algorithm::winograd) {
    const long long passed = static_cast<long long>(first_image) * channels * height * width;
    const Layer layer{input + passed, images, channels, height, width, filter_count, pad_y, pad_x};
    const int block = static_cast<int>(blockIdx.x);
    if (block < filter_blocks) {
      transform_filters(layer, filters, transformed_filters, block);
    } else {
      transform_input(layer, transformed_input, tile_pitch, block - filter_blocks);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    multiply_transformed(const float* __restrict__ transformed_filters, const float* __restrict__ transformed_input,
                         float* __restrict__ products, int channels, int filter_count, int tile_pitch) {
  if constexpr (algorithm == Algorithm::winograd || algorithm == Algorithm::fft) {
    multiply_point(transformed_filters, transformed_input, products, channels, filter_count, tile_pitch);
  }
}

extern "C" __global__ void __launch_bounds__(transform_threads)
    transform_output(const float* __restrict__ products, float* __restrict__ output, int first_image, int images,
                     int channels, int height, int width, int filter_count, int pad_y, int pad_x, int tile_pitch) {
  if constexpr (algorithm == Algorithm::winograd) {
    const Layer layer{nullptr, images, channels, height, width, filter_count, pad_y, pad_x};
    transform_products(layer, products, tile_pitch,
                       output + static_cast<long long>(first_image) * filter_count * layer.out_plane());
  }
}

extern "C" __global__ void __launch_bounds__(fft_threads)
    fft_filters(const float* __restrict__ filters, float* __restrict__ transformed_filters, int channels,
                int filter_count) {
  if constexpr (algorithm == Algorithm::fft)
    transform_filters_by_fft({nullptr, 1, channels, 1, 1, filter_count, 0, 0}, filters, transformed_filters);
}

extern "C" __global__ void __launch_bounds__(fft_threads)
    fft_input(const float* __restrict__ input, float* __restrict__ transformed_input, int first_image, int images,
              int channels, int height, int width, int pad_y, int pad_x, int tile_pitch) {
  if constexpr (algorithm == Algorithm::fft) {
    const long long passed = static_cast<long long>(first_image) * channels * height * width;
    transform_input_by_fft({input + passed, images, channels, height, width, 1, pad_y, pad_x}, transformed_input,
                           tile_pitch);
  }
}

extern "C" __global__ void __launch_bounds__(fft_threads)
    fft_output(const float* __restrict__ products, float* __restrict__ output, int first_image, int images,
               int channels, int height, int width, int filter_count, int pad_y, int pad_x, int tile_pitch) {
  if constexpr (algorithm == Algorithm::fft) {
    const Layer layer{nullptr, images, channels, height, width, filter_count, pad_y, pad_x};
    const long long passed = static_cast<long long>(first_image) * filter_count * layer.out_plane();
    transform_output_by_fft(layer, products, output + passed, tile_pitch);
  }
}
