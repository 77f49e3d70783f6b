// A quadtree over points of the plane: points are put in the order of its leaves, quadrant by quadrant, until a node
// has at most `capacity` of them or lies at the depth `deepest`. How deep the tree goes is known only when the points
// have been counted: each node's block launches those of its quadrants.
//
//   BLOCK_SIZE     threads per block; each block works on one node at a time
//   LAUNCH_LEVELS  levels whose nodes' quadrants get blocks of their own; below, a node's block works through them
//                  itself
//   THRESHOLD      points that a quadrant needs for that: a launch of some microseconds should be worth its while
//   CHILD_GRIDS    each: a grid for each such quadrant. one: one grid for all of a node's, which takes a single launch
//
// The device keeps room for 2048 launches that wait (cudaLimitDevRuntimePendingLaunchCount). One too many fails, and
// the quadrant is then left to its parent's block.
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", the chapter on dynamic parallelism (quadtrees), and
// NVIDIA's sample of the same name before it; the CUDA C++ Programming Guide, "CUDA Dynamic Parallelism" (version 2, of
// CUDA 12).

#include "partition.cuh"

enum class ChildGrids { each, one };

constexpr ChildGrids child_grids = ChildGrids::CHILD_GRIDS;

struct Node {
  unsigned begin, end;  // its points
  int depth;
};

struct Quadrants {
  Node at[4];
};

// What every node needs to know. Nodes of even depth find their points in `even`, the others in `odd`.
struct Tree {
  unsigned long long* even;
  unsigned long long* odd;
  unsigned* order;
  int* depths;
  unsigned capacity;
  int deepest;
};

__global__ void build_below(Tree tree, Quadrants quadrants);

// Whether there was room for the launch. Its children see what the whole block has written: a barrier lies between.
__device__ inline bool launch(const Tree& tree, const Quadrants& quadrants, int count) {
  build_below<<<count, BLOCK_SIZE, 0, cudaStreamFireAndForget>>>(tree, quadrants);
  return cudaGetLastError() == cudaSuccess;
}

// The nodes that a block still has to work on, the last one first.
struct Stack {
  static constexpr int most = 3 * 16 + 4;  // three wait at each level while the fourth is worked on
  Node nodes[most];
  int size;

  __device__ void push(const Node& node) { nodes[size++] = node; }
};

__device__ inline void write_leaf(const Tree& tree, const Node& node) {
  const unsigned long long* const points = node.depth % 2 == 0 ? tree.even : tree.odd;
  for (unsigned i = node.begin + threadIdx.x; i < node.end; i += BLOCK_SIZE) {
    tree.order[i] = index_of(points[i]);
    tree.depths[i] = node.depth;
  }
}

// One thread's work: blocks for the quadrants that deserve one, the others onto the stack. `own`, in shared memory, is
// where the former are put together.
__device__ inline void hand_out(const Tree& tree, const Node& node, const unsigned (&ends)[4], Stack& stack,
                                Quadrants& own) {
  int count = 0;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const Node child{quadrant == 0 ? node.begin : ends[quadrant - 1], ends[quadrant], node.depth + 1};
    if (child.begin == child.end) continue;
    if (node.depth < LAUNCH_LEVELS && child.end - child.begin >= THRESHOLD) {
      own.at[count++] = child;
    } else {
      stack.push(child);
    }
  }
  if (child_grids == ChildGrids::one && count > 0 && launch(tree, own, count)) return;
  for (int i = 0; i < count; ++i) {
    Quadrants single;
    single.at[0] = own.at[i];
    if (child_grids == ChildGrids::one || !launch(tree, single, 1)) stack.push(own.at[i]);
  }
}

__device__ inline void build(const Tree& tree, const Node& first) {
  __shared__ Stack stack;
  __shared__ Split split;
  __shared__ Quadrants own;
  if (threadIdx.x == 0) {
    stack.size = 0;
    stack.push(first);
  }
  while (true) {
    __syncthreads();
    if (stack.size == 0) return;
    const Node node = stack.nodes[stack.size - 1];
    __syncthreads();
    if (threadIdx.x == 0) --stack.size;
    if (node.end - node.begin <= tree.capacity || node.depth >= tree.deepest) {
      write_leaf(tree, node);
      continue;
    }
    const bool even = node.depth % 2 == 0;
    partition(even ? tree.even : tree.odd, even ? tree.odd : tree.even, node.begin, node.end, node.depth, split);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) hand_out(tree, node, split.ends, stack, own);
  }
}

__global__ void __launch_bounds__(BLOCK_SIZE) build_below(Tree tree, Quadrants quadrants) {
  __shared__ Quadrants given;  // for a parameter that is indexed becomes a copy in each thread's local memory
  if (threadIdx.x == 0) given = quadrants;
  __syncthreads();
  build(tree, given.at[blockIdx.x]);
}

// One block, for the whole plane. order: the points' numbers, leaf by leaf; depths: of the leaf each one is in.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    build_tree(unsigned long long* even, unsigned long long* odd, unsigned* order, int* depths, unsigned size,
               unsigned capacity, int deepest) {
  build({even, odd, order, depths, capacity, deepest}, {0, size, 0});
}

// x, y: from 0 to 1, or beyond, which counts as on the edge. packed: a point's place and number.
extern "C" __global__ void pack_points(const float* __restrict__ x, const float* __restrict__ y,
                                       unsigned long long* __restrict__ packed, unsigned size) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < size) packed[i] = pack(x[i], y[i], i);
}
