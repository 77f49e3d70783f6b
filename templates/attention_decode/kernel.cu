// o = softmax(q transposed(K) / sqrt(d)) V for the last tokens of sequences, whose keys and values lie in a cache: the
// step by which language models write a token. Each key is used for a few queries only, so that the time is that of
// reading the cache. Heads of queries that share a head of keys are the rows of one fragment; a warp reads 16 keys at
// once into the registers from which tensor cores multiply (keys.cuh).
//
//   BLOCK_SIZE   threads per block; its warps take turns along the keys, and add up at the end
//   UNROLL       times 16 keys, and as many values, that a warp has in flight
//   SPLIT_K      blocks that share a sequence's keys
//   FINISH       who makes one result of theirs: a second launch, or whichever block ends last
//   CACHE_HINT_LOAD    of keys and values
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: Dao et al., "Flash-Decoding for long-context inference" (2023) for keys that are split among blocks; Kwon et
// al., "Efficient Memory Management for Large Language Model Serving with PagedAttention" (SOSP 2023) for pages;
// Ainslie et al., "GQA" (2023) for groups of heads as rows; Milakov & Gimelshein, "Online normalizer calculation for
// softmax" (2018).

#include "parts.cuh"
#include "warp.cuh"

enum class Finish { two_launches, last_block };

constexpr Finish finish = Finish::FINISH;

// A block's result, of its warps' parts: the whole one, or a part for another to finish.
__device__ inline void put_block(const Parts<false>& parts, const Group& group, const Problem& problem, Element* o,
                                 float* to_outputs, float* to_stats) {
  for (int i = static_cast<int>(threadIdx.x); i < part_outputs / 4; i += BLOCK_SIZE) {
    const Merged result = merged(parts, i, problem.scale);
    if constexpr (splits == 1) {
      write_result(result, i, group, problem, o);
    } else {
      reinterpret_cast<float4*>(to_outputs)[i] = result.outputs;
      if (i % (head_dim / 4) == 0)
        reinterpret_cast<float2*>(to_stats)[i / (head_dim / 4)] = {result.maximum, result.sum};
    }
  }
}

// All of a group's parts, by one block.
__device__ inline void finish_group(const float* outputs, const float* stats, const Group& group,
                                    const Problem& problem, Element* o) {
  const long long first = static_cast<long long>(group.number) * splits;
  const Parts<true> parts{outputs + first * part_outputs, stats + first * block_rows * 2, splits};
  for (int i = static_cast<int>(threadIdx.x); i < part_outputs / 4; i += BLOCK_SIZE)
    write_result(merged(parts, i, problem.scale), i, group, problem, o);
}

// Whether this block is the last of a group's to come here; then it sees what the others wrote.
__device__ inline bool is_last(unsigned* ticket) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(ticket, splits - 1) == splits - 1;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

// q, o: sequences x heads x tokens x HEAD_DIM elements; k, v: pages x kv_heads x PAGE_SIZE x HEAD_DIM, or, without
// pages, sequences x kv_heads x page_keys x HEAD_DIM; all aligned to 16 bytes. A block for each part of each group, in
// a one-dimensional grid; dynamic shared memory for a part of each warp. tickets: zeros, and zeros again afterwards.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    attention_decode(const Element* __restrict__ q, const Element* __restrict__ k, const Element* __restrict__ v,
                     Element* __restrict__ o, const int* __restrict__ lengths, const int* __restrict__ pages,
                     float* outputs_of_parts, float* stats_of_parts, unsigned* tickets, int heads, int kv_heads,
                     int tokens, int pages_of_sequence, int page_keys, float scale) {
  extern __shared__ float4 shared_storage[];
  float* shared_outputs = reinterpret_cast<float*>(shared_storage);
  float* shared_stats = shared_outputs + warps * part_outputs;
  const int split = static_cast<int>(blockIdx.x) % splits;
  const Problem problem{q, heads, kv_heads, tokens, scale};
  const Cache cache{k, v, pages, pages_of_sequence, page_keys, kv_heads};
  const Group group = group_of(static_cast<int>(blockIdx.x) / splits, kv_heads);
  const int length = lengths[group.sequence];
  Warp warp{problem, cache, group, share_of(length, split), length, queries_of(group, problem)};
  warp.attend();
  warp.put(shared_outputs, shared_stats);
  __syncthreads();
  const long long part = blockIdx.x;
  put_block({shared_outputs, shared_stats, warps}, group, problem, o, outputs_of_parts + part * part_outputs,
            stats_of_parts + part * block_rows * 2);
  if constexpr (splits > 1 && finish == Finish::last_block) {
    if (is_last(tickets + group.number)) finish_group(outputs_of_parts, stats_of_parts, group, problem, o);
  }
}

// A block for each group.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    combine(const float* outputs_of_parts, const float* stats_of_parts, Element* __restrict__ o, int heads,
            int kv_heads, int tokens, float scale) {
  const Group group = group_of(static_cast<int>(blockIdx.x), kv_heads);
  finish_group(outputs_of_parts, stats_of_parts, group, {nullptr, heads, kv_heads, tokens, scale}, o);
}
