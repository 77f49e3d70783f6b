// ALGORITHM=wgmma_packed: a first launch splits A and B and leaves all images in memory, as CPU libraries pack panels
// (Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008). In the second a bulk copy each
// moves them to shared memory: one thread sends them. The parameters are described in kernel.cu.
#pragma once

#include "wgmma.cuh"

// Images in memory lie panel after panel, chunk after chunk.
template <class OneImage, class Byte>
__device__ inline Byte* image_at(Byte* packed, int panel, int chunk, int chunks) {
  return packed + (static_cast<long long>(panel) * chunks + chunk) * OneImage::bytes;
}

constexpr int packers = 256;  // threads

// A block for each image, those of A first.
extern "C" __global__ void __launch_bounds__(packers)
    split_and_pack(const float* __restrict__ a, const float* __restrict__ b, unsigned char* __restrict__ packed_a,
                   unsigned char* __restrict__ packed_b, int m, int n, int k) {
  const Problem problem{m, n, k};
  const int chunks = problem.chunks();
  const int of_a = divided_up(m, TILE_M) * chunks;
  const int index = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  if (index < of_a) {
    const int panel = index / chunks;
    const int chunk = index % chunks;
    PiecesOfA<packers> mine;
    mine.read(a, problem, {panel * TILE_M, chunk * TILE_K}, thread);
    mine.put(image_at<ImageOfA>(packed_a, panel, chunk, chunks), thread);
  } else {
    const int panels = divided_up(n, TILE_N);  // neighbours in number read the same rows of B
    const int panel = (index - of_a) % panels;
    const int chunk = (index - of_a) / panels;
    PiecesOfB<packers> mine;
    mine.read(b, problem, {chunk * TILE_K, panel * TILE_N}, thread);
    mine.put(image_at<ImageOfB>(packed_b, panel, chunk, chunks), thread);
  }
}

__device__ inline void send_all(const unsigned char* packed_a, const unsigned char* packed_b, const Problem& problem,
                                const Stages& stages) {
  const int chunks = problem.chunks();
  Turn turn;
  for (int index = static_cast<int>(blockIdx.x); index < problem.shares(); index += static_cast<int>(gridDim.x)) {
    const Share share = problem.share(index);
    const unsigned char* a = image_at<ImageOfA>(packed_a, share.at.row / TILE_M, share.first, chunks);
    const unsigned char* b = image_at<ImageOfB>(packed_b, share.at.column / TILE_N, share.first, chunks);
    for (int chunk = share.first; chunk < share.end; ++chunk) {
      const Window full = stages.full(turn.stage);
      wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
      arrive_and_announce(full, stage_bytes);
      copy_bytes(stages.a(turn.stage), a, ImageOfA::bytes, full);
      copy_bytes(stages.b(turn.stage), b, ImageOfB::bytes, full);
      a += ImageOfA::bytes;
      b += ImageOfB::bytes;
      turn.advance();
    }
  }
}

// The registers of threads that copy and of those that multiply; 65,536 are there.
constexpr int registers_to_copy = consumers == 3 ? 32 : 40;
constexpr int registers_to_multiply = consumers == 3 ? 160 : 232;

// packed_a, packed_b: what split_and_pack leaves. c: m x n, row-major, aligned to 8 bytes. Any one-dimensional grid;
// dynamic shared memory for STAGES pairs of images and two barriers each. The first warpgroup gives registers to those
// that multiply.
extern "C" __global__ void __launch_bounds__(warpgroup*(1 + consumers), 1)
    gemm_emulated_wgmma_packed(const unsigned char* __restrict__ packed_a, const unsigned char* __restrict__ packed_b,
                               float* __restrict__ c, float* __restrict__ workspace, int m, int n, int k, float alpha,
                               float beta) {
  extern __shared__ __align__(128) unsigned char images_and_barriers[];
  const Stages stages{window_of(images_and_barriers)};
  const Problem problem{m, n, k};
  if (threadIdx.x == 0) stages.make(1);
  __syncthreads();
  if (threadIdx.x < warpgroup) {
    if constexpr (consumers > 1) give_registers<registers_to_copy>();
    if (threadIdx.x == 0) send_all(packed_a, packed_b, problem, stages);
  } else {
    if constexpr (consumers > 1) take_registers<registers_to_multiply>();
    const int first_row = (static_cast<int>(threadIdx.x) / warpgroup - 1) * 64;
    multiply_all({c, workspace, m, n, alpha, beta}, problem, stages, first_row);
  }
}
