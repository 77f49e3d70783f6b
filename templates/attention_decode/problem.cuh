// Whose keys a block goes through, and where they lie. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;

using Element = unsigned short;

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr int head_dim = HEAD_DIM;
constexpr int rows = ROWS;  // queries that share a head of keys: heads of a group times tokens
constexpr int row_blocks = (rows - 1) / 16 + 1;
constexpr int block_rows = rows < 16 ? rows : 16;  // a fragment's, of which a block has one
constexpr int fragment_keys = 16;
constexpr int splits = SPLIT_K;

struct Problem {
  const Element* q;
  int heads;  // of queries
  int kv_heads;
  int tokens;   // queries of a head: the sequence's last
  float scale;  // of the scores, times log2(e)

  // How many keys a row's query sees: that of its own token is the last.
  __device__ int visible(int row, int length) const { return length + 1 - tokens + row / (rows / tokens); }
};

// Up to 16 of the rows that share a head of keys of a sequence.
struct Group {
  int number;  // among all
  int sequence;
  int head;  // of keys
  int first_row;

  // A row is a token of a head; the last group may have fewer heads than others.
  __device__ int head_of(int row, const Problem& problem) const {
    const int heads = rows / problem.tokens;
    return head * heads + (first_row + row) % heads;
  }
  __device__ bool has(int row, const Problem& problem) const {
    return first_row + row < rows && head_of(row, problem) < problem.heads;
  }
  // Elements before a row's query, and before its result.
  __device__ long long place(int row, const Problem& problem) const {
    const int token = (first_row + row) / (rows / problem.tokens);
    const long long matrix = static_cast<long long>(sequence) * problem.heads + head_of(row, problem);
    return (matrix * problem.tokens + token) * head_dim;
  }
};

__device__ inline Group group_of(int number, int kv_heads) {
  const int pair = number / row_blocks;
  return {number, pair / kv_heads, pair % kv_heads, number % row_blocks * 16};
}

struct Cache {
  const Element* k;
  const Element* v;
  const int* pages;  // of each sequence, pages_of_sequence numbers
  int pages_of_sequence;
  int page_keys;  // of a page; without pages, of the longest sequence
  int kv_heads;

  // Elements before the first of 16 keys of a sequence, which lie in one page; `key` is a multiple of 16.
  __device__ long long place(int sequence, int head, int key) const {
    int page = sequence, slot = key, length = page_keys;
    if constexpr (PAGE_SIZE > 0) {
      length = PAGE_SIZE > 0 ? PAGE_SIZE : 1;
      page = pages[sequence * pages_of_sequence + key / length];
      slot = key % length;
    }
    return ((static_cast<long long>(page) * kv_heads + head) * length + slot) * head_dim;
  }
};

// Keys from `first` to before `last`.
struct Share {
  int first;
  int last;
};

// A block's share of a sequence of this length: whole fragments.
__device__ inline Share share_of(int length, int split) {
  const int fragments = (length + fragment_keys - 1) / fragment_keys;
  const int of_block = (fragments + splits - 1) / splits * fragment_keys;
  return {min(split * of_block, length), min((split + 1) * of_block, length)};
}
