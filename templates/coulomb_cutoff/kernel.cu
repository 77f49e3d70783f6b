// The electrostatic potential of point charges on a grid, with a cutoff: each point sums over the atoms that are nearer
// than CUTOFF. A first kernel sorts the atoms into cubes ("bins") of a fixed capacity; those that find theirs full go
// to an overflow list. A block of points then looks only at the bins around it.
//
//   BIN_EDGE       a bin's edge in angstrom: small bins follow the cutoff sphere closely but are many
//   BIN_CAPACITY   atoms that a bin holds: a small capacity wastes no slots but sends more atoms to the overflow list
//   BLOCK_DIM_X, _Y, _Z   threads of a block along the grid's axes: x for coalesced stores, a cube for few bins around
//   COARSENING_Z   points along z per thread: they share an atom's load and its distance in x and y
//   ATOM_MEMORY    shared: the block gathers the atoms of its bins in shared memory, without the empty slots;
//                  global: all threads read the same slots, a broadcast from the L1 cache
//   STAGED_ATOMS   atoms per thread that shared memory has room for: larger, and the block computes rarely but long
//   CULLING        what is left out before it is computed: bins: those beyond the cutoff from all of the block's
//                  points (the corners of the cube around the sphere); atoms: single atoms as well, as they are staged
//   CUTOFF_TEST    branch: an atom beyond the cutoff from a point is skipped; clamp: it is multiplied by zero
//   OVERFLOW_LIST  gather: every block looks through the overflow list too; scatter: a further kernel adds each
//                  overflow atom to the points around it, atomically
//   UNROLL         atoms between two loop branches
//
// Sources: Rodrigues, Hardy, Stone, Schulten & Hwu, "GPU Acceleration of Cutoff Pair Potentials for Molecular Modeling
// Applications" (Computing Frontiers 2008): bins of 4 angstrom with 8 slots, their overflow left to the CPU; Stratton
// et al., "Parboil" (2012), benchmark CUTCP; Kirk & Hwu, "Programming Massively Parallel Processors", binning.

enum class AtomMemory { shared, global };
enum class Culling { none, bins, atoms };
enum class CutoffTest { branch, clamp };
enum class OverflowList { gather, scatter };

constexpr AtomMemory atom_memory = AtomMemory::ATOM_MEMORY;
constexpr Culling culling = Culling::CULLING;
constexpr bool skip_outside = CutoffTest::CUTOFF_TEST == CutoffTest::branch;
constexpr OverflowList overflow_list = OverflowList::OVERFLOW_LIST;
constexpr int unroll = UNROLL;
constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

#include "gather.cuh"

// atoms: count times x, y and z as shares of the grid's extents, and the charge. counts: one a bin, how many atoms
// belong there, and a last one for the overflow list; zero before. Which atom gets which slot is left to chance.
extern "C" __global__ void bin_atoms(const float4* __restrict__ atoms, int* __restrict__ counts,
                                     float4* __restrict__ bins, float4* __restrict__ overflow, int nx, int ny, int nz,
                                     int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const Grid grid{nx, ny, nz};
  float4 atom = atoms[i];
  atom.x = __fmul_rn(atom.x, spacing * static_cast<float>(nx));
  atom.y = __fmul_rn(atom.y, spacing * static_cast<float>(ny));
  atom.z = __fmul_rn(atom.z, spacing * static_cast<float>(nz));
  const int x = min(static_cast<int>(atom.x / BIN_EDGE), grid.bins(nx) - 1);
  const int y = min(static_cast<int>(atom.y / BIN_EDGE), grid.bins(ny) - 1);
  const int z = min(static_cast<int>(atom.z / BIN_EDGE), grid.bins(nz) - 1);
  const int bin = (z * grid.bins(ny) + y) * grid.bins(nx) + x;
  const int slot = atomicAdd(counts + bin, 1);
  if (slot < BIN_CAPACITY) {
    bins[static_cast<long long>(bin) * BIN_CAPACITY + slot] = atom;
  } else {
    overflow[atomicAdd(counts + grid.all_bins(), 1)] = atom;
  }
}

// potential: nz x ny x nx. A block computes BLOCK_DIM_X x BLOCK_DIM_Y x (BLOCK_DIM_Z * COARSENING_Z) points.
extern "C" __global__ void __launch_bounds__(threads)
    coulomb_cutoff(const int* __restrict__ counts, const float4* __restrict__ bins, const float4* __restrict__ overflow,
                   float* __restrict__ potential, int nx, int ny, int nz) {
  const Grid grid{nx, ny, nz};
  const int block_x = static_cast<int>(blockIdx.x) * BLOCK_DIM_X;
  const int block_y = static_cast<int>(blockIdx.y) * BLOCK_DIM_Y;
  const int block_z = static_cast<int>(blockIdx.z) * BLOCK_DIM_Z * COARSENING_Z;
  const Region region{{block_x, min(block_x + BLOCK_DIM_X, nx) - 1},
                      {block_y, min(block_y + BLOCK_DIM_Y, ny) - 1},
                      {block_z, min(block_z + BLOCK_DIM_Z * COARSENING_Z, nz) - 1}};
  const int x = block_x + static_cast<int>(threadIdx.x);
  const int y = block_y + static_cast<int>(threadIdx.y);
  const int z = block_z + static_cast<int>(threadIdx.z) * COARSENING_Z;
  Points points(x, y, z);
  const Atoms atoms{counts, bins, overflow};
  if constexpr (atom_memory == AtomMemory::shared) {
    gather_staged(points, atoms, region, grid);
  } else {
    gather_cached(points, atoms, region, grid);
  }
  if (x >= nx || y >= ny) return;
#pragma unroll
  for (int i = 0; i < COARSENING_Z; ++i)
    if (z + i < nz) potential[(static_cast<long long>(z + i) * ny + y) * nx + x] = points.sums[i];
}

// Adds the overflow atoms, a block each, to the points around them. The potential of the bins is there already.
extern "C" __global__ void scatter_overflow(const int* __restrict__ counts, const float4* __restrict__ overflow,
                                            float* __restrict__ potential, int nx, int ny, int nz) {
  const Grid grid{nx, ny, nz};
  const int count = counts[grid.all_bins()];
  for (int i = static_cast<int>(blockIdx.x); i < count; i += static_cast<int>(gridDim.x)) {
    const float4 atom = overflow[i];
    const Range xs = points_around(atom.x, nx);
    const Range ys = points_around(atom.y, ny);
    const Range zs = points_around(atom.z, nz);
    const int around = xs.size() * ys.size() * zs.size();
    for (int point = static_cast<int>(threadIdx.x); point < around; point += static_cast<int>(blockDim.x)) {
      const int x = xs.first + point % xs.size();
      const int y = ys.first + point / xs.size() % ys.size();
      const int z = zs.first + point / xs.size() / ys.size();
      const float dx = spacing * static_cast<float>(x) - atom.x;
      const float dy = spacing * static_cast<float>(y) - atom.y;
      const float dz = spacing * static_cast<float>(z) - atom.z;
      const float distance_squared = dx * dx + dy * dy + dz * dz;
      if (distance_squared < cutoff_squared)
        atomicAdd(potential + (static_cast<long long>(z) * ny + y) * nx + x,
                  shifted_potential(atom.w, distance_squared));
    }
  }
}
