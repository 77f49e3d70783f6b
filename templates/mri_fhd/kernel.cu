// F^H d of non-Cartesian MRI reconstruction: for every voxel n the sum over all k-space samples m of
// (re_m + i im_m) * exp(2 pi i k_m . x_n).
//
//   BLOCK    threads a block
//   VOXELS   voxels a thread computes: each sample it reads serves that many (coarsening)
//   SAMPLES_FROM  shared: the block stages tiles of samples; cache: global loads, the same address for a whole warp
//   TILE     samples in a shared tile, in multiples of the block
//   LAYOUT   of the shared tile: aos (a sample's five values next to each other) or soa (an array each)
//   TRIG     precise: sincosf; pi: sincospif, whose range reduction is exact; fast: the hardware's units, after
//   reduction to a half turn UNROLL   samples between two loop branches
//
// Sources: Stone et al., "Accelerating Advanced MRI Reconstructions on GPUs" (J. Parallel Distrib. Comput., 2008); Kirk
// & Hwu, "Programming Massively Parallel Processors", chapter on iterative MRI reconstruction (layouts, constant
// memory, fast sine and cosine).

enum class SamplesFrom { shared, cache };
enum class Layout { aos, soa };
enum class Trig { precise, pi, fast };

constexpr SamplesFrom samples_from = SamplesFrom::SAMPLES_FROM;
constexpr Layout layout = Layout::LAYOUT;
constexpr Trig trig = Trig::TRIG;
constexpr int unroll = UNROLL;
constexpr int tile_samples = BLOCK * TILE;
constexpr float two_pi = 6.283185307179586f;

struct Sample {
  float kx;
  float ky;
  float kz;
  float re;
  float im;
};

// The samples in global memory, an array for each value.
struct Samples {
  const float* kx;
  const float* ky;
  const float* kz;
  const float* re;
  const float* im;

  __device__ Sample at(int i) const { return {kx[i], ky[i], kz[i], re[i], im[i]}; }
};

struct Voxel {
  float x;
  float y;
  float z;
  float re;
  float im;
};

// Sine and cosine of an angle given in turns.
__device__ inline void sine_cosine(float turns, float& sine, float& cosine) {
  if constexpr (trig == Trig::precise) {
    sincosf(two_pi * turns, &sine, &cosine);
  } else if constexpr (trig == Trig::pi) {
    sincospif(2.0f * turns, &sine, &cosine);
  } else {
    __sincosf(two_pi * (turns - rintf(turns)), &sine, &cosine);
  }
}

__device__ inline void add_sample(Voxel (&voxels)[VOXELS], const Sample& sample) {
#pragma unroll
  for (int i = 0; i < VOXELS; ++i) {
    Voxel& voxel = voxels[i];
    float sine;
    float cosine;
    sine_cosine(sample.kx * voxel.x + (sample.ky * voxel.y + sample.kz * voxel.z), sine, cosine);
    voxel.re += sample.re * cosine - sample.im * sine;
    voxel.im += sample.im * cosine + sample.re * sine;
  }
}

// A tile of samples in shared memory.
struct Tile {
  float* data;

  __device__ float& value(int sample, int which) const {
    return layout == Layout::aos ? data[sample * 5 + which] : data[which * tile_samples + sample];
  }
  __device__ void put(int i, const Sample& sample) const {
    value(i, 0) = sample.kx, value(i, 1) = sample.ky, value(i, 2) = sample.kz;
    value(i, 3) = sample.re, value(i, 4) = sample.im;
  }
  __device__ Sample get(int i) const { return {value(i, 0), value(i, 1), value(i, 2), value(i, 3), value(i, 4)}; }
};

// All of the block's threads call this.
__device__ inline void add_shared_samples(Voxel (&voxels)[VOXELS], const Samples& samples, int count) {
  __shared__ float storage[5 * tile_samples];
  const Tile tile{storage};
  for (int start = 0; start < count; start += tile_samples) {
    const int here = count - start < tile_samples ? count - start : tile_samples;
    for (int i = static_cast<int>(threadIdx.x); i < here; i += BLOCK) tile.put(i, samples.at(start + i));
    __syncthreads();
#pragma unroll unroll
    for (int i = 0; i < here; ++i) add_sample(voxels, tile.get(i));
    __syncthreads();
  }
}

// x, y, z, out_re, out_im: an array of `size` voxels each; kx … im: of `count` samples each.
extern "C" __global__ void __launch_bounds__(BLOCK)
    mri_fhd(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
            const float* __restrict__ kx, const float* __restrict__ ky, const float* __restrict__ kz,
            const float* __restrict__ re, const float* __restrict__ im, float* __restrict__ out_re,
            float* __restrict__ out_im, int size, int count) {
  const int own = static_cast<int>(blockIdx.x) * (BLOCK * VOXELS) + static_cast<int>(threadIdx.x);
  const Samples samples{kx, ky, kz, re, im};
  Voxel voxels[VOXELS] = {};
#pragma unroll
  for (int i = 0; i < VOXELS; ++i) {
    const int voxel = own + i * BLOCK;
    if (voxel < size) voxels[i] = {x[voxel], y[voxel], z[voxel], 0.0f, 0.0f};
  }
  if constexpr (samples_from == SamplesFrom::shared) {
    add_shared_samples(voxels, samples, count);
  } else {
#pragma unroll unroll
    for (int i = 0; i < count; ++i) add_sample(voxels, samples.at(i));
  }
#pragma unroll
  for (int i = 0; i < VOXELS; ++i) {
    const int voxel = own + i * BLOCK;
    if (voxel < size) out_re[voxel] = voxels[i].re, out_im[voxel] = voxels[i].im;
  }
}
