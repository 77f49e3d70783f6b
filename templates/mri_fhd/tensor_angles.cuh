// Angles from the tensor cores. All pairs' angles are a matrix product: of the samples' k and phases (rows) with the
// voxels' coordinates (columns), four inner dimensions deep. TF32 keeps 11 bits of a factor, so each is split into two
// such numbers (k = k1 + k2, right to 2^-24 of itself, as float is) and multiplied crosswise: eight dimensions with
// the voxels' first halves, and the same eight with their second ones. Half an issued instruction then makes an angle,
// not three.
#pragma once

constexpr int voxel_groups = 4 * COARSENING;  // of eight voxels, a warp's
constexpr unsigned whole_warp = 0xffffffffu;

// To the nearest TF32, whose last 13 bits of a float are zero.
__device__ inline float tf32(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

// A thread's values of a 16 x 8 (samples) and of an 8 x 8 (voxels) fragment: lane / 4 is the row, and 8 rows on, or the
// column; lane % 4 is the inner dimension, and four on (PTX ISA, "Matrix Fragments for mma.m16n8k8").
struct SampleFragment {
  float4 at;  // row lane / 4 and eight on, in dimension lane % 4; the same in the dimension four on
};

struct VoxelFragment {
  float at[2];
};

// The angles of samples lane / 4 (0, 1) and eight on (2, 3), for voxels lane % 4 * 2 (0, 2) and the next (1, 3).
struct Angles {
  float at[4];
};

#if defined(__CUDA_ARCH__)

__device__ inline void add_product(Angles& angles, const SampleFragment& a, const VoxelFragment& b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(angles.at[0]), "+f"(angles.at[1]), "+f"(angles.at[2]), "+f"(angles.at[3])
      : "r"(__float_as_uint(a.at.x)), "r"(__float_as_uint(a.at.y)), "r"(__float_as_uint(a.at.z)),
        "r"(__float_as_uint(a.at.w)), "r"(__float_as_uint(b.at[0])), "r"(__float_as_uint(b.at[1])));
#endif
}

#else

// What the instruction does, with the factors handed round.
__device__ inline void add_product(Angles& angles, const SampleFragment& a, const VoxelFragment& b) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int k = 0; k < 8; ++k) {
    const float samples[2] = {__shfl_sync(whole_warp, k < 4 ? a.at.x : a.at.z, lane / 4 * 4 + k % 4),
                              __shfl_sync(whole_warp, k < 4 ? a.at.y : a.at.w, lane / 4 * 4 + k % 4)};
    const float voxels[2] = {__shfl_sync(whole_warp, b.at[k / 4], lane % 4 * 8 + k % 4),
                             __shfl_sync(whole_warp, b.at[k / 4], lane % 4 * 8 + 4 + k % 4)};
    for (int i = 0; i < 4; ++i) angles.at[i] += samples[i / 2] * voxels[i % 2];
  }
}

#endif

// Eight voxels: both halves of their coordinates, and this thread's share of the sums of two of them.
struct VoxelGroup {
  VoxelFragment first;
  VoxelFragment second;
  Sum sums[2];
};

// Inner dimensions: kx1, kx2, ky1, ky2, then kz1, kz2, phase1, phase2; so here x, x, y, y, then z, z, 1, 1 (or 0).
__device__ inline VoxelGroup group_of(const float* x, const float* y, const float* z, int voxel, int size) {
  VoxelGroup group{};
  if (voxel >= size) return group;
  const bool is_low = threadIdx.x % 4 < 2;
  const float values[2] = {is_low ? x[voxel] : y[voxel], is_low ? z[voxel] : 1.0f};
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    group.first.at[i] = tf32(values[i]);
    group.second.at[i] = tf32(values[i] - group.first.at[i]);
  }
  return group;
}

// A tile of samples in shared memory, by sixteen: what each lane's fragment needs is next to each other, and so are the
// amplitudes of rows that are eight apart. (Otherwise the compiler moves four registers before each multiplication.)
struct SplitTile {
  float4* fragments;
  float2* amplitudes;

  __device__ void put(int i, const Sample& sample) const {
    const float values[4] = {sample.kx, sample.ky, sample.kz, sample.im};
    const int row = i / 16 * 8 + i % 8;
    const int is_far = i % 16 / 8;
#pragma unroll
    for (int d = 0; d < 4; ++d) {
      const float first = tf32(values[d]);
      float* place = reinterpret_cast<float*>(fragments + 4 * row + d % 2 * 2) + d / 2 * 2 + is_far;
      place[0] = first;
      place[4] = tf32(values[d] - first);
    }
    reinterpret_cast<float*>(amplitudes + row)[is_far] = sample.re;
  }
};

// Sixteen samples and eight voxels, of whose pairs this thread has four. In two groups, POLYNOMIALS of eight pairs are
// left to polynomials.
template <int Parity>
__device__ inline void add_pairs(VoxelGroup& group, const SampleFragment& samples, float2 amplitudes) {
  Angles angles{};
  add_product(angles, samples, group.second);  // the small part first: it is rounded less
  add_product(angles, samples, group.first);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float amplitude = i < 2 ? amplitudes.x : amplitudes.y;
    if ((4 * Parity + i) * POLYNOMIALS % 8 < POLYNOMIALS) {
      add_by_polynomials(group.sums[i % 2], amplitude, angles.at[i]);
    } else {
      add_by_units(group.sums[i % 2], {0.0f, 0.0f, 0.0f, amplitude, 0.0f}, angles.at[i]);
    }
  }
}

__device__ inline void add_tile(VoxelGroup (&groups)[voxel_groups], const SplitTile& tile, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll unroll
  for (int first = 0; first < count; first += 16) {
    const SampleFragment samples{tile.fragments[first * 2 + lane]};
    const float2 amplitudes = tile.amplitudes[first / 2 + lane / 4];
#pragma unroll
    for (int i = 0; i < voxel_groups; i += 2) {
      add_pairs<0>(groups[i], samples, amplitudes);
      add_pairs<1>(groups[i + 1], samples, amplitudes);
    }
  }
}

// Lanes four apart have the same voxels' sums over other samples.
__device__ inline float over_rows(float sum) {
#pragma unroll
  for (int lanes = 4; lanes < 32; lanes *= 2) sum += __shfl_xor_sync(whole_warp, sum, lanes);
  return sum;
}

// Voxels of this block from number `first` on. All of the block's threads call this.
__device__ inline void add_by_tensor_angles(const float* x, const float* y, const float* z, const Samples& samples,
                                            float* out_re, float* out_im, int first, int size, int count) {
  __shared__ float4 fragments[2 * tile_samples];
  __shared__ float2 amplitudes[tile_samples / 2];
  const SplitTile tile{fragments, amplitudes};
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int own = first + static_cast<int>(threadIdx.x) / 32 * (8 * voxel_groups);
  VoxelGroup groups[voxel_groups];
#pragma unroll
  for (int i = 0; i < voxel_groups; ++i) groups[i] = group_of(x, y, z, own + 8 * i + lane / 4, size);
  for (int start = 0; start < count; start += tile_samples) {
    const int here = count - start < tile_samples ? count - start : tile_samples;
    for (int i = static_cast<int>(threadIdx.x); i < (here + 15) / 16 * 16; i += BLOCK_SIZE) {
      tile.put(i, i < here ? prepared(samples.at(start + i)) : Sample{});
    }
    __syncthreads();
    add_tile(groups, tile, here);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2 * voxel_groups; ++i) {
    const int voxel = own + i / 2 * 8 + lane % 4 * 2 + i % 2;
    const float re = over_rows(groups[i / 2].sums[i % 2].re);
    const float im = over_rows(groups[i / 2].sums[i % 2].im);
    if (lane < 4 && voxel < size) out_re[voxel] = re, out_im[voxel] = im;
  }
}
