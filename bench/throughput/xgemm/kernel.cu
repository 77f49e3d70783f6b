// C = alpha * A^T * B for column-major C (m x n), and A and B with neighbours along M and N: a[step * m + row],
// b[step * n + column], c[column * m + row]. Every size is a multiple of its tile's. The parameters are described in
// template.toml.

constexpr int threads = MDIMC * NDIMC;
constexpr int vectors_m = MWG / MDIMC / VWM;  // of a thread
constexpr int vectors_n = NWG / NDIMC / VWN;

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
};

template <int Width>
__device__ inline Pack<Width> load(const float* source) {
  return *reinterpret_cast<const Pack<Width>*>(source);
}

// Where a thread's vector begins within the tile's Tile floats along M or N, which Threads threads share.
template <int Tile, int Threads, int Width, bool Strided>
__device__ inline int place(int thread, int vector) {
  if constexpr (Strided) return (vector * Threads + thread) * Width;
  return (thread * (Tile / Threads / Width) + vector) * Width;
}

// Copies KWG rows of Tile floats, `pitch` floats apart, to shared memory, Threads threads along a row.
template <int Tile, int Threads, int Width, bool Strided>
__device__ inline void copy_tile(float* tile, const float* source, int pitch) {
  const int thread = static_cast<int>(threadIdx.y) * MDIMC + static_cast<int>(threadIdx.x);
  constexpr int rows = threads / Threads;
#pragma unroll
  for (int i = 0; i < KWG / rows; ++i) {
    const int row = thread / Threads + i * rows;
#pragma unroll
    for (int j = 0; j < Tile / Threads / Width; ++j) {
      const int at = place<Tile, Threads, Width, Strided>(thread % Threads, j);
      *reinterpret_cast<Pack<Width>*>(tile + row * Tile + at) =
          load<Width>(source + static_cast<long long>(row) * pitch + at);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads) xgemm(const float* __restrict__ a, const float* __restrict__ b,
                                                            float* __restrict__ c, int m, int n, int k, float alpha) {
  __shared__ __align__(16) float shared_a[SA ? KWG * MWG : 4];
  __shared__ __align__(16) float shared_b[SB ? KWG * NWG : 4];
  const int thread_m = static_cast<int>(threadIdx.x);
  const int thread_n = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.x) * MWG;
  const int first_column = static_cast<int>(blockIdx.y) * NWG;
  Pack<VWM> sums[vectors_n * VWN][vectors_m] = {};

  for (int first = 0; first < k; first += KWG) {
    const float* tile_a = a + static_cast<long long>(first) * m + first_row;
    const float* tile_b = b + static_cast<long long>(first) * n + first_column;
    if constexpr (SA) copy_tile<MWG, MDIMA, VWM, STRM>(shared_a, tile_a, m);
    if constexpr (SB) copy_tile<NWG, NDIMB, VWN, STRN>(shared_b, tile_b, n);
    if constexpr (SA || SB) __syncthreads();
#pragma unroll 1
    for (int outer = 0; outer < KWG; outer += KWI) {
#pragma unroll
      for (int inner = 0; inner < KWI; ++inner) {
        const int step = outer + inner;
        Pack<VWM> from_a[vectors_m];
        Pack<VWN> from_b[vectors_n];
#pragma unroll
        for (int i = 0; i < vectors_m; ++i) {
          const int at = place<MWG, MDIMC, VWM, STRM>(thread_m, i);
          from_a[i] = load<VWM>(SA ? shared_a + step * MWG + at : tile_a + static_cast<long long>(step) * m + at);
        }
#pragma unroll
        for (int j = 0; j < vectors_n; ++j) {
          const int at = place<NWG, NDIMC, VWN, STRN>(thread_n, j);
          from_b[j] = load<VWN>(SB ? shared_b + step * NWG + at : tile_b + static_cast<long long>(step) * n + at);
        }
#pragma unroll
        for (int j = 0; j < vectors_n * VWN; ++j) {
#pragma unroll
          for (int i = 0; i < vectors_m * VWM; ++i) {
            sums[j][i / VWM].at[i % VWM] += from_a[i / VWM].at[i % VWM] * from_b[j / VWN].at[j % VWN];
          }
        }
      }
    }
    if constexpr (SA || SB) __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < vectors_n * VWN; ++j) {
    const int column = first_column + place<NWG, NDIMC, VWN, STRN>(thread_n, j / VWN) + j % VWN;
#pragma unroll
    for (int i = 0; i < vectors_m; ++i) {
      Pack<VWM> result;
#pragma unroll
      for (int l = 0; l < VWM; ++l) result.at[l] = alpha * sums[j][i].at[l];
      const int row = first_row + place<MWG, MDIMC, VWM, STRM>(thread_m, i);
      *reinterpret_cast<Pack<VWM>*>(c + static_cast<long long>(column) * m + row) = result;
    }
  }
}
