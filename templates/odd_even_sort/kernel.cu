// Integers in ascending order by odd-even transposition: in even phases each key at an even place is compared with the
// one behind it, in odd phases each at an odd place; after as many phases as there are keys all are in order.
// Quadratic, and so for few keys only, but the plainest parallel sort there is, and a stencil in time and space: what
// can be done about one synchronisation of the whole grid for each phase?
//
//   ALGORITHM       launches: a launch for each phase, all keys in global memory. halos: PHASES phases per launch, on
//                   tiles that overlap by what their ends get wrong
//   BLOCK_SIZE      threads per block
//   COARSENING      keys that a thread compares in each phase, two to a comparison
//   PHASES          phases per launch: fewer launches, and wider halos, which are sorted twice
//   TILE_ALGORITHM  where a tile's keys lie. shared: in shared memory, with a barrier in each phase. registers:
//                   COARSENING neighbours per thread, whose ends are exchanged, with a barrier in every other phase.
//                   warps: as registers, but each warp has its own tile, so there is no barrier but more halos
//
// Sources: Habermann, "Parallel Neighbor-Sort" (Carnegie Mellon, 1972); Knuth, "The Art of Computer Programming" 3,
// 5.3.4; Kirk & Hwu, "Programming Massively Parallel Processors", ch. 8, for coarsening and register tiles of stencils;
// Nguyen et al., "3.5-D Blocking Optimization for Stencil Computations" (SC 2010) for halos in time.

#include "tile.cuh"

constexpr int halo = PHASES;  // even, so that a tile begins at an even place

// One phase, in place but for the first, which takes the keys from the input: phase 0 reaches all of them.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    one_phase(const Key* input, Key* keys, long long size, int phase) {
  const Key* from = phase == 0 ? input : keys;
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK_SIZE * COARSENING + phase % 2;
#pragma unroll
  for (int pair = 0; pair < COARSENING / 2; ++pair) {
    const long long lower = first + 2 * (static_cast<int>(threadIdx.x) + pair * BLOCK_SIZE);
    if (lower + 1 < size) {
      const Key left = from[lower];
      const Key right = from[lower + 1];
      keys[lower] = min(left, right);
      keys[lower + 1] = max(left, right);
    } else if (lower < size) {
      keys[lower] = from[lower];
    }
  }
}

// PHASES phases from one buffer to another, which take turns so that the last launch writes to the output. Dynamic
// shared memory: the tiles of a block's teams.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    some_phases(const Key* input, Key* output, Key* other, long long size, int launch, int launches) {
  extern __shared__ Key tiles[];
  Key* target = (launches - launch) % 2 == 1 ? output : other;
  const Key* source = launch == 0 ? input : target == output ? other : output;
  const int member = static_cast<int>(threadIdx.x) % team;
  Key* tile = tiles + static_cast<int>(threadIdx.x) / team * tile_size;
  const long long number = static_cast<long long>(blockIdx.x) * teams + static_cast<int>(threadIdx.x) / team;
  const long long begin = number * (tile_size - 2 * halo) - halo;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = member + item * team;
    tile[i] = begin + i < 0 ? smallest : begin + i < size ? source[begin + i] : largest;
  }
  wait_for_team();
  sort_tile(tile);
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = member + item * team;
    if (i >= halo && i < tile_size - halo && begin + i < size) target[begin + i] = tile[i];
  }
}
