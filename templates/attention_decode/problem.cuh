// Whose keys a block goes through, and where they lie. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;

using Element = unsigned short;

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr int head_dim = HEAD_DIM;
constexpr bool paged = PAGED;
constexpr int rows = ROWS;  // queries that share a head of keys: heads of a group times tokens
constexpr int strips = (ROWS - 1) / 16 + 1;
constexpr int halves = ROWS <= 8 ? 1 : 2;  // of a fragment's 16 rows that are used
constexpr int fragment_keys = 16;

struct Cache {
  const Element* k;
  const Element* v;
  const int* pages;  // of each sequence, pages_of_sequence numbers
  int pages_of_sequence;
  int page_size;
  int kv_heads;

  // Elements before the first of 16 keys of a sequence, which lie in one page; `key` is a multiple of 16. A cache
  // without pages has one for each sequence.
  __device__ long long place(int sequence, int head, int key) const {
    const int page = paged ? pages[sequence * pages_of_sequence + key / page_size] : sequence;
    const int slot = paged ? key % page_size : key;
    return ((static_cast<long long>(page) * kv_heads + head) * page_size + slot) * head_dim;
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
  const int of_block = (fragments + SPLIT_K - 1) / SPLIT_K * fragment_keys;
  return {min(split * of_block, length), min((split + 1) * of_block, length)};
}
