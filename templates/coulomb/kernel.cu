// The electrostatic potential of point charges on a grid (direct summation): potential(p) = sum of charge / |p - atom|.
//
//   ALGORITHM      gather: a thread sums over all atoms for its grid points; scatter: a thread adds its atom to all
//                  grid points, atomically (what a loop over atoms suggests, and why one turns it round)
//   BLOCK_DIM_X, BLOCK_DIM_Y   threads of a block along the grid's rows and columns
//   COARSENING_X   grid points of a row per thread: they share the distance in y and z, and an atom's load
//   COARSENING_ORDER  strided: a thread's points lie a block apart (coalesced stores); consecutive: next to each other
//   COARSENING_Y   rows per thread: their points share the distances in x
//   ATOM_MEMORY    constant: one broadcast per warp, up to 4096 atoms; shared: tiles, with the square of the distance
//                  in z, which is the whole block's; global
//   ENERGIES       written: one launch takes all atoms and writes the potential; read_late, read_early: ATOM_PASSES
//                  launches take a part of the atoms each, and add to what the potential holds. It is read after the
//                  loop over the atoms, or before it, where the wait for memory is over by the time of the addition
//   ATOM_PASSES    launches among which the atoms are split, as where constant memory holds a part of them only
//   BOUNDARY       checked: a thread writes a point if the grid has it; padded: rows and columns are padded to whole
//                  blocks, threads write without a test, and a last kernel crops the potential out of that
//   UNROLL         atoms between two loop branches
//   ROOT           fast: the hardware's reciprocal square root; exact: divided by a correctly rounded one
//   NEWTON_ROOTS   how many of a thread's points take Newton's steps from an integer seed instead of that hardware
//
// What a pair costs. With distances shared among COARSENING_X x COARSENING_Y points it is an addition (or FFMA) for the
// distance, a reciprocal root and an FFMA for the sum: three to four instructions, of which a multiprocessor issues 128
// lanes per clock. But it computes only 16 roots per clock: 176 of the 256 operations that are its peak, by the
// manifest's 11 per pair, 0.69. NEWTON_ROOTS lifts that bound: a root on the FP32 pipe costs seven instructions more,
// and with a quarter of the points there both pipes end together, at 0.9 of the peak.
//
// Sources: Stone et al., "Accelerating Molecular Modeling Applications with Graphics Processors" (J. Comput. Chem.,
// 2007), also for the hoisted distance in z; Kirk & Hwu, "Programming Massively Parallel Processors", chapter on
// electrostatic potential maps (scatter, gather, coarsening, coalescing); Moroz et al., "Fast calculation of inverse
// square root with the use of magic constant" (Appl. Math. Comput., 2018) for tuning the seed and the steps together.

#include <warptune/device/fast_math.cuh>

using warptune::device::fast_reciprocal_root;  // no distance's square is subnormal

enum class Algorithm { gather, scatter };
enum class Order { strided, consecutive };
enum class AtomMemory { constant, shared, global };
enum class Energies { written, read_late, read_early };
enum class Boundary { checked, padded };
enum class Root { fast, exact };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Order order = Order::COARSENING_ORDER;
constexpr AtomMemory atom_memory = AtomMemory::ATOM_MEMORY;
constexpr Energies energies = Energies::ENERGIES;
constexpr bool is_padded = Boundary::BOUNDARY == Boundary::padded;
constexpr Root root = Root::ROOT;
constexpr int unroll = UNROLL;
constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y;
constexpr int points = COARSENING_X * COARSENING_Y;
constexpr float spacing = 0.5f;  // a power of two: grid coordinates are exact

__constant__ float4 constant_atoms[4096];  // all that constant memory holds

__device__ inline float inverse_distance(float distance2) {
  return root == Root::fast ? fast_reciprocal_root(distance2) : 1.0f / sqrtf(distance2);
}

// seeded_root(x) * seeded_scale is 1 / sqrt(x), right to 6.3e-7 of itself for all normal x. Newton's step for c * z
// with x * (c * z)^2 = 1 needs no half of x; seed, both steps' constants and the scale minimize the largest error
// together.
constexpr float seeded_scale = 1.47812115f;

__device__ inline float seeded_root(float x) {
  float z = __int_as_float(0x5ef66f2b - (__float_as_int(x) >> 1));
  z *= 1.48615964f - (x * z) * z;
  return z * (1.45644708f - (x * z) * z);
}

// Which points take seeded roots: spread evenly, so that both pipes always find work near.
__host__ __device__ constexpr bool is_seeded(int i) {
  return i * NEWTON_ROOTS % points < NEWTON_ROOTS;
}

struct Grid {
  int x;
  int y;
  int z;
};

// A thread's points: COARSENING_X from `first` on of each of its rows, the first of which is `y`.
struct Points {
  int first;
  float y;
  float z;
};

// An atom as the sum needs it: with the square of its distance in z.
struct Atom {
  float x;
  float y;
  float z2;
  float charge;
};

__host__ __device__ constexpr int point_offset(int i) {
  return order == Order::strided ? i * BLOCK_DIM_X : i;
}

__device__ inline Atom seen_from(const Points& at, float4 atom) {
  const float z = at.z - atom.z;
  return {atom.x, atom.y, z * z, atom.w};
}

__device__ inline void add_atom(float (&sums)[points], const Points& at, const Atom& atom) {
  const float seeded_charge = atom.charge * seeded_scale;
  float x2[COARSENING_X];
#pragma unroll
  for (int i = 0; i < COARSENING_X; ++i) {
    x2[i] = spacing * static_cast<float>(at.first + point_offset(i)) - atom.x;
    if constexpr (COARSENING_Y > 1) x2[i] *= x2[i];
  }
#pragma unroll
  for (int i = 0; i < points; ++i) {
    const float y = at.y + spacing * static_cast<float>(i / COARSENING_X * BLOCK_DIM_Y) - atom.y;
    const float yz2 = y * y + atom.z2;
    const float x = x2[i % COARSENING_X];
    const float distance2 = COARSENING_Y > 1 ? x + yz2 : x * x + yz2;
    sums[i] += is_seeded(i) ? seeded_charge * seeded_root(distance2) : atom.charge * inverse_distance(distance2);
  }
}

// All of the block's threads call this.
__device__ inline void add_shared_atoms(float (&sums)[points], const Points& at, const float4* atoms, int count) {
  __shared__ float4 tile[threads];
  const int thread = static_cast<int>(threadIdx.y) * BLOCK_DIM_X + static_cast<int>(threadIdx.x);
  for (int start = 0; start < count; start += threads) {
    const int here = count - start < threads ? count - start : threads;
    if (thread < here) {
      const Atom atom = seen_from(at, atoms[start + thread]);
      tile[thread] = make_float4(atom.x, atom.y, atom.z2, atom.charge);
    }
    __syncthreads();
#pragma unroll unroll
    for (int i = 0; i < here; ++i) add_atom(sums, at, {tile[i].x, tile[i].y, tile[i].z, tile[i].w});
    __syncthreads();
  }
}

// The first of a thread's points.
__device__ inline Grid first_point() {
  constexpr int first_step = order == Order::strided ? 1 : COARSENING_X;
  return {static_cast<int>(blockIdx.x) * BLOCK_DIM_X * COARSENING_X + static_cast<int>(threadIdx.x) * first_step,
          static_cast<int>(blockIdx.y) * BLOCK_DIM_Y * COARSENING_Y + static_cast<int>(threadIdx.y),
          static_cast<int>(blockIdx.z)};
}

// Calls visit(i, place) for each of a thread's points that the grid has, with its place in memory.
template <class Visit>
__device__ inline void for_each_point(const Grid& grid, Grid at, Visit visit) {
#pragma unroll
  for (int i = 0; i < points; ++i) {
    const int x = at.x + point_offset(i % COARSENING_X);
    const int y = at.y + i / COARSENING_X * BLOCK_DIM_Y;
    if (is_padded || (x < grid.x && y < grid.y)) visit(i, (static_cast<long long>(at.z) * grid.y + y) * grid.x + x);
  }
}

// Adds the atoms number `first` to `first + count - 1`. All of the block's threads call this.
__device__ inline void add_atoms(float (&sums)[points], Grid first_of_points, const float4* __restrict__ atoms,
                                 int first, int count) {
  const Points at{first_of_points.x, spacing * static_cast<float>(first_of_points.y),
                  spacing * static_cast<float>(first_of_points.z)};
  if constexpr (atom_memory == AtomMemory::shared) {
    add_shared_atoms(sums, at, atoms + first, count);
  } else {
#pragma unroll unroll
    for (int i = first; i < first + count; ++i)
      add_atom(sums, at, seen_from(at, atom_memory == AtomMemory::constant ? constant_atoms[i] : atoms[i]));
  }
}

__device__ inline void gather(const float4* __restrict__ atoms, float* potential, Grid grid, int count) {
  const Grid first = first_point();
  float sums[points] = {};
  add_atoms(sums, first, atoms, 0, count);
  for_each_point(grid, first, [&](int i, long long place) { potential[place] = sums[i]; });
}

__device__ inline void scatter(const float4* __restrict__ atoms, float* potential, Grid grid, int count) {
  const int index = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.y) * BLOCK_DIM_X +
                    static_cast<int>(threadIdx.x);
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
  if constexpr (energies != Energies::written) return;
  if constexpr (algorithm == Algorithm::gather) {
    gather(atoms, potential, {nx, ny, nz}, count);
  } else {
    scatter(atoms, potential, {nx, ny, nz}, count);
  }
}

// Adds `count` atoms from `first_atom` on to what the potential holds.
extern "C" __global__ void __launch_bounds__(threads)
    coulomb_add(const float4* __restrict__ atoms, float* __restrict__ potential, int nx, int ny, int nz, int first_atom,
                int count) {
  if constexpr (energies != Energies::written) {
    const Grid grid{nx, ny, nz};
    const Grid first = first_point();
    float sums[points] = {};
    if constexpr (energies == Energies::read_early)
      for_each_point(grid, first, [&](int i, long long place) { sums[i] = potential[place]; });
    add_atoms(sums, first, atoms, first_atom, count);
    if constexpr (energies == Energies::read_late) {
      for_each_point(grid, first, [&](int i, long long place) { potential[place] += sums[i]; });
    } else {
      for_each_point(grid, first, [&](int i, long long place) { potential[place] = sums[i]; });
    }
  }
}

// Copies nz planes of ny rows of nx points out of rows and columns that are longer. A thread takes a point.
extern "C" __global__ void crop(const float* __restrict__ padded, float* __restrict__ potential, int nx, int ny,
                                int padded_nx, int padded_ny) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const long long y = blockIdx.y;
  const long long z = blockIdx.z;
  if (x < nx) potential[(z * ny + y) * nx + x] = padded[(z * padded_ny + y) * padded_nx + x];
}
