// Who gets to a vertex first, and where those that were first note it for the next level.
#pragma once

struct Graph {
  const int* starts;
  const int* neighbours;
  int vertices;
};

// What all levels share. `counts` holds each level's number of vertices (without a queue: whether there are any).
struct Search {
  int* levels;
  unsigned* bitmap;
  int* queues;  // of even and of odd levels
  int* counts;
  int vertices;
  int level;

  __device__ const int* frontier() const { return queues + static_cast<long long>(level % 2) * vertices; }
  __device__ int* next_frontier() const { return queues + static_cast<long long>((level + 1) % 2) * vertices; }
  __device__ int* next_count() const { return counts + level + 1; }

  // True for exactly one of all threads that ever reach the vertex. A read before the atomic operation may be out of
  // date, but only ever takes a vertex for new that is not.
  __device__ bool claim(int vertex) const {
    if constexpr (visited == Visited::bitmap) {
      const unsigned bit = 1u << vertex % 32;
      if (check_before_atomic && (bitmap[vertex / 32] & bit) != 0) return false;
      if ((atomicOr(bitmap + vertex / 32, bit) & bit) != 0) return false;
      levels[vertex] = level + 1;
      return true;
    } else {
      if (check_before_atomic && levels[vertex] != unreached) return false;
      return atomicCAS(levels + vertex, unreached, level + 1) == unreached;
    }
  }
};

// A block's own queue.
struct BlockQueue {
  int vertices[QUEUE_SIZE];
  int count;
  int place;  // where it goes in the next frontier
};

class Discoveries {
 public:
  // All of the block's threads call this.
  __device__ Discoveries(const Search& search, BlockQueue& queue) : search_(search), queue_(queue) {
    if constexpr (queue_kind == Queue::block) {
      if (threadIdx.x == 0) queue_.count = 0;
      __syncthreads();
    }
  }

  // Of a vertex that may be -1 (none). With the warp's insertion all threads of a warp call this together.
  __device__ void visit(int vertex) {
    const bool found = vertex >= 0 && search_.claim(vertex);
    if constexpr (algorithm == Algorithm::all_vertices) {
      found_ = found_ || found;
    } else if constexpr (queue_kind == Queue::warp) {
      insert_with_warp(found, vertex);
    } else if (found) {
      insert(vertex);
    }
  }

  // All of the block's threads call this, after the last visit.
  __device__ void finish() {
    if constexpr (algorithm == Algorithm::all_vertices) {
      if (found_) *search_.next_count() = 1;
    } else if constexpr (queue_kind == Queue::block) {
      flush();
    }
  }

 private:
  __device__ void insert_globally(int vertex) { search_.next_frontier()[atomicAdd(search_.next_count(), 1)] = vertex; }

  __device__ void insert(int vertex) {
    if constexpr (queue_kind == Queue::block) {
      const int place = atomicAdd(&queue_.count, 1);
      if (place < QUEUE_SIZE) {
        queue_.vertices[place] = vertex;
      } else {
        insert_globally(vertex);
      }
    } else {
      insert_globally(vertex);
    }
  }

  // One addition per warp.
  __device__ void insert_with_warp(bool found, int vertex) {
    const unsigned all = __ballot_sync(0xffffffffu, found);
    if (all == 0) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int first = 0;
    if (lane == 0) first = atomicAdd(search_.next_count(), __popc(all));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (found) search_.next_frontier()[first + __popc(all & ((1u << lane) - 1))] = vertex;
  }

  // One addition per block, and neighbouring threads write neighbours.
  __device__ void flush() {
    __syncthreads();
    const int count = min(queue_.count, QUEUE_SIZE);
    if (threadIdx.x == 0 && count > 0) queue_.place = atomicAdd(search_.next_count(), count);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += BLOCK_SIZE)
      search_.next_frontier()[queue_.place + i] = queue_.vertices[i];
  }

  const Search& search_;
  BlockQueue& queue_;
  bool found_ = false;
};
