// The electrostatic potential of point charges on a grid, with a cutoff: each point sums over the atoms that are nearer
// than CUTOFF. A first kernel sorts the atoms into cubes ("bins") of a fixed capacity; those that find theirs full go
// to an overflow list. A block of points then looks only at the bins around it.
//
//   BINNING        fixed: bins have BIN_CAPACITY slots each; dynamic: bins are as long as they have atoms, which takes
//                  counting, prefix sums and a copy (dynamic_bins.cuh)
//   BIN_EDGE       a bin's edge in angstrom: small bins follow the cutoff sphere closely but are many
//   BIN_CAPACITY   atoms that a bin holds: a small capacity wastes no slots but sends more atoms to the overflow list
//   BIN_COUNTER    how an atom gets its slot: add: the bin's counter counts all atoms; decrement: an atom that finds
//                  the bin full takes itself off again; read_first: the counter is read before it is added to, so that
//                  a full bin costs no atomic operation
//   NEIGHBOURS     how a block finds the bins around it: computed: from its points; offsets: from a list of relative
//                  bins in constant memory; pencils: from such a list of rows of bins, which dynamic bins make one run
//                  of atoms each (neighbours.cuh)
//   BLOCK_DIM_X, _Y, _Z   threads of a block along the grid's axes: x for coalesced stores, a cube for few bins around
//   COARSENING_Z   points along z per thread: they share an atom's load and its distance in x and y
//   ATOM_MEMORY    shared: the block gathers the atoms of its bins in shared memory, without the empty slots;
//                  global: all threads read the same slots, a broadcast from the L1 cache
//   STAGED_ATOMS   atoms per thread that shared memory has room for: larger, and the block computes rarely but long
//   CULLING        what is left out before it is computed: bins: those beyond the cutoff from all of the block's
//                  points (the corners of the cube around the sphere); atoms: single atoms as well, as they are staged
//   CUTOFF_TEST    branch: an atom beyond the cutoff from a point is skipped; clamp: it is multiplied by zero;
//                  cylinder: the distance in x and y is tested for all of a thread's points first
//   OVERFLOW_LIST  gather: every block looks through the overflow list too; scatter: a further kernel adds each
//                  overflow atom to the points around it, atomically
//   UNROLL         atoms between two loop branches
//
// Sources: Rodrigues, Hardy, Stone, Schulten & Hwu, "GPU Acceleration of Cutoff Pair Potentials for Molecular Modeling
// Applications" (Computing Frontiers 2008): bins of 4 angstrom with 8 slots, their overflow left to the CPU; Stratton
// et al., "Parboil" (2012), benchmark CUTCP; Kirk & Hwu, "Programming Massively Parallel Processors", binning.

enum class AtomMemory { shared, global };
enum class Culling { none, bins, atoms };
enum class CutoffTest { branch, clamp, cylinder };
enum class Binning { fixed, dynamic };
enum class BinCounter { add, decrement, read_first };
enum class Neighbours { computed, offsets, pencils };
enum class OverflowList { gather, scatter };

constexpr AtomMemory atom_memory = AtomMemory::ATOM_MEMORY;
constexpr Culling culling = Culling::CULLING;
constexpr bool skip_outside = CutoffTest::CUTOFF_TEST != CutoffTest::clamp;
constexpr bool tests_cylinder = CutoffTest::CUTOFF_TEST == CutoffTest::cylinder;
constexpr bool is_dynamic = Binning::BINNING == Binning::dynamic;
constexpr BinCounter bin_counter = BinCounter::BIN_COUNTER;
constexpr Neighbours neighbours = Neighbours::NEIGHBOURS;
constexpr bool by_runs = is_dynamic || neighbours != Neighbours::computed;
constexpr OverflowList overflow_list = OverflowList::OVERFLOW_LIST;
constexpr int unroll = UNROLL;
constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

#include "dynamic_bins.cuh"
#include "gather.cuh"
#include "runs.cuh"

// atoms: count times x, y and z as shares of the grid's extents, and the charge. counts: one for each bin, how many
// atoms belong there, and a last one for the overflow list; zero before. Which atom gets which slot is left to chance.
extern "C" __global__ void bin_atoms(const float4* __restrict__ atoms, int* __restrict__ counts,
                                     float4* __restrict__ bins, float4* __restrict__ overflow, int nx, int ny, int nz,
                                     int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (is_dynamic || i >= count) return;
  const Grid grid{nx, ny, nz};
  const float4 atom = located(atoms[i], grid);
  const int bin = bin_of(atom, grid);
  const int slot = reserve_slot(counts + bin);
  if (slot < BIN_CAPACITY) {
    bins[static_cast<long long>(bin) * BIN_CAPACITY + slot] = atom;
  } else {
    overflow[atomicAdd(counts + grid.all_bins(), 1)] = atom;
  }
}

// A block computes BLOCK_DIM_X x BLOCK_DIM_Y x (BLOCK_DIM_Z * COARSENING_Z) points.
__device__ inline void compute_block(const Atoms& atoms, float* __restrict__ potential, Grid grid) {
  const int block_x = static_cast<int>(blockIdx.x) * BLOCK_DIM_X;
  const int block_y = static_cast<int>(blockIdx.y) * BLOCK_DIM_Y;
  const int block_z = static_cast<int>(blockIdx.z) * BLOCK_DIM_Z * COARSENING_Z;
  const Region region{{block_x, min(block_x + BLOCK_DIM_X, grid.x) - 1},
                      {block_y, min(block_y + BLOCK_DIM_Y, grid.y) - 1},
                      {block_z, min(block_z + BLOCK_DIM_Z * COARSENING_Z, grid.z) - 1}};
  const int x = block_x + static_cast<int>(threadIdx.x);
  const int y = block_y + static_cast<int>(threadIdx.y);
  const int z = block_z + static_cast<int>(threadIdx.z) * COARSENING_Z;
  Points points(x, y, z);
  if constexpr (by_runs && atom_memory == AtomMemory::shared) {
    gather_runs_staged(points, atoms, region, grid);
  } else if constexpr (by_runs) {
    gather_runs_cached(points, atoms, region, grid);
  } else if constexpr (atom_memory == AtomMemory::shared) {
    gather_staged(points, atoms, region, grid);
  } else {
    gather_cached(points, atoms, region, grid);
  }
  if (x >= grid.x || y >= grid.y) return;
#pragma unroll
  for (int i = 0; i < COARSENING_Z; ++i)
    if (z + i < grid.z) potential[(static_cast<long long>(z + i) * grid.y + y) * grid.x + x] = points.sums[i];
}

// potential: nz x ny x nx.
extern "C" __global__ void __launch_bounds__(threads)
    coulomb_cutoff(const int* __restrict__ counts, const float4* __restrict__ bins, const float4* __restrict__ overflow,
                   float* __restrict__ potential, int nx, int ny, int nz) {
  if constexpr (!is_dynamic) compute_block({counts, bins, overflow, nullptr}, potential, {nx, ny, nz});
}

// The same with bins of any length. starts: one for each bin, and the end.
extern "C" __global__ void __launch_bounds__(threads)
    coulomb_cutoff_dynamic(const int* __restrict__ starts, const int* __restrict__ counts,
                           const float4* __restrict__ bins, const float4* __restrict__ overflow,
                           float* __restrict__ potential, int nx, int ny, int nz) {
  if constexpr (is_dynamic) compute_block({counts, bins, overflow, starts}, potential, {nx, ny, nz});
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
