// Breadth-first search, level by level: levels[v] is the least number of edges from vertex 0 to v, or -1 beyond DEPTH
// edges. There is one launch per level; the levels behind the last one find nothing to do and end at once.
//
//   ALGORITHM            queue: a level's vertices (the frontier) lie in a queue. all_vertices: every level reads the
//                        level of all vertices to find its own: there is no queue to keep, which is good for few levels
//   BLOCK_SIZE           threads per block
//   BLOCKS_PER_SM        blocks for each multiprocessor, which share a level's vertices: the host does not know how many
//   THREADS_PER_VERTEX   threads that share a vertex's edges (1: a thread per vertex, 32: a warp per vertex)
//   UNROLL               neighbours that a thread reads before it visits them: loads in flight
//   HUBS                 threads: a vertex belongs to its threads, however many edges it has. block: vertices with at
//                        least as many edges as the block has threads are handled by all of it together, one by one
//   QUEUE                how vertices get into the next queue. global: an atomic addition each; warp: one for all that a
//                        warp finds at once; block: a queue in shared memory, flushed once (what it cannot hold goes the
//                        global way)
//   QUEUE_SIZE           vertices in a block's queue
//   VISITED              levels: the level's own entry tells whether a vertex is new. bitmap: a bit each, so that 32
//                        times as many fit into the cache
//   CHECK_BEFORE_ATOMIC  whether a plain read spares most of the atomic operations
//
// Sources: Luo, Wong & Hwu, "An Effective GPU Implementation of Breadth-First Search" (DAC 2010), and Kirk & Hwu,
// "Programming Massively Parallel Processors", graph search: hierarchical queues; Hong et al., "Accelerating CUDA Graph
// Algorithms at Maximum Warp" (PPoPP 2011): threads per vertex; Merrill, Garland & Grimshaw, "Scalable GPU Graph
// Traversal" (PPoPP 2012): blocks for hubs, bitmaps.

enum class Algorithm { queue, all_vertices };
enum class Hubs { threads, block };
enum class Queue { global, warp, block };
enum class Visited { levels, bitmap };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Hubs hubs = Hubs::HUBS;
constexpr Queue queue_kind = Queue::QUEUE;
constexpr Visited visited = Visited::VISITED;
constexpr bool check_before_atomic = CHECK_BEFORE_ATOMIC;
constexpr int unreached = -1;

#include "visit.cuh"

// Edges first, first + step … before end, of one thread.
struct Edges {
  int first;
  int end;
};

// Threads that share a vertex take its edges in turn. With the warp's insertion a warp stays together to the end.
template <int Step>
__device__ inline void follow(Discoveries& discoveries, const Graph& graph, Edges edges) {
  constexpr bool together = algorithm == Algorithm::queue && queue_kind == Queue::warp;
  for (int i = edges.first; together ? __any_sync(0xffffffffu, i < edges.end) : i < edges.end; i += UNROLL * Step) {
    int found[UNROLL];
#pragma unroll
    for (int item = 0; item < UNROLL; ++item)
      found[item] = i + item * Step < edges.end ? graph.neighbours[i + item * Step] : -1;
#pragma unroll
    for (int item = 0; item < UNROLL; ++item) discoveries.visit(found[item]);
  }
}

// All of the block's threads call this with their vertices' edges. Those who have a hub take turns: each time the last
// one to say so has its edges followed by the block. Returns what is left for the vertex's own threads.
__device__ inline Edges follow_hubs(Discoveries& discoveries, const Graph& graph, Edges edges) {
  __shared__ int owner;
  __shared__ Edges shared;
  const int thread = static_cast<int>(threadIdx.x);
  bool hub = edges.end - edges.first >= BLOCK_SIZE;
  const bool mine = hub;
  while (__syncthreads_or(hub && thread % THREADS_PER_VERTEX == 0)) {
    if (hub && thread % THREADS_PER_VERTEX == 0) owner = thread;
    __syncthreads();
    if (owner == thread) {
      shared = edges;
      hub = false;
    }
    __syncthreads();
    follow<BLOCK_SIZE>(discoveries, graph, {shared.first + thread, shared.end});
  }
  return mine ? Edges{0, 0} : edges;
}

// The edges of the search's i-th vertex.
__device__ inline Edges edges_of(const Graph& graph, const Search& search, int i) {
  const int vertex = algorithm == Algorithm::queue ? search.frontier()[i] : i;
  if (algorithm == Algorithm::all_vertices && search.levels[vertex] != search.level) return {0, 0};
  return {graph.starts[vertex], graph.starts[vertex + 1]};
}

// levels, bitmap, counts: as the level before left them; queues: 2 x vertices.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    bfs_level(const int* __restrict__ starts, const int* __restrict__ neighbours, int* levels, unsigned* bitmap,
              int* queues, int* counts, int vertices, int level) {
  __shared__ BlockQueue block_queue;
  const Graph graph{starts, neighbours, vertices};
  const Search search{levels, bitmap, queues, counts, vertices, level};
  const int count = counts[level];
  if (count == 0) return;
  const int work = algorithm == Algorithm::queue ? count : vertices;
  constexpr int at_once = BLOCK_SIZE / THREADS_PER_VERTEX;
  const int lane = static_cast<int>(threadIdx.x) % THREADS_PER_VERTEX;
  Discoveries discoveries(search, block_queue);
  for (int start = static_cast<int>(blockIdx.x) * at_once; start < work;
       start += static_cast<int>(gridDim.x) * at_once) {
    const int i = start + static_cast<int>(threadIdx.x) / THREADS_PER_VERTEX;
    Edges edges = i < work ? edges_of(graph, search, i) : Edges{0, 0};
    if constexpr (hubs == Hubs::block) edges = follow_hubs(discoveries, graph, edges);
    follow<THREADS_PER_VERTEX>(discoveries, graph, {edges.first + lane, edges.end});
  }
  discoveries.finish();
}

// Nothing is reached but vertex 0. counts and bitmap are zero before.
extern "C" __global__ void bfs_begin(int* __restrict__ levels, unsigned* __restrict__ bitmap, int* __restrict__ queues,
                                     int* __restrict__ counts, int vertices) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < vertices) levels[i] = i == 0 ? 0 : unreached;
  if (i != 0) return;
  bitmap[0] = 1;
  queues[0] = 0;
  counts[0] = 1;
}
