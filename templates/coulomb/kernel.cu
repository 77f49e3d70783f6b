// The electrostatic potential of point charges on a grid (direct summation): potential(p) = sum of charge / |p - atom|.
//
//   METHOD         gather: a thread sums over all atoms for its grid points; scatter: a thread adds its atom to all
//   grid points,
//                  atomically (what a loop over atoms suggests, and why one turns it round)
//   BLOCK_X, BLOCK_Y   threads of a block along the grid's rows and columns
//   COARSEN        grid points of a row that a thread computes: they share the distance in y and z, and each atom's
//   load COARSEN_ORDER  strided: a thread's points lie a block apart (coalesced stores); adjacent: next to each other
//   ATOM_MEMORY    atoms in constant memory (one broadcast a warp; up to 4096 atoms), in shared tiles, or in global
//   memory UNROLL         atoms between two loop branches ROOT           fast: the hardware's reciprocal square root;
//   exact: divided by a correctly rounded one
//
// Sources: Stone et al., "Accelerating Molecular Modeling Applications with Graphics Processors" (J. Comput. Chem.,
// 2007); Kirk & Hwu, "Programming Massively Parallel Processors", chapter on electrostatic potential maps (scatter,
// gather, coarsening, coalescing).

enum class Method { gather, scatter };
enum class Order { strided, adjacent };
enum class AtomMemory { constant, shared, global };
enum class Root { fast, exact };

constexpr Method method = Method::METHOD;
constexpr Order order = Order::COARSEN_ORDER;
constexpr AtomMemory atom_memory = AtomMemory::ATOM_MEMORY;
constexpr Root root = Root::ROOT;
constexpr int unroll = UNROLL;
constexpr int threads = BLOCK_X * BLOCK_Y;
constexpr float spacing = 0.5f;  // a power of two: grid coordinates are exact

__constant__ float4 constant_atoms[4096];  // all that constant memory holds

__device__ inline float inverse_distance(float distance2) {
  return root == Root::fast ? rsqrtf(distance2) : 1.0f / sqrtf(distance2);
}

struct Grid {
  int x;
  int y;
  int z;
};

// A thread's points: a row's, from `first` on, COARSEN of them.
struct Points {
  int first;
  float y;
  float z;
};

__host__ __device__ constexpr int point_offset(int i) {
  return order == Order::strided ? i * BLOCK_X : i;
}

__device__ inline void add_atom(float (&sums)[COARSEN], const Points& points, float4 atom) {
  const float y = points.y - atom.y;
  const float z = points.z - atom.z;
  const float yz2 = y * y + z * z;
#pragma unroll
  for (int i = 0; i < COARSEN; ++i) {
    const float x = spacing * static_cast<float>(points.first + point_offset(i)) - atom.x;
    sums[i] += atom.w * inverse_distance(x * x + yz2);
  }
}

// All of the block's threads call this.
__device__ inline void add_shared_atoms(float (&sums)[COARSEN], const Points& points, const float4* atoms, int count) {
  __shared__ float4 tile[threads];
  const int thread = static_cast<int>(threadIdx.y) * BLOCK_X + static_cast<int>(threadIdx.x);
  for (int start = 0; start < count; start += threads) {
    const int here = count - start < threads ? count - start : threads;
    if (thread < here) tile[thread] = atoms[start + thread];
    __syncthreads();
#pragma unroll unroll
    for (int i = 0; i < here; ++i) add_atom(sums, points, tile[i]);
    __syncthreads();
  }
}

__device__ inline void gather(const float4* __restrict__ atoms, float* potential, Grid grid, int count) {
  constexpr int first_step = order == Order::strided ? 1 : COARSEN;
  const int y = static_cast<int>(blockIdx.y) * BLOCK_Y + static_cast<int>(threadIdx.y);
  const int z = static_cast<int>(blockIdx.z);
  const Points points{static_cast<int>(blockIdx.x) * BLOCK_X * COARSEN + static_cast<int>(threadIdx.x) * first_step,
                      spacing * static_cast<float>(y), spacing * static_cast<float>(z)};
  float sums[COARSEN] = {};
  if constexpr (atom_memory == AtomMemory::shared) {
    add_shared_atoms(sums, points, atoms, count);
  } else {
#pragma unroll unroll
    for (int i = 0; i < count; ++i)
      add_atom(sums, points, atom_memory == AtomMemory::constant ? constant_atoms[i] : atoms[i]);
  }
  if (y >= grid.y) return;
  float* row = potential + (static_cast<long long>(z) * grid.y + y) * grid.x;
#pragma unroll
  for (int i = 0; i < COARSEN; ++i)
    if (points.first + point_offset(i) < grid.x) row[points.first + point_offset(i)] = sums[i];
}

__device__ inline void scatter(const float4* __restrict__ atoms, float* potential, Grid grid, int count) {
  const int index =
      static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.y) * BLOCK_X + static_cast<int>(threadIdx.x);
  if (index >= count) return;
  const float4 atom = atoms[index];
  const int z = static_cast<int>(blockIdx.z);
  const float dz = spacing * static_cast<float>(z) - atom.z;
  for (int y = 0; y < grid.y; ++y) {
    const float dy = spacing * static_cast<float>(y) - atom.y;
    float* row = potential + (static_cast<long long>(z) * grid.y + y) * grid.x;
    for (int x = 0; x < grid.x; ++x) {
      const float dx = spacing * static_cast<float>(x) - atom.x;
      atomicAdd(row + x, atom.w * inverse_distance(dx * dx + (dy * dy + dz * dz)));
    }
  }
}

// atoms: count times x, y, z, charge, aligned to 16 bytes; potential: nz x ny x nx, zero before if scattered to. Grid:
// x and y tile the grid's rows and columns (x counts groups of atoms if scattering), z its planes.
extern "C" __global__ void __launch_bounds__(threads)
    coulomb(const float4* __restrict__ atoms, float* __restrict__ potential, int nx, int ny, int nz, int count) {
  if constexpr (method == Method::gather) {
    gather(atoms, potential, {nx, ny, nz}, count);
  } else {
    scatter(atoms, potential, {nx, ny, nz}, count);
  }
}
