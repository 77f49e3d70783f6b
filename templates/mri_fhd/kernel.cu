// F^H d of non-Cartesian MRI reconstruction: for every voxel n the sum over all k-space samples m of
// (re_m + i im_m) * exp(2 pi i k_m . x_n).
//
// The variant PHI says whether rMu + i iMu, the product of the data d and the conjugate of phi, is given (as re and im)
// or has to be computed.
//
//   ALGORITHM      gather: a thread per voxel (or several of them) reads all samples; scatter: a thread per sample adds
//                  to all voxels, atomically
//   FISSION        with PHI: the loop over the samples is split, and a kernel of its own computes rMu and iMu, so that
//                  the loops over samples and voxels can be interchanged; or each reader of a sample computes them
//   BLOCK_SIZE     threads per block
//   COARSENING     voxels per thread: each sample it reads serves that many
//   SAMPLE_MEMORY  shared: the block stages tiles of samples; global: loads of the same address for a whole warp,
//                  through the cache; constant: kx, ky and kz from constant memory, for up to 2730 samples
//   LOADS_PER_THREAD  samples that a thread loads for each shared tile
//   LAYOUT         of the shared tile, or of constant memory: aos (a sample's values next to each other), soa (an array
//                  each); of the shared tile also polar (samples staged as amplitude and phase: then a pair is two
//                  FFMAs for its product and sum, not four)
//   TRIG           precise: sincosf; pi: sincospif, whose range reduction is exact; fast: the hardware's units, after
//                  reduction to a half turn; raw: the hardware's units with the range reduction that they have
//   ANGLE          fma: three multiplications and additions by the thread; tensor: by the tensor cores, of numbers
//                  split in two (tensor_angles.cuh)
//   POLYNOMIALS    how many of a thread's voxels take sines and cosines from polynomials instead of those units; of
//                  eight pairs, with angles from the tensor cores
//   UNROLL         samples between two loop branches
//
// What a pair costs. A multiprocessor issues 128 lanes of instructions per clock, but computes 16 sines, cosines or
// roundings (FRND): `fast` asks for three of them, which ends at 80 of the 256 operations that are its peak, by the
// manifest's 15 per pair, 0.31. So rounding adds and subtracts a large number instead, or is left to the unit (raw):
// two, 0.47. In polar form that is eight issued instructions per pair (three for the angle, one for its scale, the
// sine, the cosine, two FFMAs), and by polynomials it is eighteen: with three of ten voxels there both pipes end
// together, at 0.67 before loads and loops, which leave 0.655 (and 0.62 with two of six voxels). Voxels lie anywhere,
// so that no pair's angle follows from another's. What is left is to take the angles from the tensor cores, which are
// idle: half an instruction each, and with three of eight pairs by polynomials 9.7 instructions and 1.25 units per pair
// end at 0.75.
//
// Sources: Stone et al., "Accelerating Advanced MRI Reconstructions on GPUs" (J. Parallel Distrib. Comput., 2008); Kirk
// & Hwu, "Programming Massively Parallel Processors", chapter on iterative MRI reconstruction (loop
// fission, gather instead of scatter, constant memory and its layout, fast sine and cosine); NVIDIA, "CUDA C++
// Programming Guide", arithmetic instructions (throughput of each).

enum class Algorithm { gather, scatter };
enum class SampleMemory { shared, global, constant };
enum class Layout { aos, soa, polar };
enum class Angle { fma, tensor };
enum class Trig { precise, pi, fast, raw };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr bool is_fused = PHI && !FISSION;
constexpr SampleMemory sample_memory = SampleMemory::SAMPLE_MEMORY;
constexpr Layout layout = Layout::LAYOUT;
constexpr Angle angle_kind = Angle::ANGLE;
constexpr Trig trig = Trig::TRIG;
constexpr int unroll = UNROLL;
constexpr int tile_samples = BLOCK_SIZE * LOADS_PER_THREAD;
constexpr float two_pi = 6.283185307179586f;

// With the layout polar, its value's amplitude instead of re and phase instead of im. With the trigonometry raw, angles
// are in radians, so k and the phase are, too; else in turns.
struct Sample {
  float kx;
  float ky;
  float kz;
  float re;
  float im;
};

__device__ inline Sample prepared(const Sample& sample) {
  constexpr float scale = trig == Trig::raw ? two_pi : 1.0f;
  Sample result{sample.kx * scale, sample.ky * scale, sample.kz * scale, sample.re, sample.im};
  if constexpr (layout == Layout::polar) {
    result.re = hypotf(sample.re, sample.im);
    result.im = atan2f(sample.im, sample.re) * (scale / two_pi);
  }
  return result;
}

// The product of d and the conjugate of phi.
__device__ inline void mu_of(float phi_re, float phi_im, float d_re, float d_im, float& re, float& im) {
  re = phi_re * d_re + phi_im * d_im;
  im = phi_re * d_im - phi_im * d_re;
}

// The samples in global memory, an array for each value. Where nothing computed Mu before, re and im are d.
struct Samples {
  const float* kx;
  const float* ky;
  const float* kz;
  const float* re;
  const float* im;

  const float* phi_re = nullptr;
  const float* phi_im = nullptr;

  __device__ Sample at(int i) const { return with_k(i, kx[i], ky[i], kz[i]); }

  __device__ Sample with_k(int i, float k_x, float k_y, float k_z) const {
    Sample sample{k_x, k_y, k_z, re[i], im[i]};
    if constexpr (is_fused) mu_of(phi_re[i], phi_im[i], re[i], im[i], sample.re, sample.im);
    return sample;
  }
};

constexpr int most_constant_samples = 2730;
__constant__ float constant_k[6 * most_constant_samples];  // as structures, and behind them as arrays

__device__ inline Sample constant_sample(const Samples& samples, int i, int count) {
  if constexpr (layout == Layout::aos) {
    return samples.with_k(i, constant_k[3 * i], constant_k[3 * i + 1], constant_k[3 * i + 2]);
  } else {
    const float* arrays = constant_k + 3 * count;
    return samples.with_k(i, arrays[i], arrays[count + i], arrays[2 * count + i]);
  }
}

struct Sum {
  float re;
  float im;
};

struct Voxel {
  float x;
  float y;
  float z;
  Sum sum;
};

// To the next integer, for |x| < 2^22: an addition that has no room for fractions. FRND would take a turn of the unit
// that computes sines.
__device__ inline float rounded(float x) {
  constexpr float large = 12582912.0f;  // 1.5 * 2^23
  return (x + large) - large;
}

// Sine and cosine of an angle, in radians if the trigonometry is raw, else in turns.
__device__ inline void sine_cosine(float angle, float& sine, float& cosine) {
  if constexpr (trig == Trig::precise) {
    sincosf(two_pi * angle, &sine, &cosine);
  } else if constexpr (trig == Trig::pi) {
    sincospif(2.0f * angle, &sine, &cosine);
  } else if constexpr (trig == Trig::fast) {
    __sincosf(two_pi * (angle - rounded(angle)), &sine, &cosine);
  } else {
    __sincosf(angle, &sine, &cosine);
  }
}

// Adds amplitude * (cosine, sine) of an angle in radians, from the sine s and the cosine c of half of it: 1 - 2 s^2 and
// 2 s c. Chebyshev interpolation over a half turn to both sides; s is right to 1.2e-6 and c to 6.8e-6, less than the
// rounding of the angle changes (9e-6 at 24 turns).
__device__ inline void add_by_polynomials(Sum& sum, float amplitude, float angle) {
  const float turns = rounded(angle * (1.0f / two_pi));
  const float x = angle - turns * two_pi;
  const float x2 = x * x;
  const float s = x * (0.499999619f + x2 * (-0.0208320956f + x2 * (2.59787232e-4f + x2 * -1.44707338e-6f)));
  const float c = 0.999993202f + x2 * (-0.12497794f + x2 * (2.59293838e-3f + x2 * -1.98595505e-5f));
  const float scaled = -2.0f * amplitude * s;
  sum.re += amplitude + scaled * s;
  sum.im -= scaled * c;
}

__device__ inline void add_by_units(Sum& sum, const Sample& sample, float angle) {
  float sine;
  float cosine;
  sine_cosine(angle, sine, cosine);
  if constexpr (layout == Layout::polar) {
    sum.re += sample.re * cosine;
    sum.im += sample.re * sine;
  } else {
    sum.re += sample.re * cosine - sample.im * sine;
    sum.im += sample.im * cosine + sample.re * sine;
  }
}

__device__ inline void add_sample(Voxel (&voxels)[COARSENING], const Sample& sample) {
  const float phase = layout == Layout::polar ? sample.im : 0.0f;
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    Voxel& voxel = voxels[i];
    const float angle = sample.kx * voxel.x + (sample.ky * voxel.y + (sample.kz * voxel.z + phase));
    // Spread among the others, so that both kinds of units always find work near.
    if (i * POLYNOMIALS % COARSENING < POLYNOMIALS) {
      add_by_polynomials(voxel.sum, sample.re, angle);
    } else {
      add_by_units(voxel.sum, sample, angle);
    }
  }
}

// A tile of samples in shared memory.
struct Tile {
  float* data;

  __device__ float& value(int sample, int which) const {
    if constexpr (layout == Layout::aos) return data[sample * 5 + which];
    if constexpr (layout == Layout::soa) return data[which * tile_samples + sample];
    return which < 4 ? data[sample * 4 + which] : data[4 * tile_samples + sample];
  }
  __device__ void put(int i, const Sample& sample) const {
    value(i, 0) = sample.kx, value(i, 1) = sample.ky, value(i, 2) = sample.kz;
    value(i, 3) = sample.im, value(i, 4) = sample.re;
  }
  __device__ Sample get(int i) const { return {value(i, 0), value(i, 1), value(i, 2), value(i, 4), value(i, 3)}; }
};

// All of the block's threads call this.
__device__ inline void add_shared_samples(Voxel (&voxels)[COARSENING], const Samples& samples, int count) {
  __shared__ float4 storage[(5 * tile_samples + 3) / 4];
  const Tile tile{reinterpret_cast<float*>(storage)};
  for (int start = 0; start < count; start += tile_samples) {
    const int here = count - start < tile_samples ? count - start : tile_samples;
    for (int i = static_cast<int>(threadIdx.x); i < here; i += BLOCK_SIZE) tile.put(i, prepared(samples.at(start + i)));
    __syncthreads();
#pragma unroll unroll
    for (int i = 0; i < here; ++i) add_sample(voxels, tile.get(i));
    __syncthreads();
  }
}

#include "scatter.cuh"
#include "tensor_angles.cuh"

__device__ inline void add_by_threads(const float* x, const float* y, const float* z, const Samples& samples,
                                      float* out_re, float* out_im, int first, int size, int count) {
  const int own = first + static_cast<int>(threadIdx.x);
  Voxel voxels[COARSENING] = {};
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int voxel = own + i * BLOCK_SIZE;
    if (voxel < size) voxels[i] = {x[voxel], y[voxel], z[voxel], {}};
  }
  if constexpr (sample_memory == SampleMemory::shared) {
    add_shared_samples(voxels, samples, count);
  } else if constexpr (sample_memory == SampleMemory::constant) {
#pragma unroll unroll
    for (int i = 0; i < count; ++i) add_sample(voxels, prepared(constant_sample(samples, i, count)));
  } else {
#pragma unroll unroll
    for (int i = 0; i < count; ++i) add_sample(voxels, prepared(samples.at(i)));
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int voxel = own + i * BLOCK_SIZE;
    if (voxel < size) out_re[voxel] = voxels[i].sum.re, out_im[voxel] = voxels[i].sum.im;
  }
}

__device__ inline void add_all(const float* x, const float* y, const float* z, const Samples& samples, float* out_re,
                               float* out_im, int size, int count) {
  const int first = static_cast<int>(blockIdx.x) * (BLOCK_SIZE * COARSENING);
  if constexpr (algorithm == Algorithm::scatter) {
    add_by_samples(x, y, z, samples, out_re, out_im, size, count);
  } else if constexpr (angle_kind == Angle::tensor) {
    add_by_tensor_angles(x, y, z, samples, out_re, out_im, first, size, count);
  } else {
    add_by_threads(x, y, z, samples, out_re, out_im, first, size, count);
  }
}

// x, y, z, out_re, out_im: an array of `size` voxels each; kx … im: of `count` samples each. A block has BLOCK_SIZE *
// COARSENING voxels, or BLOCK_SIZE samples. out_re and out_im are zero before if scattered to.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    mri_fhd(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
            const float* __restrict__ kx, const float* __restrict__ ky, const float* __restrict__ kz,
            const float* __restrict__ re, const float* __restrict__ im, float* __restrict__ out_re,
            float* __restrict__ out_im, int size, int count) {
  if constexpr (!is_fused) add_all(x, y, z, {kx, ky, kz, re, im}, out_re, out_im, size, count);
}

// The first part of the split loop: a thread per sample.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    compute_mu(const float* __restrict__ phi_re, const float* __restrict__ phi_im, const float* __restrict__ re,
               const float* __restrict__ im, float* __restrict__ mu_re, float* __restrict__ mu_im, int count) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  if (i < count) mu_of(phi_re[i], phi_im[i], re[i], im[i], mu_re[i], mu_im[i]);
}

// Both parts at once.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    mri_fhd_fused(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
                  const float* __restrict__ kx, const float* __restrict__ ky, const float* __restrict__ kz,
                  const float* __restrict__ phi_re, const float* __restrict__ phi_im, const float* __restrict__ re,
                  const float* __restrict__ im, float* __restrict__ out_re, float* __restrict__ out_im, int size,
                  int count) {
  if constexpr (is_fused) add_all(x, y, z, {kx, ky, kz, re, im, phi_re, phi_im}, out_re, out_im, size, count);
}
