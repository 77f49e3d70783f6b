// o = softmax(q transposed(K) / sqrt(d)) V for the last tokens of sequences, whose keys and values lie in a cache.
//
// Sources: TBD

#include "keys.cuh"
#include "parts.cuh"

using warptune::device::exponentiate;
using warptune::device::round_exponentials;
using warptune::device::shrink_outputs;

constexpr int warps = BLOCK_SIZE / 32;
constexpr int step_keys = fragment_keys * UNROLL;  // of a warp at once

// What is read of the queries' heads, and where their results go.
struct Problem {
  const Element* q;
  const int* lengths;  // of the sequences, in keys
  int tokens;          // queries of a head: the sequence's last
  float scale;         // of the scores, times log2(e)

  // How many keys a row's query sees: its own token's is the last.
  __device__ int visible(int row, int length) const { return length + 1 - tokens + row / (rows / tokens); }
};

// A head of keys of a sequence.
struct Pair {
  int sequence;
  int head;
  int number;

  __device__ long long first_query(int tokens) const {
    return static_cast<long long>(number) * (rows / tokens) * tokens * head_dim;
  }
};

__device__ inline void load_queries(Queries& queries, const Element* q, int tokens, int strip) {
  const int heads = rows / tokens;
#pragma unroll
  for (int h = 0; h < halves; ++h) {
    const int row = 16 * strip + 8 * h + lane_of_warp() / 4;
    const Element* source = q + (row % heads * tokens + row / heads) * head_dim;
#pragma unroll
    for (int c = 0; c < key_chunks; ++c)
      queries.of[h][c] = row < rows ? load_words<CacheHint::plain>(source + 8 * (lane_of_warp() % 4 + 4 * c)) : Words{};
  }
}

// A warp's part: every so many-th step of its block's share.
struct Warp {
  Queries queries[strips];
  ScoreRows sums[strips];
  Outputs outputs[strips] = {};
  Keys keys[UNROLL];
  Values values[UNROLL];
  long long places[UNROLL];

  __device__ void find(const Cache& cache, Pair pair, Share share, int key) {
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
      places[i] = cache.place(pair.sequence, pair.head, min(key + 16 * i, (share.last - 1) / 16 * 16));
  }
  // Of the fragments that begin behind the share's end, the last is read again.
  __device__ static int count(Share share, int key, int i) {
    return share.last - min(key + 16 * i, (share.last - 1) / 16 * 16);
  }
  __device__ void load_keys(const Cache& cache, Share share, int key) {
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) keys[i].load(cache.k + places[i], count(share, key, i));
  }
  __device__ void load_values(const Cache& cache, Share share, int key) {
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) values[i].load(cache.v + places[i], count(share, key, i));
  }

  __device__ static void mask(Scores& scores, const Problem& problem, int strip, int length, int last, int key) {
#pragma unroll
    for (int h = 0; h < halves; ++h) {
      const int row = 16 * strip + 8 * h + lane_of_warp() / 4;
      const int limit = min(problem.visible(row, length), last) - key - lane_of_warp() % 4 * 2;
#pragma unroll
      for (int i = 0; i < 2 * UNROLL; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          if (8 * i + j >= limit) scores[4 * i + 2 * h + j] = __uint_as_float(0xff800000u);
      }
    }
  }
  __device__ void weigh(Scores& scores, Weights& weights, int strip, float scale) {
    float shrink[2];
    const ScoreRows before = sums[strip];
    exponentiate<halves>(scores, sums[strip], shrink, scale);
    bool grown = false;
#pragma unroll
    for (int h = 0; h < halves; ++h) grown = grown || before.maximum[h] != sums[strip].maximum[h];
    if (__any_sync(0xffffffffu, grown)) shrink_outputs(outputs[strip], shrink);
    round_exponentials<format>(weights, scores);
  }

  __device__ void attend(const Cache& cache, const Problem& problem, Pair pair, Share share, int length) {
    int key = share.first + static_cast<int>(threadIdx.x) / 32 * step_keys;
    if (key >= share.last) return;
    find(cache, pair, share, key);
    load_keys(cache, share, key);
    load_values(cache, share, key);
    while (true) {
      const int next = key + warps * step_keys;
      if (next < share.last) find(cache, pair, share, next);
      Scores scores[strips] = {};
#pragma unroll
      for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
        for (int strip = 0; strip < strips; ++strip) multiply_keys(scores[strip] + 8 * i, queries[strip], keys[i]);
      }
      if (next < share.last) load_keys(cache, share, next);
      Weights weights[strips];
#pragma unroll
      for (int strip = 0; strip < strips; ++strip) {
        if (key + step_keys > min(share.last, length + 1 - problem.tokens))
          mask(scores[strip], problem, strip, length, share.last, key);
        weigh(scores[strip], weights[strip], strip, problem.scale);
      }
#pragma unroll
      for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
        for (int strip = 0; strip < strips; ++strip) multiply_values(outputs[strip], weights[strip][i], values[i]);
      }
      if (next >= share.last) return;
      load_values(cache, share, next);
      key = next;
    }
  }

  // To shared memory, as Parts has it.
  __device__ void put(float* to_outputs, float* to_stats) const {
    const int warp = static_cast<int>(threadIdx.x) / 32, t = lane_of_warp() % 4;
#pragma unroll
    for (int i = 0; i < strips * halves; ++i) {
      const int strip = i / halves, h = i % halves;
      const int row = 16 * strip + 8 * h + lane_of_warp() / 4;
      float sum = sums[strip].sum[h] + __shfl_xor_sync(0xffffffffu, sums[strip].sum[h], 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      if (row >= rows) continue;
      if (t == 0) reinterpret_cast<float2*>(to_stats)[warp * rows + row] = {sums[strip].maximum[h], sum};
      float* target = to_outputs + warp * part_outputs + row * head_dim + 16 * t;
#pragma unroll
      for (int c = 0; c < value_chunks; ++c) {
#pragma unroll
        for (int e = 0; e < 8; ++e) {
#pragma unroll
          for (int j = 0; j < 2; ++j) target[64 * c + 8 * j + e] = outputs[strip][4 * (8 * c + e) + 2 * h + j];
        }
      }
    }
  }
};

enum class Finish { two_launches, last_block };

constexpr Finish finish = Finish::FINISH;

// All of a pair's parts, by one block.
__device__ inline void finish_pair(const float* part_results, const float* part_stats, Element* o, Pair pair,
                                   const Problem& problem) {
  const Parts<true> parts{part_results + static_cast<long long>(pair.number) * SPLIT_K * part_outputs,
                          part_stats + static_cast<long long>(pair.number) * SPLIT_K * rows * 2, SPLIT_K};
  for (int i = static_cast<int>(threadIdx.x); i < part_outputs / 4; i += BLOCK_SIZE)
    write_result(merged(parts, i, problem.scale), i, o + pair.first_query(problem.tokens), problem.tokens);
}

// Whether this block is the last of so many to come here; then it sees what the others wrote.
__device__ inline bool is_last(unsigned* ticket) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(ticket, SPLIT_K - 1) == SPLIT_K - 1;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    attention_decode(const Element* __restrict__ q, const Element* __restrict__ k, const Element* __restrict__ v,
                     Element* __restrict__ o, const int* __restrict__ lengths, const int* __restrict__ pages,
                     float* part_results, float* part_stats, unsigned* tickets, int kv_heads, int tokens,
                     int pages_of_sequence, int page_size, float scale) {
  extern __shared__ float4 shared_storage[];
  float* shared_outputs = reinterpret_cast<float*>(shared_storage);
  float* shared_stats = shared_outputs + warps * part_outputs;
  const int number = static_cast<int>(blockIdx.x) / SPLIT_K, split = static_cast<int>(blockIdx.x) % SPLIT_K;
  const Pair pair{number / kv_heads, number % kv_heads, number};
  const Problem problem{q, lengths, tokens, scale};
  const Cache cache{k, v, pages, pages_of_sequence, page_size, kv_heads};
  const int length = lengths[pair.sequence];
  Warp warp;
#pragma unroll
  for (int strip = 0; strip < strips; ++strip)
    load_queries(warp.queries[strip], q + pair.first_query(tokens), tokens, strip);
  warp.attend(cache, problem, pair, share_of(length, split), length);
  warp.put(shared_outputs, shared_stats);
  __syncthreads();
  const Parts<false> parts{shared_outputs, shared_stats, warps};
  const long long part = static_cast<long long>(number) * SPLIT_K + split;
  for (int i = static_cast<int>(threadIdx.x); i < part_outputs / 4; i += BLOCK_SIZE) {
    const Merged result = merged(parts, i, scale);
    if constexpr (SPLIT_K == 1) {
      write_result(result, i, o + pair.first_query(tokens), tokens);
    } else {
      reinterpret_cast<float4*>(part_results + part * part_outputs)[i] = result.outputs;
      if (i % (head_dim / 4) == 0)
        reinterpret_cast<float2*>(part_stats)[part * rows + i / (head_dim / 4)] = {result.maximum, result.sum};
    }
  }
  if constexpr (SPLIT_K > 1 && finish == Finish::last_block) {
    if (is_last(tickets + number)) finish_pair(part_results, part_stats, o, pair, problem);
  }
}

// A block for each pair of a sequence and a head of keys.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    combine(const float* part_results, const float* part_stats, Element* __restrict__ o, int kv_heads, int tokens,
            float scale) {
  const int number = static_cast<int>(blockIdx.x);
  const Pair pair{number / kv_heads, number % kv_heads, number};
  finish_pair(part_results, part_stats, o, pair, {nullptr, nullptr, tokens, scale});
}
